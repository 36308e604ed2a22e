"""A search looks for points without objections, since only these are recommended."""

import numpy as np
import pytest

from tests.frontier.points import P, U
from tests.methods.raking.tables import table, with_values
from workbench.frontier.decision import decide
from workbench.frontier.families import Family, FamilySearch, Objective, default_families
from workbench.frontier.recipe import Point
from workbench.frontier.search import search
from workbench.frontier.sweep import sweep
from workbench.measures import PrivacyLoss, UtilityLoss
from workbench.methods import Mondrian
from workbench.models import TCloseness

MEASURES = [PrivacyLoss(), UtilityLoss()]
TABLES = {"two values": lambda: with_values(2, 200, 6), "three values": lambda: with_values(3, 300, 5)}
CAPS = [{"P_loss": 0.15}, {"P_loss": 0.9}, {"U_loss": 0.02}, {"U_loss": 0.08}]
GRID, WORSE = 20, 1.02


@pytest.mark.slow
@pytest.mark.parametrize("make", TABLES.values(), ids=TABLES)
def test_every_family_equals_a_coarse_grid_over_its_parameter(make):
    data, compared = make(), 0
    for family in [one for one in default_families(data) if isinstance(one.method, Mondrian)]:
        grid = sweep(data, [family.recipe(float(p)) for p in np.linspace(0, 1, GRID)], MEASURES, baselines=False)
        for caps in CAPS:
            known = decide(grid, caps)
            if known.recommended is None:
                continue
            found = search(data, MEASURES, caps, f"{3 * GRID} evaluations", [family.recipe(0.5)])
            place = decide(found, caps).recommended
            assert place is not None, (str(family), caps)
            best = grid.measured[known.recommended - 1].values[known.goal]
            assert found.measured[place - 1].values[known.goal] <= WORSE * best + 1e-9, (str(family), caps)
            compared += 1
    assert compared > 15


UNDER_P = Objective({"P": P, "U": U}, {"P": 0.5}, "U")
UNDER_U = Objective({"P": P, "U": U}, {"U": 0.5}, "P")


def run_family_search(objected):
    """Run the search of a family with privacy loss t and objections at some values of t."""
    track = FamilySearch(Family(Mondrian(), TCloseness(distance="js"), table()))
    while (place := track.next(UNDER_P, 0.5)) is not None and len(track.tried) < 30:
        t = track.family.value(place)
        track.tried[place] = Point(
            track.family.recipe(place), {"P": t, "U": 0.05 / t}, against=("small",) if objected(t) else ()
        )
    return track


def test_objections_limit_the_range_like_a_cap():
    best = run_family_search(lambda t: t > 0.2).best(UNDER_P)
    assert not best.against and 0.19 < best.values["P"] <= 0.2
    assert run_family_search(lambda t: False).best(UNDER_P).values["P"] > 0.49


def test_the_reason_for_dropping_a_family_names_the_objections():
    track = run_family_search(lambda t: True)
    assert track.best(UNDER_P) is None
    assert track.lacking(UNDER_P) == "those of its recipes that are within the caps are not recommended: small"


def test_a_recipe_without_a_release_counts_as_too_private():
    point = Point(Family(Mondrian(), TCloseness(), table()).recipe(0), {}, {"P": "no release"})
    assert UNDER_P.beyond(point) <= 1 < UNDER_U.beyond(point)
