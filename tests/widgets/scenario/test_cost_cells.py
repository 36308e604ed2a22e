"""Costs of predictions, cell by cell."""

import pytest

from widgets.scenario.cost_cells import cells, explain_file_format, typed
from workbench.base.errors import BadInput
from workbench.measures import GoodUtility

LABELS = ("a", "b", "c")


def test_cells_that_are_typed_read_back_and_usual_ones_are_not_kept():
    costs = None
    for true, predicted, text in [
        ("a", "b", "3"),
        ("c", "a", " 0.25 "),
        ("b", "b", "1"),
        ("a", "c", "1"),
        ("b", "c", "0"),
    ]:
        costs = typed(costs, LABELS, true, predicted, text)
    assert costs == {"a": {"b": 3}, "c": {"a": 0.25}, "b": {"b": 1, "c": 0}}
    given = GoodUtility(error="costs", costs=costs).costs
    assert cells(given, LABELS) == [["0", "3", "1"], ["1", "1", "0"], ["0.25", "1", "0"]]
    for true, predicted in [("a", "b"), ("c", "a"), ("b", "b"), ("b", "c")]:
        costs = typed(costs, LABELS, true, predicted, "")
    assert costs is None and cells(None, LABELS[:2]) == [["0", "1"], ["1", "0"]]


@pytest.mark.parametrize("text", ["x", "nan", "inf", "1e999", "1,5"])
def test_what_is_no_number_is_refused(text):
    with pytest.raises(BadInput, match="enter "):
        typed(None, LABELS, "a", "b", text)


@pytest.mark.parametrize("pair", [("a", "d"), (None, "a"), (["a"], "b"), ({}, "b")])
def test_values_that_are_not_there_are_refused(pair):
    with pytest.raises(BadInput, match="reload the page"):
        typed(None, LABELS, *pair, "1")


def test_how_it_is_written_in_a_file_quotes_two_values():
    assert "error: costs, for example costs: {'a': {'b': 2}}" in explain_file_format("ill", LABELS)
