"""Controlled rounding: multiples of the threshold, next to the truth, that add up, and are the same each time."""

import pickle

import numpy as np
import pytest

from workbench.redaction.controlled_rounding import Decided, Rounding, round_parts, round_table, rounded_total

AWKWARD = (4, 5, 9, 10, 14, 15, 19)  # next to a multiple, or half way


def random_counts(rng, size):
    counts = rng.geometric(0.02, size) * rng.integers(0, 2, size)
    return np.where(rng.random(size) < 0.3, rng.choice(AWKWARD, size) + 100 * rng.integers(0, 2, size), counts)


def moved_far(found, exact, threshold):
    """Select the counts that are not published as a neighboring multiple."""
    return (found - exact >= threshold) | (exact - found > threshold)


@pytest.mark.parametrize("threshold", [5, 10, 20])
def test_counts_are_neighboring_multiples_and_add_up(threshold):
    rng = np.random.default_rng(threshold)
    for _ in range(300):
        exact = random_counts(rng, int(rng.integers(1, 12)))
        if not exact.sum():
            continue
        total = rounded_total(int(exact.sum()), threshold)
        found = round_parts(exact, threshold, total, rng.random(len(exact)))
        assert found.sum() == total and (found % threshold == 0).all()
        if exact.sum() > threshold:
            assert not moved_far(found, exact, threshold).any()


def test_a_count_is_rounded_up_with_a_probability_proportional_to_its_remainder():
    rng = np.random.default_rng(0)
    exact = np.array([103, 41, 77, 9, 70])
    found = np.mean([round_parts(exact, 10, 300, rng.random(5)) for _ in range(4000)], axis=0)
    np.testing.assert_allclose(found, exact, atol=1.0)


def test_a_multiple_may_be_rounded_down_so_that_0_has_as_many_feasible_counts_as_the_threshold():
    rng = np.random.default_rng(0)
    drawn = [(n, round_parts(np.array([n, 55]), 10, 60, rng.random(2))[0]) for n in range(1, 30) for _ in range(300)]
    assert {n for n, published in drawn if published == 0} == set(range(1, 11))


@pytest.mark.parametrize("threshold", [5, 10])
def test_tables_add_up_in_both_directions(threshold):
    rng = np.random.default_rng(threshold)
    far = cells = 0
    for _ in range(100):
        exact = random_counts(rng, int(rng.integers(4, 30)))
        exact = np.resize(exact, (int(rng.integers(1, 5)), 6))
        total = rounded_total(int(exact.sum()), threshold)
        rows = round_parts(exact.sum(axis=1), threshold, total, rng.random(len(exact)))
        columns = round_parts(exact.sum(axis=0), threshold, total, rng.random(6))
        found = round_table(exact, threshold, rows, columns, rng.random(exact.shape))
        assert (found.sum(axis=1) == rows).all() and (found.sum(axis=0) == columns).all()
        assert (found >= 0).all() and (found % threshold == 0).all()
        far += int(moved_far(found, exact, threshold).sum())
        cells += exact.size
    assert far <= 0.02 * cells, "nearly all are neighboring multiples; some move further if two totals require it"


def test_rounding_is_deterministic_for_a_secret():
    counts, labels = np.array([104, 104, 104, 104, 9]), list("abcde")
    first, again = (Rounding(b"x" * 32).counts("ill", labels, counts, 10) for _ in range(2))
    assert (first == again).all() and first.sum() == Rounding(b"x" * 32).total(425, 10) == 430
    others = {tuple(Rounding(bytes([i] * 32)).counts("ill", labels, counts, 10).tolist()) for i in range(50)}
    assert len(others) > 3, "the rounded counts depend on the secret"
    assert Rounding(b"y").counts("ill", labels, counts, 1).tolist() == counts.tolist()


class Ward:
    """A part whose counts are decided together with other parts."""

    def decided(self, secret, threshold):
        return Decided(430, {"ill": {"a": 400, "b": 30}})


def test_jointly_decided_counts_apply_only_to_their_threshold():
    rounding = Rounding(b"x" * 32, 10, Ward())
    for one in (rounding, pickle.loads(pickle.dumps(rounding))):
        assert one.counts("ill", ["b", "a", "c"], np.array([31, 398, 0]), 10).tolist() == [30, 400, 0]
        assert one.total(422, 10) == 430 and one.total(430, 5) == 430 and one.total(427, 5) == 425
        assert one.counts("ill", ["b", "a"], np.array([31, 398]), 5).sum() == 430
