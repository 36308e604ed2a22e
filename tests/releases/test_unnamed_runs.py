"""A run that no hierarchy names: its values, or its two ends where they are many."""

import numpy as np

from workbench.data.column import Column
from workbench.releases.unnamed_runs import in_quotes, spelled


def column(*labels, missing=0):
    return Column("q", "text", np.array(labels, object), labels, np.ones(len(labels), int), missing)


def test_a_few_values_are_written_one_by_one_and_of_many_the_ends():
    letters = column(*"abcdefghij", missing=1)
    assert spelled(letters, 0, 0) == "a" and spelled(letters, 0, 7) == "{a, b, c, d, e, f, g, h}"
    assert spelled(letters, 0, 8) == "{a .. i: 9 values}" and spelled(letters, 8, 10) == "{i, j} or missing"


def test_what_is_in_quotes_cannot_be_taken_for_two_values():
    assert spelled(column("a, b", "c"), 0, 1, quoted=True) == '{"a, b", "c"}' and in_quotes('"') == '"\\""'
