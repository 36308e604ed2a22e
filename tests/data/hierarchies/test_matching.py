"""Matching of a hierarchy's leaves and a column's values."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.data.hierarchies.columns import BUILT, WORK, dates, labels, numbers, texts
from workbench.base.errors import BadInput
from workbench.data.hierarchies.builders import Columns, read_csv
from workbench.data.hierarchies.hierarchy import Hierarchy

ARX = Path(__file__).parents[4] / "shared" / "data" / "arx"


def test_values_missing_from_a_hierarchy_are_listed_with_the_nearest_spelling():
    rows = [("Federal-gov", "gov"), ("local-gov", "gov"), ("Self-emp", "rest")]
    with pytest.raises(BadInput) as error:
        Columns(rows, source="work.csv")(texts(WORK))
    assert str(error.value) == (
        "column 'work', hierarchy work.csv: 2 of its 4 values are missing from the hierarchy: "
        "'Local-gov' (did you mean 'local-gov'?), 'Private'; add them, or correct the spelling"
    )


def test_at_most_ten_missing_values_are_listed():
    with pytest.raises(BadInput, match=r"13 of its 14 values .*'19', \.\.\. and 3 more; add them"):
        Columns([("9", "x")])(numbers(range(9, 23)))


def test_numbers_are_not_suggested_as_misspellings():
    with pytest.raises(BadInput, match=r"'40' \(did you mean '4O'\?\), '57'; add"):
        Columns([("39", "x"), ("4O", "x")])(numbers([39, 40, 57]))


def test_duplicate_leaves_of_numbers_are_found_as_numbers():
    with pytest.raises(BadInput, match="column 'age': duplicate leaves '39'; list each value once"):
        Columns([("39", "x"), ("39.0", "x")])(numbers([39]))


def test_a_level_that_is_not_a_partition_of_numbers_is_refused():
    rows = [("1", "odd"), ("3", "odd"), ("2", "even")]
    with pytest.raises(BadInput, match=r"column 'age': level 1 is no.*'odd' contains '1' and '3', but '2'"):
        Columns(rows)(numbers([1, 2, 3]))


def test_leaves_match_as_numbers_and_dates():
    rows = [("40.0", "old"), (" 9", "young"), ("?", "*"), ("39", "old")]
    hierarchy = Columns(rows)(numbers([9, 39, 40]))
    assert hierarchy.leaves == ("9", "39", "40")
    assert labels(hierarchy) == ["young", "old"]
    days = Columns([("2008-01-02 00:00:00", "b"), ("2008-01-01", "a")])(dates(["2008-01-01", "2008-01-02"], unit="us"))
    assert labels(days) == ["a", "b"]


@given(st.sets(st.sampled_from(WORK), min_size=1))
def test_leaves_that_the_data_lack_leave_no_empty_run(present):
    hierarchy = BUILT["nested"][0](texts(sorted(present)))
    assert set(hierarchy.leaves) == present
    for i in range(len(hierarchy.levels)):
        assert (np.diff(hierarchy.bounds(i), axis=1) >= 0).all()
    assert hierarchy.nested


@pytest.mark.skipif(not ARX.exists(), reason=f"ARX's example hierarchies are not at {ARX}")
@pytest.mark.parametrize("path", sorted(ARX.glob("*.csv")), ids=lambda path: path.stem)
def test_arx_files_are_read(path):
    rows = [line.split(";") for line in path.read_text().splitlines()]
    leaves = [row[0] for row in rows]
    number = all(leaf.isdigit() for leaf in leaves)
    column = numbers(list(map(int, leaves))) if number else texts(leaves)
    hierarchy = read_csv(path)(column)
    assert hierarchy.nested
    assert len(hierarchy.levels) == len(rows[0]) - 1
    assert labels(hierarchy, -1) == ["*"]
    assert sorted(hierarchy.frame().to_numpy().tolist()) == sorted(rows)


@pytest.mark.parametrize(
    "text",
    ["a;x\nb;x\n", "\ufeffa\tx\r\n\r\nb\tx\r\n", "a,x\nb,x", "leaf,group\na,x\nb,x\n", 'leaf;level 1\n"a";"x"\nb;x\n'],
)
def test_forms_of_files(tmp_path, text):
    (tmp_path / "h.csv").write_bytes(text.encode())
    assert labels(read_csv(tmp_path / "h.csv")(texts(["a", "b"]))) == ["x"]


def test_delimiter_and_header_can_be_given(tmp_path):
    (tmp_path / "h.csv").write_text("value|group\nleaf|x\n")
    assert labels(read_csv(tmp_path / "h.csv", delimiter="|", header=True)(texts(["leaf"]))) == ["x"]
    (tmp_path / "h.csv").write_text("leaf;tree\n")
    assert labels(read_csv(tmp_path / "h.csv", header=False)(texts(["leaf"]))) == ["tree"]


def test_a_leaf_named_leaf_and_a_hierarchy_without_levels_survive_a_round_trip(tmp_path):
    column = texts(["leaf", "a,b", "a;b"])
    Hierarchy(column.labels).to_csv(tmp_path / "h.csv")
    assert read_csv(tmp_path / "h.csv")(column).leaves == column.labels


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "h.csv does not exist; check the path"),
        (b"", "hierarchy h.csv is empty"),
        (b"leaf;level 1\n", "hierarchy h.csv is empty"),
        (b"a;x\n\nb;x;*\n", "hierarchy h.csv: line 3 has 3 cells and line 1 has 2"),
        (b"a;\xff\n", r"not UTF-8 text \(byte 2\); save it as UTF-8"),
        (b"a;\0\n", "is binary"),
        (b'a;x\nb;"x\n', "hierarchy h.csv: line 2: .*check the quotes"),
    ],
)
def test_read_csv_refuses_invalid_files(tmp_path, content, message):
    if content is not None:
        (tmp_path / "h.csv").write_bytes(content)
    with pytest.raises(BadInput, match=message):
        read_csv(tmp_path / "h.csv")
