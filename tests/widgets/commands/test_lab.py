"""The workbench in JupyterLab, as it is typed."""

import os
from pathlib import Path

from tests.widgets.commands.running import output_of


def test_lab_copies_the_notebook_once(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    commands = []
    monkeypatch.setattr(os, "execv", lambda program, command: commands.append(command))
    output_of(capsys, "lab", "--no-browser", "--port", "9999")
    assert "Workbench" in Path("explore.ipynb").read_text()
    Path("explore.ipynb").write_text("mine")
    output_of(capsys, "lab")
    assert Path("explore.ipynb").read_text() == "mine"
    assert commands[0][1:5] == ["-m", "jupyter", "lab", "explore.ipynb"]
    assert {"--no-browser", "--port=9999"} <= set(commands[0]) and "--no-browser" not in commands[1]
