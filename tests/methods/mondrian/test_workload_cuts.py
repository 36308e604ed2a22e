"""Mondrian for a workload gives the classes of a naive search and better answers than other heuristics."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.methods import oracle, oracle_levels, oracle_workload
from tests.methods.mondrian.test_levels import MODELS as ON_LEVELS
from tests.methods.mondrian.test_levels import naive, table_on
from tests.methods.mondrian.test_mondrian import classes_of, codes_of
from tests.methods.mondrian.test_splits import RULE_MODELS, wanted
from tests.methods.tables import axes_of, frames, quasi_choices, random_frame, table_of
from workbench.base.errors import BadInput, Unsatisfiable
from workbench.data import datasets
from workbench.data.hierarchies.builders import Groups
from workbench.data.table import Table
from workbench.measures import QueryError
from workbench.methods import Mondrian
from workbench.methods.mondrian import workload_cuts as asked
from workbench.methods.mondrian.workload_cuts import workload_arrays
from workbench.models import KAnonymity, KMap, ProbabilisticLDiversity, TCloseness
from workbench.queries.exact import unpack
from workbench.queries.workload import Workload


def convert_workload(workload, table, exact=False):
    """Return the workload in the format of the oracle."""
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
    asked = oracle_workload.WorkloadArrays(axes, on, counted, unchanged, exact)
    for a, axis in enumerate(axes):
        axis.times = asked.often(a) or 1.0
    return asked


def drawn(table, draw):
    """Draw a few queries about values, ranges or single values of some columns."""
    rule = draw(st.sampled_from(["values", "values", "type 1", "equality", "written"]))
    few = {"count": draw(st.integers(1, 20)), "seed": draw(st.integers(0, 9))}
    if rule == "written":
        texts = ["s in ('s0', 's1') and s2 = 'no'", "s2 = 'yes'", "person < 20 and s = 's1'"]
        texts += [f"{name} between 3 and 20" for name in table.quasi if name == "whole"]
        texts += ["sum(real) where s = 's0'"]
        return Workload.from_texts(table, texts)
    if rule == "values":
        dimension = draw(st.integers(0, len(table.quasi)))
        return Workload.random(table, dimension=dimension, selectivity=draw(st.sampled_from([0.02, 0.3])), **few)
    columns = tuple(draw(st.lists(st.sampled_from(table.quasi), min_size=1, unique=True)))
    return Workload.random(table, rule=rule, columns=columns, selectivity=0.2, **few)


def rules(table, asked, values):
    """Return the preferences of the other rules for an axis: width, repetition, each axis of the workload first."""
    names = table.quasi
    orders = [("order", (name,)) for a, name in enumerate(names) if asked.often(a)]
    for rule, order in [("order", ()), ("most_repeated", ()), ("fewest", ()), *orders]:
        yield wanted(rule, names, values, order, {})


@pytest.mark.slow
@examples(60)
@given(
    st.data(),
    frames(least=4, most=60),
    quasi_choices,
    st.integers(1, 6),
    st.sampled_from(list(RULE_MODELS)),
    st.booleans(),
)
def test_classes_of_random_tables_are_those_of_the_oracle(data, frame, quasi, k, kind, bucketized):
    table = table_of(frame, quasi, ("s", "s2"))
    workload = drawn(table, data.draw)
    (model, one), (_, other) = (RULE_MODELS[kind](k, codes_of(frame[name])) for name in ("s", "s2"))
    holds = oracle.both(one, other)
    method = Mondrian("workload", workload=workload, publish="bucketized" if bucketized else "generalized")
    if not holds(np.arange(len(frame))):
        with pytest.raises(Unsatisfiable):
            method(table, model)
        return
    asked, axes = convert_workload(workload, table, bucketized), axes_of(frame, quasi)
    expected = oracle_workload.served(
        asked,
        oracle_workload.hull_of(asked),
        lambda worth, rule: oracle_workload.least_error(asked, holds, worth, rule),
        lambda rule: oracle.widest_range(axes, holds, rule),
        [*rules(table, asked, [axis.rank.tolist() for axis in axes])],
    )
    assert classes_of(method(table, model)) == {frozenset(part.tolist()) for part in expected}


@examples(30)
@given(st.data(), frames(least=4, most=60), quasi_choices, st.integers(1, 6), st.sampled_from(list(ON_LEVELS)))
def test_classes_on_levels_are_those_of_the_naive_search(data, frame, quasi, n, case):
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
    asked = convert_workload(workload, table)
    expected = oracle_workload.served(
        asked,
        oracle_workload.node_of(asked, columns),
        lambda worth, rule: oracle_workload.least_error_on_levels(asked, columns, beginning, holds, worth, rule),
        lambda rule: [np.array(part) for part, _ in oracle_levels.widest(columns, holds, rule)],
        [*rules(table, asked, [column.shown[column.low] for column in columns])],
    )
    assert oracle.as_sets(release.group_of_record) == {frozenset(part.tolist()) for part in expected}


EVERY = [{"strict": False}, {"publish": "bucketized"}, {"recode": "levels"}, {}]


@pytest.mark.slow
@pytest.mark.parametrize("extra", EVERY, ids=str)
@pytest.mark.parametrize(
    "model", [KAnonymity(5), ProbabilisticLDiversity(1.5) & KAnonymity(3), TCloseness(0.2)], ids=str
)
def test_models_are_satisfied_and_suppression_stays_within_its_limit(extra, model):
    for seed in range(3):
        table = table_of(random_frame(seed, 150, missing=0.1), ["whole", "word", "day"])
        for share in (0.0, 0.1):
            release = Mondrian("workload", workload="random", suppress=share, **extra)(table, model)
            assert release.audit(model).holds and release.suppressed <= 150 * share
            assert len(release.classes) > 2 or "recode" in extra


def test_cuts_are_at_the_ends_of_queries_and_not_at_the_median():
    age = [n * n // 120 for n in range(100)]  # the young are more
    frame = pd.DataFrame({"age": age, "town": ["x", "y", "y", "y"] * 25, "s": ["a", "b"] * 50})
    table = Table.from_frame(frame, ["age", "town"], "s")
    for cut in (3, 8, 12, 50):
        asked = Workload.from_texts(table, [f"age < {cut}"])
        served, widest = (one(table, KAnonymity(9)) for one in (Mondrian("workload", workload=asked), Mondrian()))
        assert served.count(asked) == pytest.approx(asked.truth) and abs(widest.count(asked) - asked.truth) > 1
    halves = Mondrian("workload", workload=["town = 'x'"])(table, KAnonymity(25)).classes
    assert (halves.low[:, 1] == halves.high[:, 1]).all() and 25 in halves.sizes


def test_the_next_best_cut_is_made_if_the_best_is_not_allowed():
    age = [0] * 6 + [1] * 6 + [2] * 6 + [9] * 12
    table = Table.from_frame(pd.DataFrame({"age": age, "s": ["a"] * 12 + ["b", "a"] * 9}), ["age"], "s")
    asked, model = Mondrian("workload", workload=["age < 2"]), ProbabilisticLDiversity(1.15)
    assert sorted(asked(table, KAnonymity(12)).classes.low.ravel().tolist()) == [0, 2]
    assert sorted(asked(table, model).classes.low.ravel().tolist()) == [0, 3], "below 2 nobody has b"


def test_models_of_the_population_are_satisfied():
    everybody = pd.DataFrame({"age": [*range(20, 60)] * 3, "town": ["x", "y", "z"] * 40})
    table = Table.from_frame(everybody.iloc[::2], ["age", "town"]).with_settings(population=everybody)
    release = Mondrian("workload", workload=["age < 33", "town = 'y'"])(table, KMap(8))
    assert release.audit(KMap(8)).holds and len(release.classes) > 3


def test_a_workload_is_named_in_the_table_and_may_ask_about_neutral_columns(small):
    table = small(2).with_settings(workloads={"mine": ["age > 30 and wage > 20", "sex = 'F'"]})
    by_name, plain = (Mondrian("workload", workload=one)(table, KAnonymity(4))
                      for one in ("mine", Workload.named(table, "mine")))  # fmt: skip
    assert classes_of(by_name) == classes_of(plain) and by_name.others == ("wage",)
    with pytest.raises(BadInput, match="'his' is not a workload; choose from mine, random"):
        Mondrian("workload", workload="his")(table, KAnonymity(4))


@pytest.mark.parametrize("method", [{}, {"recode": "levels"}], ids=str)
def test_the_result_does_not_depend_on_the_batch_size(monkeypatch, method):
    table = table_of(random_frame(5, 150), ["whole", "word"])
    serving = Mondrian("workload", workload="random", **method)
    together = classes_of(serving(table, ProbabilisticLDiversity(1.1)))
    monkeypatch.setattr("workbench.methods.mondrian.workload_cuts.AT_ONCE", 1)
    assert classes_of(serving(table, ProbabilisticLDiversity(1.1))) == together and len(together) > 5


def others(table):
    """Return the other heuristics, including orders with each first attribute."""
    (sensitive, *_) = table.sensitive
    found = [Mondrian(), Mondrian("most_repeated"), Mondrian("fewest"), Mondrian("information_gain", sensitive)]
    return [*found, *(Mondrian("order", order=name) for name in table.quasi)]


some_or_more = pytest.mark.parametrize("workloads", [4, pytest.param(10, marks=pytest.mark.exhaustive)])


def errors(workloads, table, k, count, **asked):
    """Return for each workload the error of cuts for another one of the same kind, and the smallest of the others'."""
    beside = [method(table, KAnonymity(k)) for method in others(table)]
    own, best = [], []
    for seed in range(workloads):
        workload = Workload.random(table, count=count, seed=seed, **asked)
        held_out = QueryError(Workload.random(table, count=count, seed=100 + seed, **asked))
        own.append(held_out(Mondrian("workload", workload=workload)(table, KAnonymity(k))).value)
        best.append(min(held_out(release).value for release in beside))
    return np.array(own), np.array(best)


@pytest.mark.slow
@some_or_more
@pytest.mark.parametrize(
    ("asked", "less"), [({}, 0.8), ({"rule": "type 1"}, 0.4), ({"dimension": 2}, 0.95)], ids=["values", "ranges", "two"]
)
def test_every_other_heuristic_has_larger_errors_on_unseen_queries_about_adult(adult, asked, less, workloads):
    own, best = errors(workloads, adult, 10, 300, **asked)
    assert (own < best).all() and own.mean() < less * best.mean()


@pytest.mark.slow
@some_or_more
@pytest.mark.parametrize("asked", [{"dimension": 3}, {"rule": "type 1"}], ids=["values", "ranges"])
def test_every_other_heuristic_has_larger_errors_on_unseen_queries_about_donations(asked, workloads):
    own, best = errors(workloads, datasets.donations(n=12_000), 10, 300, **asked)
    assert (own < best).all() and own.mean() < 0.8 * best.mean()


# The arrays of a workload: the queries that cells satisfy, in bits, kinds and shares of axes.

TEXTS = ["age between 20 and 30 and s = 'a'", "town = 'x'", "age > 25 and wage >= 2", "s in ('b', 'c')"]


def make_table(**more):
    frame = pd.DataFrame(
        {"age": [20, 21, 30, 40] * 3, "town": list("xxyz") * 3, "s": list("aabc") * 3, "wage": [1, 2, 3] * 4}
    )
    return Table.from_frame(frame, ["age", "town"], "s", **more)


def make_arrays(texts, exact=False, table=None, others=("wage",)):
    table = table or make_table()
    cells = table.cells(others)
    return cells, workload_arrays(table, cells, Workload.from_texts(table, texts), exact)


def test_bits_mark_the_queries_that_each_cell_matches():
    table = make_table()
    for exact in (False, True):
        cells, found = make_arrays(TEXTS, exact)
        met, known = found.arrays[0], found.arrays[1]
        age, town = (np.array(table.columns[n].labels)[cells.quasi[i]] for i, n in enumerate(table.quasi))
        age, wage = age.astype(int), cells.others["wage"] + 1
        s = np.array(table.columns["s"].labels)[cells.others["s"]]
        expected = [(age <= 30) & (s == "a"), town == "x", (age > 25) & (wage >= 2), (s == "b") | (s == "c")]
        assert (np.array(expected) == unpack(met, 4).T).all()
        told = [age <= 30, town == "x", (age > 25) & (wage >= 2), np.ones(len(s), bool)]
        assert known.shape[1] == exact and (not exact or (np.array(told) == unpack(known, 4).T).all())


def test_kinds_are_the_values_of_other_columns():
    cells, found = make_arrays(TEXTS)
    kind, kept = found.arrays[2:4]
    assert len(kept) == len({*zip(cells.others["s"].tolist(), cells.others["wage"].tolist(), strict=True)})
    s, wage = cells.others["s"], cells.others["wage"]
    assert kept[kind].T.tolist() == np.array([s == 0, s >= 0, wage >= 1, s >= 1]).astype(int).tolist()
    _, bucketized = make_arrays(TEXTS, exact=True)
    assert len(bucketized.arrays[3]) == 3 and len(make_arrays(TEXTS[1:2])[1].arrays[3]) == 1


def test_widths_are_in_years_and_gaps_are_shared_by_adjacent_codes():
    _, found = make_arrays(["age <= 30", "age = 20 or age = 30", "town = 'y'"])
    first, begin, finish, before, inside, cost = found.arrays[4:]
    assert first.tolist() == [0, 4] and before[begin[:4]].tolist() == [0, 1, 10, 20]
    assert before[finish[:4]].tolist() == [1, 2, 11, 21]
    last = finish[3]
    assert inside[last].tolist() == [11, 2, 21] and (before[last] - inside[last, 2]) == 0
    assert (inside[finish[5]] - inside[begin[5]]).tolist() == [1, 1, 1] and cost.tolist() == [1 / 9, 1 / 6, 1 / 3]
    assert found.often.tolist() == pytest.approx([2 / 3, 1 / 3])


def test_a_group_of_sensitive_values_matches_if_most_of_its_records_do():
    table = make_table(hierarchies={"s": Groups(({"AB": ("a", "b"), "C": ("c",)},))}, levels={"s": 1})
    cells, found = make_arrays(["s = 'a'", "s = 'b'"], table=table)
    group = cells.others["s"]
    assert (np.array([group == 0, np.zeros(len(group), bool)]) == unpack(found.arrays[0], 2).T).all()


def test_a_sample_of_many_queries_and_values_is_used(monkeypatch):
    texts = [f"age > {age}" for age in range(10, 50)]
    assert len(make_arrays(texts)[1].arrays[-1]) == 40
    monkeypatch.setattr(asked, "LOOKED_AT", 10)
    assert len(make_arrays(texts)[1].arrays[-1]) == 10
    monkeypatch.setattr(asked, "ROOM", 24)
    assert len(make_arrays(texts)[1].arrays[-1]) == 24 // 7
    monkeypatch.setattr(asked, "ROOM", 1)
    assert len(make_arrays(texts)[1].arrays[-1]) == 1
