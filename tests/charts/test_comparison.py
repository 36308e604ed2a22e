"""Frontiers that cannot be compared."""

from tests.charts.drawn import frontier, made, words_of
from workbench import charts
from workbench.charts.comparison import describe_difference
from workbench.frontier.frontier import Frontier
from workbench.frontier.recipe import Recipe
from workbench.methods import Keep, Mondrian
from workbench.models import KAnonymity


def test_frontiers_of_different_data_are_reported():
    own, same = frontier(), frontier(made(Recipe(Mondrian(), KAnonymity(k=9)), 0.3, 0.02))
    assert describe_difference(own, same) == ""
    less = Frontier([made(Recipe(Keep()), 0.6, 0.0), *own.measured[:3], own.measured[4]], own.measures)
    assert describe_difference(own, less) == "everything kept: P_loss 0.69, pinned 0.6"
    assert describe_difference(own, Frontier(own.measured[:3], own.measures)) == ""  # nothing tells
    words = words_of(charts.frontier_chart(own, pinned=less))
    assert any("from other data, roles or hierarchies" in word for word in words)
    assert not any("from other data" in word for word in words_of(charts.frontier_chart(own, pinned=same)))
