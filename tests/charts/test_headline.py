"""The numbers of efficient, dominated and omitted points."""

from tests.charts.drawn import frontier
from workbench.charts.headline import headline, left_out
from workbench.frontier.frontier import Frontier
from workbench.frontier.recipe import Point, Recipe
from workbench.methods import Keep, Mondrian, Remove
from workbench.models import KAnonymity


def test_efficient_dominated_and_omitted_points_are_counted_separately():
    lost = [Point(Recipe(Mondrian(), KAnonymity(k=k)), {"P_loss": 0.1}) for k in (7, 8)]
    assert headline(frontier(*lost)) == "5 points: 2 efficient (filled), 1 dominated (hollow)"
    assert left_out(frontier(*lost)) == "2 left out" and left_out(frontier()) == ""
    ends = [Point(Recipe(end), {}) for end in (Keep(), Remove())]
    nothing = Frontier([*lost, *ends], frontier().measures)
    assert headline(nothing) == "2 points: 0 efficient (filled), 0 dominated (hollow)"
    assert left_out(nothing) == "2 left out, and 2 baselines"
    assert left_out(Frontier([*frontier().measured[:3], ends[0]], frontier().measures)) == "1 baseline left out"
