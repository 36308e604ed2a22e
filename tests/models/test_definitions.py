"""Every model beside its definition, written with loops and fractions and compared at equality too."""

from dataclasses import replace
from fractions import Fraction
from math import exp, inf, log

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

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
