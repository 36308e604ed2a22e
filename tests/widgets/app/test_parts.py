"""The parts of a workbench."""

import pytest

from widgets import Workbench
from widgets.app.boxes import below
from widgets.app.parts import PARTS
from widgets.base.part import Part


@pytest.mark.slow
def test_every_part_is_made_once_and_shown(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    bench = Workbench("adult", keep=False)
    parts = [getattr(bench, name) for name in PARTS]
    assert all(isinstance(part, Part) for part in parts) and len(set(map(id, parts))) == len(PARTS)
    assert {name for name, one in vars(bench).items() if isinstance(one, Part)} == set(PARTS)
    shown = {id(one) for one in below(bench)}
    assert all(id(part) in shown for part in parts)
    bench.close()
