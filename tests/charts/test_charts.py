"""What the charts say, and that they show with no network."""

import base64
import json
import math
import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace

import altair as alt
import numpy as np
import pandas as pd
import pytest

from workbench import Table, charts
from workbench.base.errors import BadInput
from workbench.base.variants import catalog
from workbench.charts import heat, look, offline
from workbench.charts.axis import Axis
from workbench.charts.comparison import unlike
from workbench.charts.scene import Scene
from workbench.charts.strands import strands
from workbench.data.hierarchies.builders import Intervals
from workbench.frontier.frontier import Frontier
from workbench.frontier.recipe import Point, Recipe
from workbench.measures import Discernibility, KnowledgeGain, NumberOfClasses, PrivacyLoss, UtilityLoss
from workbench.methods import Keep, Mondrian, Remove
from workbench.models import AlphaK, KAnonymity, Model, TCloseness
from workbench.workloads.populations import large_populations

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(1)
    age = rng.integers(20, 60, 400)
    illness = np.where(rng.random(400) < (age - 20) / 60, "cancer", rng.choice(["flu", "cold"], 400, p=[0.8, 0.2]))
    sex = rng.choice(["f", "m"], 400, p=[0.7, 0.3])
    frame = pd.DataFrame({"age": age, "sex": sex, "illness": illness})
    return Table.from_frame(frame, ["age", "sex"], "illness", hierarchies={"age": Intervals(widths=(10, 20))})


@pytest.fixture(scope="module")
def release(table):
    return Mondrian()(table, KAnonymity(k=15))


def made(recipe, privacy, utility):
    return Point(recipe, {"P_loss": privacy, "U_loss": utility, "DM": 45222.0}, {})


def frontier(*more, **options):
    points = [
        made(Recipe(Mondrian(), KAnonymity(k=5)), 0.5, 0.01),
        made(Recipe(Mondrian(), KAnonymity(k=50)), 0.1, 0.02),
        made(Recipe(Mondrian(), TCloseness(t=0.2)), 0.2, 0.03),
        made(Recipe(Keep()), 0.69, 0.0),
        made(Recipe(Remove()), 0.0, 0.05),
    ]
    return Frontier([*points, *more], [PrivacyLoss(), UtilityLoss(), Discernibility()], **options)


def rows_of(chart):
    """The rows of the points in the chart, by recipe."""
    return {row["recipe"]: row for row in chart.to_dict()["datasets"]["points"]}


def words_of(chart):
    return re.findall(r"<(?:text|tspan)[^>]*>([^<]+)", offline.svg(chart.to_dict()))


def test_frontier_chart_says_what_is_what():
    rows = rows_of(frontier().chart())
    assert [row["efficient"] for row in rows.values()] == [True, True, False, False, False]
    assert rows["t-closeness, t = 0.2 (mondrian)"]["why"].startswith("Beaten by k-anonymity, k = 50 (mondrian): P_loss")
    assert rows["keep"]["baseline"] and rows["keep"]["m2"] == "45,222"
    words = words_of(frontier().chart())
    for said in ("everything kept", "all quasi-identifiers removed", "knee", "k-anonymity (mondrian)"):
        assert words.count(said) == 1
    assert "2 of 3 points are efficient (filled); the others are beaten (hollow)" in words
    assert any(word.startswith("privacy loss, P_loss") and "← lower is better" in word for word in words)


def test_frontier_chart_names_what_is_missing():
    lost = Point(Recipe(Mondrian(), KAnonymity(k=7)), {"P_loss": 0.1}, {"U_loss": "nobody asked"})
    words = words_of(frontier(lost, complete=False).chart())
    assert "1 left out: undefined on one of the axes" in words
    assert "the sweep was cancelled: points are missing" in words


def test_infinite_values_are_drawn_at_the_edge():
    endless = made(Recipe(Mondrian(), KAnonymity(k=9)), math.inf, math.inf)
    chart = frontier(endless).chart()
    row = rows_of(chart)["k-anonymity, k = 9 (mondrian)"]
    assert row["x"] == pytest.approx(1.08 * 0.69) and row["y"] == pytest.approx(1.08 * 0.05) and row["m0"] == "infinite"
    assert words_of(chart).count("infinite") == 2
    json.dumps(chart.to_dict(), allow_nan=False)
    assert "infinite" not in words_of(frontier().chart())


def test_a_frontier_without_baselines_or_points_is_drawn():
    for points in ([], [made(Recipe(Mondrian(), KAnonymity(k=5)), 0.5, 0.5)]):
        assert "knee" not in words_of(Frontier(points, [PrivacyLoss(), UtilityLoss()]).chart())


def test_every_line_has_its_own_hue_and_shape():
    """The hue tells the model, the shape the lines of one model."""
    lines = [
        f"{model} (mondrian{more})" for model in catalog("workbench.models", Model) for more in ("", ", relaxed", "!")
    ]
    found = look.numbers(lines)
    assert len({(look.hue(one), look.shape(one, found[one])) for one in lines}) == len(lines)
    assert len({look.hue(one) for one in lines}) == len(look.HUES) == len(look.HOMES) == 9


def test_loss_chart_counts_records(release):
    measured = PrivacyLoss()(release)
    loss, sizes = measured.detail["loss"], measured.detail["sizes"]
    rows = charts.loss_chart(release).to_dict()["datasets"]["steps"]
    assert [row["records"] for row in rows] == [int(sizes[loss >= row["loss"]].sum()) for row in rows]
    assert rows[0]["records"] == 400 and rows[-1]["loss"] == loss.max()
    at_risk = int(sizes[loss >= measured.detail["possible_from"]].sum())
    assert f"{at_risk} of 400 records lose enough for a full disclosure" in words_of(charts.loss_chart(release))


def test_loss_chart_of_one_class_and_of_many(table, monkeypatch):
    assert words_of(charts.loss_chart(Remove()(table)))
    monkeypatch.setattr(charts.losses, "BINS", 5)
    assert len(charts.loss_chart(Keep()(table)).to_dict()["datasets"]["steps"]) == 5


def test_populations_chart_in_words(release, table):
    measured, populations = UtilityLoss()(release), large_populations(table, 0.05)
    worst = int(measured.detail["loss"].argmax())
    rows = charts.populations_chart(release, most=3).to_dict()["datasets"]["populations"]
    assert len(rows) == 3 and rows[0]["loss"] == pytest.approx(measured.detail["loss"][worst])
    (low, high), (sex, _) = populations.runs[worst].tolist()
    age = table.columns["age"].labels
    said = rows[0]["population"].split(" & ")
    if (low, high) != (0, len(age) - 1):
        assert said[0] in (f"age {age[low]}", f"age [{age[low]}-{age[high]}]")
    if populations.runs[worst][1].tolist() != [0, 1]:
        assert said[-1] == f"sex {'fm'[sex]}"
    assert rows[0]["records"].startswith(f"{populations.support[worst]} (")
    assert re.fullmatch(r"(cancer|cold|flu): [\d.]+ % in truth, [\d.]+ % from the release", rows[0]["misjudged"])


def test_the_wrong_measure_is_refused(release):
    with pytest.raises(BadInput, match="DM has no loss"):
        charts.loss_chart(release, Discernibility())
    with pytest.raises(BadInput, match="A_know has no"):
        charts.populations_chart(release, KnowledgeGain())
    with pytest.raises(BadInput, match="most = 0"):
        charts.populations_chart(release, most=0)


def test_the_library_is_sent_once():
    charts.show_offline()
    spec = frontier().chart().to_dict()
    first, second = (offline.renderer(spec)["text/html"] for _ in range(2))
    assert len(first) > 500_000 > len(second)
    charts.show_offline()
    assert len(offline.renderer(spec)["text/html"]) > 500_000
    assert "<script" not in offline.renderer(spec, live=False)["text/html"]


def test_a_still_picture_asks_for_nothing_and_has_words(release):
    for chart in (frontier().chart(), charts.loss_chart(release), charts.populations_chart(release)):
        html = offline.fragment(chart.to_dict())
        (data,) = re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"', html)
        picture = base64.b64decode(data).decode()
        assert set(re.findall(r'https?://[^"]+', picture)) <= {
            "http://www.w3.org/2000/svg",
            "http://www.w3.org/1999/xlink",
        }
        assert 'fill="currentColor"' in picture and f'color="{offline.STILL}"' in picture and 'role="img"' in picture
        assert len(re.findall(r'alt="([^"]+)"', html)[0]) > 40


def test_data_cannot_end_the_script():
    chart = alt.Chart(alt.Data(values=[{"x": "</script><script>alert(1)</script><!--"}])).mark_text().encode(text="x:N")
    html = offline.fragment(chart.properties(description='"><script>alert(2)</script>').to_dict())
    assert html.count("<script") == html.count("</script") == 1 and "<!--" not in html and "alert(2)" in html


def test_save_by_ending(tmp_path):
    chart = frontier().chart()
    for ending, start in ((".png", b"\x89PNG"), (".svg", b"<svg "), (".json", b"{"), (".html", b"<!doctype html>")):
        assert charts.save(chart, tmp_path / f"chart{ending}").read_bytes().startswith(start)
    assert json.loads((tmp_path / "chart.json").read_text())["description"].startswith("Frontier of privacy loss")
    with pytest.raises(BadInput, match=r"cannot write \.gif; end it in \.png, \.svg, \.json, \.html"):
        charts.save(chart, tmp_path / "chart.gif")
    with pytest.raises(BadInput, match="does not exist"):
        charts.save(chart, tmp_path / "nowhere" / "chart.svg")
    assert len(list(tmp_path.iterdir())) == 4


def test_the_library_is_built_once_a_machine(tmp_path, monkeypatch):
    built = []
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(
        offline.vl_convert, "javascript_bundle", lambda snippet: built.append(snippet) or "/* </script */"
    )
    assert offline.library() == offline.library()
    assert built == [offline.ARRIVED] and offline.library().count("</script") == 1
    assert offline.cache_folder().stat().st_mode & 0o077 == 0
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))  # no folder can be made there
    assert "/* " in offline.library() and len(built) == 2


@pytest.mark.parametrize(("before", "after"), [("default", "workbench"), ("mimetype", "mimetype")])
def test_another_renderer_that_was_chosen_stays(before, after):
    code = (
        f"import altair; altair.renderers.enable({before!r}); import workbench.charts; print(altair.renderers.active)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ)
    assert done.stdout.strip() == after


@pytest.mark.skipif(CHROMIUM is None, reason="no chromium")
def test_a_browser_without_a_network_draws_it_live(tmp_path):
    """The chart stands before the library, as in a notebook; the second copy has none and waits for the first's."""
    spec = frontier().chart().to_dict()
    page = tmp_path / "page.html"
    page.write_text(
        offline.PAGE % ("two", offline.fragment(spec) + offline.library() + offline.fragment(spec)), "utf-8"
    )
    flags = "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
    command = [
        str(CHROMIUM),
        *flags.split(),
        "--disable-component-update",
        "--disable-sync",
        "--virtual-time-budget=20000",
    ]
    command += [
        "--host-resolver-rules=MAP * ~NOTFOUND",
        f"--user-data-dir={tmp_path / 'profile'}",
        "--dump-dom",
        page.as_uri(),
    ]
    drawn = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout
    assert drawn.count('class="marks"') == 2
    assert "data:image/svg+xml" not in drawn.split("</head>")[1].split("<script")[0]


def test_two_frontiers_caps_and_a_point_under_a_slider_on_one_chart():
    own = frontier()
    other = frontier(made(Recipe(Mondrian(), KAnonymity(k=9)), 0.3, 0.02))
    moving = made(Recipe(Mondrian(), KAnonymity(k=20)), 0.3, 0.015)
    drawn = charts.frontier_chart(own, pinned=other, moving=moving, caps={"P_loss": 0.3, "DM": 1e9}, selected=2)
    sets = drawn.to_dict()["datasets"]
    assert [row["recipe"] for row in sets["moving"]] == ["k-anonymity, k = 20 (mondrian)"]
    assert sets["chosen"] == [{"x": 0.2, "y": 0.03, "finite": True}] and sets["best"][0]["x"] == 0.1
    assert sets["cap_x"][0]["label"] == "at most 0.3" and sets["cap_y"] == []
    assert len(sets["pinned"]) == 6 and len(sets["points"]) == 5
    words = words_of(drawn)
    for said in (
        "pinned: k-anonymity (mondrian)",
        "best under the cap",
        "k-anonymity, k = 20 (mondrian)",
        "at most 0.3",
    ):
        assert said in words
    with pytest.raises(BadInput, match="not measured with 'P_loss'"):
        charts.frontier_chart(own, pinned=Frontier(own.measured, [Discernibility()]))


def test_an_axis_stays_while_points_stream_in_and_fits_at_the_end():
    first = Axis.of(PrivacyLoss(), [0.0, 1.0])
    assert Axis.of(PrivacyLoss(), [0.1, 0.2], first, growing=True) == first
    grown = Axis.of(PrivacyLoss(), [0.1, 2.0, math.inf], first, growing=True)
    assert (grown.low, grown.high, grown.infinite) == (0.0, 2.0, True)
    assert Axis.of(PrivacyLoss(), [0.0, 0.7], first) == first
    assert Axis.of(PrivacyLoss(), [0.0, 0.2], first).high == 0.2
    assert Axis.of(UtilityLoss(), [0.0, 0.7], first).measure == UtilityLoss()
    assert first.holds(0.5) and first.holds(math.nan) and not first.holds(2.0) and not first.holds(math.inf)


def test_parallel_axes_are_turned_so_that_up_is_better():
    points = [
        Point(Recipe(Mondrian(), KAnonymity(k=k)), {"P_loss": loss, "classes": classes})
        for k, loss, classes in ((5, 0.5, 10.0), (50, 0.1, 30.0), (7, math.inf, 20.0), (8, math.nan, 20.0))
    ]
    chart = charts.parallel_chart(Frontier(points, [PrivacyLoss(), NumberOfClasses()]), selected=1, moving=points[0])
    sets = chart.to_dict()["datasets"]
    good = {(row["recipe"].split(" ")[3], row["measure"]): row["good"] for row in sets["strands"]}
    assert good["50", "P_loss"] == good["50", "classes"] == 1.0 and good["5", "P_loss"] == good["5", "classes"] == 0.0
    assert good["7", "P_loss"] < 0 and good["8", "P_loss"] is None and good["7", "classes"] == 0.5
    assert len(sets["chosen"]) == len(sets["moving"]) == 2
    assert {"0.5, infinite", "0.1", "10", "30"} <= set(words_of(chart))
    assert "P_loss" in words_of(charts.parallel_chart(frontier()))


def test_heat_map_ranks_within_each_measure():
    chart = charts.heat_chart(frontier(), selected=2)
    sets = chart.to_dict()["datasets"]
    privacy = {row["row"]: row["good"] for row in sets["cells"] if row["measure"] == "P_loss"}
    assert list(privacy) == [
        "k-anonymity, k = 50 ●",
        "k-anonymity, k = 5 ●",
        "t-closeness, t = 0.2 ○",
        "quasi-identifiers removed ×",
        "everything kept ×",
    ]
    assert list(privacy.values()) == [0.75, 0.25, 0.5, 1.0, 0.0]
    assert {row["good"] for row in sets["cells"] if row["measure"] == "DM"} == {0.5}  # all the same
    assert sets["chosen"] == [{"row": "t-closeness, t = 0.2 ○"}]
    few = charts.heat_chart(frontier(), most=1, selected=2).to_dict()["datasets"]["cells"]
    assert len({row["row"] for row in few}) == 2  # the selected one is always there
    twice = frontier(made(Recipe(Mondrian(), KAnonymity(k=5), seed=1), 0.5, 0.01))
    rows = {row["row"] for row in charts.heat_chart(twice).to_dict()["datasets"]["cells"]}
    assert {"k-anonymity, k = 5 (mondrian), seed 0 ●", "k-anonymity, k = 5 (mondrian), seed 1 ●"} <= rows
    lost = frontier(Point(Recipe(Mondrian(), KAnonymity(k=7)), {"P_loss": 0.1}))
    assert "–" in words_of(charts.heat_chart(lost, moving=lost.measured[0]))


def test_a_line_keeps_its_number():
    a, b, c, d = (f"k-anonymity ({one})" for one in "abcd")
    first = look.numbers([a, b, c])
    assert first == {a: 0, b: 1, c: 2}
    assert look.numbers([d, c, a], first) == {d: 1, c: 2, a: 0}


def test_a_model_has_its_own_hue_whatever_the_order():
    assert set(look.HOMES) <= set(catalog("workbench.models", Model))
    lines = ["t-closeness, distance = js (mondrian)", "l-diversity (mondrian)", "k-anonymity (mondrian, relaxed)",
             "k-anonymity & t-closeness (mondrian)", "k-anonymity (mondrian)"]  # fmt: skip
    found = look.numbers(lines)
    assert found == look.numbers(lines[::-1])
    assert [look.hue(line) for line in lines] == [look.HUES[i] for i in (2, 1, 0, 2, 0)]
    assert len({(look.hue(line), look.shape(line, number)) for line, number in found.items()}) == 5
    assert look.hue("of-a-notebook (mondrian)") == look.hue("of-a-notebook, m = 3 (mondrian, relaxed)")  # and by name


def test_colours_stay_when_a_study_is_opened_again():
    """Lines that came one after the other have the hues that they have when all are there at once."""
    late, early = Scene(two_parameters()), Scene(frontier())
    both = look.numbers([*early.lines, *late.lines])
    for one in (late, early):
        assert {line: look.hue(line) for line in one.lines}.items() <= {line: look.hue(line) for line in both}.items()


def two_parameters():
    """Every k with every alpha: four curves, not one that goes to and fro."""
    made_of = [(k, alpha) for k in (2, 10, 50, 200, 1000) for alpha in (0.3, 0.4, 0.5, 0.9)]
    points = [
        made(Recipe(Mondrian(), AlphaK(alpha=a, k=k)), a / (1 + k / 100), 0.001 * k + 0.01 / a) for k, a in made_of
    ]
    return Frontier(
        [*points, made(Recipe(Keep()), 0.9, 0.0), made(Recipe(Remove()), 0.0, 1.2)], [PrivacyLoss(), UtilityLoss()]
    )


def test_a_series_with_two_parameters_is_no_zigzag():
    scene = Scene(two_parameters())
    rows = [row for row in scene.rows(scene.axis("P_loss"), scene.axis("U_loss"))["points"] if not row["baseline"]]
    assert len({row["line"] for row in rows}) == 1
    curves = {}
    for row in rows:
        curves.setdefault(row["strand"], []).append((row["recipe"], row["x"], row["y"]))
    assert len(curves) == 4
    for curve in curves.values():
        assert len(curve) == 5 and len({re.search("alpha = [^,]+", recipe)[0] for recipe, _, _ in curve}) == 1
        assert [y for _, _, y in sorted(curve, key=lambda one: one[1])] == sorted((y for *_, y in curve), reverse=True)
    one = strands(frontier(made(Recipe(Mondrian(), KAnonymity(k=9)), 0.3, 0.02)))
    assert one[0] == one[1] == one[5] != one[2]  # of one parameter: one curve
    drawn = charts.frontier_chart(two_parameters()).to_dict()
    assert [
        one
        for one in drawn["layer"]
        if one["mark"].get("type") == "line" and "strand" in str(one["encoding"].get("detail"))
    ]


def far_baselines():
    own = [made(Recipe(Mondrian(), KAnonymity(k=k)), 0.3 / k, 0.001 * k) for k in (2, 3, 5, 10)]
    return Frontier(
        [*own, made(Recipe(Keep()), 12.5, 0.0), made(Recipe(Remove()), 0.0, 3.1)], [PrivacyLoss(), UtilityLoss()]
    )


def test_baselines_do_not_squash_the_rest():
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
    assert not [word for word in near if "→ P_loss" in word or "↑" in word]  # those lie where they are


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


def test_an_axis_forgets_a_length_that_was_guessed():
    first = Axis.of(UtilityLoss(), [0.0], growing=True)  # everything kept came first
    assert (first.low, first.high, first.guessed) == (0.0, 1.0, True)
    second = Axis.of(UtilityLoss(), [0.0, 0.05], first, growing=True)
    assert (second.low, second.high, second.guessed) == (0.0, 0.05, False)
    assert Axis.of(PrivacyLoss(), [0.0, 0.7], Axis.of(PrivacyLoss(), [])).high == 0.7
    assert Axis.of(UtilityLoss(), [0.0], second, growing=True) == second


ADULT = {  # what the tour of the Adult data measures
    TCloseness: [(0.075, 0.0749, 0.0185), (0.1, 0.0999, 0.0103), (0.15, 0.15, 0.00528), (0.2, 0.2, 0.00237),
                 (0.25, 0.25, 0.000691), (0.3, 0.3, 0.000367), (0.35, 0.35, 0.000157), (0.4, 0.4, 4.73e-5)],
    KAnonymity: [(5000, 0.0835, 0.0258), (2000, 0.103, 0.0176), (1000, 0.131, 0.0136), (500, 0.193, 0.0119),
                 (200, 0.227, 0.00623), (100, 0.317, 0.00318), (50, 0.42, 0.00174), (10, 0.546, 0.000212),
                 (5, 0.641, 5.03e-5)],
}  # fmt: skip


def adult():
    points = [made(Recipe(Keep()), 0.692, 0.0), made(Recipe(Remove()), 0.0, 0.0472)]
    for model, rows in ADULT.items():
        points += [made(Recipe(Mondrian(), model(n)), privacy, utility) for n, privacy, utility in rows]
    return Frontier(points, [PrivacyLoss(), UtilityLoss()])


@pytest.mark.parametrize("size", [(360, 400), (640, 400), (800, 400)])
@pytest.mark.parametrize("cap", [None, 0.1, 0.2, 0.3, 0.5])
def test_words_hide_no_point_and_not_each_other(size, cap):
    """Where they were put for the narrowest plot they stand on a wider one."""
    caps = {"P_loss": cap, "U_loss": 0.02} if cap else {}
    for moving in [None, *adult().measured[2:]]:
        scene = Scene(adult(), moving=moving, caps=caps)
        x, y = (scene.axis(key) for key in ("P_loss", "U_loss"))
        rows = scene.rows(x, y, live=True)
        place = replace(scene, size=size)._at(x, y)
        boxes = []
        for name in ("names", "best", "moving"):
            for row in (row for row in rows[name] if row["name"]):  # where there is no room, nothing is said
                lines, (at, level) = row["name"].split("\n"), place(row)
                wide = max(map(len, lines)) * (7 if name == "moving" else 6.2)
                left = at + row["dx"] - {"left": 0, "center": wide / 2, "right": wide}[row["align"]]
                boxes.append((left, level + row["dy"] - 6, left + wide, level + row["dy"] + 14 * len(lines) - 8))
        for i, (left, top, right, bottom) in enumerate(boxes):
            assert left >= 0 and right <= size[0] and top >= 0 and bottom <= size[1]
            others = boxes[i + 1 :]
            assert not any(left < r and a < right and top < b and t < bottom for a, t, r, b in others)
            hidden = [row["recipe"] for row in rows["points"]
                      if left - 2 < place(row)[0] < right + 2 and top - 2 < place(row)[1] < bottom + 2]  # fmt: skip
            assert not hidden


def test_what_a_screen_reader_hears_is_said():
    own = frontier()
    other = frontier(made(Recipe(Mondrian(), KAnonymity(k=9)), 0.3, 0.02))
    drawn = charts.frontier_chart(own, pinned=other, moving=own.measured[0], caps={"P_loss": 0.3}, selected=2)
    lost = Point(Recipe(Mondrian(), KAnonymity(k=7)), {"P_loss": 0.1})
    for chart in (drawn, charts.parallel_chart(frontier(lost), selected=1), charts.heat_chart(frontier(lost))):
        heard = re.findall(r'aria-label="([^"]*)"', offline.svg(chart.to_dict()))
        assert len(heard) > 5 and not [label for label in heard if re.search("undefined;|null|NaN|datum", label)]
    heard = re.findall(r'aria-label="([^"]*)"', offline.svg(drawn.to_dict()))
    assert "k-anonymity, k = 5 (mondrian): P_loss 0.5, U_loss 0.01" in heard
    assert "pinned: everything kept: P_loss 0.69, U_loss 0" in heard


def test_frontiers_of_other_data_say_so():
    own, same = frontier(), frontier(made(Recipe(Mondrian(), KAnonymity(k=9)), 0.3, 0.02))
    assert unlike(own, same) == ""
    less = Frontier([made(Recipe(Keep()), 0.6, 0.0), *own.measured[:3], own.measured[4]], own.measures)
    assert unlike(own, less) == "everything kept: P_loss 0.69, pinned 0.6"
    assert unlike(own, Frontier(own.measured[:3], own.measures)) == ""  # nothing tells
    words = words_of(charts.frontier_chart(own, pinned=less))
    assert any("of other data, roles or hierarchies" in word for word in words)
    assert not any("of other data" in word for word in words_of(charts.frontier_chart(own, pinned=same)))


def test_a_narrow_cell_has_a_value_of_six_letters():
    values = [0.00528, 0.000157, 45222.0, 1234567.0, 0.384, 99999.6, 4.73e-5, math.inf, math.nan]
    briefs = ["0.0053", "1.6e-4", "45,222", "1.2M", "0.384", "100k", "4.7e-5", "∞", "–"]
    assert [heat._brief(value) for value in values] == briefs
    settings = [made(Recipe(Mondrian(), TCloseness(t=0.2, distance=d)), 0.2, 0.03) for d in ("js", "equal")]
    kinds = {
        row["row"] for row in charts.heat_chart(Frontier(settings, adult().measures)).to_dict()["datasets"]["cells"]
    }
    assert len(kinds) == 2 and all("(mondrian)" in kind for kind in kinds)
