"""Weighted tuple diversity combines the two diversities of a class."""

import pytest

from workbench.measures import GroupProtection, GroupUtility
from workbench.measures.tuple_diversity import weighted_tuple_diversity
from workbench.methods import Mondrian
from workbench.models import KAnonymity


@pytest.mark.parametrize("weights", [(1, 0), (0, 1), (0.5, 0.5), (2, 6)])
def test_the_mean_equals_that_of_the_measures_per_column(small, weights):
    table = small(2, ("disease", "wage"))
    release = Mondrian()(table, KAnonymity(4))
    found = weighted_tuple_diversity(release, *weights, r=0.7)
    utility, protection = (weight / sum(weights) for weight in weights)
    expected = utility * GroupUtility()(release).value / 3 + protection * GroupProtection(0.7)(release).value / 2
    assert len(found) == len(release.classes) and found.mean() == pytest.approx(expected)
