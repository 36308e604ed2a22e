"""Points and frontiers for tests of charts, and the text of charts."""

import re

from workbench.charts import offline
from workbench.frontier.frontier import Frontier
from workbench.frontier.recipe import Point, Recipe
from workbench.measures import Discernibility, PrivacyLoss, UtilityLoss
from workbench.methods import Keep, Mondrian, Remove
from workbench.models import AlphaK, KAnonymity, TCloseness


def made(recipe, privacy, utility):
    return Point(recipe, {"P_loss": privacy, "U_loss": utility, "DM": 45222.0}, {})


def frontier(*more, **options):
    points = [
        made(Recipe(Mondrian(), KAnonymity(k=5)), 0.5, 0.01),
        made(Recipe(Mondrian(), KAnonymity(k=50)), 0.1, 0.02),
        made(Recipe(Mondrian(), TCloseness(t=0.2)), 0.2, 0.03),
        made(Recipe(Keep()), 0.69, 0.0),
        made(Recipe(Remove()), 0.0, 0.05),
    ]
    return Frontier([*points, *more], [PrivacyLoss(), UtilityLoss(), Discernibility()], **options)


def rows_of(chart):
    """Return the rows of the points in the chart by recipe."""
    return {row["recipe"]: row for row in chart.to_dict()["datasets"]["points"]}


def words_of(chart):
    return re.findall(r"<(?:text|tspan)[^>]*>([^<]+)", offline.svg(chart.to_dict()))


def two_parameters():
    """Return a frontier of every k with every alpha: four curves, not a zigzag."""
    made_of = [(k, alpha) for k in (2, 10, 50, 200, 1000) for alpha in (0.3, 0.4, 0.5, 0.9)]
    points = [
        made(Recipe(Mondrian(), AlphaK(alpha=a, k=k)), a / (1 + k / 100), 0.001 * k + 0.01 / a) for k, a in made_of
    ]
    return Frontier(
        [*points, made(Recipe(Keep()), 0.9, 0.0), made(Recipe(Remove()), 0.0, 1.2)], [PrivacyLoss(), UtilityLoss()]
    )


ADULT = {  # what the tour of the Adult data measures
    TCloseness: [(0.075, 0.0749, 0.0185), (0.1, 0.0999, 0.0103), (0.15, 0.15, 0.00528), (0.2, 0.2, 0.00237),
                 (0.25, 0.25, 0.000691), (0.3, 0.3, 0.000367), (0.35, 0.35, 0.000157), (0.4, 0.4, 4.73e-5)],
    KAnonymity: [(5000, 0.0835, 0.0258), (2000, 0.103, 0.0176), (1000, 0.131, 0.0136), (500, 0.193, 0.0119),
                 (200, 0.227, 0.00623), (100, 0.317, 0.00318), (50, 0.42, 0.00174), (10, 0.546, 0.000212),
                 (5, 0.641, 5.03e-5)],
}  # fmt: skip


def adult():
    points = [made(Recipe(Keep()), 0.692, 0.0), made(Recipe(Remove()), 0.0, 0.0472)]
    for model, rows in ADULT.items():
        points += [made(Recipe(Mondrian(), model(n)), privacy, utility) for n, privacy, utility in rows]
    return Frontier(points, [PrivacyLoss(), UtilityLoss()])
