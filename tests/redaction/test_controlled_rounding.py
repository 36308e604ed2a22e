"""Controlled rounding: multiples of the threshold, next to the truth, that add up, and are the same each time."""

import pickle

import numpy as np
import pytest

from workbench.redaction.controlled_rounding import (
    Decided,
    Rounding,
    describe_part,
    describe_range,
    lower_bound,
    may_be_named,
    round_average,
    round_count,
    round_parts,
    round_share,
    round_table,
    share_resolution,
    small_limit,
)
from workbench.redaction.controlled_rounding import describe_count as counted

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
        total = round_count(int(exact.sum()), threshold)
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
        total = round_count(int(exact.sum()), threshold)
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


# Numbers of people rounded to the threshold.


def test_numbers_of_people_are_rounded_to_the_threshold():
    assert counted(1, 10) == counted(14, 10) == "fewer than 15 people" and counted(15, 10) == "about 20 people"
    assert counted(0, 10) == "nobody" and counted(1, 1) == "1 person" and counted(12, 0) == "12 people"
    assert [round_count(n, 10) for n in (0, 1, 14, 15, 24, 45_222)] == [0, 10, 10, 20, 20, 45_220]
    for smallest in range(1, 12):
        told = [round_count(n, smallest) for n in range(1, 100)]
        assert all(told.count(one) >= smallest for one in set(told) if one < 90)
        assert all(lower_bound(n, smallest) == told.index(round_count(n, smallest)) + 1 for n in range(1, 100))
        assert small_limit(smallest) == next(n for n in range(1, 100) if told[n - 1] > told[0])
    assert describe_part(590, 600, 10) == "about 590 of about 600 people" and describe_part(0, 600, 10) == "nobody"
    assert describe_part(597, 600, 10) == "all or nearly all of about 600 people"


def test_steps_of_shares_contain_as_many_people_as_the_threshold():
    assert [share_resolution(n, 10) for n in (30, 40, 95, 200, 1000)] == [2, 4, 10, 20, 100]
    assert round_share(199, 200, 10) == 1
    assert describe_range(0.5, 0.64) == "50–64 %" and describe_range(0.0, 0.2) == "under 20 %"


def test_averages_have_two_digits_and_are_never_too_good():
    assert round_average(0.02275) == 0.023 and round_average(0.02275, better="higher") == 0.022
    assert round_average(0.0123, 20 / 600) == 0.04, "3 of 600 and 4 of 600 give the same share"
    assert round_average(float("inf")) == float("inf") and round_average(0.0, 0.1) == 0


def test_rare_values_are_not_named():
    """A name discloses that the value occurs, and a rare value would have a narrower range of counts."""
    assert may_be_named(np.array([50, 3, 5, 7, 8, 0]), 5).tolist() == [True, False, False, False, True, False]
    assert may_be_named(np.array([0, 1]), 1).tolist() == may_be_named(np.array([0, 1]), 0).tolist() == [False, True]
