"""Lists of parameters are expanded to every combination."""

import pytest

from tests.studies.written import TEXT, without
from workbench.base.errors import BadInput
from workbench.frontier.grid import count_combinations, listed_settings
from workbench.frontier.recipe import Recipe
from workbench.methods import Mondrian, Remove
from workbench.models import And, KAnonymity, TCloseness
from workbench.studies.study import Study, expand_recipe, ranges_from_recipe


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
