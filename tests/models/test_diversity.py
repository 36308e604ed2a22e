"""Bounds on l in a table."""

from workbench.models.diversity import explain_too_few_values, max_l, min_records


def test_the_column_with_the_fewest_values_limits_l(small):
    table = small(0, ("disease", "wage"))
    assert max_l(table) == min(len(one) for one in table.sensitive.values())
    assert max_l(table.with_roles(table.quasi, ())) is None


def test_too_few_values_are_reported_with_the_numbers(small):
    seen = small(0).sensitive["disease"]
    assert explain_too_few_values(seen, len(seen)) is None and explain_too_few_values(None, 100) is None
    assert f"has {len(seen)} values, fewer than l = {len(seen) + 1}" in explain_too_few_values(seen, len(seen) + 1)
    assert (min_records(3), min_records(2.5)) == (3, 3)
