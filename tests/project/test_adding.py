"""What docs/adding.md shows can be copied as it stands: its model is a model, its widget asks and answers."""

import re
import shutil
import sys
import types
from pathlib import Path

import pandas as pd
import pytest

import widgets.base.part
from workbench import Table
from workbench.methods import Mondrian
from workbench.models import KAnonymity

ROOT = Path(__file__).parents[2]
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", (ROOT / "docs" / "adding.md").read_text("utf-8"), re.DOTALL)


def block(kind: str, begins: str) -> str:
    return next(text for told, text in BLOCKS if told == kind and text.startswith(begins))


@pytest.fixture
def module(monkeypatch):
    """A function: the module that a text of the page makes; dataclasses look for it by its name."""

    def made(text: str, name: str) -> types.ModuleType:
        one = types.ModuleType(name)
        monkeypatch.setitem(sys.modules, name, one)
        exec(text, one.__dict__)
        return one

    return made


@pytest.fixture
def table():
    frame = pd.DataFrame({"age": range(40), "ill": ["a", "b", "c", "c"] * 10})
    return Table.from_frame(frame, ["age"], "ill")


def test_the_model_is_enforced(module, table):
    model = module(block("python", '"""Minimum entropy'), "workbench.models.copied").MinimumEntropy(nats=1.0)
    release = Mondrian().release(table, model, seed=0)
    assert release.audit(model).holds and 1 < len(release.classes) < 40
    assert not Mondrian().release(table, KAnonymity(2), seed=0).audit(model).holds


def test_the_widget_asks_and_answers(module, table, tmp_path, monkeypatch):
    for folder in ("base", "sizes"):
        (tmp_path / folder).mkdir()
    shutil.copy(widgets.base.part.WIDGETS / "base" / "shared.js", tmp_path / "base")
    (tmp_path / "sizes" / "sizes.js").write_text(block("js", "export default"), "utf-8")
    monkeypatch.setattr(widgets.base.part, "WIDGETS", tmp_path)
    kind = module(block("python", '"""Class sizes'), "widgets.copied").ClassSizes
    part, told = kind(Mondrian().release(table, KAnonymity(4), seed=0)), []
    part.send = lambda content, buffers=None: told.append(content)
    part._heard(None, {"kind": "hello"}, [])
    assert told[-1]["kind"] == "sizes" and told[-1]["small"] == told[-1]["of"] == 8
    part._heard(None, {"kind": "fewer", "value": 4, "field": "fewer"}, [])
    assert next(one for one in told if one.get("small") == 0)["of"] == 8 and told[-1]["kind"] == "fine"
    part._heard(None, {"kind": "fewer", "value": 0, "field": "fewer"}, [])
    assert told[-1]["kind"] == "problem" and part.fewer == 4
