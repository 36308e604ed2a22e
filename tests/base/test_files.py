"""Files are written completely or not at all."""

import errno
import subprocess
import sys

import pytest

from workbench.base.errors import BadInput
from workbench.base.files import atomic_write, refuse_overwriting


def files(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_failure_leaves_the_previous_file(tmp_path):
    path = tmp_path / "out.csv"
    path.write_text("older")
    with pytest.raises(RuntimeError), atomic_write(path) as aside:
        aside.write_text("newer")
        raise RuntimeError
    assert path.read_text() == "older" and files(tmp_path) == ["out.csv"]


def test_a_full_disk_names_the_file(tmp_path):
    path = tmp_path / "out.csv"
    with pytest.raises(BadInput, match=r"out\.csv: cannot write the file \(No space left on device\); choose"):  # noqa: SIM117
        with atomic_write(path) as aside:
            aside.write_text("half of it")
            raise OSError(errno.ENOSPC, "No space left on device")
    assert files(tmp_path) == []


def test_partial_files_of_a_killed_process_are_removed_by_the_next_writer(tmp_path):
    code = (
        "import sys; from pathlib import Path; from workbench.base.files import atomic_write\n"
        "with atomic_write(Path(sys.argv[1])) as aside:\n"
        "    aside.write_text('half of it'); print('!', flush=True); sys.stdin.read()"
    )
    child = [sys.executable, "-c", code, str(tmp_path / "a file.csv")]
    with subprocess.Popen(child, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline()
        (left,) = files(tmp_path)
        with atomic_write(tmp_path / "other.csv") as aside:
            aside.write_text("a")
        assert files(tmp_path) == [left, "other.csv"], "its process lives"
        process.terminate()
        process.wait()
    with atomic_write(tmp_path / "other.csv") as aside:
        aside.write_text("a")
    assert files(tmp_path) == ["other.csv"]


@pytest.mark.parametrize("spelled", ["same", "dots", "link", "target", "hard link", "folder"])
def test_an_input_file_is_never_overwritten_whatever_the_spelling_of_its_path(tmp_path, spelled):
    data = tmp_path / "in" / "people.csv"
    data.parent.mkdir()
    data.write_text("a\n1\n")
    link = tmp_path / "link.csv"
    out = {"dots": tmp_path / "in" / ".." / "in" / "people.csv", "link": link, "hard link": link}.get(spelled, data)
    read = link if spelled == "target" else data
    if spelled == "hard link":
        link.hardlink_to(data)
    else:
        link.symlink_to(data)
    with pytest.raises(BadInput, match=r"would overwrite .*, which is an input; choose another name"):
        refuse_overwriting([tmp_path / "new.csv", data.parent if spelled == "folder" else out], [read])
    refuse_overwriting([tmp_path / "new.csv", tmp_path / "in" / "people.csv.gz"], [read])


@pytest.mark.parametrize(
    ("name", "message"),
    [("nowhere/out.csv", "'.*nowhere' does not exist; create it"), ("folder.csv", "is a folder; name a file in it")],
)
def test_an_unwritable_place_is_reported_clearly(tmp_path, name, message):
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(BadInput, match=message), atomic_write(tmp_path / name):
        pass
    assert files(tmp_path) == ["folder.csv"]
