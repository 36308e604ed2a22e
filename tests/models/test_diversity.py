"""How far l can go in a table."""

from workbench.models.diversity import fewest_records, most_values, too_few_values


def test_the_poorest_column_ends_the_slider(small):
    table = small(0, ("disease", "wage"))
    assert most_values(table) == min(len(one) for one in table.sensitive.values())
    assert most_values(table.with_roles(table.quasi, ())) is None


def test_more_than_a_column_has_is_refused_with_the_numbers(small):
    seen = small(0).sensitive["disease"]
    assert too_few_values(seen, len(seen)) is None and too_few_values(None, 100) is None
    assert f"has {len(seen)} values, fewer than l = {len(seen) + 1}" in too_few_values(seen, len(seen) + 1)
    assert (fewest_records(3), fewest_records(2.5)) == (3, 3)
