"""Mondrian that serves a workload makes the classes that a naive search makes, and its answers are better."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.methods import oracle, oracle_levels, oracle_workload
from tests.methods.mondrian.test_heuristics import MODELS
from tests.methods.mondrian.test_levels import MODELS as ON_LEVELS
from tests.methods.mondrian.test_levels import naive, table_on
from tests.methods.mondrian.test_mondrian import classes_of, codes_of
from tests.methods.tables import frames, quasi_choices, random_frame, table_of
from workbench.base.errors import Unsatisfiable
from workbench.measures import QueryError
from workbench.methods import Mondrian
from workbench.models import KAnonymity, ProbabilisticLDiversity
from workbench.workloads.workload import Workload


def asked_by(workload, table, exact=False):
    """The workload as the oracle sees it."""
    axes = []
    for name in table.quasi:
        column = table.columns[name]
        axes.append(oracle_workload.Axis(table.codes[name], *column.edges, column.positions))
    on, counted, unchanged = [], [], []
    for q in range(len(workload)):
        met = {name: codes for name in workload.columns if (codes := workload.condition(q, name)) is not None}
        on.append({a: met[name] for a, name in enumerate(table.quasi) if name in met})
        for records, roles in ((counted, ("sensitive",) if exact else ("sensitive", "neutral")),
                               (unchanged, ("neutral",) if exact else ())):  # fmt: skip
            rest = [codes[table.codes[name]] for name, codes in met.items() if table.roles[name] in roles]
            records.append(np.logical_and.reduce([np.ones(table.records, bool), *rest]))
    asked = oracle_workload.Asked(axes, on, counted, unchanged, exact)
    for a, axis in enumerate(axes):
        axis.times = asked.often(a) or 1.0
    return asked


def drawn(table, draw):
    """A few queries about values, ranges or single values of some columns."""
    rule = draw(st.sampled_from(["values", "values", "type 1", "equality", "written"]))
    few = {"count": draw(st.integers(1, 20)), "seed": draw(st.integers(0, 9))}
    if rule == "written":
        texts = ["s in ('s0', 's1') and s2 = 'no'", "s2 = 'yes'", "person < 20 and s = 's1'"]
        texts += [f"{name} between 3 and 20" for name in table.quasi if name == "whole"]
        texts += ["sum(real) where s = 's0'"]
        return Workload.of(table, texts)
    if rule == "values":
        dimension = draw(st.integers(0, len(table.quasi)))
        return Workload.random(table, dimension=dimension, selectivity=draw(st.sampled_from([0.02, 0.3])), **few)
    columns = tuple(draw(st.lists(st.sampled_from(table.quasi), min_size=1, unique=True)))
    return Workload.random(table, rule=rule, columns=columns, selectivity=0.2, **few)


@settings(max_examples=300, deadline=None)
@given(
    st.data(), frames(least=4, most=60), quasi_choices, st.integers(1, 6), st.sampled_from(list(MODELS)), st.booleans()
)
def test_random_tables_get_the_classes_of_the_oracle(data, frame, quasi, k, kind, bucketized):
    table = table_of(frame, quasi, ("s", "s2"))
    workload = drawn(table, data.draw)
    (model, one), (_, other) = (MODELS[kind](k, codes_of(frame[name])) for name in ("s", "s2"))
    holds = oracle.both(one, other)
    method = Mondrian("workload", workload=workload, publish="bucketized" if bucketized else "generalized")
    if not holds(np.arange(len(frame))):
        with pytest.raises(Unsatisfiable):
            method(table, model)
        return
    expected = oracle_workload.least_error(asked_by(workload, table, bucketized), holds)
    assert classes_of(method(table, model)) == {frozenset(part.tolist()) for part in expected}


@settings(max_examples=30, deadline=None)
@given(st.data(), frames(least=4, most=60), quasi_choices, st.integers(1, 6), st.sampled_from(list(ON_LEVELS)))
def test_on_levels_the_classes_are_those_of_the_naive_search(data, frame, quasi, n, case):
    table, ranges = table_on(frame, quasi, data.draw)
    workload, columns = drawn(table, data.draw), naive(frame, quasi, ranges)
    s = frame["s"].fillna("missing").tolist()
    model, holds = (make(*given) for make, given in zip(ON_LEVELS[case], ((n,), (n, s)), strict=True))
    beginning = oracle_levels.beginning(columns)
    try:
        release = Mondrian("workload", workload=workload, recode="levels")(table, model)
    except Unsatisfiable:
        assert not all(map(holds, beginning))
        return
    expected = oracle_workload.least_error_on_levels(asked_by(workload, table), columns, beginning, holds)
    assert oracle.as_sets(release.group_of_record) == {frozenset(part.tolist()) for part in expected}
