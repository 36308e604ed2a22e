"""The 32 points of figure 2(a) of Li & Li (2009) with P_loss and U_loss, through a sweep."""

from __future__ import annotations

from benchmarks.adult import fresh
from benchmarks.measuring import Figure, cpu
from workbench import sweep
from workbench.data import datasets
from workbench.data.table import Table
from workbench.frontier.recipe import Recipe, recipes
from workbench.measures import PrivacyLoss, UtilityLoss
from workbench.methods import Mondrian
from workbench.models import DeltaDisclosure, KAnonymity, ProbabilisticLDiversity, TCloseness
from workbench.queries.populations import large_populations

K = (10, 50, 100, 200, 500, 1000, 2000, 5000)
L = (3, 3.5, 4, 4.25, 4.5, 4.75, 5, 5.5)
T = (0.075, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4)
DELTA = (1, 1.2, 1.4, 1.5, 1.7, 1.9, 2, 2.1)


def measure(runs: int = 5) -> list[Figure]:
    table = datasets.adult()
    seconds, again = cpu(lambda: points(fresh(table)), lambda: points(table), runs=runs)
    populations = len(large_populations(table, UtilityLoss().min_support))
    return [
        Figure("points", points(table), "", 32, at_least=True),
        Figure("the sweep, CPU", seconds, "s", 1.5, note=f"cells and {populations:,} populations found again"),
        Figure("the same on a table that knows its populations, CPU", again, "s"),
    ]


def figure_2a() -> list[Recipe]:
    """The recipes, all with plain Mondrian."""
    method = Mondrian()
    return [
        *recipes(method, KAnonymity, k=K),
        *recipes(method, ProbabilisticLDiversity, l=L),
        *recipes(method, TCloseness, t=T, distance="js"),
        *recipes(method, DeltaDisclosure, delta=DELTA, absent="allowed"),
    ]


def points(table: Table) -> int:
    """Sweep; the number of points that have both losses."""
    frontier = sweep(table, figure_2a(), [PrivacyLoss(), UtilityLoss()], baselines=False)
    return int(frontier.points[["P_loss", "U_loss"]].notna().all(axis=1).sum())
