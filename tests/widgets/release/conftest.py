"""A table, a frontier and a card that these tests share."""

import pytest

from tests.widgets.release.stand import MEASURES, Stand
from workbench.frontier.recipe import Recipe, recipes
from workbench.frontier.sweep import sweep
from workbench.methods import Mondrian
from workbench.models import KAnonymity, TCloseness


@pytest.fixture
def table(small):
    return small(0)


@pytest.fixture
def frontier(table):
    asked = [*recipes(Mondrian(), KAnonymity, k=[2, 3, 5, 10, 20]), *recipes(Mondrian(), TCloseness, t=[0.2, 0.3, 0.5])]
    return sweep(table, asked, MEASURES)


@pytest.fixture
def stand(table, frontier):
    return Stand(table, MEASURES, Recipe(Mondrian(), KAnonymity(5)), frontier=frontier)
