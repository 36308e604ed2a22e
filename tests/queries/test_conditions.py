"""Conditions are packed and restored."""

import numpy as np
import pytest

from workbench.queries.conditions import Conditions, pack, unpack


@pytest.mark.parametrize("size", [1, 63, 64, 65, 500])
def test_conditions_survive_packing(size):
    rng = np.random.default_rng(size)
    asked = [{"b": rng.random(size) < 0.5}, {}, {"a": rng.random(7) < 0.5, "b": rng.random(size) < 0.5}]
    packed = Conditions.packed(asked)
    assert packed.columns == ("b", "a") and (packed.at >= 0).tolist() == [[True, False], [False, False], [True, True]]
    for q, one in enumerate(asked):
        for name, codes in one.items():
            assert packed.met(q, packed.columns.index(name), len(codes)).tolist() == codes.tolist()


def test_equal_conditions_are_stored_once():
    odd = np.arange(100) % 2 == 1
    packed = Conditions.packed([{"a": odd}, {"a": ~odd}, {"a": odd.copy()}])
    assert packed.at.tolist() == [[0], [2], [0]] and len(packed.bits) == 4


def test_space_is_reserved_for_future_conditions():
    empty = Conditions.empty({"a": 65, "b": 3}, np.array([[True, False], [True, True]]))
    assert empty.at.tolist() == [[0, -1], [2, 4]] and empty.bits.tolist() == [0] * 5


def test_the_first_bit_of_a_word_is_the_first_code():
    assert pack(np.array([[True, False, True], [False, True, False]])).tolist() == [[5], [2]]
    assert unpack(np.array([[5], [2]], np.uint64), 3).tolist() == [[True, False, True], [False, True, False]]
