"""A search in the background: points arrive, and efficient recipes have the format of a study."""

from tests.frontier.points import P, U, baselines
from tests.methods.raking.tables import table
from tests.widgets.server.visitor import within
from widgets.session.search import BackgroundSearch, efficient_recipes, join_points
from workbench.frontier.frontier import Frontier
from workbench.frontier.recipe import Point, Recipe, expand_recipe
from workbench.frontier.sweep import sweep
from workbench.measures import PrivacyLoss, UtilityLoss
from workbench.methods import Mondrian, RakedBuckets
from workbench.models import KAnonymity, TCloseness
from workbench.studies.study import Study


def point(recipe, private, useful):
    return Point(recipe, {"P": private, "U": useful})


def close(t, method=None):
    return Recipe(method or Mondrian(), TCloseness(t))


def test_current_points_stay_and_the_baselines_come_last():
    there = Frontier([point(close(0.1), 1, 5), *baselines()], [P, U], utility="U")
    found = join_points(there, [point(close(0.2), 2, 3), point(close(0.1), 9, 9), *baselines()], complete=False)
    assert [str(one.recipe.model or one.recipe) for one in found.measured] == [
        "t-closeness, t = 0.1",
        "t-closeness, t = 0.2",
        "keep",
        "remove",
    ]
    assert found.measured[0].values["P"] == 1 and found.axes == there.axes and not found.complete


def test_new_efficient_recipes_are_one_entry_for_each_family():
    both = Recipe(Mondrian(), TCloseness(0.3) & KAnonymity(5))
    points = [
        point(close(0.2), 2, 3),
        point(close(0.1), 1, 5),
        point(close(0.4), 4, 4),
        point(close(0.3, RakedBuckets()), 3, 2),
        point(both, 5, 1),
        point(Recipe(Mondrian(), KAnonymity(9)), 0.5, 7),
    ]
    found = efficient_recipes(Frontier([*points, *baselines()], [P, U]), [Recipe(Mondrian(), KAnonymity(9))])
    assert len(found) == 3 and found[0]["model"]["t"] == [0.1, 0.2]
    written = {str(recipe) for entry in found for recipe in expand_recipe(entry)}
    assert written == {str(points[i].recipe) for i in (0, 1, 3, 4)}


def test_the_search_uses_the_axes_and_caps_of_the_study():
    data, study = table(records=300), Study(caps={"P_loss": 0.1, "R_id": 0.5})
    there = sweep(data, [], [UtilityLoss(), PrivacyLoss()])
    arrived, ended = [], []
    finder = BackgroundSearch(lambda *what: arrived.append(what), lambda *what: ended.append(what), ended.append)
    finder.start(data, study, there, "8 evaluations", None)
    assert within(20, lambda: ended)
    found, notes = ended[0]
    assert len(found.measured) == 8 and arrived[0][1].endswith("releases tried")
    assert any("within the caps at best U_loss" in note for note in notes)


def test_an_error_is_reported():
    data, wrong = table(records=100), []
    there = sweep(data, [], [UtilityLoss(), PrivacyLoss()])
    BackgroundSearch(lambda *_: None, lambda *_: None, wrong.append).start(data, Study(), there, "no budget", None)
    assert within(5, lambda: wrong) and "use seconds" in str(wrong[0])
