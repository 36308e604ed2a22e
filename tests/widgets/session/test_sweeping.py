"""A sweep beside the kernel: points arrive, the last picture is whole, and a newer sweep silences the older."""

from tests.widgets.server.visitor import within
from widgets.session.sweeping import Sweeper
from workbench.frontier.recipe import Recipe, recipes
from workbench.measures import Discernibility, InformationLoss, PrivacyLoss
from workbench.methods import Keep, Mondrian, Remove
from workbench.models import KAnonymity


def test_all_points_arrive_with_the_baselines(small):
    arrived, failed = [], []
    sweeper = Sweeper(lambda *what: arrived.append(what), failed.append, lambda words: None)
    asked = recipes(Mondrian(), KAnonymity, k=[2, 5, 9])
    sweeper.start(small(0), asked, [PrivacyLoss(), InformationLoss()], None)
    assert within(20, lambda: arrived and not arrived[-1][3]) and not failed
    frontier, done, total, _ = arrived[-1]
    assert done == total == 5 and frontier.complete
    assert [point.recipe for point in frontier.measured][:3] == list(asked)


def test_an_error_outside_the_measures_is_handed_over(small, monkeypatch):
    def broken(*_, **__):
        raise RuntimeError("broken")

    failed, arrived = [], []
    sweeper = Sweeper(lambda *what: arrived.append(what), failed.append, lambda words: None)
    monkeypatch.setattr(Remove, "release", broken)
    sweeper.start(small(0), [], [Discernibility()], None)
    assert within(20, lambda: failed) and not sweeper.busy
    assert not arrived[-1][3], "it is over all the same"


def test_what_does_not_go_with_the_table_stops_no_other(small):
    arrived, failed = [], []
    sweeper = Sweeper(lambda *what: arrived.append(what), failed.append, lambda words: None)
    lacking = recipes(Mondrian(split="information_gain", target="town"), KAnonymity, k=[2, 5])
    sweeper.start(small(0), [*lacking, *recipes(Mondrian(), KAnonymity, k=[3])], [PrivacyLoss()], None)
    assert within(20, lambda: arrived and not arrived[-1][3]) and not failed
    frontier, done, total, _ = arrived[-1]
    assert done == total == 5 and frontier.complete
    assert [bool(point.values) for point in frontier.measured] == [False, False, True, True, True]
    assert "'town' is not a column of the table" in frontier.measured[0].reasons["P_loss"]


def test_the_seed_of_a_baseline_tells_nothing_apart():
    assert Recipe(Keep(), seed=1).identity == Recipe(Keep(), seed=2).identity
    assert Recipe(Mondrian(), KAnonymity(2), 1).identity != Recipe(Mondrian(), KAnonymity(2), 2).identity
