from typing import NamedTuple

import numpy as np
import pytest

from workbench.data.sensitive import Sensitive
from workbench.methods.raking.beliefs import Limit
from workbench.methods.raking.bucket_size import best_size, first_size
from workbench.models import DistinctLDiversity, TCloseness
from workbench.models.distances import jensen_shannon


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
