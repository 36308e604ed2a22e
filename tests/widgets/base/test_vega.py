"""Live charts bring their library to a page that has none."""

from widgets.base.vega import ChartPart, live
from workbench import charts
from workbench.frontier.frontier import Frontier
from workbench.measures import PrivacyLoss, UtilityLoss


def test_the_library_is_sent_to_a_page_without_one(monkeypatch):
    chart, sent = ChartPart(), []
    monkeypatch.setattr("widgets.base.vega.bundle", lambda: "library")
    chart.send = lambda content, buffers=None: sent.append((content, buffers))
    chart._receive(None, {"kind": "library"}, [])
    assert sent[0] == ({"kind": "library"}, [b"library"])
    sent.clear()
    monkeypatch.setattr("widgets.base.vega.bundle", lambda: 1 / 0)
    chart._receive(None, {"kind": "library"}, [])
    assert sent[0][0]["kind"] == "problem"


def test_a_live_chart_takes_its_width_from_the_page():
    still = charts.frontier_chart(Frontier([], [PrivacyLoss(), UtilityLoss()]))
    assert live(still)["autosize"]["type"] == "fit-x" and live(still)["description"] == still.to_dict()["description"]
