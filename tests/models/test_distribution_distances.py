"""Distances compared with the definition: earth mover's as a transport problem, Jensen-Shannon term by term."""

from math import log

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from tests.examples import examples
from workbench.base.errors import Undefined
from workbench.data.hierarchies.builders import Intervals
from workbench.data.table import Table
from workbench.measures import PrivacyLoss
from workbench.methods import Keep
from workbench.models import TCloseness
from workbench.models.distribution_distances import DISTANCES, Bounds, distance, max_distance

quick = examples(40)
KINDS = sorted(DISTANCES)


@st.composite
def pairs(draw, most=7):
    """Draw two distributions over the same values, from small counts: ties, absent values, all on one value."""
    values = draw(st.integers(2, most))
    counts = st.lists(st.integers(0, 5), min_size=values, max_size=values).filter(any)
    return [np.array(row) / sum(row) for row in (draw(counts), draw(counts))]


@st.composite
def trees(draw, values):
    """Draw levels over the values, finest first, each a partition into runs nested in the next."""
    starts, levels = set(range(1, values)), []
    for _ in range(draw(st.integers(0, 3))):
        starts = {s for s in starts if draw(st.booleans())}
        levels.append(np.cumsum([s in starts for s in range(values)]))
    return levels


def transport(p, q, ground):
    """Return the minimum cost of moving p to q, by linear programming."""
    n = len(p)
    leaves, arrives = np.kron(np.eye(n), np.ones(n)), np.kron(np.ones(n), np.eye(n))
    found = linprog(np.ravel(ground), A_eq=np.vstack([leaves, arrives]), b_eq=np.concatenate([p, q]))
    assert found.status == 0
    return found.fun


@given(pairs())
@quick
def test_equal_distance_is_the_transport_at_cost_1(pair):
    p, q = pair
    assert distance("equal", p, q) == pytest.approx(transport(p, q, 1 - np.eye(len(p))), abs=1e-9)
    assert distance("variation", p, q) == distance("equal", p, q)


@given(pairs())
@quick
def test_ordered_distance_is_the_transport_at_the_cost_of_ranks(pair):
    p, q = pair
    rank = np.arange(len(p))
    ground = np.abs(rank[:, None] - rank) / (len(p) - 1)
    assert distance("ordered", p, q) == pytest.approx(transport(p, q, ground), abs=1e-9)


@given(st.data(), pairs())
@quick
def test_hierarchical_distance_is_the_transport_at_the_height_of_the_common_ancestor(data, pair):
    p, q = pair
    levels = data.draw(trees(len(p)))
    stages = [np.arange(len(p)), *levels, np.zeros(len(p))]
    heights = [
        [next(h for h, nodes in enumerate(stages) if nodes[v] == nodes[w]) for w in range(len(p))]
        for v in range(len(p))
    ]
    ground = np.array(heights) / (len(stages) - 1)
    assert distance("hierarchical", p, q, levels) == pytest.approx(transport(p, q, ground), abs=1e-9)


@given(pairs())
@quick
def test_jensen_shannon_is_the_mean_divergence_from_the_middle(pair):
    p, q = pair
    terms = [(a, (x + y) / 2) for x, y in zip(p, q, strict=True) for a in (x, y) if a]
    expected = sum(a * log(a / middle) for a, middle in terms) / 2
    assert distance("js", p, q) == pytest.approx(expected, abs=1e-12)


def test_a_small_jensen_shannon_divergence_keeps_its_digits():
    d = 1e-6
    p, q = np.array([0.5 + d, 0.5 - d, 0]), np.array([0.5, 0.5, 0])
    assert float(distance("js", p, q)) == pytest.approx(d * d / 2, rel=1e-6)  # to the second order


@pytest.mark.parametrize("kind", KINDS)
@given(pairs())
@quick
def test_every_distance_is_0_for_equals_symmetric_and_within_its_range(kind, pair):
    p, q = pair
    found = float(distance(kind, p, q))
    assert found == pytest.approx(float(distance(kind, q, p)), abs=1e-12)
    assert 0 <= found <= (log(2) if kind == "js" else 1) + 1e-12
    assert distance(kind, p, p) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_two_different_certain_values_are_at_the_maximum_distance(kind):
    first, last = np.eye(4)[[0, 3]]
    assert distance(kind, first, last, [np.array([0, 0, 1, 1])]) == pytest.approx(log(2) if kind == "js" else 1)


@pytest.mark.parametrize("kind", KINDS)
@given(pairs(), pairs())
@quick
def test_distances_of_many_classes_equal_those_of_each(kind, one, other):
    values = min(len(one[0]), len(other[0]))
    rows = np.array([row[:values] + 0.01 for row in (*one, *other)])
    rows /= rows.sum(axis=1, keepdims=True)
    levels = [np.arange(values) // 2]
    together = distance(kind, rows, rows[0], levels)
    assert together == pytest.approx([float(distance(kind, row, rows[0], levels)) for row in rows], abs=1e-12)
    assert distance(kind, rows, rows, levels) == pytest.approx(np.zeros(4), abs=1e-12)


def test_siblings_are_closer_than_cousins():
    levels = [np.array([0, 0, 1, 1])]
    person, sibling, cousin = np.eye(4)[:3]
    assert distance("hierarchical", person, sibling, levels) == 0.5
    assert distance("hierarchical", person, cousin, levels) == 1
    assert distance("hierarchical", person, cousin) == 1  # no levels: the root alone


def test_levels_that_do_not_nest_are_undefined_for_the_hierarchical_distance_only():
    crossing = [np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1])]
    p, q = np.eye(4)[:2]
    with pytest.raises(Undefined, match="nested levels"):
        distance("hierarchical", p, q, crossing)
    assert distance("ordered", p, q, crossing) == pytest.approx(1 / 3)


@pytest.mark.parametrize("widths, refused", [((10, 15, 30), True), ((10, 25, 50), True), ((10, 20, 40), False)])
def test_a_level_that_splits_runs_of_the_model_level_is_undefined(widths, refused):
    """The values at a level are runs, and a higher level may split a run."""
    frame = pd.DataFrame({"age": [1, 2, 3, 4] * 25, "wage": range(100)})
    table = Table.from_frame(frame, ["age"], "wage", hierarchies={"wage": Intervals(widths=widths)}, levels={"wage": 1})
    release, model = Keep()(table), TCloseness(1.0, distance="hierarchical")
    for call in (lambda: PrivacyLoss(distance="hierarchical")(release), lambda: release.audit(model)):
        if refused:
            with pytest.raises(Undefined, match="nested levels"):
                call()
        else:
            call()
    assert PrivacyLoss(distance="ordered")(release).value > 0


def test_the_distance_at_a_nested_level_is_that_of_its_runs():
    frame = pd.DataFrame({"age": [1, 2, 3, 4] * 25, "wage": range(100)})
    runs = frame.assign(wage=frame.wage // 10 * 10)
    found = [
        PrivacyLoss(distance="hierarchical")(
            Keep()(Table.from_frame(data, ["age"], "wage", hierarchies=h, levels=level))
        )
        for data, h, level in (
            (frame, {"wage": Intervals(widths=(10, 20, 40))}, {"wage": 1}),
            (runs, {"wage": Intervals(widths=(20, 40))}, {}),
        )
    ]
    assert found[0].value == pytest.approx(found[1].value) and found[0].value > 0


@pytest.mark.parametrize("kind", DISTANCES)
def test_rounding_of_equal_shares_gives_no_distance(kind):
    shares = np.random.default_rng(0).dirichlet([0.5] * 14, 500)
    rounded = (shares * 3 / 7) / (3 / 7)
    assert (rounded != shares).any()
    assert (distance(kind, rounded, shares) == 0).all()


MAX_DISTANCE_KINDS = ("js", "equal", "ordered")


def shares(rng, rows, values):
    return rng.dirichlet(np.ones(values), rows)


@pytest.mark.parametrize("kind", MAX_DISTANCE_KINDS)
def test_exact_bounds_give_the_distance(kind):
    rng = np.random.default_rng(1)
    p, q = shares(rng, 20, 4), shares(rng, 1, 4)[0]
    assert np.allclose(max_distance(kind, Bounds(p, p), Bounds(q, q)), distance(kind, p, q))


@pytest.mark.parametrize("kind", MAX_DISTANCE_KINDS)
def test_no_shares_within_the_bounds_exceed_the_maximum(kind):
    rng = np.random.default_rng(2)
    for _ in range(50):
        p, q = shares(rng, 30, 4), shares(rng, 30, 4)
        most = max_distance(kind, Bounds(p.min(0)[None], p.max(0)[None]), Bounds(q.min(0), q.max(0)))[0]
        assert all(distance(kind, p, one).max() <= most + 1e-9 for one in q)
