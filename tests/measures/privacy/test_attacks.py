"""Guesses of a sensitive value from the records that are found."""

import numpy as np
import pytest

from workbench.measures.privacy.attacks import NeighbourGuesses, chance_of_guess

ROW, VALUE = np.array([0, 0, 1, 1, 1, 2]), np.array([0, 1, 1, 1, 2, 2])


def test_guesses_from_records_with_and_without_one_of_them():
    found = NeighbourGuesses(ROW, ROW, VALUE, 3)
    assert found.beliefs(np.array([2, 0, 0])).tolist() == [1, 1, 0]
    assert found.beliefs(np.array([2, 3, 0])).tolist() == [1, 3, 1]
    assert found.beliefs(np.array([2, 3, 0]), without=2).tolist() == [1, 2, 1]
    assert not found.beliefs(np.array([0, 0, 1]), without=5).any()


def test_a_record_of_a_bucket_has_any_value_of_the_bucket():
    found = NeighbourGuesses(ROW, np.array([0, 1, 0, 1, 0, 1]), VALUE, 3)  # buckets have 0, 1, 2 and 1, 1, 2
    assert found.beliefs(np.array([0, 0, 1])) == pytest.approx([0, 2 / 3, 1 / 3])
    assert found.beliefs(np.array([2, 0, 0])) == pytest.approx([1 / 3, 1 / 3 + 2 / 3, 1 / 3 + 1 / 3])
    assert found.beliefs(np.array([2, 0, 0]), without=0) == pytest.approx([0, 2 / 3, 1 / 3])
    assert found.beliefs(np.array([0, 0, 1]), without=1) == pytest.approx([0, 1 / 2, 1 / 2])


def test_the_commonest_value_is_guessed_and_without_counts_the_priors():
    prior = np.array([0.2, 0.5, 0.3])
    assert chance_of_guess(np.array([2.0, 2, 1]), prior).tolist() == [0.5, 0.5, 0]
    assert chance_of_guess(np.zeros(3), prior).tolist() == [0, 1, 0]


def test_a_removed_record_of_swapped_values_may_have_each_value_of_its_bag():
    """Beliefs by hand: bag 0 has 0, 1, 2 and bag 1 has 1, 1, 2; the person is record 0, in row 0 with record 1."""
    bag, prior = np.array([0, 1, 0, 1, 0, 1]), np.array([0.2, 0.5, 0.3])
    found = NeighbourGuesses(ROW, bag, VALUE, 3, dealt=True)
    rows = np.array([1, 1, 0])  # records 1 to 4, of which the first and third are of bag 1
    expected = []
    for taken in (0, 1, 2):
        rest = np.delete(np.eye(3), taken, axis=0).sum(axis=0) / 2
        expected.append(chance_of_guess(2 * rest + 2 * np.array([0, 2 / 3, 1 / 3]), prior)[2])
    assert found.chance(rows, 2, prior, without=0) == pytest.approx(np.mean(expected))
    fixed = NeighbourGuesses(ROW, bag, VALUE, 3)
    assert fixed.chance(rows, 2, prior, without=0) == pytest.approx(expected[0])
    assert found.chance(rows, 2, prior) == fixed.chance(rows, 2, prior)
