"""YAML of studies: plain data without duplicate keys, aliases or tags."""

import pytest

from workbench.base.errors import BadInput
from workbench.studies.yaml_text import DEEPEST, LONGEST, lines_of, read_yaml, write_yaml

TEXT = "study: x\nrecipes:\n- method: {name: keep}\n- method:\n    name: mondrian\n"


def test_data_survive_a_round_trip():
    data = {"b": [1, 2.5, None, True], "a": {"ä": "text: with colon"}}
    assert read_yaml(write_yaml(data), "it") == data and read_yaml(write_yaml(data, short=True), "it") == data
    assert list(read_yaml(write_yaml(data), "it")) == ["b", "a"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a: 1\nb: 2\na: 3\n", "line 3: this name is used twice"),
        ("a: &x [1]\nb: *x\n", "line 2: a reference"),
        ("a: !!python/object:os.system x\n", "line 1: a tag"),
        ("a: [\n", "not YAML"),
        ("a: " + "[" * (DEEPEST + 1) + "]" * (DEEPEST + 1), "more than 50 nested brackets"),
        ("a: " + "x" * (LONGEST + 1), "a value of more than"),
        ("a: " + "9" * 400, "line 1"),
    ],
)
def test_refused_yaml_is_reported_with_its_line(text, why):
    with pytest.raises(BadInput, match=why):
        read_yaml(text, "study.yaml")


def test_the_line_of_a_path_or_of_its_nearest_parent():
    line = lines_of(TEXT)
    assert [line(path) for path in ((), ("recipes", 1), ("recipes", 1, "method", "name"))] == [1, 4, 5]
    assert line(("recipes", 0, "model")) == 3
