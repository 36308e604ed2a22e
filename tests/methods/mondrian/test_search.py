"""The search from the whole table to classes, and the best of several searches for a workload."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.methods.tables import frames, quasi_choices, table_of
from workbench.data import datasets
from workbench.measures import QueryError
from workbench.methods import Mondrian
from workbench.methods.mondrian.search import classes_of_entries
from workbench.models import KAnonymity
from workbench.queries.workload import Workload

FEW = ["age >= 40 and sex = 'Male'", "education in ('Masters', 'Doctorate')"]


@pytest.mark.slow
@pytest.mark.parametrize("k", [10, 50, 100])
@pytest.mark.parametrize("extra", [{}, {"recode": "levels"}], ids=str)
def test_the_errors_of_few_queries_are_at_most_those_of_any_rule(k, extra):
    table = datasets.adult(quasi=("age", "education", "sex")).with_workloads({"few": FEW})
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
