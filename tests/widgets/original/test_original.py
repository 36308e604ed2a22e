"""Original beside release, as its view hears it."""

import time

import numpy as np
import pandas as pd
import pytest

from widgets.original.original import OriginalComparison, describe_changes
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
    """Return a part in a script, which runs jobs at once, and record its messages."""
    made = OriginalComparison(None)
    made.sent = []
    made.send = lambda content, buffers=None: made.sent.append(content)
    return made


def messages(part, kind):
    return [one for one in part.sent if one["kind"] == kind]


def test_a_column_and_then_two_are_drawn(part):
    part.release = Mondrian()(table(), KAnonymity(10))
    part.show()
    wait_for(part, "picture")
    first = messages(part, "picture")[-1]
    assert first["head"] == ["age", "before", "after"] and "of the records at a wrong value or group" in first["text"]
    part._receive(None, {"kind": "columns", "first": "town", "second": "ill"}, [])
    wait_for(part, "picture", 2)
    both = messages(part, "picture")[-1]
    assert both["head"] == ["town", "ill", "before", "after"] and len(both["rows"]) == 6
    assert (part.first, part.second) == ("town", "ill") and part.about() == "town and ill"


def wait_for(part, kind, times=1):
    """Wait for messages from the worker's thread."""
    for _ in range(400):
        if len(messages(part, kind)) >= times:
            return
        time.sleep(0.02)
    raise AssertionError([one["kind"] for one in part.sent])


def test_nothing_is_counted_while_it_is_closed_or_another_release_is_made(part, monkeypatch):
    asked = []
    monkeypatch.setattr("widgets.original.original.before_and_after", lambda *given: asked.append(given))
    part.unfolded = False
    part.release = Keep()(table())
    part.show()
    part.pending, part.unfolded = True, True
    assert not asked and not messages(part, "picture")


def test_no_value_is_in_a_synced_trait(part):
    part.release = Keep()(table())
    part.show()
    wait_for(part, "picture")
    part._receive(None, {"kind": "columns", "first": "town", "second": ""}, [])
    wait_for(part, "picture", 2)
    assert MARK in str(messages(part, "picture")[-1]) and MARK not in str(part.get_state()) and MARK not in repr(part)


def test_another_table_has_its_own_columns(part):
    part.release = Keep()(table())
    part.first, part.second = "ill", "age"
    part.release = Keep()(table("sick"))
    assert part.about() == "age"
    part.release = None
    assert part.about() == "no release yet" and messages(part, "nothing")


def test_what_cannot_be_is_said_at_the_field(part):
    part.release = Remove()(table())
    for first, second in (("height", ""), ("age", "age"), (3, ""), ("age", None)):
        part._receive(None, {"kind": "columns", "first": first, "second": second, "field": "columns"}, [])
    assert len(messages(part, "problem")) == 4
    part._receive(None, {"kind": "columns", "first": "age", "second": "town", "field": "columns"}, [])
    wait_for(part, "problem", 5)
    assert "age and town are not published" in messages(part, "problem")[-1]["text"]


def test_changes_are_described():
    same = BeforeAfter("a", "quasi", ("x",), np.array([5]), np.array([4.0]), 1)
    text = "From the release, a researcher would infer the original distribution. 1 record is suppressed."
    assert describe_changes(same) == text
    assert describe_changes(BeforeAfter("a", "quasi", ("x",), np.array([5]), None, 0)) == "The column is not published."
