"""Fits that did not converge appear with the figures that are computed from them."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from workbench.base.convergence import Fit, collect_fits, report_fit, warning_about
from workbench.data.table import Table
from workbench.frontier.frontier import frontier_records
from workbench.frontier.recipe import Recipe
from workbench.frontier.sweep import sweep
from workbench.measures import Measure, Measured, PrivacyLoss, Publication
from workbench.methods import Keep
from workbench.releases.responses import Categorical, Drawn

OPEN = Fit("steepest ascent", 7, 0.125, False)


@dataclass(frozen=True)
class Fitted(Measure):
    """A figure from a fit that stops too early."""

    name = "fitted"
    symbol = "fitted"
    side = "utility"
    unit = ""
    published_as = Publication.AVERAGE

    def measure(self, release):
        report_fit(OPEN)
        return Measured(0.5, "Half of it.")


def test_a_fit_is_reported_once_to_the_innermost_collector():
    with collect_fits() as outer:
        with collect_fits() as inner:
            report_fit(OPEN)
            report_fit(OPEN)
        report_fit(OPEN._replace(converged=True))
    assert inner == [OPEN] and outer == [OPEN._replace(converged=True)]
    assert not warning_about(outer)


def test_several_fits_that_did_not_converge_are_in_one_sentence():
    assert warning_about([OPEN, OPEN._replace(name="Sinkhorn", rounds=1200)]) == (
        "Computed from fits that did not converge: steepest ascent (residual 0.125 after 7 rounds); Sinkhorn (residual "
        "0.125 after 1,200 rounds)."
    )


def test_a_figure_shows_that_its_fit_did_not_converge_also_from_the_store(tmp_path):
    table = Table.from_frame(pd.DataFrame({"age": [1, 2, 3, 4], "ill": ["no", "yes"] * 2}), ["age"], "ill")
    for _ in range(2):
        found = sweep(table, [Recipe(Keep())], [PrivacyLoss(), Fitted()], tmp_path / "points")
        point = found.measured[0]
        assert point.sentences["fitted"].startswith("Half of it. Computed from a fit that did not converge")
        assert point.fits == {"fitted": [OPEN]} or point.fits == {"fitted": (OPEN,)}
        assert frontier_records(found)[0]["fits"] == {
            "fitted": [{"name": "steepest ascent", "rounds": 7, "residual": 0.125, "converged": False}]
        }


def test_a_cached_fit_is_reported_at_each_use():
    drawn = Drawn.from_released(Categorical(np.array([[0.8, 0.2], [0.3, 0.7]])), np.array([0, 0, 1, 0, 1]))
    for _ in range(2):
        with collect_fits() as fits:
            drawn.likeliest  # noqa: B018
        assert len(fits) == 1 and fits[0].converged
