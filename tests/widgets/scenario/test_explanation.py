"""What a miner learns, as its view hears it."""

import pytest

from tests.widgets.scenario.people import people
from widgets.scenario.explanation import ExplanationView
from workbench.methods import Keep, Mondrian
from workbench.models import KAnonymity


@pytest.fixture
def part():
    made = ExplanationView(Keep()(people()))
    made.sent = []
    made.send = lambda content, buffers=None: made.sent.append(content)
    return made


def send(part, kind, **content):
    del part.sent[:]
    part._receive(None, {"kind": kind, "field": "learn", **content}, [])


def last(part, kind):
    return [one for one in part.sent if one["kind"] == kind][-1]


def test_it_is_asked_for_and_shown(part):
    send(part, "learn")
    found = last(part, "explanation")
    first = found["bars"][0]
    assert first["column"] in ("age", "wage") and first["size"] == 1
    assert found["tree"].startswith("all records: ") and not found["stale"]
    assert "decision tree predicts ill" in found["text"]


def test_numbers_have_a_unit_of_their_own(part):
    send(part, "choose", target="wage", miner="linear regression")
    assert (part.target, part.miner) == ("wage", "linear regression")
    send(part, "learn")
    assert "average error" in last(part, "explanation")["unit"] and part.about() == "wage by linear regression"


def test_what_was_found_is_dimmed_when_something_else_is_asked(part):
    send(part, "learn")
    part.release = Mondrian()(people(), KAnonymity(20))
    assert last(part, "explanation")["stale"]
    send(part, "learn")
    assert not last(part, "explanation")["stale"]
    send(part, "choose", target="sex", miner="one rule")
    assert last(part, "explanation")["stale"]


def test_what_cannot_be_learnt_is_said(part):
    for content in ({"target": "nobody", "miner": "one rule"}, {"target": "ill", "miner": "nobody"}):
        send(part, "choose", **content)
        assert last(part, "problem")["field"] == "learn"
    send(part, "choose", target="ill", miner="mean")
    send(part, "learn")
    assert "predicts numbers" in last(part, "problem")["text"]
    part.release = None
    send(part, "learn")
    assert "no release yet" in last(part, "problem")["text"] and part.about() == "no release yet"


def test_a_message_to_stop_ends_it(part):
    send(part, "stop")
    assert last(part, "doing")["text"] == "" and not part.busy


def test_no_trait_that_leaves_quotes_a_value(part):
    send(part, "learn")
    assert "gout" in last(part, "explanation")["tree"] and "gout" not in str(part.get_state())
