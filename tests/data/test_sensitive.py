"""Sensitive columns at their model level: the whole table's histogram, and the levels above."""

import numpy as np

from workbench.data.sensitive import Sensitive


def test_the_prior_is_the_distribution_of_the_whole_table(small):
    table = small(1)
    seen, column = table.sensitive["disease"], table.columns["disease"]
    counts = np.bincount(table.model_view.codes["disease"])
    assert np.allclose(seen.prior, counts / table.records) and seen.prior.sum() == 1
    assert len(seen) == len(counts) == len(column.values) + bool(column.missing)


def test_at_a_level_its_groups_are_the_values(small):
    column = small(0).columns["disease"]
    fine, coarse = Sensitive.from_column(column, 0), Sensitive.from_column(column, 1)
    assert len(coarse) == len(column.hierarchy.levels[0].starts) < len(fine)
    assert np.isclose(fine.prior.sum(), coarse.prior.sum())
