"""A published folder is shown unchanged or not at all."""

import json
import os
import shutil

import pytest

from tests.planted import planted
from workbench import BadInput
from workbench.publication.publish import publish
from workbench.publication.reader import Published
from workbench.publication.seal import LIST, check, seal


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
