"""Recipes reproduce a release."""

import json
from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.studies.written import TEXT, without
from workbench.base.errors import BadInput, Unsatisfiable
from workbench.base.parameters import Choice, Column
from workbench.base.variants import catalog, from_dict
from workbench.frontier.recipe import (
    Point,
    Recipe,
    count_combinations,
    listed_settings,
    parse_method,
    parse_model,
    parse_recipe,
    recipes,
)
from workbench.methods import Keep, Method, Mondrian, RandomizedResponse, Remove
from workbench.models import (
    AlphaK,
    And,
    DistinctLDiversity,
    KAnonymity,
    Model,
    ProbabilisticLDiversity,
    RecursiveLDiversity,
    TCloseness,
)
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
    with pytest.raises(BadInput, match="list equally many"):
        expand_recipe({"method": {**method, "utility": [1, 0]}})


COLUMN = st.text("abcAB,_-()'\" 1&=é", min_size=1, max_size=12).filter(lambda name: name == name.strip())


@st.composite
def variant(draw, package, base):
    """Draw a variant of a catalog with each parameter anywhere in its range."""
    kind = draw(st.sampled_from(list(catalog(package, base).values())))
    settings = {}
    for field in fields(kind):
        declared = field.metadata["parameter"]
        if isinstance(declared, Choice):
            settings[field.name] = draw(st.sampled_from(declared.choices))
        elif isinstance(declared, Column):
            settings[field.name] = draw(st.none() | COLUMN)
        elif isinstance(field.default, (int, float)):
            low, high = declared.bounds()
            among = st.integers if isinstance(field.default, int) else st.floats
            number = draw(among(int(low or 0), int(high) if high is not None else 10_000))
            settings[field.name] = float(f"{number:g}") if isinstance(field.default, float) else number
        else:
            settings[field.name] = draw(st.none() | st.lists(COLUMN, min_size=1, max_size=3).map(tuple))
    try:
        return kind(**settings)
    except BadInput:  # some settings cannot be combined
        return kind()


ANY_MODEL, ANY_METHOD = variant("workbench.models", Model), variant("workbench.methods", Method)


@given(st.lists(ANY_MODEL, min_size=1, max_size=3, unique=True), ANY_METHOD)
def test_printed_variants_are_parsed_to_equal_ones(models, method):
    model = models[0]
    for other in models[1:]:
        model = model & other
    assert parse_model(str(model)) == model
    assert parse_method(str(method)) == method
    assert parse_recipe(str(Recipe(method, model))) == (model, method)
    assert parse_recipe(str(Recipe(method))) == (None, method)


@pytest.mark.parametrize(
    "text, model",
    [
        ("k-anonymity", KAnonymity()),
        ("  K-Anonymity ,k= 5", KAnonymity(5)),
        ("k-anonymity k=5", KAnonymity(5)),
        ("k-anonymity: k=5", KAnonymity(5)),
        ("k-anonymity,k=5&t-closeness,distance=JS,t=.2", KAnonymity(5) & TCloseness(0.2, "js")),
        ("(alpha,k)-anonymity, alpha=0.5, k=1e1", AlphaK(0.5, 10)),
        ("recursive (c,l)-diversity, l=4", RecursiveLDiversity(l=4)),
    ],
)
def test_variations_of_spelling_are_parsed(text, model):
    assert parse_model(text) == model


def test_methods_are_parsed_with_and_without_brackets():
    assert parse_method("mondrian, strict=false") == Mondrian(strict=False)
    assert parse_method("remove, columns = age, sex") == Remove(("age", "sex"))
    order = Mondrian("order", order=("zip code", "a, b"))
    assert parse_method('mondrian, split=order, order = zip code, "a, b"') == order == parse_method(str(order))
    assert str(order) == 'mondrian, split = order, order = zip code, "a, b"'
    assert parse_method("mondrian, order=age, split=order") == Mondrian("order", order="age")
    for workload in ("by age", {"random": {"count": 9, "seed": 2}}, ["age > 30", "sex = 'F'"]):
        serving = Mondrian("workload", workload=workload)
        assert parse_method(str(serving)) == serving
    target = Mondrian(split="information_gain", target="a, b (c)")
    assert parse_recipe(f"k-anonymity, k=3 ({target})") == (KAnonymity(3), target)
    assert parse_recipe("keep") == (None, Keep())
    assert parse_recipe("k-anonymity, k=3") == (KAnonymity(3), None)


@pytest.mark.parametrize(
    "text, words",
    [
        ("k-anonimity, k=10", "no model is called 'k-anonimity'; did you mean 'k-anonymity'?"),
        ("xyz", "no model is called 'xyz'; choose from (alpha,k)-anonymity, "),
        ("", "no model is called ''"),
        ("k=10", "no model is called ''"),
        ("k-anonymity, k=10 & ", "no model is called ''"),
        ("k-anonymity, kk=10", "k-anonymity has no parameter 'kk'; did you mean 'k'?"),
        ("k-anonymity, 10", "k-anonymity has no parameter '10'; choose from k"),
        ("k-anonymity, k=ten", "k = 'ten' must be a number"),
        ("k-anonymity, k=1.5", "must be a whole number"),
        ("k-anonymity, k=10, k=20", "k occurs twice"),
        ("t-closeness, t=0.2, distance=jss", "is not one of 'equal', 'ordered', 'hierarchical', 'js'"),
        ("k-anonymity, k=10 (mondrain)", "no method is called 'mondrain'; did you mean 'mondrian'?"),
        ("mondrian", "names a method"),
        ("k-anonymity, k=10 (mondrian)", "names a method"),
    ],
)
def test_errors_of_models_are_reported(text, words):
    with pytest.raises(BadInput) as error:
        parse_model(text)
    assert words in str(error.value)


@pytest.mark.parametrize(
    "text, words",
    [
        ("keep, k=1", "keep has no parameter 'k'; it has none"),
        ("remove, columns=", "name one column or several"),
        (
            "mondrian, split=workload, workload={random",
            "is not a workload; name a workload of the study, or write one as JSON",
        ),
        ("k-anonymity", "no method is called 'k-anonymity'"),
    ],
)
def test_errors_of_methods_are_reported(text, words):
    with pytest.raises(BadInput) as error:
        parse_method(text)
    assert words in str(error.value)
