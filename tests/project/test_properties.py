"""What holds of every table, method and model: drawn at random, checked by counting."""

import re
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.methods.tables import frames, quasi_choices, table_of
from workbench.base.errors import BadInput, Unsatisfiable
from workbench.measures import Discernibility, InformationLoss, KnowledgeGain, PrivacyLoss, UtilityLoss
from workbench.methods import Keep, Mondrian, Remove
from workbench.models import (
    AlphaK,
    BetaLikeness,
    DeltaDisclosure,
    DistinctLDiversity,
    EntropyLDiversity,
    KAnonymity,
    ProbabilisticLDiversity,
    RecursiveLDiversity,
    TCloseness,
)
from workbench.queries.populations import large_populations

STRICT = [
    Mondrian(),
    Mondrian(publish="bucketized"),
    Mondrian("information_gain", "plain"),
    Mondrian("information_gain", "s", "best"),
    Mondrian("information_gain", "person"),
    Mondrian(recode="levels"),
    Mondrian("information_gain", "s", recode="levels"),
    Mondrian("most_repeated"),
    Mondrian("workload", workload="random"),
    Mondrian("workload", workload="random", recode="levels"),
]
RELAXED = [
    Mondrian(strict=False),
    Mondrian(strict=False, publish="bucketized"),
    Mondrian("workload", workload="random", strict=False),
]
EVERY = [*STRICT, *RELAXED, Keep(), Remove()]

wholes, shares = st.integers(1, 12), st.floats(0.01, 1).map(lambda x: round(x, 3))
one_model = st.one_of(
    wholes.map(KAnonymity),
    st.builds(AlphaK, shares, wholes),
    st.integers(1, 5).map(DistinctLDiversity),
    st.floats(1, 4).map(EntropyLDiversity),
    st.floats(1, 4).map(ProbabilisticLDiversity),
    st.builds(RecursiveLDiversity, st.floats(0.5, 4), st.integers(1, 4)),
    st.builds(TCloseness, shares, st.sampled_from(["equal", "ordered", "hierarchical", "js"])),
    st.builds(DeltaDisclosure, st.floats(0.1, 4), st.sampled_from(["breaks", "allowed"])),
    st.builds(BetaLikeness, st.floats(0.1, 5), st.booleans()),
)
models = st.one_of(one_model, st.builds(lambda a, b: a & b, one_model, one_model))
methods = st.sampled_from(EVERY)


def made(method, table, model, seed=0):
    """The release, or None where none can be had; a refusal gives its reason."""
    try:
        return method(table, model, seed)
    except Unsatisfiable as refusal:
        reasons = "no release of this table can satisfy .+: .+|cannot satisfy .+: .+ is (broken|violated)"
        assert re.search(reasons, str(refusal))
        return None


def class_of_record(release):
    """The class of each record, as the analyst may see it and nobody else."""
    return release.group_of_record


@examples(60)
@given(frames(), quasi_choices, methods, st.integers(1, 6))
def test_the_classes_hold_every_record_once(frame, quasi, method, k):
    k = 1 if method.baseline else min(k, len(frame))
    release = method(table_of(frame, quasi, ("s", "s2")), KAnonymity(k))
    of = class_of_record(release)
    assert len(of) == len(frame)
    assert np.bincount(of, minlength=len(release.classes)).tolist() == release.classes.sizes.tolist()
    assert release.classes.sizes.min() > 0
    for name in ("s", "s2"):
        codes, histogram = release.table.codes[name], np.zeros_like(release.classes.histograms[name])
        np.add.at(histogram, (of, codes), 1)
        assert (histogram == release.classes.histograms[name]).all()
    assert sorted(release.frame()["person"]) == list(range(len(frame)))


def naive(model, values):
    """Return whether a class satisfies a model that is decided by counting."""
    counts = Counter(values)
    if isinstance(model, KAnonymity):
        return len(values) >= model.k
    if isinstance(model, AlphaK):
        return len(values) >= model.k and max(counts.values()) <= model.alpha * len(values) + 1e-6
    if isinstance(model, DistinctLDiversity):
        return len(counts) >= model.l
    if isinstance(model, ProbabilisticLDiversity):
        return max(counts.values()) * model.l <= len(values) + 1e-6
    return True


@examples(80)
@given(frames(), quasi_choices, methods, models, st.integers(0, 2))
def test_a_release_keeps_its_model_or_there_is_none(frame, quasi, method, model, seed):
    table = table_of(frame, quasi)
    release = made(method, table, model, seed)
    if release is not None:
        assert release.audit(model).holds
        of, values = class_of_record(release), frame["s"].fillna("missing").to_numpy()
        for number in range(len(release.classes)):
            assert all(naive(part, values[of == number].tolist()) for part in model.parts)


@examples(30)
@given(frames(), quasi_choices, st.integers(2, 5), st.sampled_from([*STRICT, *RELAXED]))
def test_what_the_whole_table_keeps_some_release_keeps(frame, quasi, k, method):
    """Mondrian begins with the whole table, so a monotone model that it keeps is never refused."""
    values = frame["s"].fillna("missing")
    most = len(frame) / values.value_counts().max()
    model = KAnonymity(min(k, len(frame))) & ProbabilisticLDiversity(max(1.0, most))
    assert made(method, table_of(frame, quasi), model) is not None


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (ProbabilisticLDiversity(15), "'occupation' has 14 values, fewer than l = 15"),
        (DistinctLDiversity(15), "'occupation' has 14 values, fewer than l = 15"),
        (EntropyLDiversity(15), "'occupation' has 14 values, fewer than l = 15"),
        (EntropyLDiversity(13.9), "is that of 10.6 values in equal shares, less than l"),
        (ProbabilisticLDiversity(8), "the commonest value of 'occupation' has a larger share than 1/l"),
        (AlphaK(0.1, 5), "the commonest value of 'occupation' has a larger share than alpha = 0.1"),
        (KAnonymity(45_223), "the table has 45,222 records, fewer than k = 45,223"),
        (KAnonymity(5) & DistinctLDiversity(15), "no release of this table can satisfy distinct l-diversity"),
    ],
    ids=str,
)
@pytest.mark.parametrize("method", [Mondrian(), Keep(), Remove()], ids=str)
def test_what_no_release_can_keep_is_refused_with_the_reason(adult, method, model, reason):
    with pytest.raises(Unsatisfiable, match=reason):
        method(adult, model)


def test_a_baseline_that_breaks_the_model_says_how(adult):
    message = r"keep cannot satisfy k-anonymity, k = 5 .* violated by [\d,]+ classes with [\d,]+ records"
    with pytest.raises(Unsatisfiable, match=message):
        Keep()(adult, KAnonymity(5))


def test_a_table_without_a_sensitive_column_refuses_models_that_need_one(adult):
    bare = adult.with_roles(["age", "sex"])
    with pytest.raises(Unsatisfiable, match="needs a sensitive column, and the table has none"):
        Mondrian()(bare, KAnonymity(5) & TCloseness(0.2))
    assert len(Mondrian()(bare, KAnonymity(5)).classes) > 50


@pytest.mark.parametrize(("model", "value"), [(KAnonymity, 0), (KAnonymity, 2.5), (ProbabilisticLDiversity, 0.9)])
def test_parameters_outside_their_range_are_bad_input(model, value):
    with pytest.raises(BadInput, match="must be"):
        model(value)


@examples(50)
@given(frames(), quasi_choices, st.sampled_from([*STRICT, *RELAXED, Keep()]), st.integers(1, 10))
def test_runs_and_labels_cover_the_originals(frame, quasi, method, k):
    table = table_of(frame, quasi)
    release = method(table, None if isinstance(method, Keep) else KAnonymity(min(k, len(frame))))
    of, classes = class_of_record(release), release.classes
    for a, name in enumerate(table.quasi):
        codes = table.codes[name]
        assert (classes.low[of, a] <= codes).all() and (codes <= classes.high[of, a]).all()
        runs = list(zip(classes.low[:, a].tolist(), classes.high[:, a].tolist(), strict=True))
        labels = release.class_labels(name)
        assert len(set(labels)) == len(set(runs)) == len(set(zip(labels, runs, strict=True)))  # one to one


def covers(label, value):
    """Return whether a label covers a value."""
    if label.endswith("missing") and pd.isna(value):
        return True
    label = label.removesuffix(" or missing")
    ends = re.fullmatch(r"\[(-?[\d-]+?)(?:-|\.\.| to )(-?[\d-]+)\]|\[(.+)\.\.(.+)\]", label)
    spelled = str(value.date()) if isinstance(value, pd.Timestamp) else str(value)
    if ends:
        low, high = (end for end in ends.groups() if end is not None)
        return low <= spelled <= high if isinstance(value, pd.Timestamp) else float(low) <= value <= float(high)
    if label.startswith("{"):
        return spelled in label[1:-1].split(", ")
    groups = {"P": "w1 w2", "Q": "w3 w4", "R": "w5", "PQ": "w1 w2 w3 w4"}
    return spelled in groups.get(label, "").split() or label in (spelled, spelled.removesuffix(".0"))


@examples(40)
@given(frames(), quasi_choices, st.sampled_from([Mondrian(), Mondrian("information_gain", "s"), *RELAXED[:1], Keep()]))
def test_every_published_row_reads_as_something_that_covers_its_person(frame, quasi, method):
    table = table_of(frame, quasi)
    release = method(table, None if isinstance(method, Keep) else KAnonymity(min(4, len(frame))))
    published = release.frame().set_index("person")
    for name in quasi:
        for person, value in frame.set_index("person")[name].items():
            assert covers(published.loc[person, name], value), (name, value, published.loc[person, name])


@examples(25)
@given(frames(least=8), quasi_choices, st.sampled_from(STRICT), st.integers(1, 6), st.integers(0, 99))
def test_the_order_of_the_records_changes_no_measure(frame, quasi, method, k, seed):
    values, quasi = [], list({*quasi, "plain"})
    for rows in (frame, frame.sample(frac=1, random_state=seed)):
        release = method(table_of(rows, quasi), KAnonymity(k))
        measures = (PrivacyLoss(), KnowledgeGain(), UtilityLoss(0.1), Discernibility(), InformationLoss())
        values.append([len(release.classes), *(measure(release).value for measure in measures)])
    assert values[0] == pytest.approx(values[1], abs=1e-12)


@examples(25)
@given(frames(least=8), quasi_choices, st.sampled_from([Mondrian(), RELAXED[0]]), st.integers(1, 6))
def test_the_names_of_the_columns_change_no_class(frame, quasi, method, k):
    other = {name: f"{'zyxwvutsr'[i]} {name}" for i, name in enumerate(frame) if name not in ("word", "whole")}
    plain = method(table_of(frame, quasi), KAnonymity(k)).classes
    named = [other.get(name, name) for name in quasi]
    renamed = method(table_of(frame.rename(columns=other), named, (other["s"],)), KAnonymity(k)).classes
    assert (plain.low == renamed.low).all() and (plain.high == renamed.high).all()
    assert (plain.histograms["s"] == renamed.histograms[other["s"]]).all()


@examples(25)
@given(frames(), quasi_choices)
def test_keep_and_buckets_estimate_what_is_true(frame, quasi):
    table = table_of(frame, quasi)
    populations = large_populations(table, 0.1)
    kept, buckets = Keep()(table), Mondrian(publish="bucketized")(table, KAnonymity(min(3, len(frame))))
    assert kept.estimate(populations, "s") == pytest.approx(populations.truth["s"], abs=1e-6)
    for release in (kept, buckets):
        assert release.estimate(populations)[:, 0] == pytest.approx(populations.support, abs=1e-6)
        assert release.estimate(populations, "s").sum(axis=1) == pytest.approx(populations.support, abs=1e-6)


@examples(25)
@given(frames(), quasi_choices, st.sampled_from([*STRICT, *RELAXED, Remove()]))
def test_parts_of_the_whole_are_estimated_to_add_up(frame, quasi, method):
    """Populations that part an attribute with no gaps between its codes: their estimates sum to the table's totals."""
    table = table_of(frame, list({*quasi, "plain"}))
    release = method(table, KAnonymity(min(4, len(frame))))
    a, size = table.quasi.index("plain"), table.columns["plain"].size
    parts = np.array([[[0, table.columns[name].size - 1] for name in table.quasi]] * size)
    parts[:, a] = np.arange(size)[:, None]
    assert release.estimate(parts, "s").sum(axis=0) == pytest.approx(table.sensitive["s"].totals)


@examples(25)
@given(frames(least=10), quasi_choices, st.integers(1, 4), st.integers(0, 99))
def test_classes_that_merge_keep_a_monotone_model(frame, quasi, k, seed):
    model = KAnonymity(k) & TCloseness(0.4) & AlphaK(0.9, 1) & EntropyLDiversity(1.1) & DeltaDisclosure(3.0)
    release = made(Mondrian(), table_of(frame, quasi), model)
    if release is not None:
        number = np.random.default_rng(seed).integers(0, 3, len(release.classes))
        merged = release.classes.merged(np.unique(number, return_inverse=True)[1])
        assert model.holds(merged).all() and merged.sizes.sum() == len(frame)
