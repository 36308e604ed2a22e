"""A search beside a grid of 200 points: as good under any cap, with a fifth of the evaluations."""

import numpy as np
import pytest

from tests.methods.raking.tables import table
from workbench.base.errors import BadInput
from workbench.frontier.families import proposed
from workbench.frontier.search import search
from workbench.frontier.sweep import sweep
from workbench.measures import PrivacyLoss, UtilityLoss

MEASURES = [PrivacyLoss(), UtilityLoss()]
POINTS, PART, WORSE = 200, 5, 1.02


def grid(data, families):
    """The points of these families, evenly spread."""
    each = POINTS // len(families)
    recipes = [one.recipe(float(place)) for one in families for place in np.linspace(0, 1, each)]
    return sweep(data, recipes, MEASURES, baselines=False)


def compared(data, caps, families=None):
    """How much less the grid's best point loses than that of the search, for each cap; of all families, or of some."""
    every, found = grid(data, families or proposed(data)), []
    asked = None if families is None else [one.recipe(0.5) for one in families]
    for cap in caps:
        limit = {"P_loss": cap}
        try:
            known = every.best(limit).values["U_loss"]
        except BadInput:  # the grid has no point there
            continue
        searched = search(data, MEASURES, limit, f"{POINTS // PART} evaluations", asked)
        assert len(searched.measured) <= POINTS // PART
        found.append(searched.best(limit).values["U_loss"] / known)
    return found


def test_under_some_caps_of_a_small_table():
    caps = np.random.default_rng(0).uniform(0.01, 0.3, 3)
    found = compared(table(1, records=400), caps)
    assert len(found) == 3 and max(found) <= WORSE


TABLES = {"people": lambda: table(1), "others": lambda: table(7, ("wage",), missing=0.1)}


@pytest.mark.exhaustive
@pytest.mark.parametrize("which", [*TABLES, "adult"])
@pytest.mark.parametrize("alone", [None, 0, 3], ids=["all families", "raked buckets", "median cuts"])
def test_under_twenty_caps_of_three_tables(which, alone, adult):
    """Raked buckets alone lose a few per cent more or less from one t to the next: 200 of them are many draws."""
    data = adult if which == "adult" else TABLES[which]()
    caps = np.exp(np.random.default_rng(1).uniform(np.log(0.01), np.log(0.3), 20))
    found = compared(data, caps, None if alone is None else [proposed(data)[alone]])
    assert len(found) > 15 and max(found) <= WORSE
