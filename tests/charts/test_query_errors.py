"""Errors in bars, and two frontiers on one scale."""

import numpy as np

from workbench.charts.query_errors import error_rows, errors_chart, two_frontiers
from workbench.frontier.frontier import Frontier
from workbench.frontier.recipe import Point, Recipe
from workbench.measures import PrivacyLoss, QueryError
from workbench.methods import Mondrian
from workbench.models import KAnonymity


def test_every_query_is_in_one_bar():
    errors = np.array([0, 1e-12, 0.005, 0.01, 0.019, 0.3, 1.0, 2.0, 70.0, np.nan])
    rows = {row["error"]: row["queries"] for row in error_rows(errors)}
    assert rows == {
        "none": 2, "< 1 %": 1, "1–2 %": 2, "2–5 %": 0, "5–10 %": 0, "10–20 %": 0, "20–50 %": 1, "50–100 %": 0,
        "100–200 %": 1, "≥ 200 %": 2,
    }  # fmt: skip
    spec = errors_chart(errors).to_dict()
    assert spec["datasets"]["errors"] == error_rows(errors) and sum(rows.values()) == 9


def test_two_workloads_are_drawn_on_one_scale():
    measures = [PrivacyLoss(), QueryError("state"), QueryError("company")]
    points = [
        Point(Recipe(Mondrian(), KAnonymity(k)), dict(zip([one.key for one in measures], values, strict=True)))
        for k, values in {2: (0.9, 0.1, 0.2), 5: (0.5, 0.2, 3.0), 9: (0.1, 0.3, 5.0)}.items()
    ]
    frontier = Frontier(points, measures)
    one, other = two_frontiers(frontier, (measures[1].key, measures[2].key), ("state", "company"), 1)
    domains = [_y_domain(drawn.to_dict()) for drawn in (one, other)]
    assert domains[0] == domains[1] and domains[0][0] <= 0.1 and domains[0][1] >= 5
    assert [drawn.to_dict()["title"]["text"] for drawn in (one, other)] == ["state", "company"]
    assert [row["y"] for row in one.to_dict()["datasets"]["points"]] == [0.1, 0.2, 0.3]


def _y_domain(spec):
    return next(
        layer["encoding"]["y"]["scale"]["domain"]
        for layer in spec["layer"]
        if "scale" in layer["encoding"].get("y", {})
    )
