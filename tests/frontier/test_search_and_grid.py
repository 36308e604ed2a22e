"""Compare a search with a grid of 200 points: as good under any cap, with a fifth of the evaluations."""

from dataclasses import replace

import numpy as np
import pytest

from tests.methods.raking.tables import table, with_values
from workbench.frontier.decision import decide
from workbench.frontier.families import default_families
from workbench.frontier.recipe import Recipe
from workbench.frontier.search import search
from workbench.frontier.sweep import sweep
from workbench.measures import PrivacyLoss, UtilityLoss
from workbench.methods import RakedBuckets
from workbench.methods.raking import raked_buckets
from workbench.models import TCloseness

MEASURES = [PrivacyLoss(), UtilityLoss()]
POINTS, PART, WORSE = 200, 5, 1.02


def sweep_grid(data, families):
    """Sweep the points of these families, evenly spread."""
    each = POINTS // len(families)
    recipes = [one.recipe(float(place)) for one in families for place in np.linspace(0, 1, each)]
    return sweep(data, recipes, MEASURES, baselines=False)


def recommended_loss(frontier, limit):
    """Return the utility loss of the recommended point; None if none is recommended."""
    number = decide(frontier, limit).recommended
    return None if number is None else frontier.measured[number - 1].values["U_loss"]


def compare_with_grid(data, caps, families=None):
    """Return the search's loss relative to the grid's for each cap: of points without objections, as searches find."""
    every, found = sweep_grid(data, families or default_families(data)), []
    recipes = None if families is None else [one.recipe(0.5) for one in families]
    for cap in caps:
        limit = {"P_loss": cap}
        known = recommended_loss(every, limit)
        if known is None:  # the grid recommends no point
            continue
        searched = search(data, MEASURES, limit, f"{POINTS // PART} evaluations", recipes)
        assert len(searched.measured) <= POINTS // PART
        loss = recommended_loss(searched, limit)
        found.append(np.inf if loss is None else loss / known)
    return found


@pytest.mark.slow
def test_a_search_equals_the_grid_under_some_caps_of_a_small_table():
    caps = np.random.default_rng(0).uniform(0.01, 0.3, 3)
    found = compare_with_grid(table(1, records=400), caps)
    assert len(found) == 3 and max(found) <= WORSE


TABLES = {"people": lambda: table(1), "others": lambda: table(7, ("wage",), missing=0.1)}


@pytest.mark.exhaustive
@pytest.mark.parametrize("which", [*TABLES, "adult"])
@pytest.mark.parametrize("alone", [None, 0, 3], ids=["all families", "raked buckets", "median cuts"])
def test_a_search_equals_the_grid_under_twenty_caps_of_three_tables(which, alone, adult):
    """The losses of raked buckets vary by a few per cent between values of t, and the grid has 200 draws."""
    data = adult if which == "adult" else TABLES[which]()
    caps = np.exp(np.random.default_rng(1).uniform(np.log(0.01), np.log(0.3), 20))
    found = compare_with_grid(data, caps, None if alone is None else [default_families(data)[alone]])
    assert len(found) > 15 and max(found) <= WORSE


ROUGHLY = 1.01
FEW, MANY = [(6, 1500, 1)], [(40, 1500, 2), (139, 1500, 3), (300, 2500, 4), (3, 700, 5), (2, 400, 6)]


@pytest.mark.slow
@pytest.mark.parametrize("cap", [0.05, 0.15])
@pytest.mark.parametrize(
    ("values", "records", "seed"), [*FEW, *(pytest.param(*one, marks=pytest.mark.exhaustive) for one in MANY)]
)
def test_a_search_equals_a_coarse_grid_over_sizes_of_buckets(values, records, seed, cap):
    """The grid has limits up to the cap itself, for every method of t-closeness and seven sizes of raked buckets."""
    data = with_values(values, records, seed)
    methods = [one.method for one in default_families(data) if one.model.figure == "t"]
    methods += [RakedBuckets(smallest=size) for size in (10, 20, 40, 80, 160, 320, 640) if size < records / 3]
    recipes = [Recipe(one, TCloseness(part * cap, distance="js")) for one in methods for part in (0.6, 0.8, 0.9, 1)]
    known = sweep(data, recipes, MEASURES, baselines=False).best({"P_loss": cap})
    found = search(data, MEASURES, {"P_loss": cap}, "80 evaluations").best({"P_loss": cap})
    assert found.values["U_loss"] <= ROUGHLY * known.values["U_loss"]


@pytest.mark.slow
def test_the_size_of_buckets_is_varied_for_the_best_family(monkeypatch):
    """Every size from a tenth of the best one is tried at the best limit; a better one becomes a family of its own."""
    data = with_values(40, 1500, 2)
    monkeypatch.setattr(raked_buckets.RakedBuckets, "release", usually_too_large)
    found = search(data, MEASURES, {"P_loss": 0.1}, "60 evaluations", ["t-closeness, distance=js (raked buckets)"])
    sizes = [point.recipe.method.smallest for point in found.measured if not point.recipe.baseline]
    assert {None, 10, 20, 40, 80, 160, 320} <= set(sizes)
    best = found.best({"P_loss": 0.1}).recipe.method.smallest
    assert best is not None and sizes.count(best) > 1, "the family is also tried around the cap"
    assert any(f"smallest = {best}" in note for note in found.notes)


def usually_too_large(method, table, model, seed, release=raked_buckets.RakedBuckets.release):
    """Return a release whose buckets are too large unless their size is set."""
    return release(method if method.smallest else replace(method, smallest=400), table, model, seed)
