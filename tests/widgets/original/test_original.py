"""Original beside release, as its view hears it."""

import time

import numpy as np
import pandas as pd
import pytest

from widgets.original.original import OriginalComparison, in_words
from workbench.data.table import Table
from workbench.methods import Keep, Mondrian, Remove
from workbench.models import KAnonymity
from workbench.releases.before_after import BeforeAfter

MARK = "Markerville"


def table(name="ill"):
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"age": rng.integers(20, 70, 200), "town": rng.choice([MARK, "Ash", "Elm"], 200)})
    frame[name] = np.where(frame["age"] > 50, "gout", "flu")
    return Table.from_frame(frame, ["age", "town"], name)


@pytest.fixture
def part():
    """A part in a script, with what it says: long work is done when it is asked for."""
    made = OriginalComparison(None)
    made.said = []
    made.send = lambda content, buffers=None: made.said.append(content)
    return made


def heard(part, kind):
    return [one for one in part.said if one["kind"] == kind]


def test_a_column_and_then_two_are_drawn(part):
    part.release = Mondrian()(table(), KAnonymity(10))
    part.show()
    wait_for(part, "picture")
    first = heard(part, "picture")[-1]
    assert first["head"] == ["age", "before", "after"] and "records are expected" in first["text"]
    part._receive(None, {"kind": "columns", "first": "town", "second": "ill"}, [])
    wait_for(part, "picture", 2)
    both = heard(part, "picture")[-1]
    assert both["head"] == ["town", "ill", "before", "after"] and len(both["rows"]) == 6
    assert (part.first, part.second) == ("town", "ill") and part.about() == "town and ill"


def wait_for(part, kind, times=1):
    """Until it has said so; the worker is a thread of its own."""
    for _ in range(400):
        if len(heard(part, kind)) >= times:
            return
        time.sleep(0.02)
    raise AssertionError([one["kind"] for one in part.said])


def test_nothing_is_counted_while_it_is_closed_or_another_release_is_made(part, monkeypatch):
    asked = []
    monkeypatch.setattr("widgets.original.original.before_and_after", lambda *given: asked.append(given))
    part.unfolded = False
    part.release = Keep()(table())
    part.show()
    part.pending, part.unfolded = True, True
    assert not asked and not heard(part, "picture")


def test_no_value_is_in_a_synced_trait(part):
    part.release = Keep()(table())
    part.show()
    wait_for(part, "picture")
    part._receive(None, {"kind": "columns", "first": "town", "second": ""}, [])
    wait_for(part, "picture", 2)
    assert MARK in str(heard(part, "picture")[-1]) and MARK not in str(part.get_state()) and MARK not in repr(part)


def test_another_table_has_its_own_columns(part):
    part.release = Keep()(table())
    part.first, part.second = "ill", "age"
    part.release = Keep()(table("sick"))
    assert part.about() == "age"
    part.release = None
    assert part.about() == "no release yet" and heard(part, "nothing")


def test_what_cannot_be_is_said_at_the_field(part):
    part.release = Remove()(table())
    for first, second in (("height", ""), ("age", "age"), (3, ""), ("age", None)):
        part._receive(None, {"kind": "columns", "first": first, "second": second, "field": "columns"}, [])
    assert len(heard(part, "problem")) == 4
    part._receive(None, {"kind": "columns", "first": "age", "second": "town", "field": "columns"}, [])
    wait_for(part, "problem", 5)
    assert "age and town are not published" in heard(part, "problem")[-1]["text"]


def test_in_words():
    same = BeforeAfter("a", "quasi", ("x",), np.array([5]), np.array([4.0]), 1)
    assert in_words(same) == "After the release a researcher expects the same as before. 1 record is suppressed."
    assert in_words(BeforeAfter("a", "quasi", ("x",), np.array([5]), None, 0)) == "The column is not published."
