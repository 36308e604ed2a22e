"""The workbench as a page, as it is typed."""

from tests.widgets.commands.running import output_of


def test_explore_works_in_this_folder(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert f"served explore.ipynb {{'folder': {tmp_path!r}" in output_of(capsys, "explore")
