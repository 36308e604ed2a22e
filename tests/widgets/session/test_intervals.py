"""Intervals computed in the background: with progress, or none after cancellation."""

import threading

from tests.methods.raking.tables import table
from tests.widgets.server.visitor import within
from widgets.session.intervals import BackgroundIntervals
from workbench.base.errors import BadInput
from workbench.frontier.frontier import Frontier
from workbench.frontier.recipe import Recipe
from workbench.frontier.sweep import sweep
from workbench.measures import PrivacyLoss, UtilityLoss
from workbench.methods import Mondrian
from workbench.models import KAnonymity


def test_intervals_arrive_with_progress():
    data, progress, ended = table(1, records=200), [], []
    swept = sweep(data, [Recipe(Mondrian(), KAnonymity(9))], [PrivacyLoss(), UtilityLoss(min_support=0.1)])
    made = BackgroundIntervals(progress.append, ended.append, ended.append, lambda cancel: cancel)
    made.start(data, swept, {"over": "records", "times": 3})
    assert within(20, lambda: ended) and not made.busy
    assert isinstance(ended[0], Frontier) and all(ended[0].measured[0].intervals[key] for key in swept.axes)
    assert progress == [f"{done} of 3 runs" for done in range(4)]
    made.start(data, swept, {"over": "records", "times": 1})
    assert within(5, lambda: len(ended) == 2) and isinstance(ended[1], BadInput)
    made.start(data, swept, {"over": "learning"})
    assert within(20, lambda: len(ended) == 3) and ended[2].measured[0].intervals["P_loss"]
    assert progress[-2:] == ["0 of 1 learning attackers", "1 of 1 learning attackers"]


def test_no_intervals_arrive_after_cancellation():
    data, ended, over = table(1, records=200), [], threading.Event()
    swept = sweep(data, [Recipe(Mondrian(), KAnonymity(9))], [PrivacyLoss(), UtilityLoss(min_support=0.1)])
    over.set()
    BackgroundIntervals(lambda _: None, ended.append, ended.append, lambda cancel: over).start(
        data, swept, {"over": "records"}
    )
    assert ended == []
