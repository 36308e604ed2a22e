"""Bounds compared with all possible originals of small releases, and with the answers of larger ones."""

import random
from functools import cache
from itertools import combinations, permutations, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import people
from tests.examples import examples
from tests.queries.queried import RELEASES, queries, table, without_one
from tests.releases.toys import Cluster
from workbench.base.errors import Undefined
from workbench.data.hierarchies.builders import Groups
from workbench.data.table import Table
from workbench.methods import Keep, Mondrian, Remove
from workbench.models import DistinctLDiversity, KAnonymity
from workbench.queries.bounds import FOR_CERTAIN, NOTHING, PERHAPS, SelectionBounds, find_partial_matches, max_sum
from workbench.queries.workload import Workload

seeds = st.integers(0, 40)


@pytest.mark.parametrize("kind", RELEASES)
@examples(12)
@given(seed=seeds, asked=seeds, weighted=st.booleans(), level=st.sampled_from([0, 1]))
def test_bounds_contain_the_truth_and_the_expectation(kind, seed, asked, weighted, level):
    foreign = kind == "foreign"
    release = RELEASES[kind](table(seed, weighted and not foreign, level * (not foreign)))
    workload = queries(release.table, asked, sensitive=1 if foreign else 2)
    if weighted and release.classes.exact and {"ill", "wage"} & {*workload.columns}:
        with pytest.raises(Undefined, match="so is the number of people"):
            release.bounds(workload)
        return
    least, most = release.bounds(workload)
    for answers in (workload.truth, release.count(workload)):
        known = ~np.isnan(answers) & ~np.isnan(least)
        scale = 1e-9 * np.maximum(np.abs(answers[known]), 1)
        assert (least[known] <= answers[known] + scale).all() and (answers[known] <= most[known] + scale).all()
    assert not (np.isnan(least) & ~np.isnan(workload.truth)).any(), "some record may match"


# --- every original


@cache
def tiny(seed: int, level: int) -> Table:
    """Return five people; with an odd seed, some numbers are missing."""
    rng = random.Random(seed)
    rows = [
        {
            "age": rng.choice([20, 23, 40]),
            "city": rng.choice(["Aix", "Bern", "Cork"]),
            "ill": rng.choice(["cold", "flu", "wart"]),
            "wage": rng.choice([-5, 10, 20]),
            "job": rng.choice(["a", "b"]),
        }
        for _ in range(5)
    ]
    rows[0] |= {"age": 20, "city": "Aix", "ill": "cold", "wage": -5}
    rows[1] |= {"age": 40, "city": "Cork", "ill": "wart", "wage": 10}
    frame = pd.DataFrame(rows).astype({"age": "Int64", "wage": "Int64"})
    if seed % 2:
        frame.loc[2, "wage"] = None
        frame.loc[3, "age"] = None
    groups = {"ill": Groups(({"lungs": ("cold", "flu")},))}
    return Table.from_frame(frame, ["age", "city"], ["ill", "wage"], hierarchies=groups, levels={"ill": level})


TINY = {
    "generalized": lambda table: Mondrian()(table, KAnonymity(2)),
    "sets": lambda table: Cluster(2)(table),
    "removed": lambda table: Remove(("city", "wage"))(table),
    "left out": lambda table: without_one(Mondrian()(table, KAnonymity(2))),
    "bucketized": lambda table: Mondrian(publish="bucketized")(table, KAnonymity(2)),
    "bucketized, left out": lambda table: without_one(Mondrian(publish="bucketized")(table, KAnonymity(2))),
}


def codes_of(release, i, name):
    """Return the codes that a single record may have."""
    asking, column = release.table, release.table.columns[name]
    code, g, classes = int(asking.codes[name][i]), release.group_of_record[i], release.classes
    if name in release.unpublished_columns or g == len(classes):
        return [*range(column.size)]
    if name in asking.sensitive:
        nodes = column.released_at[asking.levels.get(name, 0)]
        return [c for c in range(column.size) if nodes[c] == nodes[code]]
    if name not in asking.quasi or classes.exact:
        return [code]
    a = asking.quasi.index(name)
    if a in classes.sets:
        return [*np.flatnonzero(classes.sets[a][g])]
    return [*range(classes.low[g, a], classes.high[g, a] + 1)]


def originals(release, names):
    """Return all possible originals of a release on some columns: for each, the codes of the records."""
    asking, classes = release.table, release.classes
    columns = []
    for name in names:
        orders = [[*range(asking.records)]]
        if classes.exact and name in asking.sensitive:
            group = release.group_of_record
            orders = []
            buckets = [np.flatnonzero(group == g) for g in range(len(classes))]
            for dealt in product(*map(permutations, buckets)):
                order = [*range(asking.records)]
                for bucket, given_to in zip(buckets, dealt, strict=True):
                    for i, j in zip(bucket, given_to, strict=True):
                        order[i] = j
                orders.append(order)
        each = [codes_of(release, i, name) for i in range(asking.records)]
        found = {tuple(codes) for order in orders for codes in product(*(each[j] for j in order))}
        columns.append(sorted(found))
    return columns


def possible(release, workload, q):
    """Return every answer that an original may give; columns vary independently."""
    met = {name: workload.condition(q, name) for name in workload.columns}
    met = {name: codes for name, codes in met.items() if codes is not None}
    of = workload.columns[workload.summed[q]] if workload.summed[q] >= 0 else None
    counts = {(1,) * release.table.records}  # who may be in it together
    for name, codes in zip(met, originals(release, met), strict=True):
        if name != of:
            patterns = {tuple(int(met[name][c]) for c in one) for one in codes}
            counts = {tuple(a * b for a, b in zip(x, y, strict=True)) for x in counts for y in patterns}
    if of is None:
        return {sum(one) for one in counts}
    numbers = release.table.columns[of].values
    (own,) = originals(release, [of])
    values = {tuple(float(numbers[c]) if met[of][c] else None for c in one) for one in own}
    found = set()
    for one in counts:
        for held in values:
            taken = [v for there, v in zip(one, held, strict=True) if there and v is not None]
            if workload.aggregate[q] == 1:
                found.add(sum(taken))
            elif taken:
                found.add(sum(taken) / len(taken))
    return found


@pytest.mark.parametrize("kind", TINY)
@examples(25)
@given(seed=st.integers(0, 30), asked=seeds, level=st.sampled_from([0, 1]))
def test_bounds_are_attained_by_some_original(kind, seed, asked, level):
    release = TINY[kind](tiny(seed, level))
    workload = queries(release.table, asked, count=5)
    least, most = release.bounds(workload)
    for q in range(len(workload)):
        found = possible(release, workload, q)
        if not found:
            assert np.isnan(least[q]) and np.isnan(most[q])
        else:
            assert (least[q], most[q]) == pytest.approx((min(found), max(found))), workload.texts[q]


# The maximum sum and average compared with all selections.


@examples(200)
@given(st.integers(0, 100_000), st.booleans())
def test_the_maximum_is_that_of_the_best_selection(seed, average):
    rng = np.random.default_rng(seed)
    group = np.sort(rng.integers(0, 3, 6))
    sizes = np.bincount(group, minlength=3)
    most = rng.integers(0, sizes + 1)
    fewest = rng.integers(0, most + 1)
    adds, numbers = rng.integers(0, 3, 6), rng.integers(-4, 5, 6).astype(float)
    choices = []
    for g in range(3):
        own = np.flatnonzero(group == g)
        choices.append([one for n in range(fewest[g], most[g] + 1) for one in combinations(own, n)])
    found = set()
    for chosen in product(*choices):
        every = [i for one in chosen for i in one]
        sure = [numbers[i] for i in every if adds[i] == FOR_CERTAIN]
        free = [numbers[i] for i in every if adds[i] == PERHAPS]
        for n in range(len(free) + 1):
            for some in combinations(free, n):
                added = [*sure, *some]
                if not average:
                    found.add(sum(added))
                elif added:
                    found.add(sum(added) / len(added))
    picked = SelectionBounds(group, np.ones(6), adds, fewest.astype(float), most.astype(float))
    if found:
        assert max_sum(picked, numbers, average) == pytest.approx(max(found))
    else:
        assert np.isnan(max_sum(picked, numbers, average))


def test_items_are_of_several_people():
    group, people, most = np.array([0, 0, 1]), np.array([2.0, 3, 4]), np.array([4.0, 4])
    picked, numbers = (
        SelectionBounds(group, people, np.full(3, FOR_CERTAIN), np.array([4.0, 0]), most),
        np.array([1.0, 5, -2]),
    )
    assert max_sum(picked, numbers, False) == 16 and max_sum(picked, numbers, True) == 4
    both = picked.join(SelectionBounds(np.zeros(1, int), np.ones(1), np.full(1, NOTHING), np.ones(1), np.ones(1)))
    assert both.group.tolist() == [0, 0, 1, 2] and max_sum(both, np.append(numbers, 9), False) == 16


# Classes that match a query in part, compared with a loop over all codes.

TEXTS = ["age >= 30", "age between 25 and 40 and sex = 'F'", "disease = 'flu'", "age < 0", "avg(age) where sex = 'M'"]


@pytest.fixture
def partial_matches_table():
    return Table.from_frame(people(random.Random(3), missing=True), ["age", "work", "sex"], "disease")


def by_hand(release, workload, q):
    """Return the classes in which only some combinations meet the conditions on quasi-identifiers."""
    found = []
    classes, table = release.classes, release.table
    for c in range(len(classes)):
        met = []
        for a, name in enumerate(table.quasi):
            condition = workload.condition(q, name)
            if condition is not None:
                codes = range(classes.low[c, a], classes.high[c, a] + 1)
                met.append([bool(condition[code]) for code in codes])
        if met and all(map(any, met)) and not all(map(all, met)):
            found.append(c)
    return found


def test_generalized_classes_are_matched_in_part(partial_matches_table):
    release = Mondrian()(partial_matches_table, KAnonymity(5))
    workloads = [
        Workload.from_texts(partial_matches_table, TEXTS),
        Workload.random(partial_matches_table, count=40, dimension=2, selectivity=0.3),
    ]
    cuts = 0
    for workload in workloads:
        for q in range(len(workload)):
            cut = find_partial_matches(release, workload, q)
            assert cut.classes.tolist() == by_hand(release, workload, q)
            assert bool(cut.main_column) == bool(len(cut.classes)) and cut.main_column in (
                "",
                *partial_matches_table.quasi,
            )
            cuts += len(cut.classes)
    assert cuts > 20


def test_records_are_counted_by_column():
    frame = pd.DataFrame({"a": [1, 2, 3, 4] * 3, "b": [1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3], "s": list("xy") * 6})
    table = Table.from_frame(frame, ["a", "b"], "s")
    release = Mondrian()(table, KAnonymity(12))  # one class
    cut = find_partial_matches(release, Workload.from_texts(table, ["a > 2 and b >= 1"]), 0)
    assert cut.classes.tolist() == [0] and cut.by == {"a": 12, "b": 0} and cut.main_column == "a"


def test_unchanged_and_unpublished_columns_are_never_matched_in_part(partial_matches_table):
    workload = Workload.from_texts(partial_matches_table, TEXTS)
    for release in (Keep()(partial_matches_table), Remove()(partial_matches_table)):
        assert not any(len(find_partial_matches(release, workload, q).classes) for q in range(len(workload)))


def test_buckets_are_matched_in_part_by_sensitive_values(partial_matches_table):
    release = Mondrian(publish="bucketized")(partial_matches_table, DistinctLDiversity(2))
    classes, workload = release.classes, Workload.from_texts(partial_matches_table, ["disease = 'flu'", "age >= 30"])
    met = workload.condition(0, "disease")
    share = (classes.histograms["disease"] * met).sum(axis=1) / classes.sizes
    assert (
        find_partial_matches(release, workload, 0).classes.tolist()
        == np.flatnonzero((share > 0) & (share < 1)).tolist()
    )
    assert not len(find_partial_matches(release, workload, 1).classes)  # ages are published unchanged
    nobody = Workload.from_texts(partial_matches_table, ["disease = 'flu' and age > 500"])
    assert not len(find_partial_matches(release, nobody, 0).classes)
