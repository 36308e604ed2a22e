"""Recipes reproduce a release."""

import json

import pytest

from tests.studies.written import TEXT, without
from workbench.base.errors import BadInput, Unsatisfiable
from workbench.base.variants import catalog, from_dict
from workbench.frontier.recipe import Point, Recipe, count_combinations, listed_settings, recipes
from workbench.methods import Keep, Method, Mondrian, RandomizedResponse, Remove
from workbench.models import AlphaK, And, DistinctLDiversity, KAnonymity, ProbabilisticLDiversity, TCloseness
from workbench.studies.study import Study, expand_recipe, ranges_from_recipe

METHODS = [Mondrian(), Mondrian(strict=False), Mondrian("information_gain", "wage", "best"), Keep(), Remove(("age",))]


def test_every_combination_of_parameters_is_a_recipe():
    made = recipes(Mondrian(), AlphaK, alpha=[0.3, 0.5], k=[2, 10])
    assert [(r.model.alpha, r.model.k) for r in made] == [(0.3, 2), (0.3, 10), (0.5, 2), (0.5, 10)]


def test_single_values_including_text_are_accepted():
    made = recipes(Mondrian(), TCloseness, seed=3, t=[0.1, 0.2], distance="js")
    assert [(r.model.t, r.model.distance, r.seed) for r in made] == [(0.1, "js", 3), (0.2, "js", 3)]


def test_a_baseline_needs_no_model():
    (made,) = recipes(Keep())
    assert made.model is None and made.baseline
    assert not Recipe(Mondrian(), KAnonymity(2)).baseline


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: recipes(Mondrian(), k=[1, 2]), "k: parameters need a model"),
        (lambda: recipes(Mondrian(), KAnonymity, l=[2]), "k-anonymity has no parameter l; it has k"),
        (lambda: recipes(Mondrian(), KAnonymity, k=[0]), "must be at least 1"),
    ],
)
def test_invalid_recipes_are_reported(wrong, message):
    with pytest.raises(BadInput, match=message):
        wrong()


def test_the_line_of_a_recipe_omits_the_numbers_of_its_model():
    lines = {recipe.line for recipe in recipes(Mondrian(), KAnonymity, k=[2, 5])}
    assert lines == {"k-anonymity (mondrian)"}
    assert Recipe(Keep()).line == "keep"
    assert {Recipe(RandomizedResponse(keep)).line for keep in (0.2, 0.8)} == {"randomized response"}
    assert Recipe(RandomizedResponse(0.2, others="uniform")).line == "randomized response, others = uniform"


def test_the_text_of_a_recipe():
    assert str(Recipe(Mondrian(), KAnonymity(5))) == "k-anonymity, k = 5 (mondrian)"
    both = KAnonymity(5) & TCloseness(0.2)
    assert str(Recipe(Mondrian(), both)) == "k-anonymity, k = 5 & t-closeness, t = 0.2 (mondrian)"
    assert str(Recipe(Remove("age"))) == "remove, columns = age"


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_a_method_is_restored_from_plain_data(method):
    plain = json.loads(json.dumps(Recipe(method, KAnonymity(2), 7).to_dict()))
    assert from_dict("method", catalog("workbench.methods", Method), plain["method"]) == method
    assert plain["seed"] == 7 and plain["model"] == {"name": "k-anonymity", "k": 2}


@pytest.mark.parametrize("method", METHODS[:3], ids=str)
def test_a_recipe_reproduces_its_release(small, method):
    recipe = Recipe(method, KAnonymity(4), 5)
    one, two = (recipe.release(small(0)).classes for _ in range(2))
    assert (one.low == two.low).all() and (one.histograms["disease"] == two.histograms["disease"]).all()


def test_the_error_of_a_recipe_that_cannot_be_stored_gives_the_reason(small):
    with pytest.raises(Unsatisfiable, match="5 values, fewer than l = 9"):
        Recipe(Mondrian(), ProbabilisticLDiversity(9)).release(small(0))


def test_equal_recipes_compare_equal_and_points_store_figures():
    assert Recipe(Mondrian(), KAnonymity(2)) == Recipe(Mondrian(), KAnonymity(2))
    point = Point(Recipe(Keep()), {"loss": 0.3})
    assert point.values["loss"] == 0.3 and not point.reasons


@pytest.mark.parametrize(
    ("model", "possible"),
    [
        (TCloseness(0.2), True),
        (DistinctLDiversity(2), True),
        (KAnonymity(2), True),
        (KAnonymity(5), False),
        (KAnonymity(5) & TCloseness(0.2), False),
        (DistinctLDiversity(6), False),
    ],
)
def test_models_of_distributions_do_not_prevent_small_classes(model, possible):
    assert bool(Recipe(Mondrian(), model).small_classes) == possible
    assert not Recipe(Keep()).small_classes


# Lists of parameters are expanded to every combination.


def test_ranges_are_expanded_and_models_combined():
    recipes = Study.from_yaml(without("- {method: {name: remove")).candidates()
    assert [str(recipe.model) for recipe in recipes[:2]] == ["k-anonymity, k = 10", "k-anonymity, k = 50"]
    assert len(recipes) == 2 + 4
    assert recipes[2].model == KAnonymity(5) & TCloseness(0.1, distance="js")
    assert isinstance(recipes[2].model, And)
    assert {recipe.method.publish for recipe in recipes[2:]} == {"generalized", "bucketized"}


def test_a_recipe_survives_a_round_trip():
    ordered = Recipe(Mondrian("order", order=("sex", "age")), KAnonymity(5))
    for recipe in [*Study.from_yaml(TEXT).candidates(), Recipe(Remove(("age", "sex"))), ordered]:
        assert expand_recipe(ranges_from_recipe(recipe)) == [recipe]


def test_a_column_name_is_one_value_and_a_list_of_names_several():
    ordered = {"name": "mondrian", "split": "order", "order": ["zip", "age"]}
    assert [one.method for one in expand_recipe({"method": ordered})] == [Mondrian("order", order=("zip", "age"))]
    several = expand_recipe({"method": {**ordered, "order": [["zip", "age"], ["age"], "sex"]}})
    assert [one.method.order for one in several] == [("zip", "age"), ("age",), ("sex",)]
    assert listed_settings("method", {**ordered, "strict": [True]}) == {"strict": [True]}
    removed = expand_recipe({"method": {"name": "remove", "columns": ["age", "sex"]}})
    assert removed == [Recipe(Remove(("age", "sex")))]


@pytest.mark.parametrize(
    ("ranges", "says"),
    [
        ({"model": {"name": "k-anonymity"}}, "has a method"),
        ({"method": {"name": "mondrian", "split": "order", "order": []}}, "order has no values"),
        ({"method": {"name": "mondrian", "split": "order", "order": [["a"], []]}}, "name one column or several"),
        ({"method": {"name": "mondrian"}, "modle": 1}, "has a method"),
        ({"method": {"name": "mondrain"}}, "no method is called"),
        ({"method": {"name": "mondrian"}, "model": {"name": "k-anonymity", "k": []}}, "no values"),
        ({"method": {"name": "mondrian"}, "model": {"name": "k-anonymity", "k": list(range(1, 20_000))}}, "more than"),
        ({"method": {"name": "mondrian"}, "model": "k"}, "no|mapping"),
    ],
)
def test_the_error_of_an_invalid_recipe_gives_the_reason(ranges, says):
    with pytest.raises(BadInput, match=says):
        expand_recipe(ranges)


def test_relative_weights_vary_together():
    method = {"name": "threshold clustering", "utility": [1, 0.5, 0], "protection": [0, 0.5, 1], "r": [0.5, 0.7]}
    made = [one.method for one in expand_recipe({"method": method})]
    assert [(one.utility, one.protection, one.r) for one in made] == [
        (1, 0, 0.5), (1, 0, 0.7), (0.5, 0.5, 0.5), (0.5, 0.5, 0.7), (0, 1, 0.5), (0, 1, 0.7),
    ]  # fmt: skip
    assert count_combinations("method", method) == 6
    one_list = expand_recipe({"method": {"name": "threshold clustering", "utility": [1, 0.5]}})
    assert [(one.method.utility, one.method.protection) for one in one_list] == [(1, 0.5), (0.5, 0.5)]
    with pytest.raises(BadInput, match="give equally many"):
        expand_recipe({"method": {**method, "utility": [1, 0]}})
