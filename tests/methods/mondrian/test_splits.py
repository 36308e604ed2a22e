"""Breadth-first splitting: the parts of every level are allowed, and the classes divide the table."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.methods import oracle, oracle_levels
from tests.methods.mondrian.test_levels import MODELS as ON_LEVELS
from tests.methods.mondrian.test_levels import naive, table_on
from tests.methods.mondrian.test_mondrian import classes_of, codes_of
from tests.methods.mondrian.test_relaxed import parts
from tests.methods.tables import HIERARCHIES, axes_of, frames, quasi_choices, random_frame, table_of
from workbench.base.errors import BadInput, Unsatisfiable
from workbench.data.table import Table
from workbench.measures import InformationLoss
from workbench.methods import Mondrian
from workbench.methods.mondrian.splits import Nodes, Widest, grow
from workbench.models import AlphaK, DeltaDisclosure, KAnonymity, ProbabilisticLDiversity, TCloseness


def test_the_search_starts_with_the_whole_table_as_one_class(small):
    table = small(1)
    cells = table.cells()
    root = Nodes.root(table, cells)
    assert root.sizes.tolist() == [table.records] and root.order.tolist() == list(range(len(cells)))
    assert root.high[0].tolist() == [table.columns[name].size - 1 for name in table.quasi]


def test_the_search_ends_when_no_cut_is_allowed(small):
    table, model = small(1), KAnonymity(4)
    cells = table.cells()
    group = grow(Nodes.root(table, cells), Widest(table, cells, model, strict=True), model)
    sizes = np.bincount(group, weights=cells.weight)
    assert len(sizes) > 1 and sizes.min() >= 4 and sizes.sum() == table.records
    whole = KAnonymity(table.records)
    one = grow(Nodes.root(table, cells), Widest(table, cells, whole, strict=True), whole)
    assert set(one.tolist()) == {0}


def test_only_equal_records_stay_together_without_a_model(small):
    table = small(0)
    cells = table.cells()
    group = grow(Nodes.root(table, cells), Widest(table, cells, None, strict=True), None)
    assert len(set(group.tolist())) == len(np.unique(cells.quasi, axis=1).T)


# Records are suppressed if a split compensates for them, within the limit, and the others satisfy the model.

MODELS = [KAnonymity(5), KAnonymity(3) & ProbabilisticLDiversity(2), TCloseness(0.2)]


def make_table(seed: int) -> Table:
    frame = random_frame(seed, 150, missing=0.05 * (seed % 2))
    return Table.from_frame(frame, ["whole", "word", "day"], "s", ["person"], HIERARCHIES)


@examples(25)
@given(st.integers(0, 10**6), st.sampled_from(MODELS), st.sampled_from([0.02, 0.1, 0.4]), st.booleans())
def test_suppression_stays_within_its_limit_and_the_model_is_satisfied(seed, model, share, bucketized):
    table = make_table(seed)
    try:
        release = Mondrian(suppress=share, publish="bucketized" if bucketized else "generalized")(table, model)
    except Unsatisfiable:
        return
    assert 0 <= release.suppressed <= share * table.records
    assert release.classes.sizes.sum() + release.suppressed == table.records
    assert release.audit(model).holds
    published = np.bincount(release.group_of_record, minlength=len(release.classes) + 1)
    assert published[:-1].tolist() == release.classes.sizes.tolist() and published[-1] == release.suppressed


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_suppression_reduces_the_loss(model):
    """The loss falls, although all quasi-identifiers of suppressed records are lost, too."""
    lost = []
    for seed in range(12):
        table = make_table(seed)
        without, with_ = (Mondrian(suppress=share)(table, model) for share in (0.0, 0.1))
        lost.append([InformationLoss()(release).value for release in (without, with_)])
    before, after = np.mean(lost, axis=0)
    assert after < before or model is MODELS[0]
    assert after <= before


def test_a_class_that_violates_the_model_is_suppressed_if_no_split_helps():
    """One value is too frequent in the whole table, but not without a class that has only this value."""
    frame = pd.DataFrame({"q": [1] * 40 + [2] * 60, "s": ["a"] * 40 + ["a", "b", "c"] * 20})
    table = Table.from_frame(frame, ["q"], "s")
    with pytest.raises(Unsatisfiable):
        Mondrian()(table, AlphaK(0.4, 2))
    release = Mondrian(suppress=0.4)(table, AlphaK(0.4, 2))
    assert release.suppressed == 40 and release.classes.sizes.tolist() == [60]


# Rules for the attribute to cut give the classes of a naive search with the same rule.

RULES = ["most_repeated", "fewest", "order"]


def ordered(table, draw):
    """Draw some of the quasi-identifiers in some order."""
    return tuple(draw(st.lists(st.sampled_from(table.quasi), min_size=1, unique=True)))


def wanted(rule, names, values, order, importance):
    """Return the preference of a rule for each column of a class: larger ones are cut first."""
    times = [importance.get(name, 1) for name in names]
    return {
        "most_repeated": lambda a, part: times[a] / len({values[a][i] for i in part}),
        "fewest": lambda a, part: times[a] * len({values[a][i] for i in part}),
        "order": lambda a, part: -order.index(names[a]) if names[a] in order else -len(order),
    }[rule]


RULE_MODELS = {
    "k": lambda k, s: (KAnonymity(k), oracle.minimum_size(k)),
    "l": lambda k, s: (ProbabilisticLDiversity(1 + k / 10), oracle.no_value_above(1 + k / 10, s)),
    "t": lambda k, s: (TCloseness(k / 30, "js"), oracle.close_by_js(k / 30, s)),
    "delta": lambda k, s: (DeltaDisclosure(k / 3), oracle.within_delta(k / 3, s)),
}


@examples(100)
@given(
    st.data(), frames(), quasi_choices, st.sampled_from(RULES), st.integers(1, 12), st.sampled_from(list(RULE_MODELS)),
    st.sampled_from(["generalized", "bucketized"]), st.sampled_from([{}, {}, {"whole": 2.5, "plain": 0.3}]),
)  # fmt: skip
def test_classes_of_random_tables_are_those_of_the_oracle(data, frame, quasi, rule, k, kind, publish, importance):
    importance = {name: times for name, times in importance.items() if name in quasi}
    table = table_of(frame, quasi).with_settings(importance=importance)
    order = ordered(table, data.draw)
    model, holds = RULE_MODELS[kind](k, codes_of(frame["s"]))
    axes = axes_of(frame, quasi)
    for axis, name in zip(axes, table.quasi, strict=True):
        axis.times = importance.get(name, 1.0)
    method = Mondrian(rule, publish=publish, order=order if rule == "order" else None)
    if not holds(np.arange(len(frame))):
        with pytest.raises(Unsatisfiable):
            method(table, model)
        return
    rank = [axis.rank.tolist() for axis in axes]
    expected = oracle.widest_range(axes, holds, wanted(rule, table.quasi, rank, order, importance))
    assert classes_of(method(table, model)) == {frozenset(part.tolist()) for part in expected}


@pytest.mark.slow
@examples(40)
@given(
    st.data(), frames(most=70), quasi_choices, st.sampled_from(RULES), st.sampled_from(list(ON_LEVELS)),
    st.integers(1, 6),
)  # fmt: skip
def test_classes_on_levels_are_those_of_the_naive_search(data, frame, quasi, rule, case, n):
    table, ranges = table_on(frame, quasi, data.draw)
    order = ordered(table, data.draw)
    columns, s = naive(frame, quasi, ranges), frame["s"].fillna("missing").tolist()
    model, holds = (make(*given) for make, given in zip(ON_LEVELS[case], ((n,), (n, s)), strict=True))
    method = Mondrian(rule, recode="levels", order=order if rule == "order" else None)
    try:
        release = method(table, model)
    except Unsatisfiable:
        assert not all(map(holds, oracle_levels.beginning(columns)))
        return
    lowest = [column.shown[column.low] for column in columns]
    found = oracle_levels.widest(columns, holds, wanted(rule, table.quasi, lowest, order, {}))
    assert oracle.as_sets(release.group_of_record) == {frozenset(part) for part, _ in found}


@examples(40)
@given(st.data(), frames(least=4), quasi_choices, st.sampled_from(RULES))
def test_relaxed_mondrian_halves_the_table_on_the_preferred_attribute(data, frame, quasi, rule):
    table = table_of(frame, quasi)
    order = ordered(table, data.draw)
    method = Mondrian(rule, strict=False, order=order if rule == "order" else None)
    sizes, low, high = parts(method(table, KAnonymity(len(frame) // 2)))
    codes = [table.codes[name] for name in table.quasi]
    several = [a for a, column in enumerate(codes) if len(set(column.tolist())) > 1]
    if not several:
        assert len(sizes) == 1
        return
    first = max(several, key=lambda a: (wanted(rule, table.quasi, codes, order, {})(a, range(len(frame))), -a))
    median = np.sort(codes[first])[[len(frame) // 2 - 1, len(frame) // 2]]  # all are as wide: the earlier column
    assert sorted(sizes) == [len(frame) // 2, -(-len(frame) // 2)]
    assert (high[0, first], low[1, first]) == tuple(median)


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES)
def test_classes_of_adult_are_those_of_the_oracle(adult, rule):
    order = ("sex", "education") if rule == "order" else None
    axes = [
        oracle.axis_of(adult.frame[name], None if adult.columns[name].kind == "number" else adult.columns[name].labels)
        for name in adult.quasi
    ]
    first = wanted(rule, adult.quasi, [axis.rank for axis in axes], order, {})
    s = adult.codes["occupation"]
    holds = oracle.both(oracle.minimum_size(25), oracle.no_value_above(3, s))
    release = Mondrian(rule, order=order)(adult, KAnonymity(25) & ProbabilisticLDiversity(3))
    assert classes_of(release) == {frozenset(part.tolist()) for part in oracle.widest_range(axes, holds, first)}


def cross(**columns):
    """Return every combination of the columns' values once."""
    frame = pd.MultiIndex.from_product(columns.values(), names=columns).to_frame(index=False)
    frame["s"] = np.resize(["x", "y"], len(frame))
    return Table.from_frame(frame, list(columns), "s")


def runs(release):
    return {tuple(zip(low, high, strict=True)) for low, high in zip(*(
        side.tolist() for side in (release.classes.low, release.classes.high)), strict=True)}  # fmt: skip


def test_an_attribute_is_cut_as_far_as_possible_before_the_next():
    table = cross(a=range(4), b=range(4), c=range(4))
    for first in ("a", "b", "c"):
        classes = Mondrian("order", order=(first,))(table, KAnonymity(16)).classes
        at = table.quasi.index(first)
        assert (classes.low[:, at] == classes.high[:, at]).all() and len(classes) == 4
    classes = Mondrian("order", order=("c", "a"))(table, KAnonymity(8)).classes
    assert sorted((classes.high - classes.low).sum(axis=0).tolist()) == [0, 8, 24]
    assert (classes.low[:, 2] == classes.high[:, 2]).all() and (classes.high[:, 1] - classes.low[:, 1] == 3).all()


def test_attributes_missing_from_an_order_follow_by_width():
    table = cross(a=range(2), b=range(4), c=range(4)).with_settings(importance={"c": 9})
    classes = Mondrian("order", order=("b",))(table, KAnonymity(2)).classes
    assert (classes.low[:, 1:] == classes.high[:, 1:]).all() and (classes.low[:, 0] < classes.high[:, 0]).all()


def test_attributes_with_few_values_have_the_most_repetitions():
    table = cross(few=range(2), some=range(4), many=range(8))
    most, least = (Mondrian(rule)(table, KAnonymity(32)).classes for rule in ("most_repeated", "fewest"))
    assert (most.low[:, 0] == most.high[:, 0]).all() and len(most) == 2
    assert (least.low[:, :2] == 0).all() and (least.high[:, :2] == [1, 3]).all() and len(least) == 2


def test_records_are_suppressed_under_every_rule():
    for seed in range(4):
        table = table_of(random_frame(seed, 150, missing=0.1), ["whole", "word", "day"])
        for method in [*map(Mondrian, RULES[:2]), Mondrian("order", order=("word",))]:
            for recode in ("regions", "levels"):
                spending = Mondrian(**{**method.settings(), "suppress": 0.1, "recode": recode})
                release = spending(table, KAnonymity(5) & ProbabilisticLDiversity(1.5))
                assert release.audit(KAnonymity(5) & ProbabilisticLDiversity(1.5)).holds and release.suppressed <= 15


def test_an_order_names_quasi_identifiers(small):
    for order, says in [(("nope",), "'nope' is not a column"), (("disease",), "'disease' is not a quasi-identif")]:
        with pytest.raises(BadInput, match=says):
            Mondrian("order", order=order)(small(0), KAnonymity(2))
