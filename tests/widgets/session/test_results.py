"""What a program gets from a workbench in the next cell, or why there is nothing yet."""

from types import SimpleNamespace

import pytest

from widgets.session.results import WorkbenchResults
from workbench.base.errors import BadInput
from workbench.frontier.frontier import Frontier
from workbench.measures import PrivacyLoss, UtilityLoss


def stand(**changes):
    found = WorkbenchResults()
    given = {
        "data": SimpleNamespace(reading=False, trouble=""),
        "card": SimpleNamespace(making=False, release=None, reason=""),
        "disclosure": SimpleNamespace(computing=False),
        "chart": SimpleNamespace(saved_picture=SimpleNamespace(busy=False), total=0),
        "session": SimpleNamespace(table=None),
        "_points": SimpleNamespace(busy=False, frontier=None),
        "_kernel_thread": None,
        **changes,
    }
    for name, value in given.items():
        setattr(found, name, value)
    return found


def test_missing_results_have_a_reason():
    with pytest.raises(BadInput, match="there are no points yet: choose at least one quasi-identifier"):
        _ = stand().points
    with pytest.raises(BadInput, match="there is no release: work is still running; wait for it"):
        _ = stand(_points=SimpleNamespace(busy=True, frontier=None)).release
    with pytest.raises(BadInput, match="there is no release: no class is large enough"):
        _ = stand(card=SimpleNamespace(making=False, release=None, reason="no class is large enough")).release


def test_waiting_ends_where_the_data_are_not_there():
    assert (found := stand(session=SimpleNamespace(table=1))).wait() is found
    with pytest.raises(BadInput, match="no such file"):
        stand(data=SimpleNamespace(reading=False, trouble="no such file")).wait()


def test_the_points_are_the_frontiers():
    frontier = Frontier([], [PrivacyLoss(), UtilityLoss()])
    assert stand(_points=SimpleNamespace(busy=False, frontier=frontier)).points.equals(frontier.points)
