"""Labels of runs without a node: their values, or their two ends if there are many."""

import numpy as np

from workbench.data.column import Column
from workbench.releases.default_labels import format_run, in_quotes


def column(*labels, missing=0):
    return Column("q", "text", np.array(labels, object), labels, np.ones(len(labels), int), missing)


def test_short_runs_list_their_values_and_long_ones_their_ends():
    letters = column(*"abcdefghij", missing=1)
    assert format_run(letters, 0, 0) == "a" and format_run(letters, 0, 7) == "{a, b, c, d, e, f, g, h}"
    assert format_run(letters, 0, 8) == "{a .. i: 9 values}" and format_run(letters, 8, 10) == "{i, j} or missing"


def test_quoted_values_cannot_be_confused_with_two():
    assert format_run(column("a, b", "c"), 0, 1, quoted=True) == '{"a, b", "c"}' and in_quotes('"') == '"\\""'
