"""Costs as a share of that of publishing no quasi-identifiers."""

import pytest

from tests.frontier.points import Fake, P, U, baselines, frontier, point
from workbench.frontier.frontier import Frontier
from workbench.frontier.relative_costs import relative_costs


def test_costs_are_shares_of_the_loss_without_quasi_identifiers():
    assert relative_costs(frontier((1, 8), (4, 2))) == [1.0, 0.25, 0.0, 1.0]


def test_the_shortfall_is_the_loss_if_higher_is_better():
    higher = Fake("U", "utility", "higher", 1.0)
    found = Frontier([point(2, P=1, U=0.9), *baselines(keep=(10, 1.0), remove=(0, 0.5))], [P, higher])
    assert relative_costs(found) == pytest.approx([0.2, 0.0, 1.0])


def test_there_is_no_relative_cost_without_the_baseline_or_if_its_cost_is_0():
    assert relative_costs(frontier((1, 8), ends=False)) == [None]
    assert relative_costs(Frontier([point(2, P=1, U=1), *baselines(remove=(0, 0))], [P, U])) == [None] * 3
    assert relative_costs(Frontier([point(2, P=1), *baselines()], [P, U]))[0] is None
