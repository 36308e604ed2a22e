"""Every model compared with its definition in loops and fractions, also at equality."""

from dataclasses import replace
from fractions import Fraction
from math import exp, inf, log

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.examples import examples
from tests.methods import oracle
from workbench.base.errors import Undefined, Unsatisfiable
from workbench.data.cells import cell_of_record
from workbench.data.table import Table
from workbench.methods import Keep, Mondrian
from workbench.models import (
    AlphaK,
    BetaLikeness,
    DeltaDisclosure,
    DeltaPresence,
    DistinctLDiversity,
    EntropyLDiversity,
    KAnonymity,
    KMap,
    ProbabilisticLDiversity,
    RecursiveLDiversity,
    TCloseness,
)
from workbench.releases.partition import Partition

quick = examples(60)


@st.composite
def partitions(draw, absent=True, classes=5):
    """Draw counts, classes x values: small numbers for ties, zeros for absent values, classes of one record."""
    values = draw(st.integers(2, 5))
    counts = st.integers(0 if absent else 1, 4)
    rows = draw(st.lists(st.lists(counts, min_size=values, max_size=values), min_size=1, max_size=classes))
    rows = [row for row in rows if sum(row)]
    assume(rows and all(sum(column) for column in zip(*rows, strict=True)))
    return rows


def shares(row):
    return [Fraction(n, sum(row)) for n in row]


def prior(rows):
    return shares([sum(column) for column in zip(*rows, strict=True)])


def distinct(row):
    return sum(n > 0 for n in row)


def moved(row, q):
    return sum(abs(p - r) for p, r in zip(shares(row), q, strict=True)) / 2


def largest_l(row, c):
    """Return the largest l with r1 < c (rl + ... + rm)."""
    r = sorted(row, reverse=True)
    best = 1
    for n in range(1, len(r) + 1):
        if r[0] < c * sum(r[n - 1 :]):
            best = n
    return best


def gains(row, q):
    return [(p - q_v) / q_v for p, q_v in zip(shares(row), q, strict=True)]


def quotients(row, q, absent):
    """Return the factor by which each share changes, up or down; infinite for absent values unless they are allowed."""
    found = []
    for p, q_v in zip(shares(row), q, strict=True):
        if p:
            found.append(max(p / q_v, q_v / p))
        elif absent == "breaks":
            found.append(inf)
    return max(found)


SCORES = {  # the score of one class, from its counts and Q
    KAnonymity(3): lambda row, q: sum(row),
    AlphaK(k=1): lambda row, q: max(shares(row)),
    AlphaK(k=4): lambda row, q: max(shares(row)) if sum(row) >= 4 else inf,
    DistinctLDiversity(2): lambda row, q: distinct(row),
    EntropyLDiversity(2): lambda row, q: exp(-sum(p * log(p) for p in shares(row) if p)),
    ProbabilisticLDiversity(2): lambda row, q: 1 / max(shares(row)),
    RecursiveLDiversity(c=2, l=2): lambda row, q: largest_l(row, 2),
    RecursiveLDiversity(c=0.5, l=2): lambda row, q: largest_l(row, Fraction(1, 2)),
    TCloseness(distance="equal"): moved,
    DeltaDisclosure(): lambda row, q: log(quotients(row, q, "breaks")),
    DeltaDisclosure(absent="allowed"): lambda row, q: log(quotients(row, q, "allowed")),
    BetaLikeness(): lambda row, q: max(gains(row, q)),
    BetaLikeness(enhanced=True): lambda row, q: (
        inf if any(g > -log(q_v) for g, q_v in zip(gains(row, q), q, strict=True)) else max(gains(row, q))
    ),
}


@pytest.mark.parametrize("model", SCORES, ids=str)
@given(rows=partitions())
@quick
def test_the_score_equals_the_definition(model, rows, classes_of):
    expected = [float(SCORES[model](row, prior(rows))) for row in rows]
    assert model.score(classes_of(*rows)) == pytest.approx(expected, abs=1e-12)


def has_entropy_of(row, equal):
    """Return whether the entropy is at least log l, in integers: n^n >= l^n times the product of c^c over counts."""
    n, product = sum(row), 1
    for count in row:
        product *= count**count
    return n**n >= equal**n * product


# the model at a limit, whether a class satisfies it in exact arithmetic, and the limits that some class just meets
VERDICTS = {
    "k": (KAnonymity, lambda row, q, k: sum(row) >= k, lambda row, q: sum(row)),
    "alpha": (lambda a: AlphaK(a, k=1), lambda row, q, a: max(shares(row)) <= a, lambda row, q: max(shares(row))),
    "distinct": (DistinctLDiversity, lambda row, q, few: distinct(row) >= few, lambda row, q: distinct(row)),
    "entropy": (EntropyLDiversity, lambda row, q, equal: has_entropy_of(row, equal), lambda row, q: distinct(row)),
    "1/l": (ProbabilisticLDiversity, lambda row, q, x: max(shares(row)) <= 1 / x, lambda row, q: 1 / max(shares(row))),
    "c": (
        lambda c: RecursiveLDiversity(c, 2),
        lambda row, q, c: largest_l(row, c) >= 2,
        lambda row, q: Fraction(max(row), max(1, sum(row) - max(row))),
    ),
    "t": (TCloseness, lambda row, q, t: moved(row, q) <= t, moved),
    "delta": (
        lambda e: DeltaDisclosure(log(e)),
        lambda row, q, e: quotients(row, q, "breaks") < e,
        lambda row, q: quotients(row, q, "allowed"),
    ),
    "lax delta": (
        lambda e: DeltaDisclosure(log(e), absent="allowed"),
        lambda row, q, e: quotients(row, q, "allowed") < e,
        lambda row, q: quotients(row, q, "allowed"),
    ),
    "beta": (BetaLikeness, lambda row, q, b: max(gains(row, q)) <= b, lambda row, q: max(gains(row, q))),
}
NO_LIMIT = {"c": 0, "beta": 0, "delta": 1, "lax delta": 1}  # not allowed as a limit


@pytest.mark.parametrize("kind", VERDICTS)
@given(rows=partitions())
@quick
def test_the_result_is_exact_for_a_class_at_the_limit(kind, rows, classes_of):
    build, keeps, edge = VERDICTS[kind]
    q = prior(rows)
    for limit in {edge(row, q) for row in rows} - {NO_LIMIT.get(kind)}:
        model = build(limit if isinstance(limit, int) else float(limit))
        assert model.holds(classes_of(*rows)).tolist() == [keeps(row, q, limit) for row in rows], limit


STRICT = [  # counts of classes, a model that the first class meets exactly, whether it holds
    ([[2, 1]], KAnonymity(3), True),
    ([[2, 2]], AlphaK(0.5, k=4), True),
    ([[2, 2]], AlphaK(0.5, k=5), False),
    ([[1, 1, 5]], DistinctLDiversity(3), True),
    ([[2, 2, 2]], EntropyLDiversity(3), True),  # pycanon rejects it because of rounding
    ([[7] * 11], EntropyLDiversity(11), True),
    ([[2, 2, 1]], ProbabilisticLDiversity(2.5), True),
    ([[3, 2, 1]], RecursiveLDiversity(c=1, l=2), False),
    ([[3, 2, 2]], RecursiveLDiversity(c=1, l=2), True),
    ([[1, 2, 3]], RecursiveLDiversity(c=1, l=2), False),  # the order of the values does not matter
    ([[5]], RecursiveLDiversity(c=0.1, l=1), True),
    ([[3, 1], [1, 3]], TCloseness(0.25), True),
    ([[2, 1], [1, 2]], DeltaDisclosure(log(1.5)), False),
    ([[2, 1], [1, 2]], DeltaDisclosure(log(1.5) + 1e-6), True),
    ([[3, 1], [1, 3]], BetaLikeness(0.5), True),
]


@pytest.mark.parametrize(("rows", "model", "holds"), STRICT, ids=str)
def test_equality_at_the_limit(rows, model, holds, classes_of):
    assert model.holds(classes_of(*rows))[0] == holds


@given(rows=partitions())
@quick
def test_recursive_diversity_for_l_1_always_holds(rows, classes_of):
    assert RecursiveLDiversity(c=0.01, l=1).holds(classes_of(*rows)).all()


def test_a_value_missing_from_a_class_violates_delta_disclosure_unless_allowed(classes_of):
    classes = classes_of([2, 2, 0], [2, 2, 4])
    assert DeltaDisclosure().score(classes)[0] == inf
    assert DeltaDisclosure(absent="allowed").score(classes)[0] == pytest.approx(log(1.5))


KINDS = [
    KAnonymity(), AlphaK(k=1), DistinctLDiversity(), EntropyLDiversity(), ProbabilisticLDiversity(),
    RecursiveLDiversity(c=1), RecursiveLDiversity(c=3), BetaLikeness(), BetaLikeness(enhanced=True),
    *(TCloseness(distance=kind) for kind in ("equal", "ordered", "hierarchical", "js")), DeltaDisclosure(),
]  # fmt: skip


def at_its_limit(model, classes):
    """Return the model with the limit that the worst class just satisfies; None if there is none."""
    worst = model.achieved(classes)
    parameter = {"k": "k", "alpha": "alpha", "l": "l", "t": "t", "delta": "delta", "beta": "beta"}[model.figure]
    if worst == inf or (worst == 0 and model.figure in ("beta", "delta")):
        return None
    worst = worst + 1e-6 if model.strict else worst
    whole = isinstance(getattr(model, parameter), int)
    return replace(model, **{parameter: int(worst) if whole else float(worst)})


@pytest.mark.parametrize("model", KINDS, ids=str)
@given(rows=partitions(classes=2), rest=st.lists(st.integers(1, 9), min_size=5, max_size=5))
@quick
def test_merged_classes_satisfy_a_monotone_model(model, rows, rest, classes_of):
    values = len(rows[0])
    whole = np.sum(rows, axis=0) + rest[:values]
    levels = [[0] * (values - values // 2) + [1] * (values // 2)]
    chosen = at_its_limit(model, classes_of(*rows, whole=whole, levels=levels))
    assume(chosen)
    assert chosen.monotone
    assert chosen.holds(classes_of(*rows, whole=whole, levels=levels)).all()
    assert chosen.holds(classes_of(np.sum(rows, axis=0), whole=whole, levels=levels)).all()


def test_delta_disclosure_with_absent_values_allowed_is_not_monotone(classes_of):
    model, whole = DeltaDisclosure(0.2, absent="allowed"), [900, 100]
    assert model.holds(classes_of([90, 0], [9, 1], whole=whole)).all()
    assert not model.holds(classes_of([99, 1], whole=whole)).any()
    assert not model.monotone
    assert not (KAnonymity() & model).monotone
    assert (KAnonymity() & DeltaDisclosure()).monotone


@pytest.mark.parametrize("model", [m for m in KINDS if m.figure in ("k", "l", "alpha")], ids=str)
@given(rows=partitions(classes=1), beyond=st.booleans())
@quick
def test_the_whole_table_violates_a_model_reported_as_impossible(model, rows, beyond, classes_of):
    classes = classes_of(*rows)
    chosen = at_its_limit(model, classes)
    if beyond:
        limit = getattr(chosen, chosen.figure)
        chosen = replace(chosen, **{chosen.figure: limit * 0.99 if chosen.figure == "alpha" else limit + 1})
    if chosen.explain_impossible(classes.sensitive["s"], int(classes.sizes.sum())):
        assert not chosen.holds(classes).any()


@given(rows=partitions(absent=False))
@quick
def test_information_gain_is_below_delta_by_lemma_1(rows, classes_of):
    q, records = [float(x) for x in prior(rows)], sum(map(sum, rows))
    known = sum(sum(row) / records * sum(float(p) * log(p) for p in shares(row)) for row in rows)
    gain, delta = known - sum(x * log(x) for x in q), DeltaDisclosure().achieved(classes_of(*rows))
    assert gain < delta or (gain == pytest.approx(0, abs=1e-12) and delta == pytest.approx(0, abs=1e-12))


# --- models of the population


@st.composite
def population_cases(draw):
    """Draw a population with few distinct people, a sample of it, and the class of each sampled record."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    towns = rng.choice(list("abcd"), 60, p=[0.6, 0.2, 0.1, 0.1])
    everybody = pd.DataFrame({"age": rng.geometric(0.2, 60) + 20, "town": towns})
    chosen = rng.choice(60, draw(st.integers(2, 40)), replace=False)
    sample = everybody.iloc[chosen].reset_index(drop=True)
    return everybody, sample, rng.integers(0, draw(st.integers(1, 6)), len(sample))


def covered(everybody, sample, members):
    """Return which people have only values within the range of the members, in a town of the sample."""
    ages, towns = members.age, sorted(members.town)
    known = everybody.town.isin(set(sample.town)) & everybody.town.between(towns[0], towns[-1])
    return np.array(known & everybody.age.between(ages.min(), ages.max()))


def fits(everybody, sample, members):
    return int(covered(everybody, sample, members).sum())


def released(everybody, sample, group):
    table = Table.from_frame(sample, ["age", "town"]).with_settings(population=everybody)
    of_cell = np.zeros(len(table.cells()), np.int32)
    of_cell[cell_of_record(table)] = group  # equal records are in one class: that of the last
    _, number = np.unique(of_cell, return_inverse=True)
    return table, Partition(table, table.cells(), number.astype(np.int32))


@quick
@given(population_cases())
def test_population_models_count_the_people_who_match(case):
    everybody, sample, group = case
    table, release = released(everybody, sample, group)
    members = [sample[release.group_of_record == g] for g in range(len(release.classes))]
    counts = [fits(everybody, sample, one) for one in members]
    assert KMap(1).score(release.classes).tolist() == counts and table.population.lacking == 0
    assert KMap(9).holds(release.classes).tolist() == [n >= 9 for n in counts]
    who = [covered(everybody, sample, one) for one in members]
    each = sum(mask * Fraction(len(one), n) for mask, one, n in zip(who, members, counts, strict=True))
    model, inside = DeltaPresence(0.25, 0.5), [each[mask] for mask in who]
    assert model.score(release.classes).tolist() == pytest.approx([min(1.0, float(max(some))) for some in inside])
    assert model.holds(release.classes).tolist() == [
        Fraction(1, 4) <= min(some) and max(some) <= Fraction(1, 2) for some in inside
    ]
    assert model.uncovered(release.classes) == (each == 0).sum()


@quick
@given(population_cases(), st.integers(1, 25), st.booleans())
def test_mondrian_with_k_map_equals_counting_at_each_cut(case, k, dealt):
    everybody, sample, _ = case
    table = Table.from_frame(sample, ["age", "town"]).with_settings(population=everybody)
    if fits(everybody, sample, sample) < k:
        with pytest.raises(Unsatisfiable, match=r"even the whole table|violated by 1 classes"):
            Mondrian()(table, KMap(k))
        return
    if dealt:
        assert Mondrian(strict=False)(table, KMap(k)).audit(KMap(k)).holds
        return
    axes = [oracle.axis_of(sample[name]) for name in ("age", "town")]
    expected = oracle.widest_range(axes, lambda part: fits(everybody, sample, sample.iloc[part]) >= k)
    found = Mondrian()(table, KMap(k))
    cells = oracle.as_sets(found.group[cell_of_record(table)])
    assert cells == {frozenset(part.tolist()) for part in expected}


@quick
@given(population_cases(), st.integers(1, 25))
def test_merged_classes_match_everyone_whom_one_of_them_matched(case, k):
    everybody, sample, group = case
    _, apart = released(everybody, sample, group)
    _, merged = released(everybody, sample, group // 2)
    assert not KMap(k).holds(apart.classes).all() or KMap(k).holds(merged.classes).all()
    assert KMap(k).monotone and not DeltaPresence().monotone


def test_merging_may_violate_delta_presence():
    everybody = pd.DataFrame({"age": [1, 1, 2, 2, 2, 2, 2, 2, 3, 3], "town": "a"})
    sample = pd.DataFrame({"age": [1, 3], "town": "a"})
    _, apart = released(everybody, sample, np.array([0, 1]))
    _, merged = released(everybody, sample, np.array([0, 0]))
    assert DeltaPresence(0.4, 0.6).holds(apart.classes).all()
    assert not DeltaPresence(0.4, 0.6).holds(merged.classes).any()  # people of age 2 match, none is sampled
    with pytest.raises(Unsatisfiable, match=r"low = 0\.6 is above high = 0\.4"):
        Mondrian()(apart.table, DeltaPresence(0.6, 0.4))


def test_population_models_are_undefined_without_their_inputs():
    sample = pd.DataFrame({"age": [1, 2, 2, 3], "town": list("abab")})
    table = Table.from_frame(sample, ["age"])
    with pytest.raises(Undefined, match="no population"):
        KMap(1).score(Keep()(table).classes)
    beside = table.with_settings(population=sample.iloc[:3])
    assert KMap(1).score(Keep()(beside).classes).tolist() == [1, 2, 0]
    with pytest.raises(Undefined, match="1 records of the table match nobody in the population"):
        DeltaPresence().score(Keep()(beside).classes)
    with pytest.raises(Undefined, match="published unchanged"):
        KMap(1).score(Mondrian(publish="bucketized")(beside, KAnonymity(2)).classes)
    with pytest.raises(Undefined, match="split = widest"):
        Mondrian(split="information_gain", target="town")(table.with_settings(population=sample), KMap(1))


def test_mondrian_may_suppress_records_for_k_map():
    everybody = pd.DataFrame({"age": [*range(20, 60)] * 3 + [90], "town": "a"})
    table = Table.from_frame(everybody[::2], ["age"]).with_settings(population=everybody)
    release = Mondrian(suppress=0.1)(table, KMap(6))
    assert release.audit(KMap(6)).holds and release.suppressed <= 0.1 * table.records
