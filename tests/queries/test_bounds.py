"""Bounds compared with all possible originals of small releases, and with the answers of larger ones."""

import random
from functools import cache
from itertools import permutations, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.queries.queried import RELEASES, queries, table, without_one
from tests.releases.toys import Cluster
from workbench.base.errors import Undefined
from workbench.data.hierarchies.builders import Groups
from workbench.data.table import Table
from workbench.methods import Mondrian, Remove
from workbench.models import KAnonymity

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
