"""Query errors, as their view hears them."""

import pytest

from tests.widgets.workloads.people import people
from widgets.query_errors.query_errors import QueryErrors
from workbench.frontier.recipe import Recipe
from workbench.frontier.sweep import sweep
from workbench.measures import PrivacyLoss, QueryError
from workbench.methods import Keep, Mondrian, RandomizedResponse
from workbench.models import KAnonymity

WORKLOADS = {"state": ["age >= 40", "sex = 'M'", "sex = 'F' and age < 25"], "other": ["ill = 'flu'"]}


def table():
    return people().with_settings(workloads=WORKLOADS)


@pytest.fixture
def part():
    """Return a part in a script, which runs jobs at once, and record its messages."""
    made = QueryErrors(None)
    made.sent = []
    made.send = lambda content, buffers=None: made.sent.append(content)
    made.release = Mondrian()(table(), KAnonymity(5))
    return made


def messages(part, kind):
    return [one for one in part.sent if one["kind"] == kind]


def test_the_worst_query_comes_first_with_its_partial_matches(part):
    (found,) = messages(part, "errors")
    rows = found["rows"]
    assert rows[0]["text"] == "sex = 'F' and age < 25" and "on average" in found["text"]
    assert rows[0]["truth"] == "1" and rows[0]["classes"] == 1 and rows[0]["by"] in ("age", "sex")
    assert sum(row["queries"] for row in found["spec"]["datasets"]["errors"]) == 3
    assert part.about() == "workload state"


def test_of_a_release_without_classes_the_worst_queries_are_told_too(part):
    del part.sent[:]
    part.release = RandomizedResponse(0.0, others="uniform")(table())
    part.workload = "other"
    assert not messages(part, "problem")
    (row,) = messages(part, "errors")[-1]["rows"]
    assert row["text"] == "ill = 'flu'" and (row["classes"], row["by"]) == (0, "")
    part._receive(None, {"kind": "query", "field": "workload", "query": 0}, [])
    assert part.cut == [] and "The release has no classes" in messages(part, "chosen")[-1]["text"]


def test_a_query_chosen_tells_its_classes_each_time(part):
    told = []
    part.observe(lambda event: told.append(event.new), "cut")
    for query in (0, 0, -1):
        part._receive(None, {"kind": "query", "query": query, "field": "workload"}, [])
    assert told == [[0], [0], []]
    assert messages(part, "chosen")[0]["text"].startswith("It matches 1 of 1 class in part,")
    part._receive(None, {"kind": "query", "query": 3, "field": "workload"}, [])
    assert "no such query" in messages(part, "problem")[-1]["text"]


def test_another_workload_or_release_is_asked_anew(part):
    part._receive(None, {"kind": "workload", "workload": "other", "other": "state", "field": "workload"}, [])
    assert (part.workload, part.other) == ("other", "state")
    assert messages(part, "errors")[-1]["rows"] == []  # sensitive values are published unchanged
    part.release = Keep()(table())
    part.workload = "state"
    assert messages(part, "errors")[-1]["rows"] == []
    for wrong in ({"workload": "x"}, {"workload": "other", "other": 3}, {}):
        part._receive(None, {"kind": "workload", "field": "workload", **wrong}, [])
        assert "there is no workload" in messages(part, "problem")[-1]["text"]


def test_nothing_outlives_its_release(part):
    part.release = None
    part._receive(None, {"kind": "query", "query": 0, "field": "workload"}, [])
    assert (
        messages(part, "nothing")
        and "an earlier release" in messages(part, "problem")[-1]["text"]
        and "no release" in part.about()
    )


def test_nothing_is_asked_while_it_is_closed_or_another_release_is_made(monkeypatch):
    asked = []
    monkeypatch.setattr("widgets.query_errors.query_errors.QueryError", lambda *given, **more: asked.append(given))
    part = QueryErrors(None, unfolded=False)
    part.release = Keep()(table())
    part.pending, part.unfolded = True, True
    part.show()
    assert not asked


def test_two_frontiers_stand_beside_each_other_once_both_are_measured(part):
    part.other = "other"
    assert messages(part, "both")[-1] == {"kind": "both", "specs": [], "text": "The points are being measured."}
    recipes = [Recipe(Mondrian(), KAnonymity(k)) for k in (2, 5)]
    part.frontier = sweep(table(), recipes, [PrivacyLoss(), QueryError("state")])
    assert "'other' was not measured: tick query error" in messages(part, "both")[-1]["text"]
    part.frontier = sweep(table(), recipes, [PrivacyLoss(), QueryError("state"), QueryError("other")])
    assert len(messages(part, "both")[-1]["specs"]) == 2


def test_no_query_is_in_a_synced_trait(part):
    part._receive(None, {"kind": "query", "query": 0, "field": "workload"}, [])
    assert "age >= 40" in str(messages(part, "errors")) and "age >= 40" not in str(part.get_state()) + repr(part)
    assert "cut" not in part.get_state()
