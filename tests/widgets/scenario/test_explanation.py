"""What a miner learnt, as its view hears it."""

import pytest

from tests.widgets.scenario.people import people
from widgets.scenario.explanation import ExplanationView
from workbench.methods import Keep, Mondrian
from workbench.models import KAnonymity


@pytest.fixture
def part():
    made = ExplanationView(Keep()(people()))
    made.said = []
    made.send = lambda content, buffers=None: made.said.append(content)
    return made


def say(part, kind, **content):
    del part.said[:]
    part._receive(None, {"kind": kind, "field": "learn", **content}, [])


def last(part, kind):
    return [one for one in part.said if one["kind"] == kind][-1]


def test_it_is_asked_for_and_shown(part):
    say(part, "learn")
    found = last(part, "learnt")
    first = found["bars"][0]
    assert first["column"] in ("age", "wage") and first["size"] == 1
    assert found["tree"].startswith("all records: ") and not found["stale"]
    assert "decision tree predicts ill" in found["text"]


def test_numbers_have_a_unit_of_their_own(part):
    say(part, "choose", target="wage", miner="linear regression")
    assert (part.target, part.miner) == ("wage", "linear regression")
    say(part, "learn")
    assert "farther off" in last(part, "learnt")["unit"] and part.about() == "wage by linear regression"


def test_what_was_found_is_dimmed_when_something_else_is_asked(part):
    say(part, "learn")
    part.release = Mondrian()(people(), KAnonymity(20))
    assert last(part, "learnt")["stale"]
    say(part, "learn")
    assert not last(part, "learnt")["stale"]
    say(part, "choose", target="sex", miner="one rule")
    assert last(part, "learnt")["stale"]


def test_what_cannot_be_learnt_is_said(part):
    for content in ({"target": "nobody", "miner": "one rule"}, {"target": "ill", "miner": "nobody"}):
        say(part, "choose", **content)
        assert last(part, "problem")["field"] == "learn"
    say(part, "choose", target="ill", miner="mean")
    say(part, "learn")
    assert "predicts numbers" in last(part, "problem")["text"]
    part.release = None
    say(part, "learn")
    assert "no release yet" in last(part, "problem")["text"] and part.about() == "no release yet"


def test_a_message_to_stop_ends_it(part):
    say(part, "stop")
    assert last(part, "doing")["text"] == "" and not part.busy


def test_no_trait_that_leaves_quotes_a_value(part):
    say(part, "learn")
    assert "gout" in last(part, "learnt")["tree"] and "gout" not in str(part.get_state())
