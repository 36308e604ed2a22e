"""The examples of docs/adding.md and CONTRIBUTING.md work as they are printed."""

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
PAGES = (ROOT / "docs" / "adding.md", ROOT / "CONTRIBUTING.md")
BLOCKS = [block for page in PAGES for block in re.findall(r"```(\w+)\n(.*?)```", page.read_text("utf-8"), re.DOTALL)]


def block(language: str, begins: str) -> str:
    return next(text for found, text in BLOCKS if found == language and text.startswith(begins))


@pytest.fixture
def module(monkeypatch):
    """Return a function that makes a module of a block; dataclasses look the module up by its name."""

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


def test_the_measure_of_the_first_change_passes_its_test_and_may_be_published(module, table):
    measure = module(block("python", '"""Small classes'), "workbench.measures.privacy.small_classes").SmallClasses()
    module(block("python", "import pandas"), "first_change").test_small_classes_are_a_share_of_records()
    release = Mondrian()(table, KAnonymity(4))
    value, _ = measure.publish(measure(release), release, 5)
    assert value is not None and value >= 1


def test_the_widget_handles_messages(module, table, tmp_path, monkeypatch):
    for folder in ("base", "sizes"):
        (tmp_path / folder).mkdir()
    shutil.copy(widgets.base.part.WIDGETS / "base" / "shared.js", tmp_path / "base")
    (tmp_path / "sizes" / "sizes.js").write_text(block("js", "import"), "utf-8")
    monkeypatch.setattr(widgets.base.part, "WIDGETS", tmp_path)
    kind = module(block("python", '"""Class sizes'), "widgets.copied").ClassSizes
    part, told = kind(Mondrian().release(table, KAnonymity(4), seed=0)), []
    part.send = lambda content, buffers=None: told.append(content)
    part._receive(None, {"kind": "hello"}, [])
    assert told[-1]["kind"] == "sizes" and told[-1]["small"] == told[-1]["of"] == 8
    part._receive(None, {"kind": "fewer", "value": 4, "field": "fewer"}, [])
    assert next(one for one in told if one.get("small") == 0)["of"] == 8 and told[-1]["kind"] == "fine"
    part._receive(None, {"kind": "fewer", "value": 0, "field": "fewer"}, [])
    assert told[-1]["kind"] == "problem" and part.fewer == 4
