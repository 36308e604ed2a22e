"""The commands, as they are typed."""

import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from tests.browser.stage import free_port
from workbench import __version__
from workbench.commands import dashboard, explore, main
from workbench.publication.format import is_published
from workbench.publication.reader import Published

STUDY = """
study: People
data: {path: people.csv}
roles: {quasi: [age, work], sensitive: [disease]}
hierarchies: {age: {builder: intervals, widths: [10, 20]}}
recipes:
- method: {name: mondrian}
  model: {name: k-anonymity, k: [3, 6, 12]}
measures: [{name: privacy loss}, {name: utility loss, min_support: 0.1}]
"""


@pytest.fixture
def study(tmp_path):
    rows = [f"{20 + i % 37},{'Farm' if i % 3 else 'Shop'},{('Flu', 'Ulcer', 'Asthma')[i * i % 3]}" for i in range(120)]
    (tmp_path / "people.csv").write_text("age,work,disease\n" + "\n".join(rows) + "\n")
    (tmp_path / "people.yaml").write_text(STUDY)
    return tmp_path / "people.yaml"


def said(capsys, *arguments, code=0):
    """What a command says, on stdout or on stderr."""
    with pytest.MonkeyPatch.context() as patch:
        for command in (dashboard, explore):
            patch.setattr(command, "serve", lambda notebook, **options: print("served", notebook.name, options))
        assert main.main([str(one) for one in arguments]) == code
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    return err if code else out


def test_the_version(capsys):
    assert said(capsys, "--version") == f"workbench {__version__}\n"
    assert "--version" in said(capsys, "--help")


def test_help_has_examples(capsys):
    assert {"dashboard", "explore", "lab"} <= set(said(capsys).split())
    assert "workbench dashboard --publish study.yaml folder" in said(capsys, "dashboard", "--help")
    for command in ("explore", "lab"):
        assert f"workbench {command}" in said(capsys, command, "--help")
    for command in ("dashboard", "explore", "lab"):
        assert not any(word in said(capsys, command, "--help") for word in ("<int", "<str>", "x<=", "range"))


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["nonsense"], "nonsense"),
        (["dashboard", "--port", "x"], "--port"),
        (["dashboard", "--port", "70000"], "--port"),
        (["dashboard", "--preheat", "-1"], "--preheat"),
        (["dashboard", "--most", "0"], "between 1 and 1,000"),
        (["dashboard", "--theme", "blue"], "'auto', 'light', 'dark'"),
        (["explore", "--no-token"], "--no-token"),
        (["dashboard", "none.yaml"], "none.yaml"),
        (["dashboard", "--publish"], "needs a study and a folder"),
        (["dashboard", "--publish", "people.yaml"], "needs a study and a folder"),
        (["dashboard", "people.yaml", "folder"], "goes with --publish"),
        (["dashboard", "empty"], "no study was published there"),
        (["dashboard", "--publish", "people.yaml", "nowhere/folder"], "nowhere"),
        (["dashboard", "--publish", "people.csv", "folder"], "people.csv is no study"),
        (["dashboard", "people.csv"], "people.csv is no study"),
        (["lab", "extra"], "extra"),
    ],
)
def test_what_is_wrong_is_one_line(study, monkeypatch, capsys, arguments, words):
    monkeypatch.chdir(study.parent)
    (study.parent / "empty").mkdir()
    text = said(capsys, *arguments, code=2)
    assert text.count("\n") == 1 and text.startswith("workbench: ") and words in text


@pytest.mark.parametrize("order", [["--publish", "{study}", "{to}"], ["{study}", "--publish", "{to}"]])
def test_publish_writes_a_folder_and_serves_nothing(study, tmp_path, capsys, order):
    to = tmp_path / "published"
    text = said(capsys, "dashboard", *(one.format(study=study, to=to) for one in order))
    assert is_published(to) and "served" not in text and str(to) in text
    assert (tmp_path / "people.results").is_dir()  # where the workbench looks, too
    assert f"served dashboard.ipynb {{'title': 'People', 'published': {to!r}" in said(capsys, "dashboard", to)


def test_a_study_is_published_privately_and_gone_afterwards(study, monkeypatch, capsys):
    seen = {}

    def serve(notebook, *, published, **options):
        seen.update(options, published=published, people=Published(published).results["study"])

    monkeypatch.setattr(dashboard, "serve", serve)
    arguments = ["--no-token", "--no-browser", "--port", "9", "--preheat", "2", "--theme", "dark", "--most", "5"]
    assert main.main(["dashboard", str(study), *arguments]) == 0
    assert seen["people"] == "People" and seen["token"] is False and seen["browser"] is False
    assert (seen["port"], seen["preheat"], seen["theme"], seen["most"]) == (9, 2, "dark", 5)
    assert not seen["published"].exists()
    assert "measured" in capsys.readouterr().err


def test_what_the_analyst_should_know_is_a_line_each(study, tmp_path, monkeypatch, capsys):
    def publish(study, folder, *, warn, **_):
        warn("column 'a' looks like\nan identifier")
        warn("few are left")

    monkeypatch.setattr(dashboard, "publish", publish)
    assert main.main(["dashboard", "--publish", str(study), str(tmp_path / "to")]) == 0
    notes = capsys.readouterr().err.splitlines()
    assert notes == ["note: column 'a' looks like an identifier", "note: few are left"]


def test_the_example_leaves_nothing_in_the_package(monkeypatch, capsys):
    stores = []
    monkeypatch.setattr(dashboard, "publish", lambda study, folder, *, store, **_: stores.append((study.name, store)))
    with dashboard.shown(dashboard.EXAMPLE):
        assert stores == [("Adult, as in Li & Li (2009)", None)]


def test_explore_works_in_this_folder(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert f"served explore.ipynb {{'folder': {tmp_path!r}" in said(capsys, "explore")


def test_lab_copies_the_notebook_once(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    commands = []
    monkeypatch.setattr(os, "execv", lambda program, command: commands.append(command))
    said(capsys, "lab", "--no-browser", "--port", "9999")
    assert "Workbench" in Path("explore.ipynb").read_text()
    Path("explore.ipynb").write_text("mine")
    said(capsys, "lab")
    assert Path("explore.ipynb").read_text() == "mine"
    assert commands[0][1:5] == ["-m", "jupyter", "lab", "explore.ipynb"]
    assert {"--no-browser", "--port=9999"} <= set(commands[0]) and "--no-browser" not in commands[1]


def test_ctrl_c_ends_a_dashboard(study, tmp_path):
    """The real thing: published, served with a token, and gone."""
    port = free_port()
    command = [sys.executable, "-m", "workbench.commands.main", "dashboard", study, "--no-browser", f"--port={port}"]
    everything = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "TMPDIR": str(tmp_path)}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=everything)
    address = process.stdout.readline().split()[1]
    assert re.match(rf"http://127.0.0.1:{port}/\w{{32}}/\?token=", address)
    assert "People" in urllib.request.urlopen(address, timeout=60).read().decode()
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(address.partition("?")[0], timeout=60)
    process.send_signal(signal.SIGINT)
    _out, err = process.communicate(timeout=60)
    assert process.returncode == 0 and "Traceback" not in err
    time.sleep(0.2)
    assert not list(tmp_path.glob("workbench-*"))
