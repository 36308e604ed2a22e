"""The other candidates, and the chart."""

import json
import re
from types import SimpleNamespace

from workbench.publication.report.alternatives import dominated
from workbench.publication.report.page import report


def test_the_chart_marks_the_release_and_draws_the_limit(read, page):
    spec = json.loads(re.search(r"const spec = (\{.*\});", page)[1])
    best = read.points[read.choices(0.2)["recommended"]]["values"]
    assert spec["datasets"]["chosen"] == [{"x": best["P_loss"], "y": best["U_loss"]}]
    assert spec["datasets"]["cap_x"][0]["label"] == "" and "The line is the limit, at most 0.2." in page
    assert spec["datasets"]["cap_x"][0]["x"] == 0.2 < spec["datasets"]["cap_x"][0]["x2"]


def test_dominated_candidates_are_described_in_singular_and_plural(read):
    beaten = sum(not one["efficient"] and not one["baseline"] for one in read.points)
    assert beaten > 1 and f"{beaten:,} candidates are dominated: " in dominated(read, 0, None)
    one = next(one for one in read.points if not one["efficient"] and not one["baseline"])
    alone = SimpleNamespace(points=[one], privacy=read.privacy, utility=read.utility)
    assert "1 candidate is dominated: " in dominated(alone, 0, None)


def test_candidates_outside_the_chart_are_not_dominated_and_have_a_reason(read):
    beaten = [one for one in read.points if not one["efficient"] and not one["baseline"]]
    why = "dealt buckets hold true values"
    gone = {
        **beaten[0],
        "number": 11,
        "recipe": "gone",
        "values": {},
        "reasons": dict.fromkeys(("P_loss", "U_loss"), why),
    }
    half = {**gone, "recipe": "half", "values": {"P_loss": 0.1}, "reasons": {"U_loss": "no population is large"}}
    study = SimpleNamespace(points=[*read.points, gone, half], privacy=read.privacy, utility=read.utility)
    page = dominated(study, 0, None)
    assert f"{len(beaten)} candidates are dominated: " in page
    assert "2 candidates are not on the chart: undefined on one of its measures." in page
    assert f">P_loss, U_loss: {why}<" in page and ">U_loss: no population is large<" in page
    alone = SimpleNamespace(points=[gone], privacy=read.privacy, utility=read.utility)
    page = dominated(alone, 0, None)
    assert "1 candidate is not on the chart" in page and "dominated" not in page


def test_a_release_beyond_the_limit_is_marked(read):
    beyond = read.choices(0.11)["useful"]
    assert "This release exceeds the limit" in report(read, beyond, 0.11)
    assert "exceeds the limit" not in report(read, read.choices(0.11)["recommended"], 0.11)
    assert "(over the limit)" in report(read, read.choices(0.11)["recommended"], 0.11)
