"""Points with given losses."""

from dataclasses import dataclass

from workbench.frontier.frontier import Frontier
from workbench.frontier.recipe import Point, Recipe
from workbench.measures import Measure
from workbench.methods import Keep, Mondrian, Remove
from workbench.models import KAnonymity


@dataclass(frozen=True)
class Fake(Measure):
    """A measure by name only: points come with their values."""

    named: str = "P"
    to: str = "privacy"
    better: str = "lower"
    best: float = 0.0
    name = "fake"
    unit = "units"

    @property
    def key(self):
        return self.named

    @property
    def side(self):
        return self.to

    def measure(self, release):
        raise NotImplementedError


P, U = Fake("P", "privacy"), Fake("U", "utility")


def point(k, reasons=None, **values):
    return Point(Recipe(Mondrian(), KAnonymity(k=k)), values, reasons or {})


def baselines(keep=(10, 0), remove=(0, 8)):
    return [
        Point(Recipe(Keep()), dict(zip("PU", keep, strict=True))),
        Point(Recipe(Remove()), dict(zip("PU", remove, strict=True))),
    ]


def frontier(*pairs, ends=True, measures=(P, U), **options):
    points = [point(k + 2, **dict(zip("PU", pair, strict=True))) for k, pair in enumerate(pairs)]
    return Frontier([*points, *(baselines() if ends else [])], measures, **options)
