""""""

import threading

import numpy as np
import pandas as pd
import pytest

from tests.methods.raking.tables import table
from workbench.base import progress
from workbench.data.hierarchies.builders import Intervals
from workbench.data.sensitive import Sensitive
from workbench.data.table import Table
from workbench.methods import RakedBuckets
from workbench.methods.raking.atoms import Atoms, Limit, error_of
from workbench.methods.raking.seats import Records, assign_records, merge_violating, round_counts
from workbench.models import DistinctLDiversity, TCloseness


def random_problem(seed, buckets=30, values=6):
    """Return sizes of buckets, totals of values, and wanted numbers that add up by row and not quite by column."""
    rng = np.random.default_rng(seed)
    sizes, wanted = rng.integers(40, 200, buckets), rng.dirichlet(rng.uniform(0.3, 5, values), buckets)
    totals = np.floor(sizes @ wanted * rng.uniform(0.97, 1.0, values)).astype(np.int64)
    totals[totals.argmax()] += sizes.sum() - totals.sum()
    return sizes, wanted * sizes[:, None], Sensitive("s", tuple("abcdef"[:values]), totals)


@pytest.mark.parametrize("seed", range(10))
def test_counts_add_up_in_both_directions_near_the_targets(seed):
    sizes, wanted, seen = random_problem(seed)
    found = round_counts(wanted, sizes, Limit(None, seen))
    assert found.min() >= 0
    assert found.sum(axis=1).tolist() == sizes.tolist() and found.sum(axis=0).tolist() == seen.totals.tolist()
    assert np.abs(found - wanted).sum() < 0.12 * sizes.sum()


@pytest.mark.parametrize("model", [TCloseness(0.05, distance="js"), TCloseness(0.15), DistinctLDiversity(6)], ids=str)
def test_single_records_are_swapped_until_each_bucket_satisfies_the_model(model):
    sizes, wanted, seen = random_problem(3)
    limit = Limit(model, seen)
    near = limit.inside(wanted / sizes[:, None]) * sizes[:, None]
    found = round_counts(near, sizes, limit)
    assert limit.holds(found, sizes).all()
    assert found.sum(axis=1).tolist() == sizes.tolist() and found.sum(axis=0).tolist() == seen.totals.tolist()


def test_buckets_that_cannot_satisfy_the_model_are_merged_with_the_nearest():
    seen = Sensitive("s", ("a", "b"), np.array([30, 30]))
    seats = {"s": np.array([[10, 0], [12, 8], [8, 22]])}
    limit = {"s": Limit(TCloseness(0.3), seen)}
    group, merged = merge_violating(np.array([0, 1, 2, 0]), seats, limit)
    assert merged["s"].tolist() == [[22, 8], [8, 22]] and group.tolist() == [0, 0, 1, 0]
    group, merged = merge_violating(np.array([0, 1, 2, 0]), seats, {"s": Limit(TCloseness(0.01), seen)})
    assert merged["s"].tolist() == [[30, 30]] and set(group) == {0}


def test_repairing_many_buckets_can_be_cancelled():
    """Each try checks for cancellation."""
    cancel, looks = threading.Event(), []
    seen = Sensitive("ill", tuple("abcdef"), np.array([400, 300, 200, 50, 30, 20]))
    wanted = np.full((100, 6), 10 / 6)
    limit = Limit(TCloseness(0.001, distance="js"), seen)

    def look():
        looks.append(1)
        return len(looks) > 5

    cancel.is_set = look
    with progress.cancellable(cancel), pytest.raises(progress.Cancelled):
        round_counts(wanted, np.full(100, 10), limit)
    assert len(looks) == 6


def test_records_fill_their_buckets_and_are_more_informative_than_random_ones():
    data, rng = table(), np.random.default_rng(0)
    atoms, cells = Atoms.from_table(data, 0.05), data.cells()
    cell = np.repeat(np.arange(len(cells)), cells.weight)
    atom, value = atoms.of_cell[cell], cells.others["illness"][cell]
    common = np.bincount(atom, value == 3, len(atoms)) / atoms.records
    bucket = np.searchsorted(np.quantile(common, [0.2, 0.4, 0.6, 0.8]), common)
    records = Records(atom, value, bucket[atom])
    counts = np.bincount(records.bucket * 4 + records.value, minlength=20).reshape(5, 4)
    seats = counts.copy()
    for _ in range(200):  # other seats, with the same sums
        (a, b), (u, v) = rng.choice(5, 2, replace=False), rng.choice(4, 2, replace=False)
        if seats[a, u] and seats[b, v]:
            seats[[a, b, a, b], [u, v, v, u]] += [-1, -1, 1, 1]
    found = assign_records(records, seats, atoms, atoms.truth["illness"], rng)
    assert (np.bincount(found * 4 + records.value, minlength=20).reshape(5, 4) == seats).all()

    def off(bucket):
        told = (seats / seats.sum(axis=1, keepdims=True))[bucket]
        of_atom = np.stack([np.bincount(records.atom, one, len(atoms)) for one in told.T], axis=1)
        return error_of(atoms.sums(of_atom) / atoms.held, atoms.truth["illness"])[0]

    chance = np.empty_like(found)
    for value in range(4):
        here = np.flatnonzero(records.value == value)
        chance[here] = rng.permutation(np.repeat(np.arange(5), seats[:, value]))
    assert off(found) < 0.5 * off(chance)


def test_records_with_unique_values_cannot_be_swapped():
    frame = pd.DataFrame({"age": range(90), "ill": [f"illness {i}" for i in range(90)]})
    data = Table.from_frame(frame, ["age"], "ill", hierarchies={"age": Intervals(widths=(30,))})
    release = RakedBuckets(publish="dealt", smallest=30)(data)
    assert release.classes.sizes.min() >= 30
    assert (release.classes.histograms["ill"].sum(axis=0) == 1).all()
