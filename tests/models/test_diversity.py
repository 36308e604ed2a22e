"""Bounds on l in a table."""

from workbench.models import DistinctLDiversity, EntropyLDiversity
from workbench.models.diversity import max_l


def test_the_column_with_the_fewest_values_limits_l(small):
    table = small(0, ("disease", "wage"))
    assert max_l(table) == min(len(one) for one in table.sensitive.values())
    assert max_l(table.with_roles(table.quasi, ())) is None


def test_too_few_values_are_reported_with_the_numbers(small):
    seen = small(0).sensitive["disease"]
    enough, more = DistinctLDiversity(len(seen)), DistinctLDiversity(len(seen) + 1)
    assert enough.explain_impossible(seen, 1000) is None
    assert DistinctLDiversity(100).explain_impossible(None, 1000) is None
    assert f"has {len(seen)} values, fewer than l = {len(seen) + 1}" in more.explain_impossible(seen, 1000)
    assert (EntropyLDiversity(3).min_class_size, EntropyLDiversity(2.5).min_class_size) == (3, 3)
