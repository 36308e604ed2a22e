"""What serves one workload and not the other."""

import pytest

from widgets.query_errors.both import both, describe_frontiers, measure_of
from workbench.base.errors import Undefined
from workbench.frontier.frontier import Frontier
from workbench.frontier.recipe import Point, Recipe
from workbench.measures import PrivacyLoss, QueryError
from workbench.methods import Mondrian
from workbench.models import KAnonymity

MEASURES = [PrivacyLoss(), QueryError("state"), QueryError("company")]
VALUES = {2: (0.9, 0.1, 0.5), 5: (0.5, 0.2, 0.7), 9: (0.1, 0.3, 0.6), 20: (0.6, 0.4, 0.55)}


@pytest.fixture
def frontier():
    keys = [one.key for one in MEASURES]
    points = [Point(Recipe(Mondrian(), KAnonymity(k)), dict(zip(keys, v, strict=True))) for k, v in VALUES.items()]
    return Frontier(points, MEASURES)


def test_the_releases_are_told_that_serve_one_alone(frontier):
    specs, text = both(frontier, "state", "company", 0)
    assert [spec["title"]["text"] for spec in specs] == ["state", "company"]
    assert text == (
        "2 releases are efficient for both workloads. Only for state: k-anonymity, k = 5 (mondrian). "
        "Only for company: k-anonymity, k = 20 (mondrian). "
        "The selected release: the average error is 10 % for state and 50 % for company."
    )
    assert "selected" not in describe_frontiers(frontier, ("state", "company"), tuple(m.key for m in MEASURES[1:]), -1)


def test_a_workload_that_was_not_measured_is_said(frontier):
    assert measure_of(frontier, "state") == MEASURES[1] and measure_of(None, "state") is None
    with pytest.raises(Undefined, match="'zip' was not measured: tick query error"):
        both(frontier, "state", "zip", -1)
