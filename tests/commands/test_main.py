"""The command `workbench`: its version, what is wrong, and whose commands it has."""

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


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_signal_that_ends_a_command_leaves_no_records_on_the_disk(tmp_path, name):
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
            process.kill()  # or a failure would wait for it for ever


def test_a_signal_that_is_ignored_stays_so():
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
        (MemoryError(), "there is not enough memory; set engine: duckdb"),
        (ModuleNotFoundError("No module named 'vl_convert'", name="vl_convert"), "package vl-convert is not installed"),
        (OSError(28, "No space left on device"), "standard output: No space left on device"),
    ],
)
def test_what_the_machine_lacks_is_one_line(monkeypatch, capsys, error, says):
    monkeypatch.setattr(main, "app", failing(error))
    text = typed(capsys, "sweep", code=2)
    assert says in text and text.count("\n") == 1 and "Traceback" not in text


def test_a_closed_output_is_no_error(monkeypatch, tmp_path):
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
    text = out.buffer.getvalue().decode("utf-8")  # click writes UTF-8 where the locale says ASCII
    assert (json.loads(text)["study"] if options else text.partition(":")[0]) == "Größe ≤ 3"
