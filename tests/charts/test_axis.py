"""The ends of an axis, and the position of infinity."""

import json
import math

import numpy as np
import pytest

from tests.charts.drawn import frontier, made, rows_of, words_of
from workbench import charts
from workbench.charts.axis import Axis
from workbench.charts.scene import Scene
from workbench.frontier.frontier import Frontier
from workbench.frontier.recipe import Recipe
from workbench.measures import PrivacyLoss, UtilityLoss
from workbench.methods import Keep, Mondrian, Remove
from workbench.models import KAnonymity


def test_infinite_values_are_drawn_at_the_edge():
    endless = made(Recipe(Mondrian(), KAnonymity(k=9)), math.inf, math.inf)
    chart = frontier(endless).chart()
    row = rows_of(chart)["k-anonymity, k = 9 (mondrian)"]
    assert row["x"] == pytest.approx(1.08 * 0.69) and row["y"] == pytest.approx(1.08 * 0.05) and row["m0"] == "infinite"
    assert words_of(chart).count("infinite") == 2
    json.dumps(chart.to_dict(), allow_nan=False)
    assert "infinite" not in words_of(frontier().chart())


def test_an_axis_stays_while_points_stream_in_and_fits_at_the_end():
    first = Axis.from_values(PrivacyLoss(), [0.0, 1.0])
    assert Axis.from_values(PrivacyLoss(), [0.1, 0.2], first, growing=True) == first
    grown = Axis.from_values(PrivacyLoss(), [0.1, 2.0, math.inf], first, growing=True)
    assert (grown.low, grown.high, grown.infinite) == (0.0, 2.0, True)
    assert Axis.from_values(PrivacyLoss(), [0.0, 0.7], first) == first
    assert Axis.from_values(PrivacyLoss(), [0.0, 0.2], first).high == 0.2
    assert Axis.from_values(UtilityLoss(), [0.0, 0.7], first).measure == UtilityLoss()
    assert first.holds(0.5) and first.holds(math.nan) and not first.holds(2.0) and not first.holds(math.inf)


def far_baselines():
    own = [made(Recipe(Mondrian(), KAnonymity(k=k)), 0.3 / k, 0.001 * k) for k in (2, 3, 5, 10)]
    return Frontier(
        [*own, made(Recipe(Keep()), 12.5, 0.0), made(Recipe(Remove()), 0.0, 3.1)], [PrivacyLoss(), UtilityLoss()]
    )


def test_baselines_do_not_compress_the_other_points():
    scene = Scene(far_baselines())
    x, y = (scene.axis(key) for key in ("P_loss", "U_loss"))
    rows = {row["recipe"]: row for row in scene.rows(x, y)["points"]}
    own = [row for row in rows.values() if not row["baseline"]]
    for axis, name in ((x, "x"), (y, "y")):
        places = [axis.share(row[name]) for row in own]
        assert max(places) - min(places) > 0.6
        assert all(0 < axis.share(row[name]) < 1 for row in rows.values())
    assert (rows["keep"]["x"], rows["remove"]["y"]) == (x.place(12.5), y.place(3.1)) and rows["remove"]["x"] == 0.0
    words = " ".join(words_of(charts.frontier_chart(far_baselines())))
    assert "everything kept → P_loss 12.5" in words and "removed ↑ U_loss 3.1" in words
    near = words_of(frontier().chart())
    assert not [word for word in near if "→ P_loss" in word or "↑" in word]  # these are drawn at their values


def test_a_logarithmic_axis_has_zero_and_infinity_at_its_edges():
    endless = made(Recipe(Mondrian(), KAnonymity(k=9)), math.inf, 0.0)
    wide = [made(Recipe(Mondrian(), KAnonymity(k=k)), 10.0**-k, 10.0 ** (k - 6)) for k in (1, 2, 3, 4, 5)]
    own = Frontier([*wide, endless, made(Recipe(Keep()), 0.9, 0.0)], [PrivacyLoss(), UtilityLoss()])
    scene = Scene(own, log=frozenset({"P_loss", "U_loss"}))
    x, y = (scene.axis(key) for key in ("P_loss", "U_loss"))
    assert x.log and y.log and (x.low, y.low, y.high) == (1e-5, 1e-5, 0.1) and x.high == 0.9
    rows = scene.rows(x, y)["points"]
    steps = np.diff([x.share(row["x"]) for row in rows[:5]])
    assert np.allclose(steps, steps[0]) and steps[0] < -0.1  # a power of ten is as long as another
    assert rows[5]["x"] == x.edge > x.high and 0 < rows[5]["y"] < y.low and not rows[5]["finite"]
    assert all(0 < x.share(row["x"]) < 1 and 0 < y.share(row["y"]) < 1 for row in rows)
    words = words_of(charts.frontier_chart(own, log=("P_loss", "U_loss")))
    assert words.count("infinite") == 1 and "0" in words and "0.001" in words
    flat = Scene(Frontier([made(Recipe(Keep()), 0.0, 0.0)], own.measures), log=frozenset({"P_loss"})).axis("P_loss")
    assert not flat.log  # nothing is above zero
    json.dumps(charts.frontier_chart(own, log=("P_loss", "U_loss")).to_dict(), allow_nan=False)


def test_an_axis_replaces_an_estimated_length():
    first = Axis.from_values(UtilityLoss(), [0.0], growing=True)  # everything kept came first
    assert (first.low, first.high, first.guessed) == (0.0, 1.0, True)
    second = Axis.from_values(UtilityLoss(), [0.0, 0.05], first, growing=True)
    assert (second.low, second.high, second.guessed) == (0.0, 0.05, False)
    assert Axis.from_values(PrivacyLoss(), [0.0, 0.7], Axis.from_values(PrivacyLoss(), [])).high == 0.7
    assert Axis.from_values(UtilityLoss(), [0.0], second, growing=True) == second
