"""Local recoding compared with a naive search: every record is in a class at nodes of the hierarchies."""

from itertools import product

import numpy as np
import pytest

from tests.examples import seeds
from tests.methods.full_domain import arx
from tests.methods.full_domain.lattices import Naive, table_of
from workbench import Unsatisfiable
from workbench.measures import GeometricLoss
from workbench.methods import FullDomain, LocalRecoding
from workbench.models import DistinctLDiversity, KAnonymity, TCloseness


def naive_parts(naive, sizes, k):
    """Return the records of each class: node by node by increasing loss, with the remaining records."""
    names = sorted(naive.names, key=lambda name: -sizes[name])
    every = [dict(zip(names, node, strict=True)) for node in product(*(range(len(naive.steps[n])) for n in names))]

    def lost(node):
        found = 0.0
        for name, level in node.items():
            whole = naive.every[name]
            share = np.mean([naive.leaves(name, level, value) for value in naive.frame[name]]) / whole
            found += max(0.0, (share - 1 / whole) / (1 - 1 / whole) if whole > 1 else 0.0) ** 1.5
        return round(found, 12)

    left, parts = naive.frame, []
    for node in sorted(every, key=lost):
        shown = [left[name].map(naive.steps[name][level]) for name, level in node.items()]
        groups = [part.index for _, part in left.groupby(shown)]
        kept = [part for part in groups if len(part) >= k]
        over = len(left) - sum(map(len, kept))
        if kept and (over == 0 or over >= k):
            parts += [frozenset(part) for part in kept]
            left = left.drop(index=[i for part in kept for i in part])
        if not len(left):
            break
    return parts


@pytest.mark.parametrize("seed", seeds(25, fast=5))
def test_classes_are_those_of_the_naive_search(seed):
    table, frame, hierarchies = table_of(seed)
    k = 2 + seed % 3
    release = LocalRecoding()(table, KAnonymity(k))
    naive = Naive(frame, hierarchies, lambda part: len(part) >= k)
    parts = naive_parts(naive, {name: table.columns[name].size for name in table.quasi}, k)
    found = {}
    for record, group in enumerate(release.group_of_record.tolist()):
        found.setdefault(group, set()).add(record)
    merged = sorted(map(sorted, found.values()))
    if merged != sorted(map(sorted, parts)):  # classes that show the same are one class
        assert all(any(part <= group for group in found.values()) for part in parts)
        assert len(found) < len(parts)


@pytest.mark.parametrize("model", [KAnonymity(50), KAnonymity(5) & DistinctLDiversity(4), TCloseness(0.3)], ids=str)
def test_no_record_is_suppressed_and_every_region_is_a_node(adult, model):
    table = adult.with_roles(["age", "sex", "race", "workclass"], "occupation")
    release = LocalRecoding()(table, model)
    assert release.suppressed == 0 and release.audit(model).holds
    for a, name in enumerate(table.quasi):
        nodes = {
            (int(codes[0]), int(codes[-1]))
            for level in table.columns[name].released_at
            for node in np.unique(level)
            for codes in [np.flatnonzero(level == node)]
        }
        assert set(zip(release.classes.low[:, a].tolist(), release.classes.high[:, a].tolist(), strict=True)) <= nodes
    assert GeometricLoss()(release).value < GeometricLoss()(FullDomain(suppress=0.0)(table, model)).value


def test_remaining_records_are_suppressed_only_if_allowed(adult):
    table = adult.with_roles(["age", "sex", "race", "workclass"], "occupation")
    release = LocalRecoding(suppress=0.02)(table, KAnonymity(50))
    assert release.suppressed <= 0.02 * table.records


def test_an_unsatisfiable_model_is_reported(adult):
    with pytest.raises(Unsatisfiable, match="distinct l-diversity"):
        LocalRecoding()(adult, DistinctLDiversity(15))


@arx.needs_shared
def test_the_loss_on_adult_is_below_that_of_arx():
    release = LocalRecoding()(arx.table(), KAnonymity(5))
    assert release.suppressed == 0 and release.audit(KAnonymity(5)).holds
    assert GeometricLoss()(release).value < 0.0281


@pytest.mark.parametrize("seed", range(10))
def test_single_values_are_unchanged_or_suppressed(seed):
    """Each combination of published values has as many records as the model requires, by a naive count."""
    table, _, _ = table_of(seed)
    k = 2 + seed % 3
    release = LocalRecoding(recode="single values")(table, KAnonymity(k))
    shown = {}
    for a, name in enumerate(table.quasi):
        low, high = release.classes.low[:, a], release.classes.high[:, a]
        everything = (low == 0) & (high == table.columns[name].size - 1)
        assert ((low == high) | everything).all()
        own = table.codes[name]
        group = release.group_of_record
        shown[name] = np.where(everything[group], -1, low[group])
        assert ((shown[name] == own) | (shown[name] == -1)).all()
    rows = list(zip(*shown.values(), strict=True))
    assert min(rows.count(row) for row in set(rows)) >= k and release.suppressed == 0


def test_suppressed_single_values_compared_with_levels_and_regions(adult):
    """Suppressing values leaves more single values unchanged, and loses more, than generalizing them."""
    whole, values = (LocalRecoding(recode=recode)(adult, KAnonymity(5)) for recode in ("levels", "single values"))
    assert GeometricLoss()(whole).value < GeometricLoss()(values).value < 1


def test_there_is_no_release_if_every_record_would_be_suppressed(adult):
    with pytest.raises(Unsatisfiable, match="every record would be suppressed"):
        LocalRecoding(suppress=1)(adult, KAnonymity(adult.records + 1))
