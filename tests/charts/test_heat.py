"""The chart of ranks."""

import math

from tests.charts.drawn import adult, frontier, made, words_of
from workbench import charts
from workbench.charts import heat
from workbench.frontier.frontier import Frontier
from workbench.frontier.recipe import Point, Recipe
from workbench.methods import Mondrian, RakedBuckets
from workbench.models import KAnonymity, TCloseness


def test_ranks_are_within_each_measure():
    chart = charts.heat_chart(frontier(), selected=2)
    sets = chart.to_dict()["datasets"]
    privacy = {row["row"]: row["good"] for row in sets["cells"] if row["measure"] == "P_loss"}
    assert list(privacy) == [
        "k-anonymity, k = 50 ●",
        "k-anonymity, k = 5 ●",
        "t-closeness, t = 0.2 ○",
        "quasi-identifiers removed ×",
        "everything kept ×",
    ]
    assert list(privacy.values()) == [0.75, 0.25, 0.5, 1.0, 0.0]
    assert {row["good"] for row in sets["cells"] if row["measure"] == "DM"} == {0.5}  # all the same
    assert sets["chosen"] == [{"row": "t-closeness, t = 0.2 ○"}]
    few = charts.heat_chart(frontier(), most=1, selected=2).to_dict()["datasets"]["cells"]
    assert len({row["row"] for row in few}) == 2  # the selected one is always there
    twice = frontier(made(Recipe(Mondrian(), KAnonymity(k=5), seed=1), 0.5, 0.01))
    rows = {row["row"] for row in charts.heat_chart(twice).to_dict()["datasets"]["cells"]}
    assert {"k-anonymity, k = 5, seed 0 ●", "k-anonymity, k = 5, seed 1 ●"} <= rows
    lost = frontier(Point(Recipe(Mondrian(), KAnonymity(k=7)), {"P_loss": 0.1}))
    assert "–" in words_of(charts.heat_chart(lost, moving=lost.measured[0]))


def test_a_narrow_cell_has_the_digits_of_a_wide_one():
    values = [0.00191, 0.00528, 0.000157, 45222.0, 1234567.0, 0.384, 99999.6, 4.73e-5, 1 / 9, math.inf, math.nan]
    briefs = ["0.00191", "0.00528", ".000157", "45,222", "1.23M", "0.384", "100,000", "4.73e-5", "0.111", "∞", "–"]
    assert [heat._brief(value) for value in values] == briefs
    settings = [made(Recipe(Mondrian(), TCloseness(t=0.2, distance=d)), 0.2, 0.03) for d in ("js", "equal")]
    kinds = {
        row["row"] for row in charts.heat_chart(Frontier(settings, adult().measures)).to_dict()["datasets"]["cells"]
    }
    assert kinds == {"t-closeness, t = 0.2 (distance = js) ●", "t-closeness, t = 0.2 ●"}


def test_a_long_name_is_shortened_to_its_distinguishing_part():
    floor, models = KAnonymity(k=5), (TCloseness(t=0.05, distance="js"), TCloseness(t=0.1, distance="js"))
    methods = (Mondrian(), RakedBuckets(), RakedBuckets(publish="dealt"))
    for parts, ends in (
        (models, "mondrian exchanged dealt"),
        ([floor & one for one in models], "mondrian exchanged dealt"),
    ):
        points = [made(Recipe(method, model), 0.2, 0.03) for method in methods for model in parts]
        names = {
            row["row"] for row in charts.heat_chart(Frontier(points, adult().measures)).to_dict()["datasets"]["cells"]
        }
        assert len(names) == 6 and max(map(len, names)) < 62
        for end in ends.split():
            assert (
                sum(name[:-2].endswith(f"{end})") for name in names) == 2 and sum("t = 0.05 (" in n for n in names) == 3
            )
