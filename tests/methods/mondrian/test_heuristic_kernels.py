"""The counts of the kernels of heuristics, by hand; test_heuristics.py compares the rules with an oracle."""

import numpy as np

from workbench.methods.mondrian import node_kernels as heuristic_kernels


def test_distinct_values_are_counted_node_by_node():
    values = np.array([[0, 1, 1, 0, 2], [4, 4, 4, 4, 0]], np.int16)
    order, start, end = np.array([4, 0, 3, 1, 2], np.int32), np.array([0, 1, 3]), np.array([1, 3, 5])
    found = heuristic_kernels.distinct(order, start, end, values, 5)
    assert found.tolist() == [[1, 1], [1, 1], [1, 1]]
    assert heuristic_kernels.distinct(order, np.array([0]), np.array([5]), values, 5).tolist() == [[3, 2]]
    assert heuristic_kernels.distinct(order, np.array([0, 2]), np.array([2, 5]), values, 5).tolist() == [[2, 2], [2, 1]]
