"""Cuts along nodes, counted by hand; test_levels.py compares them with a naive search."""

import numpy as np
import pytest

from workbench.methods.mondrian import kernels

# Cuts that follow the nodes of hierarchies: they choose cuts and count records in the parts.
#
# Conventions as in `cell_kernels`. `at` has, from `place[a, l]` on, the node of each code of axis `a` on level `l`, and
# `width` that node's width; axis `a` has `depth[a]` levels, the lowest first.

AT = np.array([0, 1, 2, 3, 0, 0, 1, 1, 0, 0, 0, 0], np.int32)  # four codes: values, two groups, everything
WIDTH = np.array([0, 0, 0, 0, 1, 1, 1, 1, 3, 3, 3, 3]) / 3
PLACE, DEPTH = np.array([[0, 4, 8]]), np.array([3])
QUASI = np.array([[0, 1, 3, 1]], np.int32)
ORDER, START, END = np.arange(4, dtype=np.int32), np.array([0]), np.array([4])
WEIGHT = np.array([2, 1, 4, 3])


def proposed(floor):
    low, high, exact = np.zeros((1, 1), np.int32), np.full((1, 1), 3, np.int32), np.zeros((1, 1), bool)
    tried = np.zeros((1, 1), bool)
    found = kernels.propose(
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
    counted = kernels.part_values(
        np.array([0]), ORDER, START, END, QUASI, WEIGHT, value, 2, np.array([0]), np.array([1]), np.array([0, 1])
    )
    assert counted.tolist() == [[5, 1], [0, 4]]


def test_the_lowest_level_that_contains_a_run():
    low, high = np.array([[1], [0], [1]], np.int32), np.array([[1], [1], [2]], np.int32)
    assert kernels.enclosing(low, high, AT, PLACE, DEPTH).tolist() == [[0], [1], [2]]
    assert kernels.enclosing(low, high, AT, PLACE[:, :2], np.array([2])).tolist() == [[0], [1], [2]]


# Errors of the answers of classes, counted by hand; test_least_error.py compares the cuts with an oracle.

# one axis with codes 0 to 3 at 0, 1, 2 and 4; 2 + 1 + 4 + 3 records; query 0 is about codes 0 and 1, query 1 about
# codes 2 and 3 (and what lies between them), among the cells of kind 1; both are about the same amount of records
CELLS, WEIGHTS = np.array([[0, 1, 2, 3]], np.int16), np.array([2, 1, 4, 3])
BEFORE = np.array([0.0, 1, 2, 3, 4, 5])
INSIDE = np.array([[0, 1, 2, 2, 2, 2], [0, 0, 0, 1, 2, 3]], float).T
KIND, KEPT = np.array([0, 1, 1, 0], np.int32), np.array([[1, 0], [1, 1]], np.uint8)
MET = np.array([[1], [1], [2], [0]], np.uint64)
KNOWN = np.array([[1], [1], [2], [2]], np.uint64)
FIRST, BEGIN, FINISH = np.array([0]), np.array([0, 1, 2, 4]), np.array([1, 2, 3, 5])
COST = np.array([1.0, 0.5])
ASKED = MET, np.empty((4, 0), np.uint64), KIND, KEPT, FIRST, BEGIN, FINISH, BEFORE, INSIDE, COST
EXACT = MET, KNOWN, KIND, KEPT, FIRST, BEGIN, FINISH, BEFORE, INSIDE, COST


def wrong(asked, start, end, low, high):
    low, high = (np.array([[side]], np.int32) for side in (low, high))
    (found,) = kernels.errors(ORDER, np.array([start]), np.array([end]), WEIGHTS, low, high, asked)
    return found


def test_records_that_meet_queries_are_counted():
    assert kernels.counts(MET, WEIGHTS, 2).tolist() == [3, 4]


@pytest.mark.slow
def test_a_class_answers_each_query_by_the_matching_share_of_its_run():
    assert wrong(ASKED, 0, 4, 0, 3) == pytest.approx(abs(10 * 2 / 5 - 3) + 0.5 * abs(5 * 3 / 5 - 4))
    assert wrong(ASKED, 0, 2, 0, 1) == pytest.approx(0)
    assert wrong(ASKED, 2, 4, 2, 3) == pytest.approx(0)
    assert wrong(ASKED, 1, 4, 1, 3) == pytest.approx(abs(8 * 1 / 4 - 1) + 0.5 * abs(5 * 3 / 4 - 4))


@pytest.mark.slow
def test_a_class_answers_by_the_share_of_its_records_if_quasi_identifiers_are_published():
    assert wrong(EXACT, 0, 4, 0, 3) == pytest.approx(0.5 * abs(7 * 5 / 10 - 4))
    assert wrong(EXACT, 2, 4, 2, 3) == pytest.approx(0.5 * abs(7 * 4 / 7 - 4))


def test_errors_of_several_classes_cancel_each_other():
    order, low, high = np.array([0, 2, 1, 3], np.int32), np.array([[0], [1]], np.int32), np.array([[2], [3]], np.int32)
    given = order, np.array([0, 2]), np.array([2, 4]), WEIGHTS, low, high
    first = 6 * 2 / 3 - 2, 4 * 1 / 3 - 4  # of codes 0 and 2: query 0 is overestimated, query 1 underestimated
    second = 4 * 1 / 4 - 1, 1 * 3 / 4 - 0  # of codes 1 and 3: query 1 is overestimated
    assert kernels.errors(*given, ASKED) == pytest.approx([2 + 0.5 * abs(first[1]), 0.5 * second[1]])
    together = abs(first[0] + second[0]) + 0.5 * abs(first[1] + second[1])
    assert kernels.error_of_all(*given, ASKED) == pytest.approx(together)


def cuts(floor, most=32, axes=(True,), asked=ASKED):
    before, node, axis, cut, below, after = kernels.cuts(
        np.array([0]), ORDER, START, END, CELLS, WEIGHTS, np.array([10]), np.array(axes), floor, most, asked
    )
    assert before.tolist() == pytest.approx([wrong(asked, 0, 4, 0, 3)])
    assert not node.any() and not axis.any()
    return dict(zip(cut.tolist(), zip(below.tolist(), after.tolist(), strict=True), strict=True))


@pytest.mark.slow
def test_every_allowed_cut_of_few_codes_is_examined():
    found = cuts(1)
    assert {cut: below for cut, (below, _) in found.items()} == {0: 2, 1: 3, 2: 7}
    for cut, (_, after) in found.items():
        assert after == pytest.approx(wrong(ASKED, 0, cut + 1, 0, cut) + wrong(ASKED, cut + 1, 4, cut + 1, 3))
    assert list(cuts(3)) == [1, 2] and list(cuts(4)) == [] and cuts(1, axes=(False,)) == {}


def test_cuts_of_many_codes_are_examined_around_equal_shares_of_records():
    assert list(cuts(1, most=2)) == [1, 2]  # half of the records begin at code 2
    assert list(cuts(1, most=3)) == [1, 2]  # thirds at codes 2 and 2
    assert set(cuts(1, most=2, asked=EXACT)) == {1, 2}


# The counts of the kernels of heuristics, by hand; test_heuristics.py compares the rules with an oracle.


def test_distinct_values_are_counted_node_by_node():
    values = np.array([[0, 1, 1, 0, 2], [4, 4, 4, 4, 0]], np.int16)
    order, start, end = np.array([4, 0, 3, 1, 2], np.int32), np.array([0, 1, 3]), np.array([1, 3, 5])
    found = kernels.distinct(order, start, end, values, 5)
    assert found.tolist() == [[1, 1], [1, 1], [1, 1]]
    assert kernels.distinct(order, np.array([0]), np.array([5]), values, 5).tolist() == [[3, 2]]
    assert kernels.distinct(order, np.array([0, 2]), np.array([2, 5]), values, 5).tolist() == [[2, 2], [2, 1]]
