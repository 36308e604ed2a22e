"""The unreachable region appears on the chart when all points are measured, and disappears with them."""

import pytest

from tests.methods.raking.tables import table
from tests.widgets.server.visitor import within
from widgets import FrontierChart, ReleaseCard
from widgets.base import kernel_thread
from widgets.session import lower_bounds
from widgets.session.lower_bounds import BackgroundBounds
from workbench.frontier.frontier import Frontier
from workbench.frontier.lower_bounds import known_lower_bounds
from workbench.measures import AverageClassSize, PrivacyLoss, UtilityLoss


@pytest.fixture
def live(monkeypatch):
    """Pretend to be in a notebook, with immediate calls."""
    monkeypatch.setattr(lower_bounds, "current_kernel_thread", lambda: kernel_thread)


def on(*measures):
    return Frontier([], measures)


def test_bounds_are_computed_for_any_release_and_for_exact_ones(live):
    chart, data, seen, shown = FrontierChart(None), table(records=300), [], []
    chart.observe(lambda event: seen.append(len(event.new)), "possible")
    card = ReleaseCard(None)
    card.show = lambda: shown.append(known_lower_bounds(data, min_support=0.1))
    bounds = BackgroundBounds(chart, card)
    bounds.compute(data, on(PrivacyLoss(), UtilityLoss(min_support=0.1)))
    assert within(20, lambda: len(chart.possible) == 2) and seen == [1, 2]
    assert chart.possible == tuple(known_lower_bounds(data, exact=exact, min_support=0.1) for exact in (False, True))
    assert len(shown) == 2 and None not in shown, "the card is updated"
    bounds.forget()
    assert chart.possible == ()


@pytest.mark.parametrize(
    "measures",
    [
        (PrivacyLoss(), AverageClassSize()),
        (PrivacyLoss(adversary="covering classes"), UtilityLoss()),
        (PrivacyLoss(adversary="learning"), UtilityLoss()),
        (PrivacyLoss(distance="variation"), UtilityLoss()),
        (PrivacyLoss(), UtilityLoss(estimator="learned")),
        (PrivacyLoss(),),
    ],
)
def test_other_axes_have_no_bounds(live, measures):
    chart, data = FrontierChart(None), table(records=100)
    BackgroundBounds(chart, ReleaseCard(None)).compute(data, on(*measures))
    assert chart.possible == () and known_lower_bounds(data) is None


def test_weighted_tables_have_no_bounds(live):
    chart = FrontierChart(None)
    weighted = table(weights=True, records=100)
    BackgroundBounds(chart, ReleaseCard(None)).compute(weighted, on(PrivacyLoss(), UtilityLoss()))
    assert chart.possible == ()


def test_a_script_computes_no_bounds():
    chart, data = FrontierChart(None), table(records=100)
    BackgroundBounds(chart, ReleaseCard(None)).compute(data, on(PrivacyLoss(), UtilityLoss()))
    assert chart.possible == () and known_lower_bounds(data) is None


def test_the_computation_pauses_while_a_release_is_made():
    card = ReleaseCard(None)
    bounds = BackgroundBounds(FrontierChart(None), card)
    assert not bounds._busy()
    card.making = True
    assert bounds._busy()
    card.making = False
    assert bounds._busy() and within(5, lambda: not bounds._busy())
