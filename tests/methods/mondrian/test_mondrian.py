"""Strict Mondrian gives the classes of the oracle for any table and model."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.methods import oracle
from tests.methods.tables import axes_of, frames, quasi_choices, random_frame, table_of
from workbench.base import cell_kernels
from workbench.base.errors import BadInput, Unsatisfiable
from workbench.data import datasets
from workbench.data.cells import cell_of_record
from workbench.measures import QueryError
from workbench.methods import Mondrian
from workbench.methods.mondrian.information_gain import InformationGainSplitter
from workbench.methods.mondrian.levels import GainOfChildren, Levels, WidestNode
from workbench.methods.mondrian.mondrian import (
    classes_of_entries,
    median_splitters,
    neutral_columns,
    splitter_of,
    workload_splitters,
)
from workbench.methods.mondrian.splits import Nodes, Preferred, Widest
from workbench.models import (
    AlphaK,
    DeltaDisclosure,
    DistinctLDiversity,
    EntropyLDiversity,
    KAnonymity,
    ProbabilisticLDiversity,
    RecursiveLDiversity,
    TCloseness,
)
from workbench.queries.workload import Workload


def classes_of(release):
    return oracle.as_sets(release.group[cell_of_record(release.table, release.others)])


def codes_of(values):
    return np.unique(values.astype(object).fillna("missing").astype(str), return_inverse=True)[1]


@pytest.fixture(scope="module")
def adult_axes(adult):
    frame = adult.frame
    return [
        oracle.axis_of(frame[name], None if adult.columns[name].kind == "number" else adult.columns[name].labels)
        for name in adult.quasi
    ]


MODELS = {
    "k = 10": (KAnonymity(10), lambda s: oracle.minimum_size(10)),
    "k = 100": (KAnonymity(100), lambda s: oracle.minimum_size(100)),
    "l = 4": (ProbabilisticLDiversity(4), lambda s: oracle.no_value_above(4, s)),
    "t = 0.1, js": (TCloseness(0.1, "js"), lambda s: oracle.close_by_js(0.1, s)),
    "delta = 1.5": (DeltaDisclosure(1.5), lambda s: oracle.within_delta(1.5, s)),
    "k = 50 and t = 0.2": (
        KAnonymity(50) & TCloseness(0.2, "js"),
        lambda s: oracle.both(oracle.minimum_size(50), oracle.close_by_js(0.2, s)),
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", MODELS)
def test_classes_of_adult_are_those_of_the_oracle(adult, adult_axes, case):
    model, naive = MODELS[case]
    expected = oracle.widest_range(adult_axes, naive(adult.codes["occupation"]))
    release = Mondrian()(adult, model)
    assert classes_of(release) == {frozenset(part.tolist()) for part in expected}
    assert len(release.classes) == len(expected)


def test_classes_of_adult_with_missing_values_are_those_of_the_oracle():
    table = datasets.adult(quasi=["age", "workclass", "native_country"], sensitive=None, drop_missing=False)
    frame = table.frame
    axes = [oracle.axis_of(frame["age"])]
    axes += [oracle.axis_of(frame[name], table.columns[name].labels) for name in ("workclass", "native_country")]
    expected = oracle.widest_range(axes, oracle.minimum_size(25))
    assert classes_of(Mondrian()(table, KAnonymity(25))) == {frozenset(part.tolist()) for part in expected}


@examples(40)
@given(frames(), quasi_choices, st.integers(1, 12))
def test_even_halves_put_the_median_value_where_sizes_differ_least(frame, quasi, k):
    if len(frame) < k:
        return
    expected = oracle.widest_range(axes_of(frame, quasi), oracle.minimum_size(k), even=True)
    release = Mondrian(median="even")(table_of(frame, quasi), KAnonymity(k))
    assert classes_of(release) == {frozenset(part.tolist()) for part in expected}


def test_even_halves_give_other_classes_on_adult(adult, adult_axes):
    make_table = {median: Mondrian(median=median)(adult, KAnonymity(100)) for median in ("lower", "even")}
    for median, release in make_table.items():
        expected = oracle.widest_range(adult_axes, oracle.minimum_size(100), even=median == "even")
        assert classes_of(release) == {frozenset(part.tolist()) for part in expected}
    assert classes_of(make_table["even"]) != classes_of(make_table["lower"])


@pytest.mark.parametrize(("k", "classes"), [(10, 2148), (5000, 6)])
def test_the_number_of_classes_of_adult_equals_that_of_an_independent_study(adult, k, classes):
    assert len(Mondrian()(adult, KAnonymity(k)).classes) == classes


@examples(60)
@given(frames(), quasi_choices, st.integers(1, 12), st.sampled_from(["k", "l", "t", "delta"]))
def test_classes_of_random_tables_are_those_of_the_oracle(frame, quasi, k, kind):
    table, s = table_of(frame, quasi), codes_of(frame["s"])
    model, naive = {
        "k": (KAnonymity(k), oracle.minimum_size(k)),
        "l": (ProbabilisticLDiversity(1 + k / 10), oracle.no_value_above(1 + k / 10, s)),
        "t": (TCloseness(k / 30, "js"), oracle.close_by_js(k / 30, s)),
        "delta": (DeltaDisclosure(k / 3), oracle.within_delta(k / 3, s)),
    }[kind]
    if not naive(np.arange(len(frame))):
        with pytest.raises(Unsatisfiable):
            Mondrian()(table, model)
        return
    expected = oracle.widest_range(axes_of(frame, quasi), naive)
    assert classes_of(Mondrian()(table, model)) == {frozenset(part.tolist()) for part in expected}


@examples(60)
@given(frames(), quasi_choices, st.integers(1, 12), st.integers(1, 4), st.sampled_from(["generalized", "bucketized"]))
def test_classes_under_models_with_a_minimum_size_are_those_of_the_oracle(frame, quasi, k, l, publish):
    table, axes, s = table_of(frame, quasi), axes_of(frame, quasi), codes_of(frame["s"])
    size, few, l = KAnonymity(k), oracle.minimum_size(k), min(l, len(set(s)))
    for model, naive in (
        (size, few),
        (DistinctLDiversity(l), oracle.different(l, s)),
        (TCloseness(l / 8, "js") & size, oracle.both(few, oracle.close_by_js(l / 8, s))),
        (size & ProbabilisticLDiversity(1 + l / 9), oracle.both(few, oracle.no_value_above(1 + l / 9, s))),
        (size & DeltaDisclosure(l / 2), oracle.both(few, oracle.within_delta(l / 2, s))),
    ):
        if naive(np.arange(len(frame))):
            release = Mondrian(publish=publish)(table, model)
            assert classes_of(release) == {frozenset(part.tolist()) for part in oracle.widest_range(axes, naive)}
        else:
            with pytest.raises(Unsatisfiable):
                Mondrian(publish=publish)(table, model)


FLOORS = [KAnonymity(7), DistinctLDiversity(3), EntropyLDiversity(1.7), ProbabilisticLDiversity(1.4)]
FLOORS += [RecursiveLDiversity(2.0, 2), AlphaK(0.9, 5), KAnonymity(6) & TCloseness(0.3)]


@pytest.mark.parametrize("strict", [True, False], ids=["strict", "relaxed"])
@pytest.mark.parametrize("model", FLOORS, ids=str)
def test_a_minimum_size_saves_checks_and_changes_no_class(monkeypatch, model, strict):
    asked, verdict, floor = [], type(model).holds, model.min_class_size
    tables = [table_of(random_frame(seed, 300, missing=0.1), ["whole", "word", "real"]) for seed in range(4)]

    def make_table():
        asked.clear()
        groups = [Mondrian(strict=strict)(table, model).group.tolist() for table in tables]
        return groups, min(classes.sizes.min() for classes in asked if len(classes))

    monkeypatch.setattr(type(model), "holds", lambda self, classes: asked.append(classes) or verdict(self, classes))
    groups, smallest = make_table()
    assert smallest >= floor
    monkeypatch.setattr(type(model), "min_class_size", 1)
    again, smaller = make_table()
    assert again == groups and smaller < floor


def test_k_anonymity_is_checked_once_per_level(monkeypatch, adult):
    proposals = []
    propose = cell_kernels.propose
    monkeypatch.setattr(
        cell_kernels, "propose", lambda nodes, *given: proposals.append(nodes) or propose(nodes, *given)
    )
    release = Mondrian()(adult, KAnonymity(10))
    assert len(proposals) < 2 * np.log2(len(release.classes))


def test_without_a_model_every_combination_is_a_class(small):
    table = small(0)
    release = Mondrian()(table)
    assert len(release.classes) == len(table.frame.drop_duplicates(["age", "work", "sex"]))
    assert (release.classes.low == release.classes.high).all()


def test_every_sensitive_column_is_protected():
    frame, quasi, model = random_frame(5, 120, 2), ["whole", "word", "plain"], ProbabilisticLDiversity(1.2)
    make_table = {}
    for names in (("s", "s2"), ("s",), ("s2",)):
        naive = oracle.both(*(oracle.no_value_above(1.2, codes_of(frame[name])) for name in names))
        make_table[names] = {frozenset(part.tolist()) for part in oracle.widest_range(axes_of(frame, quasi), naive)}
        assert classes_of(Mondrian()(table_of(frame, quasi, names), model)) == make_table[names]
    assert len(make_table["s", "s2"]) < min(len(make_table["s",]), len(make_table["s2",]))


@pytest.mark.parametrize("method", [Mondrian(), Mondrian("information_gain", "plain")], ids=str)
def test_the_result_does_not_depend_on_the_batch_size(monkeypatch, method):
    table, model = table_of(random_frame(5, 150), ["whole", "word"]), ProbabilisticLDiversity(1.1)
    together = classes_of(method(table, model))
    monkeypatch.setattr("workbench.methods.mondrian.splits.LARGEST_BLOCK", 1)
    monkeypatch.setattr("workbench.methods.mondrian.information_gain.LARGEST_BLOCK", 1)
    assert classes_of(method(table, model)) == together and len(together) > 5


def test_a_table_with_no_sensitive_column_is_split_by_size(small):
    table = small(4, ())
    release = Mondrian()(table, KAnonymity(5))
    assert release.classes.histograms == {} and release.classes.sizes.min() >= 5
    assert classes_of(release) == classes_of(Mondrian()(small(4), KAnonymity(5)))


def test_a_bucketized_release_has_the_same_classes(small):
    plain, buckets = (Mondrian(publish=how)(small(6), KAnonymity(4)) for how in ("generalized", "bucketized"))
    assert classes_of(plain) == classes_of(buckets)


@pytest.mark.parametrize(
    "wrong",
    [
        {"split": "information_gain"},
        {"target": "sex"},
        {"split": "information_gain", "target": "sex", "strict": False},
        {"split": "widestt"},
        {"publish": "both"},
    ],
)
def test_incompatible_settings_are_refused(wrong):
    with pytest.raises(BadInput, match="mondrian"):
        Mondrian(**wrong)


def test_a_target_must_be_a_column_of_the_table(small):
    with pytest.raises(BadInput, match="'nope' is not a column"):
        Mondrian("information_gain", "nope")(small(0), KAnonymity(2))


# The search from the whole table to classes, and the best of several searches for a workload.

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
def test_search_incompatible_settings_are_refused(settings, says):
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
