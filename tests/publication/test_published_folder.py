"""The content of a published folder conforms to the types of its format and is written by one module."""

import json
import re
import types
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

import pytest

from tests.planted import BUCKETIZED, planted
from workbench import BadInput
from workbench.publication import published_folder
from workbench.publication.publish import publish
from workbench.publication.published_types import ClassRow, PopulationRow, Results
from workbench.publication.reader import Published

ENGINE = Path(published_folder.__file__).parents[1]
FOLDER_FILES = ("results.json", "study.yaml", "frontier.vl.json", "disclosure.parquet", "populations.json")


def misfits(value: Any, kind: Any, at: str = "") -> list[str]:
    """Yield the paths at which a value does not have its declared type."""
    origin, args = get_origin(kind), get_args(kind)
    if kind is Any:
        return []
    if origin in (Union, types.UnionType):
        found = [misfits(value, one, at) for one in args]
        return [] if [] in found else min(found, key=len)
    if origin is Literal:
        return [] if value in args else [f"{at}: {value!r}"]
    if is_typeddict(kind):
        hints = get_type_hints(kind)
        if not isinstance(value, dict) or set(value) != set(hints):
            return [f"{at}: not the keys of {kind.__name__}"]
        return [wrong for key, hint in hints.items() for wrong in misfits(value[key], hint, f"{at}/{key}")]
    if origin is list:
        items = enumerate(value) if isinstance(value, list) else [("", None)]
        return [wrong for i, one in items for wrong in misfits(one, args[0], f"{at}/{i}")]
    if origin is dict:
        items = value.items() if isinstance(value, dict) else [("", None)]
        return [wrong for key, one in items for wrong in misfits(one, args[1], f"{at}/{key}")]
    fits = isinstance(value, (int, float) if kind is float else kind) and isinstance(value, bool) == (kind is bool)
    return [] if fits else [f"{at}: {type(value).__name__}, not {kind}"]


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    return planted(tmp_path_factory.mktemp("study"), caps={"P_loss": 0.001})


CHANGES: dict[str, dict[str, Any]] = {
    "as it is": {},
    "buckets": {"recipes": (BUCKETIZED,)},
    "nothing sensitive": {
        "sensitive": (),
        "identifiers": ("name", "disease"),
        "recipes": ({"method": {"name": "mondrian"}, "model": {"name": "k-anonymity", "k": [4, 40]}},),
        "measures": ({"name": "re-identification risk"}, {"name": "discernibility"}),
        "axes": (),
        "caps": {},
    },
}


@pytest.mark.parametrize("changes", CHANGES.values(), ids=CHANGES)
def test_a_folder_conforms_to_its_types(study, changes, tmp_path):
    read = Published(publish(study.with_(**changes), tmp_path / "out", warn=lambda text: None))
    assert misfits(json.loads((read.folder / "results.json").read_bytes()), Results) == []
    opened = [i for i, point in enumerate(read.points) if point["opened"]]
    assert opened
    for i in opened:
        assert misfits(read.populations(i), list[PopulationRow]) == []
        count, rows = read.exposures(i)
        assert count and misfits(rows, list[ClassRow]) == []


def test_a_value_of_another_type_is_found(study, tmp_path):
    results = json.loads((publish(study, tmp_path / "out", warn=lambda text: None) / "results.json").read_bytes())
    assert misfits({**results, "cap": "0.1"}, Results) == ["/cap: str, not <class 'float'>"]
    assert misfits({**results, "secret": 1}, Results) == [": not the keys of Results"]


def test_results_are_written_once(study, tmp_path, monkeypatch):
    written, sealed = [], []
    monkeypatch.setattr(published_folder, "write_results", lambda folder, results: written.append(folder))
    monkeypatch.setattr("workbench.publication.publish.seal", sealed.append)
    publish(study, tmp_path / "out", warn=lambda text: None)
    assert len(written) == len(sealed) == 1


def test_another_format_is_refused(study, tmp_path):
    place = publish(study, tmp_path / "out", warn=lambda text: None)
    results = json.loads((place / "results.json").read_bytes())
    (place / "results.json").write_text(json.dumps({**results, "format": published_folder.FORMAT - 1}))
    with pytest.raises(BadInput, match="published by another version of the workbench; publish it again"):
        Published(place)


def test_no_other_module_names_the_files_of_the_folder():
    naming = re.compile(rf"[\"'](?:{'|'.join(map(re.escape, FOLDER_FILES))})[\"']")
    sources = [*ENGINE.rglob("*.py"), *(ENGINE.parent / "widgets").rglob("*.py")]
    assert [path.name for path in sources if naming.search(path.read_text("utf-8"))] == ["published_folder.py"]
