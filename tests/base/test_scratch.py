"""Private temporary folders, removed when their process has ended."""

import os
import subprocess
import sys

import pytest

from workbench import BadInput, Table
from workbench.base.scratch import is_running, scratch


def test_only_the_owner_can_read_a_folder(tmp_path):
    assert oct(scratch(tmp_path).stat().st_mode)[-3:] == "700"


def test_folders_of_killed_processes_are_removed_and_others_stay(tmp_path):
    code = (
        "import sys; from workbench.base.scratch import scratch; "
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
