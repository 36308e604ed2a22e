"""Cells that do not fit into memory: Mondrian's classes, their order and all figures are as in memory."""

import threading

import pytest

from tests.methods.tables import random_frame
from tests.releases.parted import (
    MODELS,
    assert_same_classes,
    assert_same_figures,
    pair,
    try_call,
    with_cells_outside_memory,
)
from workbench.base import progress
from workbench.base.errors import TooMany
from workbench.data.hierarchies.builders import Groups
from workbench.data.table import Table
from workbench.frontier.recipe import Recipe, variants
from workbench.frontier.sweep import sweep
from workbench.measures import PrivacyLoss, UtilityLoss
from workbench.methods import FullDomain, Keep, Mondrian
from workbench.methods.mondrian import out_of_core as first_cuts
from workbench.models import DistinctLDiversity, KAnonymity


def test_every_model_of_the_catalog_is_tried():
    tried = {type(part) for model in MODELS if model for part in model.parts}
    assert tried == set(variants("model").values())


@pytest.mark.slow
@pytest.mark.parametrize("times", [15, pytest.param(300, marks=pytest.mark.exhaustive)])
def test_classes_and_figures_equal_those_in_memory(monkeypatch, times):
    kept = 0
    for seed in range(times):
        memory, other = pair(seed)
        model = MODELS[seed % len(MODELS)]
        for publish in ("generalized", "bucketized"):
            monkeypatch.setattr(first_cuts, "PART", [1, 6, 25][seed % 3])
            method = Mondrian(publish=publish, median=["lower", "even"][seed // 2 % 2])
            one, parts = (try_call(method, table, model) for table in (memory, other))
            if isinstance(one, str):
                assert parts == one
                continue
            kept += 1
            assert_same_figures(one, parts)
    assert kept > 1.2 * times


@pytest.fixture
def counted(monkeypatch):
    """Return how often the first cuts counted records."""
    asked, original = [], first_cuts.SplitCounter._tallies

    def tallies(self, nodes, names):
        asked.append(names)
        return original(self, nodes, names)

    monkeypatch.setattr(first_cuts.SplitCounter, "_tallies", tallies)
    return asked


def test_recipes_with_equal_settings_share_their_first_cuts(monkeypatch, counted):
    monkeypatch.setattr(first_cuts, "PART", 10)
    memory, other = pair(4)
    asked = []
    for k in (2, 3, 4, 5, 4):
        assert_same_classes(Mondrian()(memory, KAnonymity(k)), Mondrian()(other, KAnonymity(k)))
        asked.append(len(counted))
        counted.clear()
    assert asked[0] > 3 and sum(asked[1:]) <= 2 and asked[-1] == 0


def test_a_sweep_gives_the_reason_for_a_missing_baseline(monkeypatch):
    monkeypatch.setattr(first_cuts, "PART", 20)
    memory, other = pair(7)
    recipes = [Recipe(Mondrian(), KAnonymity(k)) for k in (2, 4, 8)]
    expected, found = (sweep(table, recipes, [PrivacyLoss(), UtilityLoss(0.2)]) for table in (memory, other))
    keep, remove = found.measured[-2:]
    assert [point.values for point in found.measured] == [
        *(point.values for point in expected.measured[:3]),
        {},
        remove.values,
    ]
    assert remove.values == expected.measured[-1].values
    assert (
        all("do not fit into memory; remove a column" in why for why in keep.reasons.values())
        and len(keep.reasons) == 2
    )
    assert found.efficient["recipe"].tolist() == expected.efficient["recipe"].tolist()


@pytest.mark.parametrize(
    "method",
    [
        Mondrian(suppress=0.1),
        Mondrian(recode="levels"),
        Mondrian(split="most_repeated"),
        FullDomain(),
        Keep(),
    ],
)
def test_methods_that_need_all_cells_are_refused_in_one_sentence(method):
    _, table = pair(3)
    with pytest.raises(TooMany, match="do not fit into memory; remove a column") as caught:
        method(table, KAnonymity(2))
    assert "\n" not in str(caught.value) and not any(value in str(caught.value) for value in ("w1", "s0", "yes"))


def test_the_message_names_the_size_class_of_the_table():
    memory, other = pair(3)
    assert "in memory" in repr(memory.engine)
    assert "more than the" in repr(other.engine) and "part by part" in repr(other.engine)
    fits = other.with_roles(other.quasi[:1], "n")
    assert "at most 46 combinations" in repr(fits.engine) and "fit into memory" in repr(fits.engine)


@pytest.mark.parametrize("seed", [1, 2])
def test_levels_of_sensitive_values_and_importance_are_used_as_in_memory(monkeypatch, seed):
    monkeypatch.setattr(first_cuts, "PART", 15)
    ill = Groups(({"low": ("s0", "s1"), "high": ("s2", "s3")},))
    tables = [
        Table.read(
            random_frame(seed, 150), ["whole", "real", "word"], "s", ["person"], {"s": ill}, levels={"s": 1}, **at
        ).with_settings(importance={"word": 4.0, "real": 0.5})
        for at in ({}, {"engine": "duckdb"})
    ]
    memory, other = tables[0], with_cells_outside_memory(tables[1])
    assert_same_figures(*(Mondrian()(table, DistinctLDiversity(2)) for table in (memory, other)))
    plain, weighed = (Mondrian()(one, DistinctLDiversity(2)) for one in (memory.with_settings(importance={}), memory))
    assert plain.classes.sizes.tolist() != weighed.classes.sizes.tolist()


def test_cancellation_is_checked_between_parts():
    _, other = pair(3)
    cancel = threading.Event()
    cancel.set()
    with progress.cancellable(cancel), pytest.raises(progress.Cancelled):
        Mondrian()(other, KAnonymity(2))
    assert len(Mondrian()(other, KAnonymity(2)).classes) > 1
