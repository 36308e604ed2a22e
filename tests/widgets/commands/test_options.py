"""The commands that open a page have help, and errors of one line."""

import pytest

from tests.widgets.commands.running import output_of


def test_help_has_examples(capsys):
    assert {"dashboard", "explore", "lab"} <= set(output_of(capsys).split())
    assert "workbench dashboard --publish study.yaml folder" in output_of(capsys, "dashboard", "--help")
    for command in ("explore", "lab"):
        assert f"workbench {command}" in output_of(capsys, command, "--help")
    for command in ("dashboard", "explore", "lab"):
        assert not any(word in output_of(capsys, command, "--help") for word in ("<int", "<str>", "x<=", "range"))


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["dashboard", "--port", "x"], "--port"),
        (["dashboard", "--port", "70000"], "--port"),
        (["dashboard", "--preheat", "-1"], "--preheat"),
        (["dashboard", "--most", "0"], "between 1 and 1,000"),
        (["dashboard", "--theme", "blue"], "'auto', 'light', 'dark'"),
        (["explore", "--no-token"], "--no-token"),
        (["dashboard", "none.yaml"], "none.yaml"),
        (["dashboard", "--publish"], "needs a study and a folder"),
        (["dashboard", "--publish", "people.yaml"], "needs a study and a folder"),
        (["dashboard", "people.yaml", "folder"], "use --publish with a study and a folder"),
        (["dashboard", "empty"], "not a published folder"),
        (["dashboard", "--publish", "people.yaml", "nowhere/folder"], "nowhere"),
        (["dashboard", "--publish", "people.csv", "folder"], "people.csv is not a study"),
        (["dashboard", "people.csv"], "people.csv is not a study"),
        (["lab", "extra"], "extra"),
    ],
)
def test_what_is_wrong_is_one_line(study, monkeypatch, capsys, arguments, words):
    monkeypatch.chdir(study.parent)
    (study.parent / "empty").mkdir()
    text = output_of(capsys, *arguments, code=2)
    assert text.count("\n") == 1 and text.startswith("workbench: ") and words in text
