"""Cuts along nodes, counted by hand; test_levels.py compares them with a naive search."""

import numpy as np
import pytest

from workbench.methods.mondrian import node_kernels

AT = np.array([0, 1, 2, 3, 0, 0, 1, 1, 0, 0, 0, 0], np.int32)  # four codes: values, two groups, everything
WIDTH = np.array([0, 0, 0, 0, 1, 1, 1, 1, 3, 3, 3, 3]) / 3
PLACE, DEPTH = np.array([[0, 4, 8]]), np.array([3])
QUASI = np.array([[0, 1, 3, 1]], np.int32)
ORDER, START, END = np.arange(4, dtype=np.int32), np.array([0]), np.array([4])
WEIGHT = np.array([2, 1, 4, 3])


def proposed(floor):
    low, high, exact = np.zeros((1, 1), np.int32), np.full((1, 1), 3, np.int32), np.zeros((1, 1), bool)
    tried = np.zeros((1, 1), bool)
    found = node_kernels.propose(
        np.array([0]), ORDER, START, END, QUASI, WEIGHT, low, high, exact, tried, AT, WIDTH, PLACE, DEPTH, floor
    )
    return [array.tolist() for array in found], bool(tried[0, 0])


@pytest.mark.slow
def test_the_children_with_records_are_the_parts():
    assert proposed(4) == ([[0], [0], [1], [0, 1], [6, 4]], False)


def test_a_child_that_is_too_small_rules_out_the_axis():
    assert proposed(5) == ([[], [], [], [0], []], True)


def test_values_are_counted_part_by_part():
    value = np.array([0, 1, 1, 0], np.int32)
    counted = node_kernels.part_values(
        np.array([0]), ORDER, START, END, QUASI, WEIGHT, value, 2, np.array([0]), np.array([1]), np.array([0, 1])
    )
    assert counted.tolist() == [[5, 1], [0, 4]]


def test_the_lowest_level_that_contains_a_run():
    low, high = np.array([[1], [0], [1]], np.int32), np.array([[1], [1], [2]], np.int32)
    assert node_kernels.enclosing(low, high, AT, PLACE, DEPTH).tolist() == [[0], [1], [2]]
    assert node_kernels.enclosing(low, high, AT, PLACE[:, :2], np.array([2])).tolist() == [[0], [1], [2]]
