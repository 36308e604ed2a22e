"""Everything unchanged: the classes are the distinct combinations of quasi-identifiers."""

from workbench.methods import Keep


def test_each_class_is_one_combination_of_values(small):
    table = small(1)
    frame = table.frame[list(table.quasi)]
    sizes = frame.value_counts(dropna=False)
    assert sorted(Keep()(table).classes.sizes.tolist()) == sorted(sizes.tolist())
