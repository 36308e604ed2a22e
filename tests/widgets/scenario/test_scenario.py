"""The step of a scenario, as its view hears it."""

import pytest

from tests.widgets.scenario.people import people
from widgets.scenario import scenario
from widgets.scenario.scenario import ScenarioPicker
from workbench.miners.sets import display_name, resolve_miners


@pytest.fixture
def part(monkeypatch):
    """Return a step in a script and record its messages."""
    monkeypatch.setattr(scenario, "estimate_scenario", lambda *given: 100.0)
    made = ScenarioPicker(people(), unfolded=False)
    made.sent = []
    made.send = lambda content, buffers=None: made.sent.append(content)
    made.follow([{"name": "privacy loss"}], ("P_loss",), {}, 5)
    return made


def send(part, kind, **content):
    del part.sent[:]
    part._receive(None, {"kind": kind, "field": kind, **content}, [])
    return part.sent


def last(part, kind):
    return [one for one in part.sent if one["kind"] == kind][-1]


def test_it_is_built_step_by_step_and_used_at_once(part):
    send(part, "target", name="wage")
    send(part, "worth", name="absolute")
    send(part, "miners", side="good", names=["naive bayes", "mean"])
    send(part, "quasi", names=["sex", "age"])
    send(part, "improvement", text="25")
    send(part, "counted", name="average")
    send(part, "miners", side="bad", set="common")
    send(part, "limit", side="good", text="5")
    send(part, "limit", side="bad", text="")
    send(part, "weigh", side="bad", text="10: sex = 'F'\n0: others")
    good, bad = part.scenario.good, part.scenario.bad
    assert (good.target, good.error) == ("wage", "absolute")
    assert {*map(display_name, resolve_miners(good.miners))} == {"naive bayes", "mean"}
    assert (bad.target, bad.c, bad.of, bad.miners) == (("age", "sex"), 25, "average", "common")
    assert bad.weights.data == {"sex = 'F'": 10, "others": 0} and not part.used
    heard = []
    part.observe(lambda event: heard.append(event.new), "used")
    send(part, "use")
    assert len(heard) == 1 and heard[0]["axes"] == (bad.key, good.key) and heard[0]["caps"] == {good.key: 0.05}
    part.follow(**heard[0], points=5)
    assert last(part, "scenario")["used"] and part.about() == "on the axes"


def test_what_is_wrong_is_said_and_the_last_good_choice_stays(part):
    before = part.scenario
    wrong = [
        ("target", {"name": "nobody"}), ("worth", {"name": "absolute"}),
        ("cost", {"true": "flu", "predicted": "cold", "text": "2"}),
        ("cost", {"true": "flu", "predicted": "gout", "text": "much"}), ("quasi", {}),
        ("improvement", {"text": "x"}), ("improvement", {"text": "101"}), ("counted", {"name": "both"}),
        ("limit", {"side": "both"}),
        ("miners", {"side": "bad", "names": []}), ("miners", {"side": "good", "set": "numeric"}),
        ("weigh", {"side": "good", "text": "age > 3"}), ("limit", {"side": "good", "text": "200"}),
    ]  # fmt: skip
    for kind, content in wrong:
        send(part, kind, **content)
        assert last(part, "problem")["field"] == kind and "Internal" not in last(part, "problem")["text"]
        assert part.scenario == before, kind


def test_worths_follow_the_kind_of_the_column(part):
    send(part, "target", name="wage")
    assert [one["name"] for one in last(part, "scenario")["worths"]] == [
        "accuracy", "false positives", "tolerance", "absolute", "costs",
    ]  # fmt: skip
    send(part, "worth", name="tolerance")
    send(part, "miners", side="good", set="numeric")
    send(part, "target", name="ill")
    view = last(part, "scenario")
    assert view["worth"] == "accuracy" and part.scenario.good.miners == "naive bayes"
    assert all(one["kind"] == "values" for one in view["good"]["miners"])


def test_the_time_is_said_when_it_is_open(part):
    assert not [one for one in part.sent if one["kind"] == "time"]
    part.unfolded = True
    assert last(part, "time")["text"].startswith("Mining 5 releases takes about 2 min")


def test_weights_are_tried_and_completed_as_they_are_typed(part):
    send(part, "try", side="bad", text="3: sex = 'F'\n3: agee", ask=4)
    assert last(part, "bad.tried")["ask"] == 4 and len(last(part, "bad.answers")["rows"]) == 1
    send(part, "complete", side="good", text="3: se", position=5, ask=5)
    assert last(part, "good.completions")["options"][0]["text"] == "sex"


def test_another_table_leaves_what_fits(part):
    send(part, "quasi", names=["sex"])
    part.table = people(300)
    assert part.scenario.bad.target == ("sex",)
    part.table = people(300).with_roles(["age"], "ill")
    assert part.scenario.bad.target == ("age",)
    part.table = None
    assert last(part, "scenario") == {"kind": "scenario", "ready": False}


def test_no_trait_that_leaves_quotes_a_value(part):
    send(part, "weigh", side="bad", text="10: sex = 'F'")
    part.follow(**part.scenario.apply_to((), (), {}), points=5)
    assert "'F'" not in str(part.get_state())


def test_what_predictions_cost_is_typed_cell_by_cell(part):
    assert last(part, "scenario")["costs"] is None
    send(part, "worth", name="costs")
    assert last(part, "scenario")["costs"] == {"values": ["flu", "gout"], "cells": [["0", "1"], ["1", "0"]]}
    send(part, "cost", true="gout", predicted="flu", text="2.5")
    send(part, "cost", true="flu", predicted="gout", text="0.5")
    send(part, "cost", true="flu", predicted="gout", text="")
    assert last(part, "scenario")["costs"]["cells"] == [["0", "1"], ["2.5", "0"]]
    assert part.scenario.good.costs.data == {"gout": {"flu": 2.5}}
    send(part, "use")
    assert any(one.get("costs") == {"gout": {"flu": 2.5}} for one in part.used["measures"])
    send(part, "worth", name="accuracy")
    assert part.scenario.good.costs is None and last(part, "scenario")["costs"] is None


def test_for_a_column_of_many_values_it_says_how_costs_are_written_in_the_file(part):
    send(part, "target", name="age")
    send(part, "worth", name="costs")
    note = last(part, "scenario")["costs"]["note"]
    assert "age has 60 values" in note and "costs: {'20': {'21': 2}}" in note
