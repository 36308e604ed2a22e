"""Conditions describe their records: each is parsed as a query and evaluated record by record."""

import numpy as np
import pytest

from tests.methods.tables import random_frame, table_of
from workbench.methods import Keep, Mondrian
from workbench.miners.conditions import conditions_on
from workbench.miners.features import Feature
from workbench.models import KAnonymity
from workbench.queries.parser import parse


@pytest.fixture(scope="module")
def table():
    return table_of(random_frame(3, 200, missing=0.1), ["whole", "word", "real", "day", "plain"], ("s", "s2"))


@pytest.mark.parametrize(("method", "k"), [(Keep(), 1), (Mondrian(), 7)])
def test_records_that_certainly_meet_a_condition_show_nothing_else(table, method, k):
    release = method(table, KAnonymity(k))
    asked = 0
    for name in table.quasi:
        shown = release.shown(name)
        found = conditions_on(shown.column, Feature.from_shown(shown))
        for words, met in zip(found.words, found.met, strict=True):
            codes = parse(words, table).conditions[name]
            held = np.stack([shown.held(np.full(shown.records, c)) for c in range(shown.column.size)], axis=1)
            assert np.array_equal(met[found.at], ~(held & ~codes).any(axis=1)), words
            asked += 1
    assert asked > 20


def test_nodes_of_hierarchies_have_their_labels(table):
    shown = Keep()(table).shown("word")
    found = conditions_on(shown.column, Feature.from_shown(shown)).words
    assert shown.column.hierarchy is None or any("within" in words for words in found)
    assert any(words.startswith("word = '") for words in found)
