"""Points, a chart, and what it sends."""

import pytest

from tests.widgets.frontier.recording import MEASURES, points
from widgets import FrontierChart
from workbench.frontier.frontier import Frontier


@pytest.fixture
def chart():
    one = FrontierChart(Frontier(points(), MEASURES))
    one.sent = []
    one.send = lambda content, buffers=None: one.sent.append(content)
    return one
