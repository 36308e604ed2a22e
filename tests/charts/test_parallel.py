"""The chart of parallel axes."""

import math

from tests.charts.drawn import frontier, made, words_of
from workbench import charts
from workbench.frontier.frontier import Frontier
from workbench.frontier.recipe import Point, Recipe
from workbench.measures import NumberOfClasses, PrivacyLoss
from workbench.methods import Mondrian, RakedBuckets
from workbench.models import KAnonymity, TCloseness


def test_parallel_axes_are_oriented_so_that_up_is_better():
    points = [
        Point(Recipe(Mondrian(), KAnonymity(k=k)), {"P_loss": loss, "classes": classes})
        for k, loss, classes in ((5, 0.5, 10.0), (50, 0.1, 30.0), (7, math.inf, 20.0), (8, math.nan, 20.0))
    ]
    chart = charts.parallel_chart(Frontier(points, [PrivacyLoss(), NumberOfClasses()]), selected=1, moving=points[0])
    sets = chart.to_dict()["datasets"]
    good = {(row["recipe"].split(" ")[3], row["measure"]): row["good"] for row in sets["strands"]}
    assert good["50", "P_loss"] == good["50", "classes"] == 1.0 and good["5", "P_loss"] == good["5", "classes"] == 0.0
    assert good["7", "P_loss"] < 0 and good["8", "P_loss"] is None and good["7", "classes"] == 0.5
    assert len(sets["chosen"]) == len(sets["moving"]) == 2
    assert {"0.5, infinite", "0.1", "10", "30"} <= set(words_of(chart))
    assert "P_loss" in words_of(charts.parallel_chart(frontier()))


def test_methods_with_one_hue_differ_in_dashes_and_shapes():
    raked = [Recipe(RakedBuckets(publish=publish), TCloseness(t=0.2)) for publish in ("exchanged", "dealt")]
    drawn = charts.parallel_chart(frontier(*(made(recipe, 0.2, 0.01) for recipe in raked))).to_dict()
    dashes = next(
        layer["encoding"]["strokeDash"]["scale"] for layer in drawn["layer"] if "strokeDash" in layer["encoding"]
    )
    shapes = next(layer["encoding"]["shape"]["scale"] for layer in drawn["layer"] if "shape" in layer["encoding"])
    for scale in (dashes, shapes):
        told = dict(zip(scale["domain"], map(str, scale["range"]), strict=True))
        assert len({look for line, look in told.items() if line.startswith("t-closeness")}) == 3
