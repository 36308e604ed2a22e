"""The region that nobody can reach is on the chart when all points are there, and goes with them."""

import pytest

from tests.methods.raking.tables import table
from tests.widgets.server.visitor import within
from widgets import FrontierChart, ReleaseCard
from widgets.base import turns
from widgets.session import possible
from widgets.session.possible import Possible
from workbench.frontier.frontier import Frontier
from workbench.frontier.lower_bounds import known_lower_bounds
from workbench.measures import AverageClassSize, PrivacyLoss, UtilityLoss


@pytest.fixture
def live(monkeypatch):
    """As in a notebook, though what is told is called at once."""
    monkeypatch.setattr(possible, "turns_here", lambda: turns)


def on(*measures):
    return Frontier([], measures)


def test_it_is_found_for_any_release_and_for_exact_ones(live):
    chart, data, seen, shown = FrontierChart(None), table(records=300), [], []
    chart.observe(lambda event: seen.append(len(event.new)), "possible")
    card = ReleaseCard(None)
    card.show = lambda: shown.append(known_lower_bounds(data, min_support=0.1))
    found = Possible(chart, card)
    found.find(data, on(PrivacyLoss(), UtilityLoss(min_support=0.1)))
    assert within(20, lambda: len(chart.possible) == 2) and seen == [1, 2]
    assert chart.possible == tuple(known_lower_bounds(data, exact=exact, min_support=0.1) for exact in (False, True))
    assert len(shown) == 2 and None not in shown, "the card says it of the release that is there"
    found.forget()
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
def test_on_other_axes_there_is_none(live, measures):
    chart, data = FrontierChart(None), table(records=100)
    Possible(chart, ReleaseCard(None)).find(data, on(*measures))
    assert chart.possible == () and known_lower_bounds(data) is None


def test_where_no_bound_is_known_there_is_none(live):
    chart = FrontierChart(None)
    Possible(chart, ReleaseCard(None)).find(table(weights=True, records=100), on(PrivacyLoss(), UtilityLoss()))
    assert chart.possible == ()


def test_in_a_script_nobody_looks():
    chart, data = FrontierChart(None), table(records=100)
    Possible(chart, ReleaseCard(None)).find(data, on(PrivacyLoss(), UtilityLoss()))
    assert chart.possible == () and known_lower_bounds(data) is None


def test_a_release_that_is_made_keeps_it_waiting_for_a_moment():
    card = ReleaseCard(None)
    found = Possible(FrontierChart(None), card)
    assert not found._busy()
    card.making = True
    assert found._busy()
    card.making = False
    assert found._busy() and within(5, lambda: not found._busy())
