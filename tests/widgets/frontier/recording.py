"""Points, a chart, and what it sends."""

from workbench.frontier.recipe import Point, Recipe
from workbench.measures import (
    Discernibility,
    KnowledgeGain,
    NumberOfClasses,
    PrivacyLoss,
    UtilityLoss,
)
from workbench.methods import Keep, Mondrian, Remove
from workbench.models import KAnonymity, TCloseness

MEASURES = [PrivacyLoss(), UtilityLoss(), Discernibility(), KnowledgeGain(), NumberOfClasses()]


def point(recipe, privacy, utility, **more):
    rest = {"DM": 1000.0, "A_know": privacy / 2, MEASURES[-1].key: 10.0}
    return Point(recipe, {"P_loss": privacy, "U_loss": utility, **rest, **more})


def points():
    lost = Point(Recipe(Mondrian(), TCloseness(t=0.4)), {"P_loss": 0.3}, {"U_loss": "nobody asked"})
    return [
        point(Recipe(Keep()), 0.7, 0.0),
        point(Recipe(Remove()), 0.0, 0.05),
        point(Recipe(Mondrian(), KAnonymity(k=5)), 0.5, 0.01),
        point(Recipe(Mondrian(), KAnonymity(k=50)), 0.1, 0.02),
        point(Recipe(Mondrian(), TCloseness(t=0.2)), 0.2, 0.03),
        lost,
    ]


def replies(chart, kind, **content):
    chart.sent.clear()
    chart._receive(None, {"kind": kind, **content}, [])
    return {message["kind"]: message for message in chart.sent}
