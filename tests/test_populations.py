"""Large populations beside every conjunction tried one by one, and beside an independent FP-growth."""

from itertools import product
from math import ceil, prod

import numpy as np
import pandas as pd
import pytest
from mlxtend.frequent_patterns import fpgrowth

from workbench.builders import Groups, Intervals
from workbench.errors import BadInput
from workbench.populations import table_runs
from workbench.table import Table


def conditions(table, name):
    """The sets of values that a hierarchy names, leaves included, each once; not the whole column (missing apart)."""
    column = table.columns[name]
    shown = column.hierarchy.frame().to_numpy().tolist() if column.hierarchy else [[label] for label in column.labels]
    levels = range(len(shown[0]))
    sets = {frozenset(row[0] for row in shown if row[level] == wanted[level]) for wanted in shown for level in levels}
    sets -= {frozenset(row[0] for row in shown)}
    return [*sets, frozenset(["missing"])] if column.missing else list(sets)


def labels(table, name):
    return [table.columns[name].value_labels()[code] for code in table.codes[name]]


def by_hand(table, least):
    """The members of every conjunction of at most one condition a column that at least so many records meet."""
    held = {name: labels(table, name) for name in table.quasi}
    found = {}
    for chosen in product(*([None, *conditions(table, name)] for name in table.quasi)):
        asked = {name: wanted for name, wanted in zip(table.quasi, chosen, strict=True) if wanted}
        members = [r for r in range(table.records) if all(held[name][r] in wanted for name, wanted in asked.items())]
        if asked and len(members) >= least:
            found[frozenset(asked.items())] = members
    return found


def described(table, populations):
    """Each population as the sets of values it asks for."""
    found = []
    for run in populations.runs:
        ends = zip(table.quasi, run.tolist(), strict=True)
        names = {name: table.columns[name].value_labels()[low : high + 1] for name, (low, high) in ends}
        found.append(frozenset((n, frozenset(v)) for n, v in names.items() if len(v) < table.columns[n].size))
    return found


def compare(table, min_support):
    populations = table.populations(min_support)
    expected = by_hand(table, ceil(min_support * table.records - 1e-9))
    found = described(table, populations)
    assert len(set(found)) == len(found) == len(populations)
    assert set(found) == set(expected)
    for i, asked in enumerate(found):
        assert populations.support[i] == len(expected[asked])
        for name, seen in table.sensitive.items():
            held = labels(table, name)
            assert populations.truth[name][i].tolist() == [
                sum(held[r] == v for r in expected[asked]) for v in seen.labels
            ]


@pytest.mark.parametrize("min_support", [0.02, 0.1, 0.3, 1.0])
@pytest.mark.parametrize("seed", [0, 1, 2, 3])
def test_they_are_every_conjunction_with_enough_records(small, seed, min_support):
    compare(small(seed), min_support)


def test_levels_that_do_not_nest_count_each_run_once():
    ages = [1, 5, 12, 19, 21, 29, 33, 38, 44, 49]
    frame = pd.DataFrame({"age": ages * 2, "sex": list("FM" * 10), "s": list("abcab" * 4)})
    table = Table.from_frame(frame, ["age", "sex"], "s", hierarchies={"age": Intervals(widths=(10, 15, 20))})
    assert not table.columns["age"].hierarchy.nested
    compare(table, 0.05)
    compare(table, 0.2)


def test_a_root_is_no_condition_even_beside_missing_values():
    frame = pd.DataFrame({"work": ["a", "b", None, "a"], "s": list("xyxy")})
    root = Groups(({"any": ("a", "b")},))
    table = Table.from_frame(frame, ["work"], "s", hierarchies={"work": root})
    assert table_runs(table, "work").tolist() == [[0, 0], [1, 1], [2, 2]]


def test_a_population_of_exactly_the_smallest_support_counts():
    frame = pd.DataFrame({"q": ["a"] * 7 + ["b"] * 93, "s": list("xy" * 50)})
    table = Table.from_frame(frame, ["q"], "s")
    assert 0.07 * 100 > 7, "in floating point"
    assert sorted(table.populations(0.07).support) == [7, 93]
    assert sorted(table.populations(0.071).support) == [93]


def test_a_table_without_sensitive_columns_has_populations_too(small):
    table = small(0).with_roles(["age", "work", "sex"])
    assert len(table.populations(0.1)) == len(small(0).populations(0.1))
    assert table.populations(0.1).truth == {}


@pytest.mark.parametrize("min_support", [0, -0.1, 1.1])
def test_a_support_that_is_no_share_is_refused(small, min_support):
    with pytest.raises(BadInput, match="min_support"):
        small(0).populations(min_support)


def test_the_shared_prefix_is_what_neighbours_have_in_common(small):
    populations = small(0).populations(0.05)
    assert populations.same[0] == 0
    for i in range(1, len(populations)):
        pairs = zip(populations.runs[i - 1].tolist(), populations.runs[i].tolist(), strict=True)
        assert populations.same[i] == sum(prod(same) for same in prefixes([a == b for a, b in pairs]))


def prefixes(values):
    return [values[: i + 1] for i in range(len(values))]


def test_adult_has_the_1050_of_an_independent_fp_growth(adult):
    items = {}
    for name in adult.quasi:
        codes = np.array(labels(adult, name))
        for wanted in conditions(adult, name):
            held = np.isin(codes, list(wanted))
            if held.mean() >= 0.05:
                items[name, wanted] = held
    names = list(items)
    frequent = fpgrowth(pd.DataFrame(np.column_stack([items[item] for item in names])), min_support=0.05)
    sets = [[names[i] for i in chosen] for chosen in frequent["itemsets"]]
    sets = [chosen for chosen in sets if len({name for name, _ in chosen}) == len(chosen)]
    assert len(sets) == 1050
    assert {frozenset(chosen) for chosen in sets} == set(described(adult, adult.populations(0.05)))
