"""Adjacent panels of figures."""

import pandas as pd
import pytest

from tests.charts.drawn import words_of
from workbench import charts

FRAME = pd.DataFrame(
    {
        "k": [2, 10, 100, 2, 10, 100],
        "rule": ["widest"] * 3 + ["fewest"] * 3,
        "size": [1.2, 1.4, 1.5, 1.6, 1.7, 1.8],
        "error": [0.0, 0.02, 30.0, 4.0, 500.0, 20_000.0],
    }
)


def drawn(**options):
    return charts.panels_chart(FRAME, "k", "rule", {"size": "group size", "error": "error"}, "Both", **options)


def test_each_panel_draws_its_column_and_all_have_one_legend():
    words = words_of(drawn())
    assert {"Both", "group size", "error"} <= set(words)
    assert [words.count(name) for name in ("widest", "fewest")] == [1, 1]
    spec = drawn().to_dict()
    assert spec["datasets"]["figures"] == FRAME.to_dict("records")
    assert [panel["layer"][0]["encoding"]["y"]["field"] for panel in spec["hconcat"]] == ["size", "error"]
    assert spec["description"] == "Both: group size, error. Lines: widest, fewest."


def test_a_logarithmic_axis_starts_with_0_if_it_occurs():
    across, up = (drawn(log=("k", "error")).to_dict()["hconcat"][1]["layer"][0]["encoding"][side] for side in "xy")
    assert across["scale"] == {"type": "log", "domain": [1, 100]} and across["axis"]["values"] == [100, 10, 1]
    assert up["scale"]["type"] == "symlog" and up["scale"]["domain"] == [0, 100_000]
    assert up["axis"]["values"] == [100_000, 10_000, 1_000, 100, 10, 1, 0.1, 0.01, 0]
    assert {"0", "0.01", "100,000"} <= set(words_of(drawn(log=("k", "error"))))


@pytest.mark.parametrize("frame", [FRAME.assign(error=0.0), FRAME[:1]])
def test_a_column_with_one_value_can_be_drawn(frame):
    assert words_of(charts.panels_chart(frame, "k", "rule", {"error": "error"}, "One", log=("error", "k")))
