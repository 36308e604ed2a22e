"""What the records that are found tell of a sensitive value."""

import numpy as np
import pytest

from workbench.measures.privacy.guesses import Guesses, chance_of_guess

ROW, VALUE = np.array([0, 0, 1, 1, 1, 2]), np.array([0, 1, 1, 1, 2, 2])


def test_records_tell_their_values_and_one_may_be_taken_out():
    found = Guesses(ROW, ROW, VALUE, 3)
    assert found.beliefs(np.array([2, 0, 0])).tolist() == [1, 1, 0]
    assert found.beliefs(np.array([2, 3, 0])).tolist() == [1, 3, 1]
    assert found.beliefs(np.array([2, 3, 0]), without=2).tolist() == [1, 2, 1]
    assert not found.beliefs(np.array([0, 0, 1]), without=5).any()


def test_a_record_of_a_bucket_has_any_value_of_the_bucket():
    found = Guesses(ROW, np.array([0, 1, 0, 1, 0, 1]), VALUE, 3)  # buckets have 0, 1, 2 and 1, 1, 2
    assert found.beliefs(np.array([0, 0, 1])) == pytest.approx([0, 2 / 3, 1 / 3])
    assert found.beliefs(np.array([2, 0, 0])) == pytest.approx([1 / 3, 1 / 3 + 2 / 3, 1 / 3 + 1 / 3])
    assert found.beliefs(np.array([2, 0, 0]), without=0) == pytest.approx([0, 2 / 3, 1 / 3])
    assert found.beliefs(np.array([0, 0, 1]), without=1) == pytest.approx([0, 1 / 2, 1 / 2])


def test_the_commonest_is_guessed_and_q_where_nothing_is_told():
    prior = np.array([0.2, 0.5, 0.3])
    assert chance_of_guess(np.array([2.0, 2, 1]), prior).tolist() == [0.5, 0.5, 0]
    assert chance_of_guess(np.zeros(3), prior).tolist() == [0, 1, 0]
