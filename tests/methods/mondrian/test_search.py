"""The search from the whole table to classes, and the best of several searches for a workload."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.methods.tables import frames, quasi_choices, table_of
from workbench.base.errors import BadInput
from workbench.data import datasets
from workbench.measures import QueryError
from workbench.methods import Mondrian
from workbench.methods.mondrian.information_gain import InformationGainSplitter
from workbench.methods.mondrian.levels import GainOfChildren, Levels, WidestNode
from workbench.methods.mondrian.search import (
    classes_of_entries,
    median_splitters,
    neutral_columns,
    splitter_of,
    workload_splitters,
)
from workbench.methods.mondrian.splits import Nodes, Preferred, Widest
from workbench.models import KAnonymity
from workbench.queries.workload import Workload

FEW = ["age >= 40 and sex = 'Male'", "education in ('Masters', 'Doctorate')"]


@pytest.mark.slow
@pytest.mark.parametrize("k", [10, 50, 100])
@pytest.mark.parametrize("extra", [{}, {"recode": "levels"}], ids=str)
def test_the_errors_of_few_queries_are_at_most_those_of_any_rule(k, extra):
    table = datasets.adult(quasi=("age", "education", "sex")).with_settings(workloads={"few": FEW})
    error = QueryError("few")
    served = error(Mondrian("workload", workload="few", **extra)(table, KAnonymity(k))).value
    orders = [Mondrian("order", order=name, **extra) for name in table.quasi]
    for rule in (Mondrian(**extra), Mondrian("most_repeated", **extra), Mondrian("fewest", **extra), *orders):
        assert served <= error(rule(table, KAnonymity(k))).value + 1e-9, rule


@examples(20)
@given(frames(least=6, most=60), quasi_choices, st.integers(1, 5), st.integers(0, 9))
def test_the_errors_are_at_most_those_of_the_widest_range(frame, quasi, k, seed):
    table = table_of(frame, quasi)
    workload = Workload.random(table, count=5, dimension=1, selectivity=0.2, seed=seed)
    methods = (Mondrian("workload", workload=workload), Mondrian(), Mondrian("most_repeated"), Mondrian("fewest"))
    served, *others = (QueryError(workload)(method(table, KAnonymity(k))).value for method in methods)
    assert served <= min(others) + 1e-9


def test_each_entry_has_a_class_or_is_suppressed(small):
    table, model = small(0), KAnonymity(6)
    for method in (Mondrian(suppress=0.3), Mondrian("workload", workload="random", suppress=0.3)):
        group = classes_of_entries(method, table, table.cells(), model, None)
        sizes = np.bincount(group[group >= 0], table.cells().weight[group >= 0])
        assert sizes.min() >= 6 and table.cells().weight[group < 0].sum() <= 0.3 * table.records


# The splitter for the settings, and the combinations of settings that are allowed.


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"split": "order"}, "split = order needs an order of columns; choose one"),
        ({"order": ("age",)}, "order needs split = order, not widest; remove order"),
        ({"split": "fewest", "target": "sex"}, "target needs split = information_gain, not fewest; remove target"),
        ({"split": "information_gain", "order": "age", "target": "sex"}, "not information_gain; remove order"),
        ({"split": "order", "order": []}, "order = .*; name one column or several"),
        ({"split": "order", "order": [1]}, "name one column or several"),
        ({"split": "order", "order": {"age": 1}}, "name one column or several"),
        ({"split": "workload"}, "split = workload needs a workload; choose one"),
        ({"workload": "mine"}, "workload needs split = workload, not widest; remove workload"),
        ({"split": "order", "order": ["age"], "strict": False, "recode": "levels"}, "needs strict"),
        (
            {"cuts": "binary", "recode": "levels", "split": "information_gain", "target": "sex"},
            "binary needs recode",
        ),
        ({"median": "even", "strict": False}, "median = even needs strict"),
        ({"median": "even", "recode": "levels"}, "median = even needs strict, recode = regions"),
        ({"median": "even", "split": "information_gain", "target": "sex"}, "a split other than information_gain"),
    ],
)
def test_incompatible_settings_are_refused(settings, says):
    with pytest.raises(BadInput, match=says):
        Mondrian(**settings)


def test_an_order_is_normalized():
    assert Mondrian("order", order="age") == Mondrian("order", order=["age"]) == Mondrian("order", order=("age", "age"))
    assert Mondrian("order", order=["b", "a"]) != Mondrian("order", order=["a", "b"])


def test_each_setting_has_its_splitter(small):
    table = small(0)
    cells, levels = table.cells(), Levels.from_table(table)
    for chosen, on_regions, on_levels in [
        ({}, Widest, WidestNode),
        ({"split": "information_gain", "target": "disease"}, InformationGainSplitter, GainOfChildren),
        ({"split": "most_repeated"}, Preferred, Preferred),
        ({"split": "order", "order": "sex"}, Preferred, Preferred),
    ]:
        assert type(splitter_of(Mondrian(**chosen), table, cells, None, None)) is on_regions
        made = splitter_of(Mondrian(**chosen, recode="levels"), table, cells, None, levels)
        assert type(made) is on_levels
        assert not isinstance(made, Preferred) or isinstance(made.inner, WidestNode)


def test_widths_are_weighted_by_the_queries_of_the_workload(small):
    table = (
        small(0)
        .with_settings(importance={"sex": 3})
        .with_settings(workloads={"mine": ["age > 30", "age < 40 and sex = 'F'"]})
    )
    made, more = workload_splitters(Mondrian("workload", workload="mine"), table, table.cells(), None, None)
    assert (made.worth, more.worth) == (0.1, 0.3) and made.rest.inner.span.tolist() == more.rest.inner.span.tolist()
    assert made.workload.often.tolist() == [1, 0, 0.5]
    plain = splitter_of(Mondrian(), small(0), small(0).cells(), None, None)
    assert (plain.span / made.rest.inner.span).tolist() == pytest.approx([1, 1, 1.5])
    assert made.rest.rule(Nodes.root(table, table.cells())).tolist() == [[0, 1, 0]]


def test_neutral_columns_of_the_workload_distinguish_cells(small):
    table = small(0).with_settings(workloads={"mine": ["wage > 20 and age > 30", "disease = 'Flu'"]})
    assert neutral_columns(Mondrian("workload", workload="mine"), table) == ("wage",)
    assert neutral_columns(Mondrian("information_gain", "wage"), table) == ("wage",)
    assert neutral_columns(Mondrian("information_gain", "disease"), table) == neutral_columns(Mondrian(), table) == ()


def test_alternative_rules_start_with_each_attribute_of_the_workload(small):
    table = small(0)
    method, cells, often = Mondrian("workload", workload="random"), table.cells(), np.array([0.2, 0, 1])
    for levels in (None, Levels.from_table(table)):
        widest, *preferred = median_splitters(method, table, cells, None, levels, often)
        assert isinstance(widest.inner, WidestNode if levels else Widest) and len(preferred) == 2 + 2
        begun = Nodes.root(table, cells)
        assert widest.rule(begun).tolist() == [[0, 0, 0]]
        assert [one.rule(begun).tolist() for one in preferred[2:]] == [[[0, 1, 1]], [[1, 1, 0]]]
