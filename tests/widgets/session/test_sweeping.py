"""A sweep beside the kernel: points arrive, the last picture is whole, and a newer sweep silences the older."""

from tests.widgets.server.visitor import within
from widgets.session import sweeping
from widgets.session.sweeping import Sweeper, told_apart
from workbench.frontier.recipe import Recipe, recipes
from workbench.measures import Discernibility, InformationLoss, PrivacyLoss
from workbench.methods import Keep, KMember, Mondrian
from workbench.models import KAnonymity


def test_all_points_arrive_with_the_baselines(small):
    arrived, failed = [], []
    sweeper = Sweeper(lambda *what: arrived.append(what), failed.append, lambda words: None, lambda seconds: None)
    asked = recipes(Mondrian(), KAnonymity, k=[2, 5, 9])
    sweeper.start(small(0), asked, [PrivacyLoss(), InformationLoss()], None)
    assert within(20, lambda: arrived and not arrived[-1][3]) and not failed
    frontier, done, total, _ = arrived[-1]
    assert done == total == 5 and frontier.complete
    assert [point.recipe for point in frontier.measured][:3] == list(asked)


def test_it_says_how_long_all_will_take(small, monkeypatch):
    monkeypatch.setattr(KMember, "seconds", lambda *_: 30.0)
    monkeypatch.setattr(sweeping, "threads", lambda: 2)
    told, arrived = [], []
    sweeper = Sweeper(lambda *what: arrived.append(what), told.append, lambda words: None, told.append)
    sweeper.start(small(0), recipes(KMember(), KAnonymity, k=[2, 5, 9]), [PrivacyLoss()], None)
    assert within(20, lambda: arrived and not arrived[-1][3]) and told == [45.0]


def test_what_goes_wrong_is_handed_over(small):
    class Broken(Discernibility):
        def measure(self, release):
            raise RuntimeError("broken")

    failed, arrived = [], []
    sweeper = Sweeper(lambda *what: arrived.append(what), failed.append, lambda words: None, lambda seconds: None)
    sweeper.start(small(0), [], [Broken()], None)
    assert within(20, lambda: failed) and not sweeper.busy
    assert arrived[-1][1:] == (0, 2, False), "it is over all the same"


def test_what_does_not_go_with_the_table_stops_no_other(small):
    arrived, failed = [], []
    sweeper = Sweeper(lambda *what: arrived.append(what), failed.append, lambda words: None, lambda seconds: None)
    lacking = recipes(Mondrian(split="information_gain", target="town"), KAnonymity, k=[2, 5])
    sweeper.start(small(0), [*lacking, *recipes(Mondrian(), KAnonymity, k=[3])], [PrivacyLoss()], None)
    assert within(20, lambda: arrived and not arrived[-1][3]) and not failed
    frontier, done, total, _ = arrived[-1]
    assert done == total == 5 and frontier.complete
    assert [bool(point.values) for point in frontier.measured] == [False, False, True, True, True]
    assert "'town' is not a column of the table" in frontier.measured[0].reasons["P_loss"]


def test_the_seed_of_a_baseline_tells_nothing_apart():
    assert told_apart(Recipe(Keep(), seed=1)) == told_apart(Recipe(Keep(), seed=2))
    assert told_apart(Recipe(Mondrian(), KAnonymity(2), 1)) != told_apart(Recipe(Mondrian(), KAnonymity(2), 2))
