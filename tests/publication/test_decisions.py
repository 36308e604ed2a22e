"""The decisions in a published folder, compared with a naive search over the exact figures."""

import math

import numpy as np
import pytest

from workbench.frontier.decision import decide
from workbench.frontier.frontier import undominated
from workbench.frontier.sweep import sweep
from workbench.publication.decisions import decisions_of, opened_by, ranks_of
from workbench.publication.publish import publish
from workbench.publication.published_folder import Published
from workbench.publication.selection import redact_points


@pytest.fixture(scope="module")
def exact(study, table):
    return sweep(table, study.candidates(), study.measured(), smallest=study.smallest).on(*study.axes)


def candidates(exact, cap):
    """Return the numbers of the candidates within a cap on P_loss, by increasing U_loss."""
    found = [
        (point.values["U_loss"], point.values["P_loss"], number)
        for number, point in enumerate(exact.measured, 1)
        if not point.recipe.baseline and point.values["P_loss"] <= cap
    ]
    return [number for *_, number in sorted(found)]


def test_the_decision_at_each_stop_follows_from_the_exact_figures(read, exact):
    assert len(read.stops) > 4 and read.results["decisions"][-1]["cap"] is None
    for stop in read.stops:
        decision, within = read.decision(stop), candidates(exact, stop)
        safe = [number for number in within if not exact.measured[number - 1].against]
        assert decision["within"] == within and decision["satisfied"] == bool(within)
        assert decision["recommended"] == (safe[0] if safe else None)
        assert decision["passed_over"] == (within[: within.index(safe[0])] if safe else [])
        assert decision["recommended"] == decide(exact, {"P_loss": stop}).recommended
    assert read.decision(None)["recommended"] == decide(exact).recommended


def test_efficiency_follows_from_the_exact_figures(read, exact):
    assert [point["efficient"] for point in read.points] == exact.is_efficient().tolist()
    assert [i for i in read.efficient] == exact.efficient.index.tolist()
    losses = [[float(read.points[i]["values"][key]) for key in ("P_loss", "U_loss")] for i in read.efficient]
    assert not undominated(np.array(losses)).all(), "some published figures look dominated"


def test_neighbors_are_adjacent_on_the_frontier(read, exact):
    order = [i + 1 for i in exact.efficient.index]
    for decision in read.results["decisions"]:
        if decision["shown"] in order:
            place = order.index(decision["shown"])
            assert decision["safer"] == (order[place - 1] if place else None)
            assert decision["useful"] == (order[place + 1] if place + 1 < len(order) else None)


def test_the_limits_of_the_study_are_a_stop_and_apply_at_every_stop(study, table, exact, tmp_path):
    asked = study.with_(caps={"P_loss": 0.1234, "R_id": 0.1})
    seen = redact_points(exact, table, 10)
    decisions = decisions_of(seen, asked)
    assert 0.1234 in [one["cap"] for one in decisions]
    for one in decisions:
        assert all(exact.measured[number - 1].values["R_id"] <= 0.1 for number in one["within"])
    assert set(opened_by(seen, decisions)) >= {one["shown"] for one in decisions} | {
        i + 1 for i in exact.efficient.index
    }
    assert sorted(ranks_of(seen).values()) == list(range(len(ranks_of(seen))))


def test_the_nearest_release_is_shown_without_a_file_if_none_satisfies_the_limit(study, exact, tmp_path):
    read = Published(publish(study.with_(caps={"P_loss": 0.001}), tmp_path / "out", warn=lambda text: None))
    losses = [math.inf if one.recipe.baseline else one.values["P_loss"] for one in exact.measured]
    assert read.decision(0.001)["shown"] == losses.index(min(losses)) + 1 and read.opens(0.001) == losses.index(
        min(losses)
    )
    assert read.decision(0.001)["recommended"] is None and read.included == [] and not list(read.folder.rglob("*.csv"))
    assert read.points[0]["number"] == 1 and (read.folder / "points" / str(read.opens(0.001) + 1)).is_dir()
