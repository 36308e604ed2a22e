""""""

import threading
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest

from tests.methods.raking.tables import table, with_values
from workbench.base import progress
from workbench.base.errors import Unsatisfiable
from workbench.data.hierarchies.builders import Intervals
from workbench.data.sensitive import Sensitive
from workbench.data.table import Table
from workbench.frontier.search import search
from workbench.measures import PrivacyLoss, UtilityLoss
from workbench.methods import RakedBuckets
from workbench.methods.raking.atoms import Atoms, Limit, error_of
from workbench.methods.raking.buckets import (
    Records,
    assign_records,
    best_size,
    buckets,
    fill_seats,
    first_size,
    merge_violating,
    remove_seats,
    round_counts,
    trade_gains,
)
from workbench.models import DistinctLDiversity, KAnonymity, TCloseness
from workbench.models.distribution_distances import jensen_shannon


def test_buckets_hold_every_record_and_satisfy_the_model_and_its_minimum_size():
    data, model = table(4, ("illness", "wage")), TCloseness(0.03, distance="js") & KAnonymity(90)
    atoms = Atoms.from_table(data, 0.05)
    found = buckets(data, model, atoms, most=12, smallest=20, seed=0)
    group, seats = found.group, found.seats
    sizes = np.bincount(group, atoms.records)
    assert 1 < len(sizes) <= 12 and sizes.min() >= 90
    for name, counts in seats.items():
        assert counts.sum(axis=1).tolist() == sizes.tolist()
        assert counts.sum(axis=0).tolist() == data.sensitive[name].totals.tolist()
        assert jensen_shannon(counts / sizes[:, None], data.sensitive[name].prior).max() <= 0.03


def test_the_loss_of_buckets_equals_a_naive_count_over_populations():
    data, model = table(4, ("illness", "wage")), TCloseness(0.05, distance="js")
    atoms = Atoms.from_table(data, 0.05)
    found = buckets(data, model, atoms, most=12, smallest=20, seed=0)
    losses = []
    for name, counts in found.seats.items():
        shown = (counts / counts.sum(axis=1, keepdims=True))[found.group]  # of each atom
        each = []
        for p, true in enumerate(atoms.truth[name]):
            held = atoms.members[atoms.start[p] : atoms.start[p + 1]]
            each.append(jensen_shannon(true, np.average(shown[held], axis=0, weights=atoms.people[held])))
        losses.append(np.mean(each))
    assert found.loss == pytest.approx(max(losses))
    assert 0 < found.unrounded_loss < found.loss and found.distortion == 1 - found.unrounded_loss / found.loss


def test_the_number_of_merged_buckets_is_reported():
    """Buckets of 5 records have less than one record of most of 60 values."""
    data = with_values(60, 900, 3)
    found = RakedBuckets(smallest=5)(data, None), RakedBuckets(smallest=5, rho=100.0)(data, TCloseness(0.05, "js"))
    assert found[0].about.notices == ()
    made = buckets(data, TCloseness(0.05, "js"), Atoms.from_table(data, 0.05), most=200, smallest=5, seed=0)
    assert made.merged > 0
    assert made.notices[0].startswith(f"{made.merged} of {len(made) + made.merged} raked buckets violated the model")
    assert "merged with similar ones" in found[1].about.notices[0]


def test_the_absence_of_distinguishing_populations_is_reported():
    frame = pd.DataFrame({"age": range(300), "ill": ["flu", "gout", "none"] * 100})
    bare = Table.from_frame(frame, ["age"], "ill")
    with pytest.raises(
        Unsatisfiable, match="the whole table is the only one: add a hierarchy to a quasi-identifier, or lower design_"
    ):
        RakedBuckets()(bare, TCloseness(0.1))
    assert len(RakedBuckets(design_support=1 / 300)(bare, TCloseness(0.4)).classes) > 1
    grouped = Table.from_frame(frame, ["age"], "ill", hierarchies={"age": Intervals(widths=(50,))})
    assert RakedBuckets()(grouped, TCloseness(0.1)).audit(TCloseness(0.1)).holds
    alike = Table.from_frame(frame.assign(age=1), ["age"], "ill")
    assert len(RakedBuckets()(alike, TCloseness(0.1)).classes) == 1


def test_a_search_gives_the_reason_for_an_undefined_goal():
    frame = pd.DataFrame({"age": range(300), "ill": ["flu", "gout", "none"] * 100})
    found = search(
        Table.from_frame(frame, ["age"], "ill"), [PrivacyLoss(), UtilityLoss()], {"P_loss": 0.05}, "20 evaluations"
    )
    abandoned = [note for note in found.notes if "abandoned" in note]
    assert abandoned and all("lower min_support" in note or "lower design_support" in note for note in abandoned)


class Tried(NamedTuple):
    loss: float
    distortion: float
    number: int

    def __len__(self):
        return self.number


def search_sizes(losses, distortion, number=10, **given):
    """Return the sizes that were tried, and the loss of the best, for a loss by size."""
    tried = []

    def build(size):
        tried.append(size)
        return Tried(losses(size), distortion(size), number)

    found = best_size(build, **{"first": 40, "least": 1, "records": 10_000, "most": 200} | given)
    return tried, found.loss


def test_only_the_default_size_is_tried_if_rounding_loses_little_and_there_are_many_buckets():
    assert search_sizes(lambda size: 1.0, lambda size: 0.1, number=190)[0] == [40]


def test_larger_buckets_are_tried_while_the_loss_decreases():
    tried, loss = search_sizes(lambda size: abs(size - 320), lambda size: 0.9, number=190)
    assert tried == [40, 57, 80, 113, 160, 226, 320, 453, 640] and loss == 0


def test_smaller_buckets_are_tried_if_more_buckets_are_allowed():
    tried, loss = search_sizes(lambda size: abs(size - 10), lambda size: 0.1)
    assert tried == [40, 28, 20, 14, 10, 7, 5] and loss == 0


def test_smaller_buckets_are_tried_if_larger_ones_have_a_larger_loss():
    tried, loss = search_sizes(lambda size: abs(size - 28), lambda size: 0.9)
    assert tried == [40, 57, 80, 28, 20, 14] and loss == 0


def test_no_size_is_below_the_minimum_of_the_model_or_above_half_of_the_records():
    assert search_sizes(lambda size: size, lambda size: 0.1, least=30)[0] == [40]
    assert search_sizes(lambda size: -size, lambda size: 0.9, records=130)[0] == [40, 57]
    assert search_sizes(lambda size: size, lambda size: 0.1, least=60)[0] == [60]
    assert search_sizes(lambda size: size, lambda size: 0.1, first=3)[0] == [3, 2]


@pytest.mark.parametrize("t", [0.02, 0.1, 0.3])
def test_the_first_size_allows_integer_counts_close_to_the_prior(t):
    """Compare with an independent oracle: the counts by largest remainders."""
    rng = np.random.default_rng(0)
    totals = rng.multinomial(20_000, (w := (np.arange(150) + 1.0) ** -0.9) / w.sum())
    prior, limit = totals / totals.sum(), Limit(TCloseness(t, distance="js"), Sensitive("s", tuple("s" * 150), totals))
    found = first_size([limit], 20_000)

    def far(size):
        counts = [int(size * share) for share in prior]
        for value in sorted(range(150), key=lambda v: counts[v] - size * prior[v])[: size - sum(counts)]:
            counts[value] += 1
        return float(jensen_shannon(np.array(counts) / size, prior))

    assert far(found) <= t and (found == 40 or far(round(found / 2**0.5)) > t)


def test_the_first_size_is_at_most_half_of_the_records():
    limit = Limit(DistinctLDiversity(3), Sensitive("s", ("a", "b", "c"), np.array([900, 99, 1])))
    assert first_size([limit], 1000) == 500
    assert first_size([Limit(None, limit.sensitive)], 1000) == 40
    assert first_size([Limit(None, limit.sensitive)], 30) == 15
    assert first_size([Limit(None, limit.sensitive)], 1) == 1


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


def test_counts_are_filled_in_order_and_then_in_free_buckets():
    seats, rows, columns = np.zeros((2, 2), np.int64), np.array([1, 2]), np.array([2, 1])
    fill_seats(seats, np.array([1, 0]), rows, columns)  # the first bucket's second value is wanted most
    assert seats.tolist() == [[0, 1], [2, 0]]
    assert not rows.any() and not columns.any()


def test_excess_counts_are_removed_in_order():
    seats, rows, columns = np.array([[2, 0], [1, 1]]), np.array([0, 0]), np.array([-1, 1])
    remove_seats(seats, np.array([2, 0, 1, 3]), rows, columns)
    assert seats.tolist() == [[2, 0], [0, 1]] and rows.tolist() == [0, 1] and columns.tolist() == [0, 1]
    seats, rows, columns = np.array([[5, 0], [1, 1]]), np.array([0, 0]), np.array([-4, 4])
    remove_seats(seats, np.array([2, 0, 1, 3]), rows, columns)
    assert seats.tolist() == [[2, 0], [0, 1]] and rows.tolist() == [3, 1] and columns.tolist() == [0, 4]


def test_the_gain_of_a_swap_is_the_change_of_loss():
    rng = np.random.default_rng(2)
    slope, seen = rng.normal(size=(4, 3)), rng.random((5, 3))
    atom, bucket = np.array([0, 1, 2, 3]), np.array([0, 4, 2, 2])
    found = trade_gains(np.array([0, 2]), np.array([1, 3]), atom, bucket, slope, seen)
    before = slope[0] @ seen[0] + slope[1] @ seen[4]
    after = slope[0] @ seen[4] + slope[1] @ seen[0]
    assert found == pytest.approx([before - after, 0])  # the other two are in one bucket
