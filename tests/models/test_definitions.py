"""Every model beside its definition, written with loops and fractions and compared at equality too."""

from dataclasses import replace
from fractions import Fraction
from math import exp, inf, log

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.methods import oracle
from workbench.base.errors import Undefined, Unsatisfiable
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

quick = settings(max_examples=60, deadline=None)


@st.composite
def partitions(draw, absent=True, classes=5):
    """Counts, classes x values: small numbers for ties, zeros for absent values, classes of one record."""
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
    """The largest l with r1 < c (rl + ... + rm)."""
    r = sorted(row, reverse=True)
    best = 1
    for n in range(1, len(r) + 1):
        if r[0] < c * sum(r[n - 1 :]):
            best = n
    return best


def gains(row, q):
    return [(p - q_v) / q_v for p, q_v in zip(shares(row), q, strict=True)]


def quotients(row, q, absent):
    """By what factor each share changes, up or down; infinite for absent values unless they are allowed."""
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
def test_the_score_is_that_of_the_definition(model, rows, classes_of):
    expected = [float(SCORES[model](row, prior(rows))) for row in rows]
    assert model.score(classes_of(*rows)) == pytest.approx(expected, abs=1e-12)


def as_mixed_as(row, equal):
    """Entropy at least log l, in whole numbers: n^n >= l^n times the product of c^c over the counts."""
    n, product = sum(row), 1
    for count in row:
        product *= count**count
    return n**n >= equal**n * product


# the model at a limit, whether a class keeps it in exact arithmetic, and the limits at which some class is on the edge
VERDICTS = {
    "k": (KAnonymity, lambda row, q, k: sum(row) >= k, lambda row, q: sum(row)),
    "alpha": (lambda a: AlphaK(a, k=1), lambda row, q, a: max(shares(row)) <= a, lambda row, q: max(shares(row))),
    "distinct": (DistinctLDiversity, lambda row, q, few: distinct(row) >= few, lambda row, q: distinct(row)),
    "entropy": (EntropyLDiversity, lambda row, q, equal: as_mixed_as(row, equal), lambda row, q: distinct(row)),
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
NO_LIMIT = {"c": 0, "beta": 0, "delta": 1, "lax delta": 1}  # the model may not ask for it


@pytest.mark.parametrize("kind", VERDICTS)
@given(rows=partitions())
@quick
def test_the_verdict_is_exact_with_a_class_on_the_edge(kind, rows, classes_of):
    build, keeps, edge = VERDICTS[kind]
    q = prior(rows)
    for limit in {edge(row, q) for row in rows} - {NO_LIMIT.get(kind)}:
        model = build(limit if isinstance(limit, int) else float(limit))
        assert model.holds(classes_of(*rows)).tolist() == [keeps(row, q, limit) for row in rows], limit


STRICT = [  # counts of classes, a model that the first class meets exactly, whether that is enough
    ([[2, 1]], KAnonymity(3), True),
    ([[2, 2]], AlphaK(0.5, k=4), True),
    ([[2, 2]], AlphaK(0.5, k=5), False),
    ([[1, 1, 5]], DistinctLDiversity(3), True),
    ([[2, 2, 2]], EntropyLDiversity(3), True),  # one well-known tool rejects it by rounding
    ([[7] * 11], EntropyLDiversity(11), True),
    ([[2, 2, 1]], ProbabilisticLDiversity(2.5), True),
    ([[3, 2, 1]], RecursiveLDiversity(c=1, l=2), False),
    ([[3, 2, 2]], RecursiveLDiversity(c=1, l=2), True),
    ([[1, 2, 3]], RecursiveLDiversity(c=1, l=2), False),  # the order of the values is of no account
    ([[5]], RecursiveLDiversity(c=0.1, l=1), True),
    ([[3, 1], [1, 3]], TCloseness(0.25), True),
    ([[2, 1], [1, 2]], DeltaDisclosure(log(1.5)), False),
    ([[2, 1], [1, 2]], DeltaDisclosure(log(1.5) + 1e-6), True),
    ([[3, 1], [1, 3]], BetaLikeness(0.5), True),
]


@pytest.mark.parametrize(("rows", "model", "holds"), STRICT, ids=str)
def test_equality_is_enough_or_not(rows, model, holds, classes_of):
    assert model.holds(classes_of(*rows))[0] == holds


@given(rows=partitions())
@quick
def test_recursive_diversity_for_l_1_always_holds(rows, classes_of):
    assert RecursiveLDiversity(c=0.01, l=1).holds(classes_of(*rows)).all()


def test_a_value_that_a_class_lacks_breaks_delta_disclosure_unless_it_is_allowed(classes_of):
    classes = classes_of([2, 2, 0], [2, 2, 4])
    assert DeltaDisclosure().score(classes)[0] == inf
    assert DeltaDisclosure(absent="allowed").score(classes)[0] == pytest.approx(log(1.5))


KINDS = [
    KAnonymity(), AlphaK(k=1), DistinctLDiversity(), EntropyLDiversity(), ProbabilisticLDiversity(),
    RecursiveLDiversity(c=1), RecursiveLDiversity(c=3), BetaLikeness(), BetaLikeness(enhanced=True),
    *(TCloseness(distance=kind) for kind in ("equal", "ordered", "hierarchical", "js")), DeltaDisclosure(),
]  # fmt: skip


def at_its_limit(model, classes):
    """The model with the limit that the worst class just keeps; None where no limit can be kept."""
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
def test_classes_that_keep_a_monotone_model_keep_it_merged(model, rows, rest, classes_of):
    values = len(rows[0])
    whole = np.sum(rows, axis=0) + rest[:values]
    levels = [[0] * (values - values // 2) + [1] * (values // 2)]
    chosen = at_its_limit(model, classes_of(*rows, whole=whole, levels=levels))
    assume(chosen)
    assert chosen.monotone
    assert chosen.holds(classes_of(*rows, whole=whole, levels=levels)).all()
    assert chosen.holds(classes_of(np.sum(rows, axis=0), whole=whole, levels=levels)).all()


def test_delta_disclosure_that_allows_absent_values_is_not_monotone_and_says_so(classes_of):
    model, whole = DeltaDisclosure(0.2, absent="allowed"), [900, 100]
    assert model.holds(classes_of([90, 0], [9, 1], whole=whole)).all()
    assert not model.holds(classes_of([99, 1], whole=whole)).any()
    assert not model.monotone
    assert not (KAnonymity() & model).monotone
    assert (KAnonymity() & DeltaDisclosure()).monotone


@pytest.mark.parametrize("model", [m for m in KINDS if m.figure in ("k", "l", "alpha")], ids=str)
@given(rows=partitions(classes=1), beyond=st.booleans())
@quick
def test_what_is_called_impossible_is_broken_by_the_whole_table(model, rows, beyond, classes_of):
    classes = classes_of(*rows)
    chosen = at_its_limit(model, classes)
    if beyond:
        limit = getattr(chosen, chosen.figure)
        chosen = replace(chosen, **{chosen.figure: limit * 0.99 if chosen.figure == "alpha" else limit + 1})
    if chosen.impossible(classes.sensitive["s"], int(classes.sizes.sum())):
        assert not chosen.holds(classes).any()


@given(rows=partitions(absent=False))
@quick
def test_information_gain_stays_below_delta_as_lemma_1_says(rows, classes_of):
    q, records = [float(x) for x in prior(rows)], sum(map(sum, rows))
    known = sum(sum(row) / records * sum(float(p) * log(p) for p in shares(row)) for row in rows)
    gain, delta = known - sum(x * log(x) for x in q), DeltaDisclosure().achieved(classes_of(*rows))
    assert gain < delta or (gain == pytest.approx(0, abs=1e-12) and delta == pytest.approx(0, abs=1e-12))


# --- models of the population


@st.composite
def drawn(draw):
    """A population of a few kinds of people, a sample of it, and which of its records are in which class."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    towns = rng.choice(list("abcd"), 60, p=[0.6, 0.2, 0.1, 0.1])
    everybody = pd.DataFrame({"age": rng.geometric(0.2, 60) + 20, "town": towns})
    chosen = rng.choice(60, draw(st.integers(2, 40)), replace=False)
    sample = everybody.iloc[chosen].reset_index(drop=True)
    return everybody, sample, rng.integers(0, draw(st.integers(1, 6)), len(sample))


def fits(everybody, sample, members):
    """Those whose every value lies between the least and the greatest of the members', in a town of the sample."""
    ages, towns = members.age, sorted(members.town)
    known = everybody[everybody.town.isin(set(sample.town))]
    return int((known.age.between(ages.min(), ages.max()) & known.town.between(towns[0], towns[-1])).sum())


def released(everybody, sample, group):
    table = Table.from_frame(sample, ["age", "town"]).with_population(everybody)
    of_cell = np.zeros(len(table.cells()), np.int32)
    of_cell[table.cell_of_record()] = group  # equal records are in one class, the last one's
    _, number = np.unique(of_cell, return_inverse=True)
    return table, Partition(table, table.cells(), number.astype(np.int32))


@quick
@given(drawn())
def test_models_of_the_population_count_who_fits(case):
    everybody, sample, group = case
    table, release = released(everybody, sample, group)
    members = [sample[release.group_of_record == g] for g in range(len(release.classes))]
    counts = [fits(everybody, sample, one) for one in members]
    assert KMap(1).score(release.classes).tolist() == counts and table.population.lacking == 0
    assert KMap(9).holds(release.classes).tolist() == [n >= 9 for n in counts]
    share = [Fraction(len(one), n) for one, n in zip(members, counts, strict=True)]
    model = DeltaPresence(0.25, 0.5)
    assert model.score(release.classes).tolist() == pytest.approx([float(one) for one in share])
    assert model.holds(release.classes).tolist() == [Fraction(1, 4) <= one <= Fraction(1, 2) for one in share]


@quick
@given(drawn(), st.integers(1, 25), st.booleans())
def test_mondrian_keeps_k_map_as_one_does_who_counts_at_each_cut(case, k, dealt):
    everybody, sample, _ = case
    table = Table.from_frame(sample, ["age", "town"]).with_population(everybody)
    if fits(everybody, sample, sample) < k:
        with pytest.raises(Unsatisfiable, match="even the whole table"):
            Mondrian()(table, KMap(k))
        return
    if dealt:
        assert Mondrian(strict=False)(table, KMap(k)).audit(KMap(k)).holds
        return
    axes = [oracle.axis_of(sample[name]) for name in ("age", "town")]
    expected = oracle.widest_range(axes, lambda part: fits(everybody, sample, sample.iloc[part]) >= k)
    found = Mondrian()(table, KMap(k))
    cells = oracle.as_sets(found.group[table.cell_of_record()])
    assert cells == {frozenset(part.tolist()) for part in expected}


@quick
@given(drawn(), st.integers(1, 25))
def test_merged_classes_fit_all_whom_one_of_them_did(case, k):
    everybody, sample, group = case
    _, apart = released(everybody, sample, group)
    _, merged = released(everybody, sample, group // 2)
    assert not KMap(k).holds(apart.classes).all() or KMap(k).holds(merged.classes).all()
    assert KMap(k).monotone and not DeltaPresence().monotone


def test_merging_may_break_delta_presence():
    everybody = pd.DataFrame({"age": [1, 1, 2, 2, 2, 2, 2, 2, 3, 3], "town": "a"})
    sample = pd.DataFrame({"age": [1, 3], "town": "a"})
    _, apart = released(everybody, sample, np.array([0, 1]))
    _, merged = released(everybody, sample, np.array([0, 0]))
    assert DeltaPresence(0.4, 0.6).holds(apart.classes).all()
    assert not DeltaPresence(0.4, 0.6).holds(merged.classes).any()  # those of age 2 fit, and nobody of them is there
    with pytest.raises(Unsatisfiable, match=r"low = 0\.6 is above high = 0\.4"):
        Mondrian()(apart.table, DeltaPresence(0.6, 0.4))


def test_models_of_the_population_refuse_what_they_cannot_know():
    sample = pd.DataFrame({"age": [1, 2, 2, 3], "town": list("abab")})
    table = Table.from_frame(sample, ["age"])
    with pytest.raises(Undefined, match="no population"):
        KMap(1).score(Keep()(table).classes)
    beside = table.with_population(sample.iloc[:3])
    assert KMap(1).score(Keep()(beside).classes).tolist() == [1, 2, 0]
    with pytest.raises(Undefined, match="1 records of the table have nobody in the population"):
        DeltaPresence().score(Keep()(beside).classes)
    with pytest.raises(Undefined, match="published unchanged"):
        KMap(1).score(Mondrian(publish="bucketized")(beside, KAnonymity(2)).classes)
    with pytest.raises(Undefined, match="split = widest"):
        Mondrian(split="information_gain", target="town")(table.with_population(sample), KMap(1))


def test_mondrian_may_leave_records_out_for_k_map():
    everybody = pd.DataFrame({"age": [*range(20, 60)] * 3 + [90], "town": "a"})
    table = Table.from_frame(everybody[::2], ["age"]).with_population(everybody)
    release = Mondrian(suppress=0.1)(table, KMap(6))
    assert release.audit(KMap(6)).holds and release.left_out <= 0.1 * table.records
