"""The lattice, as its view hears it: scored when it is open, one node chosen, nothing of a record on the way."""

import time

import numpy as np
import pandas as pd
import pytest

from widgets.lattice import lattice as module
from widgets.lattice.lattice import LatticeView
from workbench.data.hierarchies.builders import Columns, Intervals
from workbench.data.table import Table
from workbench.frontier.lattice import lattice
from workbench.frontier.recipe import Recipe
from workbench.methods import Mondrian
from workbench.models import KAnonymity

MARK = "Markerville"
TOWNS = Columns([(MARK, "west"), ("Ash", "east"), ("Elm", "east")])


def table():
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(
        {"age": rng.integers(20, 60, 300), "town": rng.choice([MARK, "Ash", "Elm"], 300, p=[0.1, 0.4, 0.5])}
    )
    frame["ill"] = np.where(frame["age"] > 45, "gout", "flu")
    return Table.from_frame(
        frame, ["age", "town"], "ill", hierarchies={"age": Intervals(widths=(5, 10)), "town": TOWNS}
    )


@pytest.fixture
def part():
    """Return a part in a script, which runs jobs at once, and record its messages."""
    made = LatticeView(table(), Recipe(Mondrian(), KAnonymity(8)), unfolded=False)
    made.sent = []
    made.send = lambda content, buffers=None: made.sent.append((content, buffers))
    return made


def last(part, kind):
    found = [one for one in part.sent if one[0]["kind"] == kind]
    return found[-1] if found else None


def wait_for(part, kind, times=1):
    """Wait for messages from the worker's thread."""
    for _ in range(600):
        if sum(content["kind"] == kind for content, _ in part.sent) >= times:
            return last(part, kind)
        time.sleep(0.02)
    raise AssertionError([content for content, _ in part.sent])


def test_nothing_is_scored_while_it_is_closed(part, monkeypatch):
    monkeypatch.setattr(module, "lattice", lambda *given, **more: pytest.fail("it was scored"))
    part.show()
    assert part.about() == "not scored yet"


def test_the_numbers_are_those_of_the_frame(part):
    part.unfolded = True
    content, buffers = wait_for(part, "nodes")
    frame = lattice(part.table, KAnonymity(8), part._measures(), suppress=0.05)
    levels, flags, gone, breaking, classes, *values = (
        np.frombuffer(one, kind)
        for one, kind in zip(buffers, [np.uint8] * 2 + [np.int32] * 3 + [np.float32] * 2, strict=True)
    )
    assert content["count"] == len(frame) and content["keeping"] == frame["keeps"].sum()
    assert (levels.reshape(len(frame), 2) == frame[["age", "town"]]).all(axis=None)
    assert ((flags & 1) == frame["keeps"]).all() and ((flags & 2 > 0) == frame["efficient"]).all()
    assert (
        (gone == frame["left out"]).all()
        and (breaking == frame["breaking"]).all()
        and (classes == frame["classes"]).all()
    )
    for array, measure in zip(values, content["measures"], strict=True):
        assert array == pytest.approx(frame[measure["key"]].to_numpy(np.float32), nan_ok=True)


def test_a_node_becomes_a_recipe_unless_it_breaks_the_model(part):
    part.unfolded = True
    wait_for(part, "nodes")
    keeps = part._frame["keeps"].to_numpy()
    good, bad = int(np.flatnonzero(keeps)[0]), int(np.flatnonzero(~keeps)[0])
    part._receive(None, {"kind": "choose", "node": good, "field": "nodes"}, [])
    release = part.chosen.release(part.table)
    assert part.chosen.model == KAnonymity(8) and release.audit(KAnonymity(8)).holds
    assert release.suppressed == part._frame["left out"].iloc[good]
    part._receive(None, {"kind": "choose", "node": bad, "field": "nodes"}, [])
    assert (
        "violate k-anonymity, k = 8" in last(part, "problem")[0]["text"] and part.chosen.release(part.table) is not None
    )


def test_more_may_be_left_out(part):
    part.unfolded = True
    before = wait_for(part, "nodes")[0]["keeping"]
    part._receive(None, {"kind": "suppress", "value": 30, "field": "suppress"}, [])
    assert wait_for(part, "nodes", 2)[0]["keeping"] > before
    for wrong in (101, -1, "much", None, True):
        part._receive(None, {"kind": "suppress", "value": wrong, "field": "suppress"}, [])
        assert "from 0 to 100" in last(part, "problem")[0]["text"] and part.suppress == 0.3


def test_many_nodes_are_a_heat_map(part, monkeypatch):
    monkeypatch.setattr(module, "DRAWN", 5)
    part.unfolded = True
    content, _ = wait_for(part, "heat")
    assert sum(one["count"] for one in content["fields"]) == content["count"] == len(part._frame)
    assert sum(one["keeping"] for one in content["fields"]) == content["keeping"]
    good = next(i for i, one in enumerate(content["fields"]) if one["keeping"])
    part._receive(None, {"kind": "choose", "node": good, "field": "nodes"}, [])
    assert part.chosen.release(part.table).audit(KAnonymity(8)).holds


def test_no_value_of_the_data_is_sent_or_kept(part):
    part.unfolded = True
    wait_for(part, "nodes")
    assert MARK not in str([content for content, _ in part.sent]) and MARK not in str(part.get_state())


def test_without_quasi_identifiers_there_is_nothing(part):
    part.unfolded = True
    wait_for(part, "nodes")
    part.table = None
    assert last(part, "nothing") and part.about() == "not scored yet"
