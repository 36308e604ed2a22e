"""The command `workbench`: its version, its errors and its subcommands."""

import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands.people import STUDY, study_in
from workbench import __version__
from workbench.commands import main

ROOT = Path(__file__).parents[2]


def run_command(capsys, *arguments, code=0):
    """Run a command and return its stdout, or its stderr if it fails."""
    assert main.main(arguments) == code
    out, err = capsys.readouterr()
    return err if code else out


def run_without_front_end(folder, *arguments):
    """Run a command in a process without the front end."""
    code = "import sys; sys.modules['widgets'] = None; from workbench.commands.main import main; sys.exit(main())"
    everything = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=folder, env=everything, capture_output=True, text=True
    )


def test_the_version_is_printed(capsys):
    assert run_command(capsys, "--version") == f"workbench {__version__}\n"
    assert "--version" in run_command(capsys, "--help")


def test_an_unknown_command_is_an_error_in_one_line(capsys):
    text = run_command(capsys, "nonsense", code=2)
    assert text.count("\n") == 1 and text.startswith("workbench: ") and "nonsense" in text


def test_the_front_end_adds_its_commands(capsys):
    assert {"init", "report", "dashboard", "explore", "lab"} <= set(run_command(capsys).split())
    homes = {command.callback.__module__.split(".")[0] for command in main.app.registered_commands}
    assert homes == {"workbench", "widgets"}


@pytest.mark.slow
def test_the_engine_has_its_own_commands_without_the_front_end(tmp_path):
    listed = set(run_without_front_end(tmp_path, "--help").stdout.split())
    assert {"init", "sweep", "report"} <= listed and not {"dashboard", "explore", "lab"} & listed
    study_in(tmp_path, STUDY)
    found = run_without_front_end(tmp_path, "frontier", "people.yaml")
    assert found.returncode == 0 and "mondrian" in found.stdout, found.stderr


def test_the_engine_neither_imports_nor_starts_the_front_end():
    files = (ROOT / "workbench").rglob("*.py")
    assert [path.name for path in files if "widgets." in path.read_text("utf-8")] == []


MEASURING = """
import os, signal, sys, time
from workbench.base import progress
from workbench.commands import main
from workbench.frontier import sweep

def point(*_):
    os.write(1, b"measures\\n")  # at once: several threads measure
    while True:
        time.sleep(0.05)
        progress.checkpoint()

sweep._point = point
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # whoever runs the tests may ignore it
sys.exit(main.main())
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_signal_that_ends_a_command_leaves_no_records_on_disk(tmp_path, name):
    (tmp_path / "disk").mkdir()
    study = study_in(tmp_path, STUDY.replace("people.csv", "people.csv, engine: duckdb, temp_directory: disk"))
    with subprocess.Popen(
        [sys.executable, "-c", MEASURING, "sweep", study], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    ) as process:  # fmt: skip
        try:
            assert process.stdout.readline() == "measures\n" and [*(tmp_path / "disk").glob("workbench-*/records.db")]
            process.send_signal(getattr(signal, name))
            assert process.wait(60) == 128 + getattr(signal, name)
            assert "Traceback" not in process.stderr.read() and [*(tmp_path / "disk").iterdir()] == []
        finally:
            process.kill()  # otherwise a failure would wait forever


def test_an_ignored_signal_stays_ignored():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with main.signals_as_interrupt():
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN and callable(signal.getsignal(signal.SIGTERM))
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    finally:
        signal.signal(signal.SIGHUP, before)


def failing(error):
    def command(*_, **__):
        raise error

    return command


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (MemoryError(), "there is not enough memory; use engine: duckdb"),
        (ModuleNotFoundError("No module named 'vl_convert'", name="vl_convert"), "package vl-convert is not installed"),
        (OSError(28, "No space left on device"), "standard output: No space left on device"),
    ],
)
def test_missing_resources_are_an_error_in_one_line(monkeypatch, capsys, error, says):
    monkeypatch.setattr(main, "app", failing(error))
    text = run_command(capsys, "sweep", code=2)
    assert says in text and text.count("\n") == 1 and "Traceback" not in text


def test_a_closed_output_is_not_an_error(monkeypatch, tmp_path):
    path = study_in(tmp_path, STUDY)
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    assert main.main(["frontier", str(path)]) == 0


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_a_locale_without_the_characters_gets_escapes(monkeypatch, tmp_path, options):
    path = study_in(tmp_path, STUDY.replace("study: People", "study: Größe ≤ 3"))
    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", out)
    assert main.main(["sweep", str(path), *options]) == 0
    out.flush()
    text = out.buffer.getvalue().decode("utf-8")  # click writes UTF-8 in an ASCII locale
    assert (json.loads(text)["study"] if options else text.partition(":")[0]) == "Größe ≤ 3"
