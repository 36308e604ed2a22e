"""The dashboard command: publish, or serve a published folder."""

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
from tests.widgets.commands.running import output_of
from widgets.commands import dashboard
from workbench.commands import main
from workbench.publication.published_folder import Published, is_published


@pytest.mark.parametrize("order", [["--publish", "{study}", "{to}"], ["{study}", "--publish", "{to}"]])
def test_publish_writes_a_folder_and_serves_nothing(study, tmp_path, capsys, order):
    to = tmp_path / "published"
    text = output_of(capsys, "dashboard", *(one.format(study=study, to=to) for one in order))
    assert is_published(to) and "served" not in text and str(to) in text
    assert (tmp_path / "people.results").is_dir()  # where the workbench looks, too
    assert f"served dashboard.ipynb {{'title': 'People', 'published': {to!r}" in output_of(capsys, "dashboard", to)


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


@pytest.mark.slow
def test_ctrl_c_ends_a_dashboard(study, tmp_path):
    """The real thing: published, served with a token, and gone."""
    port = free_port()
    command = [sys.executable, "-m", "workbench.commands.main", "dashboard", study, "--no-browser", f"--port={port}"]
    everything = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3]), "TMPDIR": str(tmp_path)}
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
