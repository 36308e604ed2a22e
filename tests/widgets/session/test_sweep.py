"""A sweep in the background: points arrive, the last frontier is complete, and a newer sweep cancels an older one."""

from tests.widgets.server.visitor import within
from widgets.session.sweep import BackgroundSweep
from workbench.frontier.recipe import Recipe, recipes
from workbench.measures import Discernibility, InformationLoss, PrivacyLoss
from workbench.methods import Keep, Mondrian, Remove
from workbench.models import KAnonymity


def test_all_points_arrive_with_the_baselines(small):
    arrived, failed = [], []
    background = BackgroundSweep(lambda *what: arrived.append(what), failed.append, lambda words: None)
    wanted = recipes(Mondrian(), KAnonymity, k=[2, 5, 9])
    background.start(small(0), wanted, [PrivacyLoss(), InformationLoss()], None)
    assert within(20, lambda: arrived and not arrived[-1][3]) and not failed
    frontier, done, total, _ = arrived[-1]
    assert done == total == 5 and frontier.complete
    assert [point.recipe for point in frontier.measured][:3] == list(wanted)


def test_an_error_outside_the_measures_is_reported(small, monkeypatch):
    def broken(*_, **__):
        raise RuntimeError("broken")

    failed, arrived = [], []
    background = BackgroundSweep(lambda *what: arrived.append(what), failed.append, lambda words: None)
    monkeypatch.setattr(Remove, "release", broken)
    background.start(small(0), [], [Discernibility()], None)
    assert within(20, lambda: failed) and not background.busy
    assert not arrived[-1][3], "the sweep ends all the same"


def test_a_recipe_that_does_not_fit_the_table_does_not_stop_the_others(small):
    arrived, failed = [], []
    background = BackgroundSweep(lambda *what: arrived.append(what), failed.append, lambda words: None)
    lacking = recipes(Mondrian(split="information_gain", target="town"), KAnonymity, k=[2, 5])
    background.start(small(0), [*lacking, *recipes(Mondrian(), KAnonymity, k=[3])], [PrivacyLoss()], None)
    assert within(20, lambda: arrived and not arrived[-1][3]) and not failed
    frontier, done, total, _ = arrived[-1]
    assert done == total == 5 and frontier.complete
    assert [bool(point.values) for point in frontier.measured] == [False, False, True, True, True]
    assert "'town' is not a column of the table" in frontier.measured[0].reasons["P_loss"]


def test_the_seed_of_a_baseline_does_not_change_its_identity():
    assert Recipe(Keep(), seed=1).identity == Recipe(Keep(), seed=2).identity
    assert Recipe(Mondrian(), KAnonymity(2), 1).identity != Recipe(Mondrian(), KAnonymity(2), 2).identity
