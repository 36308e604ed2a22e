"""Dominance compared with its definition, and the description of gains."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.frontier.dominance import clearest_dominator, describe_gain, undominated

INFINITY = math.inf


def naive(rows):
    """Return which rows are efficient, by the definition."""
    return [
        not any(
            all(o <= r for o, r in zip(b, a, strict=True)) and any(o < r for o, r in zip(b, a, strict=True))
            for b in rows
        )
        for a in rows
    ]


VALUES = st.one_of(st.integers(0, 5).map(float), st.floats(0, 1), st.just(INFINITY))


@given(st.integers(1, 4).flatmap(lambda d: st.lists(st.tuples(*[VALUES] * d), min_size=1, max_size=40)))
def test_points_are_efficient_if_no_point_dominates_them(rows):
    assert undominated(np.array(rows)).tolist() == naive(rows)


def test_results_do_not_depend_on_the_block_size():
    rows = np.random.default_rng(0).integers(0, 60, (1500, 3)).astype(float)
    found = undominated(rows)
    assert found[::97].tolist() == [
        not ((rows <= row).all(axis=1) & (rows < row).any(axis=1)).any() for row in rows[::97]
    ]


def test_the_clearest_dominator_has_the_largest_advantage_in_units_of_the_ranges():
    losses = np.array([[0.5, 50.0], [0.4, 40.0], [0.1, 45.0], [0.9, 90.0]])
    assert clearest_dominator(losses[0], losses[1:3], losses) == 1  # half of the range of the first column


def test_gains_are_described_with_both_figures():
    assert describe_gain("P_loss", 0.1, 0.25, "lower") == "P_loss lower by 0.15 (0.1 instead of 0.25)"
    assert describe_gain("P_loss", 0.25, 0.25) == "P_loss the same (0.25)"
    assert describe_gain("C_avg", INFINITY, 2) == "C_avg higher (infinite instead of 2)"


@pytest.mark.parametrize("seed", range(20))
def test_two_losses_give_the_result_of_pairwise_comparison(seed):
    rng = np.random.default_rng(seed)
    losses = rng.integers(0, 6, (60, 2)).astype(float)
    losses[rng.random((60, 2)) < 0.1] = np.inf
    naive = [not any((b <= a).all() and (b < a).any() for b in losses) for a in losses]
    assert undominated(losses).tolist() == naive
    assert undominated(np.column_stack([losses, losses[:, 0]])).tolist() == naive
