"""The command `workbench`: its version, what is wrong, and whose commands it has."""

import os
import subprocess
import sys
from pathlib import Path

from tests.commands.people import STUDY, study_in
from workbench import __version__
from workbench.commands import main

ROOT = Path(__file__).parents[2]


def typed(capsys, *arguments, code=0):
    """What a command says, on stdout or on stderr."""
    assert main.main(arguments) == code
    out, err = capsys.readouterr()
    return err if code else out


def alone(folder, *arguments):
    """The same where the front end is not installed."""
    code = "import sys; sys.modules['widgets'] = None; from workbench.commands.main import main; sys.exit(main())"
    everything = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=folder, env=everything, capture_output=True, text=True
    )


def test_the_version(capsys):
    assert typed(capsys, "--version") == f"workbench {__version__}\n"
    assert "--version" in typed(capsys, "--help")


def test_a_command_that_does_not_exist_is_one_line(capsys):
    text = typed(capsys, "nonsense", code=2)
    assert text.count("\n") == 1 and text.startswith("workbench: ") and "nonsense" in text


def test_the_front_end_brings_its_commands(capsys):
    assert {"init", "report", "dashboard", "explore", "lab"} <= set(typed(capsys).split())
    homes = {command.callback.__module__.split(".")[0] for command in main.app.registered_commands}
    assert homes == {"workbench", "widgets"}


def test_without_the_front_end_the_engine_has_its_own_commands(tmp_path):
    listed = set(alone(tmp_path, "--help").stdout.split())
    assert {"init", "sweep", "report"} <= listed and not {"dashboard", "explore", "lab"} & listed
    study_in(tmp_path, STUDY)
    found = alone(tmp_path, "frontier", "people.yaml")
    assert found.returncode == 0 and "mondrian" in found.stdout, found.stderr


def test_the_engine_neither_imports_nor_starts_the_front_end():
    files = (ROOT / "workbench").rglob("*.py")
    assert [path.name for path in files if "widgets." in path.read_text("utf-8")] == []
