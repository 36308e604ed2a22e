"""The content of a published folder conforms to the types of its format and is written by one module."""

import itertools
import json
import math
import os
import re
import shutil
import types
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

import pytest

from tests.planted import BUCKETIZED, planted
from workbench import BadInput
from workbench.publication import published_folder
from workbench.publication.publish import publish
from workbench.publication.published_folder import LIST, Published, check, seal
from workbench.publication.published_types import ClassRow, PopulationRow, Results

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
def capped_study(tmp_path_factory):
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
def test_a_folder_conforms_to_its_types(capped_study, changes, tmp_path):
    read = Published(publish(capped_study.with_(**changes), tmp_path / "out", warn=lambda text: None))
    assert misfits(json.loads((read.folder / "results.json").read_bytes()), Results) == []
    opened = [i for i, point in enumerate(read.points) if point["opened"]]
    assert opened
    for i in opened:
        assert misfits(read.populations(i), list[PopulationRow]) == []
        count, rows = read.exposures(i)
        assert count and misfits(rows, list[ClassRow]) == []


def test_a_value_of_another_type_is_found(capped_study, tmp_path):
    place = publish(capped_study, tmp_path / "out", warn=lambda text: None)
    results = json.loads((place / "results.json").read_bytes())
    assert misfits({**results, "cap": "0.1"}, Results) == ["/cap: str, not <class 'float'>"]
    assert misfits({**results, "secret": 1}, Results) == [": not the keys of Results"]


def test_results_are_written_once(capped_study, tmp_path, monkeypatch):
    written, sealed = [], []
    monkeypatch.setattr(published_folder, "write_results", lambda folder, results: written.append(folder))
    monkeypatch.setattr("workbench.publication.publish.seal", sealed.append)
    publish(capped_study, tmp_path / "out", warn=lambda text: None)
    assert len(written) == len(sealed) == 1


def test_another_format_is_refused(capped_study, tmp_path):
    place = publish(capped_study, tmp_path / "out", warn=lambda text: None)
    results = json.loads((place / "results.json").read_bytes())
    (place / "results.json").write_text(json.dumps({**results, "format": published_folder.FORMAT - 1}))
    with pytest.raises(BadInput, match="published by another version of the workbench; publish it again"):
        Published(place)


def test_no_other_module_names_the_files_of_the_folder():
    naming = re.compile(rf"[\"'](?:{'|'.join(map(re.escape, FOLDER_FILES))})[\"']")
    sources = [*ENGINE.rglob("*.py"), *(ENGINE.parent / "widgets").rglob("*.py")]
    assert [path.name for path in sources if naming.search(path.read_text("utf-8"))] == ["published_folder.py"]


# --- a published folder is shown unchanged or not at all


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    place = tmp_path_factory.mktemp("out") / "published"
    return publish(planted(tmp_path_factory.mktemp("study")), place)


@pytest.fixture
def folder(made, tmp_path):
    return shutil.copytree(made, tmp_path / "published")


@pytest.fixture
def outside(tmp_path):
    """Return a folder outside the published one, with a file."""
    (tmp_path / "elsewhere").mkdir()
    secret = tmp_path / "elsewhere" / "secret.csv"
    secret.write_text("name,disease\nPLANTED,HIV\n")
    return secret


def included_files(folder):
    return next(folder.glob("points/*/*.csv"))


def shorter(path):
    path.write_bytes(path.read_bytes()[:-20])


def other_figure(folder):
    path = folder / "results.json"
    found = json.loads(path.read_bytes())
    found["smallest"] = "ten"
    path.write_text(json.dumps(found, indent=1))


BROKEN = {
    "a figure of another kind": other_figure,
    "no folder of points": lambda folder: shutil.rmtree(folder / "points"),
    "no folder of a point": lambda folder: shutil.rmtree(included_files(folder).parent),
    "half a table of classes": lambda folder: shorter(included_files(folder).with_name("disclosure.parquet")),
    "no table of classes": lambda folder: included_files(folder).with_name("disclosure.parquet").unlink(),
    "other populations": lambda folder: included_files(folder).with_name("populations.json").write_text('{"who": 1}'),
    "half a release": lambda folder: shorter(included_files(folder)),
    "no chart": lambda folder: (folder / "frontier.vl.json").unlink(),
    "a broken chart": lambda folder: (folder / "frontier.vl.json").write_text("{"),
    "no study": lambda folder: (folder / "study.yaml").unlink(),
    "no list": lambda folder: (folder / LIST).unlink(),
    "a broken list": lambda folder: (folder / LIST).write_text("[1]"),
    "a list of another kind": lambda folder: (folder / LIST).write_text('{"study.yaml": 5}'),
    "a list that leads outside": lambda folder: (folder / LIST).write_text('{"../elsewhere/secret.csv": [26, ""]}'),
}


@pytest.mark.parametrize("how", BROKEN)
def test_opening_refuses_a_damaged_folder(folder, how):
    Published(folder)
    BROKEN[how](folder)
    with pytest.raises(BadInput, match=r"published folder .*publish the study again"):
        Published(folder)


def instead(path, link, target):
    path.unlink()
    link(target, path)


LINKS = {
    "a file": lambda folder, secret: instead(included_files(folder), os.symlink, secret),
    "a file inside": lambda folder, _: instead(included_files(folder), os.symlink, folder / "study.yaml"),
    "a file more": lambda folder, secret: os.symlink(secret, folder / "points" / "more.csv"),
    "a file more of a release": lambda folder, secret: os.symlink(secret, included_files(folder).with_name("a.csv")),
    "a hard link": lambda folder, secret: instead(included_files(folder), os.link, secret),
    "a hard link more": lambda folder, secret: os.link(secret, included_files(folder).with_name("a.csv")),
    "a folder": lambda folder, secret: os.symlink(secret.parent, folder / "points" / "999"),
    "a link to nowhere": lambda folder, secret: os.symlink(secret.with_name("none"), folder / "none"),
    "a loop": lambda folder, _: os.symlink(folder, folder / "points" / "loop"),
    "a pipe": lambda folder, _: os.mkfifo(folder / "points" / "pipe"),
}


@pytest.mark.parametrize("how", LINKS)
def test_a_link_in_a_published_folder_is_not_followed(folder, outside, how):
    """A link is refused on opening and, if it was added later, when a file is requested."""
    read = Published(folder)
    index = int(included_files(folder).parent.name) - 1
    assert read.files(index)
    LINKS[how](folder, outside)
    for ask in (lambda: Published(folder), lambda: read.files(index), lambda: read.exposures(index)):
        with pytest.raises(BadInput, match="is a link, not a file of its own"):
            ask()


def test_an_added_file_is_not_offered(folder):
    read = Published(folder)
    index = int(included_files(folder).parent.name) - 1
    before = read.files(index)
    included_files(folder).with_name("a.csv").write_text("name\nPLANTED\n")
    assert Published(folder).files(index) == read.files(index) == before


def test_a_changed_release_is_detected_on_request(folder):
    read = Published(folder)
    path = included_files(folder)
    path.write_bytes(path.read_bytes()[::-1])
    with pytest.raises(BadInput, match="is damaged, or was changed"):
        read.files(int(path.parent.name) - 1)


def test_a_folder_can_be_opened_through_a_link(folder, tmp_path):
    (tmp_path / "latest").symlink_to(folder)
    read = Published(tmp_path / "latest")
    assert read.files(int(included_files(folder).parent.name) - 1)


def test_sealing_does_not_change_the_folder(tmp_path):
    (tmp_path / "sub").mkdir()
    for name in ("a.txt", "sub/b.csv"):
        (tmp_path / name).write_text(name)
    seal(tmp_path)
    seal(tmp_path)
    assert [path.name for path in check(tmp_path)] == ["a.txt", "b.csv"]
    assert check(tmp_path, "sub/", large=True) == [tmp_path / "sub" / "b.csv"]


# --- published folders are read and other folders refused


def test_a_cap_is_replaced_by_the_next_stricter_stop(read):
    assert read.checked_cap(None) is None and read.stops == sorted(read.stops)
    for one, after in itertools.pairwise(read.stops):
        assert read.checked_cap(one) == one == read.checked_cap((one + after) / 2)
    assert read.nearest(0) == read.stops[0] and read.nearest("99") == read.stops[-1] and read.nearest(None) is None


@pytest.mark.parametrize("cap", ["lots", True, math.nan, math.inf, -1, 0, 5, [0.1], {"a": 1}, "0.1; drop"])
def test_an_invalid_cap_is_refused(read, cap):
    with pytest.raises(BadInput, match="is not a number from"):
        read.checked_cap(cap)


def test_a_reader_of_an_old_edition_is_notified(study, tmp_path):
    place = tmp_path / "out"
    old = Published(publish(study, place))
    told = []
    publish(study.with_(recipes=study.recipes[:1]), place, progress=lambda *said: told.append(said))
    assert (told[0][:2], told[-1][:2]) == ((1, 6), (4, 4)) and all(isinstance(words, str) for *_, words in told)
    with pytest.raises(BadInput, match="reload this page"):
        old.exposures(old.efficient[0])
    assert len(Published(place).points) == 6 and [p.name for p in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("content", ["", "[]", "{", '"edition"', '{"points": []}'])
def test_a_folder_without_a_published_study_is_refused(tmp_path, content):
    (tmp_path / "results.json").write_text(content)
    with pytest.raises(BadInput, match="no study has been published there"):
        Published(tmp_path)
    with pytest.raises(BadInput, match="no study has been published there"):
        Published(tmp_path / "nowhere")
