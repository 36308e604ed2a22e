"""Protective randomness does not depend on any seed."""

import random
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from workbench.base.randomness import draw_columns, exact_chances, operating_system_random


def test_no_seed_reproduces_the_randomness():
    drawn = set()
    for _ in range(20):
        random.seed(0)
        np.random.seed(0)
        drawn.add(int(operating_system_random().integers(2**63)))
    assert len(drawn) == 20


def test_probabilities_are_exact():
    chances = exact_chances(np.array([[0.1, 0.2, 0.7], [1 / 3, 1 / 3, 1 / 3], [0, 1, 0]]))
    assert all(sum(map(Fraction, row)) == 1 for row in chances.tolist())
    assert np.allclose(chances, [[0.1, 0.2, 0.7], [1 / 3] * 3, [0, 1, 0]], rtol=0, atol=1e-15)
    assert chances[2].tolist() == [0, 1, 0]


def test_each_row_is_drawn_by_its_own_probabilities():
    chances = exact_chances(np.array([[0.9, 0.1, 0.0], [0.2, 0.3, 0.5]]))
    rows = np.repeat([0, 1], 20_000)
    found = draw_columns(chances, rows)
    assert not (found[rows == 0] == 2).any(), "a value of probability 0 is never drawn"
    for row in (0, 1):
        there = chances[row] > 0
        seen = np.bincount(found[rows == row], minlength=3)[there]
        assert stats.chisquare(seen, 20_000 * chances[row][there]).pvalue > 1e-7
    assert (draw_columns(chances, rows) != found).any()


def test_probabilities_that_do_not_add_up_are_refused():
    with pytest.raises(ValueError, match="does not add up to 1"):
        draw_columns(np.array([[0.5, 0.4]]), np.zeros(3, np.int64))
