"""Files are written completely or not at all; temporary ones are private, and removed when their process has ended."""

import errno
import os
import subprocess
import sys

import pytest

from workbench import Table
from workbench.base.errors import BadInput
from workbench.base.files import atomic_write, cache_folder, cached_text, is_running, refuse_overwriting, scratch


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


def test_only_the_owner_can_read_a_folder(tmp_path):
    assert oct(scratch(tmp_path).stat().st_mode)[-3:] == "700"


def test_folders_of_killed_processes_are_removed_and_others_stay(tmp_path):
    code = (
        "import sys; from workbench.base.files import scratch; "
        "print(scratch(sys.argv[1]), flush=True); sys.stdin.read()"
    )
    child = [sys.executable, "-c", code, str(tmp_path)]
    with subprocess.Popen(child, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        left = tmp_path / os.path.basename(process.stdout.readline().strip())
        (left / "utf-8.csv").write_text("secret")
        mine = scratch(tmp_path)
        assert left.is_dir() and is_running(process.pid), "its process lives"
        process.kill()
        process.wait()
    scratch(tmp_path)
    assert not left.exists() and mine.is_dir()


def test_an_unusable_file_leaves_no_copy(tmp_path):
    path, folder = tmp_path / "d.csv", tmp_path / "scratch"
    folder.mkdir()
    path.write_bytes("name,ort\nMüller,Köln\n".encode("latin-1"))
    with pytest.raises(BadInput, match="no column 'age'") as held:
        Table.read(path, quasi=["age"], temp_directory=folder)
    assert held.value is not None and not list(folder.iterdir())


@pytest.fixture
def computed(tmp_path, monkeypatch):
    """Return a function that computes a text, and the list of its calls."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    calls = []
    return lambda: calls.append(1) or "text", calls


def test_a_text_is_computed_once(computed):
    compute, calls = computed
    assert [cached_text("one", compute), cached_text("one", compute)] == ["text", "text"] and len(calls) == 1
    assert cache_folder().stat().st_mode & 0o077 == 0
    assert [path.name for path in cache_folder().iterdir()] == ["one"], "nothing half-written is left"


def test_a_damaged_text_is_replaced(computed):
    compute, _ = computed
    cached_text("one", compute)
    (cache_folder() / "one").write_bytes(b"\xff")
    assert cached_text("one", compute) == (cache_folder() / "one").read_text() == "text"


def test_without_a_writable_cache_it_is_computed_each_time(computed, tmp_path):
    compute, calls = computed
    (tmp_path / "cache").write_text("")  # no folder can be made there
    assert [cached_text("one", compute), cached_text("one", compute)] == ["text", "text"] and len(calls) == 2
