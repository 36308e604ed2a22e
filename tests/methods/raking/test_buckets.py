""""""

from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest

from tests.methods.raking.tables import table, with_values
from workbench.base.errors import Unsatisfiable
from workbench.data.hierarchies.builders import Intervals
from workbench.data.sensitive import Sensitive
from workbench.data.table import Table
from workbench.frontier.search import search
from workbench.measures import PrivacyLoss, UtilityLoss
from workbench.methods import RakedBuckets
from workbench.methods.raking.atoms import Atoms, Limit
from workbench.methods.raking.buckets import best_size, buckets, first_size
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
