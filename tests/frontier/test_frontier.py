"""The frontier compared with its definition and with an example computed by hand."""

import json
import math
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.frontier.points import Fake, P, U, baselines, frontier, point
from workbench.base.errors import BadInput, Undefined
from workbench.data.table import Table
from workbench.frontier.frontier import (
    FigureFrame,
    Frontier,
    clearest_dominator,
    describe_gain,
    frontier_records,
    relative_costs,
    slopes,
    undominated,
)
from workbench.frontier.recipe import Point, Recipe
from workbench.frontier.sweep import sweep
from workbench.measures import PrivacyLoss, ReidentificationRisk
from workbench.methods import Keep, Mondrian, Remove
from workbench.models import BetaLikeness, KAnonymity, TCloseness

INFINITY = math.inf
VALUES = st.one_of(st.integers(0, 5).map(float), st.floats(0, 1), st.just(INFINITY))


@given(st.lists(st.tuples(VALUES, VALUES), max_size=15), st.sampled_from(["lower", "higher"]))
def test_direction_and_dominators_agree(pairs, better):
    turned = 1 if better == "lower" else -1
    found = frontier(*pairs, measures=(P, Fake("U", "utility", better)))
    assert found.is_efficient().tolist() == [*naive([(p, turned * u) for p, u in pairs]), False, False]
    for i, one in enumerate(found.measured[: len(pairs)]):
        beaten_by = found.dominators(one)
        assert bool(beaten_by) != found.is_efficient()[i]
        assert all(not other.recipe.baseline for other in beaten_by)
        assert found.explain(one).startswith("Dominated" if beaten_by else "Efficient")


def test_the_frame_of_points():
    found = frontier((2, 4), (6, 5), (5, 1))
    frame = found.points
    assert list(frame.columns) == [
        "recipe", "line", "method", "model", "k", "split", "cuts", "strict", "publish", "seed", "P", "U",
        "baseline", "efficient", "reason",
    ]  # fmt: skip
    assert frame["k"].tolist()[:3] == [2, 3, 4]
    assert frame["baseline"].tolist() == [False] * 3 + [True] * 2
    assert frame["efficient"].tolist() == [True, False, True, False, False]
    assert found.efficient["P"].tolist() == [2, 5]
    assert found.efficient.index.tolist() == [0, 2]
    assert repr(found) == "<Frontier on P and U: 5 points, 2 of them baselines, 2 efficient>"


def test_parameters_with_one_name_are_distinguished_by_their_owner():
    model = TCloseness(t=0.2) & TCloseness(t=0.1)
    frame = Frontier([Point(Recipe(Mondrian(), model & BetaLikeness(beta=2)), {"P": 1, "U": 1})], [P, U]).points
    assert frame["t"].tolist() == [0.2] and frame["t-closeness: t"].tolist() == [0.1]
    assert frame["beta"].tolist() == [2]


def test_baselines_are_never_efficient_and_dominate_nothing():
    found = frontier((10, 8), ends=False)
    assert found.is_efficient().tolist() == [True]
    assert frontier((10, 8)).is_efficient().tolist() == [True, False, False]
    assert "baseline" in found.explain(baselines()[0])


def test_equal_points_are_both_efficient():
    assert frontier((1, 1), (1, 1), ends=False).efficient.index.tolist() == [0, 1]


def test_undefined_points_are_left_out_and_counted():
    lost = point(99, reasons={"U": "it has no classes"}, P=0)
    found = Frontier([point(2, P=1, U=1), lost, point(3, P=2)], [P, U])
    assert found.efficient.index.tolist() == [0]
    assert found.undefined["reason"].tolist() == ["U: it has no classes", "U: it was not measured"]
    assert found.points["reason"].tolist()[:2] == ["", "U: it has no classes"]
    assert found.explain(lost) == "Left out of the frontier. U: it has no classes."
    with pytest.raises(Undefined, match="it has no classes"):
        found.dominators(lost)
    assert "2 undefined" in repr(found)


def test_infinite_figures_are_values():
    found = frontier((INFINITY, 0.5), (INFINITY, 1), (3, INFINITY), (3, 2), ends=False)
    assert found.is_efficient().tolist() == [True, False, False, True]
    assert "U lower (2 instead of infinite)" in found.explain(found.measured[2])


def test_axes_can_be_chosen():
    second = Fake("P2", "privacy", "higher", INFINITY)
    points = [point(2, P=1, P2=1, U=1), point(3, P=2, P2=9, U=1)]
    found = Frontier(points, [P, second, U])
    assert found.axes == ("P", "U") and found.efficient.index.tolist() == [0]
    other = found.on(privacy="P2")
    assert other.axes == ("P2", "U") and other.efficient.index.tolist() == [1]
    assert np.flatnonzero(found.is_efficient(["P", second, "U"])).tolist() == [0, 1]
    assert found.dominators(points[1]) == [points[0]] and found.dominators(points[1], over=["P", "P2"]) == []
    with pytest.raises(BadInput, match="U is not a measure of privacy; the measures of privacy are: P, P2"):
        found.on(privacy="U")
    with pytest.raises(BadInput, match="not measured with 'X'; choose from P, P2, U"):
        found.on(utility="X")


def test_measures_of_one_side_give_points_but_no_frontier():
    found = Frontier([point(2, P=1)], [P])
    assert found.points["P"].tolist() == [1] and repr(found) == "<Frontier: 1 points, 0 of them baselines>"
    with pytest.raises(BadInput, match="no measure of utility"):
        _ = found.efficient


def test_a_frontier_without_points():
    found = Frontier([], [P, U])
    assert len(found.points) == len(found.efficient) == len(slopes(found)) == 0


def test_knee_slope_and_area_by_hand():
    """Box 10 x 8. Staircase: 8 high up to 2, 4 high up to 5, 1 high up to 10: 16 + 12 + 5 = 33."""
    found = frontier((5, 1), (2, 4), (6, 3))
    assert found.area == pytest.approx(33)
    # below the chord: (5, 1): 1 - .5 - .125 = .375; (2, 4): 1 - .2 - .5 = .3
    assert found.knee is found.measured[0]
    assert slopes(found).to_dict("records") == [
        {
            "from": str(found.measured[0].recipe),
            "to": str(found.measured[1].recipe),
            "privacy gained": 3,
            "utility lost": 3,
            "slope": 1,
        }
    ]


def test_the_area_uses_the_shortfall_if_higher_is_better():
    measures = (Fake("P", "privacy", "higher", 10.0), U)
    turned = [(10 - p, u) for p, u in [(5, 1), (2, 4), (6, 3)]]
    points = [point(i + 2, P=p, U=u) for i, (p, u) in enumerate(turned)]
    found = Frontier([*points, *baselines(keep=(0, 0), remove=(10, 8))], measures)
    assert found.area == pytest.approx(33) and found.knee is found.measured[0]


def test_area_stays_in_the_box():
    assert frontier((12, 0.5), (3, 9)).area == pytest.approx(80)  # both points lie outside
    assert frontier().area == pytest.approx(80)


@given(st.lists(st.tuples(st.integers(0, 10), st.integers(0, 8)), max_size=12))
def test_the_area_is_the_region_that_no_point_dominates(pairs):
    """The area for integer losses is the number of unit squares that no point dominates."""
    free = sum(not any(p <= x and u <= y for p, u in pairs) for x in range(10) for y in range(8))
    assert frontier(*pairs).area == pytest.approx(free)


def test_knee_and_area_undefined():
    with pytest.raises(Undefined, match="baseline 'keep' was not measured"):
        _ = frontier((1, 1), ends=False).knee
    with pytest.raises(Undefined, match="no point lies below the chord"):
        _ = frontier((9, 7)).knee
    endless = Frontier([point(2, P=1, U=1), *baselines(keep=(INFINITY, 0))], [P, U])
    with pytest.raises(Undefined, match="on P the baselines are infinitely far apart"):
        _ = endless.knee
    with pytest.raises(Undefined, match="a baseline is infinitely far away on P"):
        _ = endless.area
    with pytest.raises(Undefined, match="the baselines do not differ"):
        _ = Frontier([point(2, P=1, U=1), *baselines(keep=(0, 0))], [P, U]).knee


def test_the_knee_is_never_a_point_with_an_infinite_loss():
    """An infinite loss is not between the baselines."""
    measures = (P, Fake("U", "utility", "higher", math.inf))
    ends = [Point(Recipe(Keep()), {"P": 10, "U": 8}), Point(Recipe(Remove()), {"P": 0, "U": 0})]
    best, worst, fair = (point(2, P=9, U=INFINITY), point(3, P=-INFINITY, U=-INFINITY), point(4, P=3, U=6))
    assert Frontier([best, worst, fair, *ends], measures).knee is fair
    with pytest.raises(Undefined, match="no point lies below the chord"):
        _ = Frontier([best, worst, *ends], measures).knee
    crossed = point(5, P=-INFINITY, U=-INFINITY)
    with pytest.raises(Undefined, match="no point lies below the chord"):
        _ = Frontier([crossed, *ends], measures).knee


def test_the_slope_skips_equal_points_and_accepts_infinity():
    assert slopes(frontier((1, 1), (1, 1), (2, 0), ends=False))["slope"].tolist() == [1]
    assert slopes(frontier((INFINITY, 0), (2, 1), ends=False))["slope"].tolist() == [0]


def test_explain_names_the_clearest_dominator():
    found = frontier((1, 4), (4, 1), (5, 4.5), ends=False)
    assert found.explain(found.measured[2]) == (
        "Dominated by k-anonymity, k = 3 (mondrian): P lower by 1 (4 instead of 5), U lower by 3.5 (1 instead of 4.5); "
        "so does one more."
    )
    assert "U the same (1)" in frontier((4, 1), (5, 1), ends=False).explain(point(9, P=5, U=1))


def test_records_are_plain_json_without_store_keys():
    kept = Point(Recipe(Mondrian(), KAnonymity()), {"P": INFINITY, "U": 1.0}, {}, {"U": "One."}, key="digest-of-data")
    written = json.dumps(frontier_records(Frontier([kept], [P, U])), allow_nan=False)
    assert "digest-of-data" not in written
    (record,) = json.loads(written)
    assert record["values"] == {"P": "inf", "U": 1.0} and record["sentences"] == {"U": "One."}
    assert record["settings"]["model"]["k"] == 10


@pytest.mark.slow
def test_altair_is_imported_only_for_a_chart():
    code = "import sys, workbench.frontier.frontier; print('altair' in sys.modules, 'vl_convert' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


# Points in a notebook: figures with three significant digits on the screen, exact ones in the frame.

FRAME = FigureFrame({"line": ["a", "b", "c"], "x": [1 / 9, 75.245, 0.00191], "y": [math.inf, math.nan, 3.0]})


def test_numbers_are_displayed_with_three_digits_and_stay_exact():
    for shown in (repr(FRAME), FRAME._repr_html_()):
        assert "0.111" in shown and "75.2" in shown and "0.00191" in shown and "infinite" in shown
        assert "0.1111" not in shown and "75.24" not in shown
    assert FRAME["x"].tolist() == [1 / 9, 75.245, 0.00191]
    assert "0.1111111111111111" in FRAME.to_csv() and pd.get_option("display.float_format") is None


def test_parts_of_a_frame_are_displayed_like_the_frame():
    assert "0.111" in repr(FRAME.loc[:1]) and "0.1111" not in FRAME[["line", "x"]]._repr_html_()


def test_the_points_of_a_frontier_are_displayed_like_the_frame():
    """R_id is 1/9: the frame, the column on the screen and the sentence have the same digits."""
    frame = pd.DataFrame({"age": [1] * 9 + [2] * 11, "ill": (["no"] * 3 + ["yes"] * 2) * 4})
    table = Table.from_frame(frame, ["age"], "ill")
    found = sweep(table, [Recipe(Mondrian(), KAnonymity(9))], [PrivacyLoss(), ReidentificationRisk()])
    assert found.points["R_id"].iloc[0] == 1 / 9
    assert "0.111" in repr(found.points[["R_id"]]) and "0.1111" not in found.points._repr_html_()
    assert "with probability 11.1 %" in found.measured[0].sentences["R_id"]
    assert isinstance(found.points.loc[[0]], FigureFrame)


# Costs as a share of that of publishing no quasi-identifiers.


def test_costs_are_shares_of_the_loss_without_quasi_identifiers():
    assert relative_costs(frontier((1, 8), (4, 2))) == [1.0, 0.25, 0.0, 1.0]


def test_the_shortfall_is_the_loss_if_higher_is_better():
    higher = Fake("U", "utility", "higher", 1.0)
    found = Frontier([point(2, P=1, U=0.9), *baselines(keep=(10, 1.0), remove=(0, 0.5))], [P, higher])
    assert relative_costs(found) == pytest.approx([0.2, 0.0, 1.0])


def test_there_is_no_relative_cost_without_the_baseline_or_if_its_cost_is_0():
    assert relative_costs(frontier((1, 8), ends=False)) == [None]
    assert relative_costs(Frontier([point(2, P=1, U=1), *baselines(remove=(0, 0))], [P, U])) == [None] * 3
    assert relative_costs(Frontier([point(2, P=1), *baselines()], [P, U]))[0] is None


# Dominance compared with its definition, and the description of gains.


def naive(rows):
    """Return which rows are efficient, by the definition."""
    return [
        not any(
            all(o <= r for o, r in zip(b, a, strict=True)) and any(o < r for o, r in zip(b, a, strict=True))
            for b in rows
        )
        for a in rows
    ]


@given(st.integers(1, 4).flatmap(lambda d: st.lists(st.tuples(*[VALUES] * d), min_size=1, max_size=40)))
def test_points_are_efficient_if_no_point_dominates_them(rows):
    assert undominated(np.array(rows)).tolist() == naive(rows)


def test_results_do_not_depend_on_the_block_size():
    rows = np.random.default_rng(0).integers(0, 60, (1500, 3)).astype(float)
    found = undominated(rows)
    assert found[::97].tolist() == [
        not ((rows <= row).all(axis=1) & (rows < row).any(axis=1)).any() for row in rows[::97]
    ]


def test_the_clearest_dominator_has_the_largest_advantage_in_units_of_the_ranges():
    losses = np.array([[0.5, 50.0], [0.4, 40.0], [0.1, 45.0], [0.9, 90.0]])
    assert clearest_dominator(losses[0], losses[1:3], losses) == 1  # half of the range of the first column


def test_gains_are_described_with_both_figures():
    assert describe_gain("P_loss", 0.1, 0.25, "lower") == "P_loss lower by 0.15 (0.1 instead of 0.25)"
    assert describe_gain("P_loss", 0.25, 0.25) == "P_loss the same (0.25)"
    assert describe_gain("C_avg", INFINITY, 2) == "C_avg higher (infinite instead of 2)"


@pytest.mark.parametrize("seed", range(20))
def test_two_losses_give_the_result_of_pairwise_comparison(seed):
    rng = np.random.default_rng(seed)
    losses = rng.integers(0, 6, (60, 2)).astype(float)
    losses[rng.random((60, 2)) < 0.1] = np.inf
    naive = [not any((b <= a).all() and (b < a).any() for b in losses) for a in losses]
    assert undominated(losses).tolist() == naive
    assert undominated(np.column_stack([losses, losses[:, 0]])).tolist() == naive
