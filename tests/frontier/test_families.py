import pytest

from tests.methods.raking.tables import table
from workbench.base.errors import BadInput
from workbench.frontier.families import Family, default_families, families_from_recipes
from workbench.frontier.notation import model_and_method
from workbench.frontier.recipe import Recipe
from workbench.methods import Mondrian
from workbench.models import BetaLikeness, KAnonymity, ProbabilisticLDiversity, TCloseness


@pytest.mark.parametrize(
    ("model", "most_private", "least_private"),
    [
        (KAnonymity(), 1500, 1),
        (TCloseness(distance="js"), 0.002, 1),
        (ProbabilisticLDiversity(), 4, 1),
        (BetaLikeness(), 0.04, 20),
    ],
)
def test_positions_run_from_the_most_to_the_least_private_recipe(model, most_private, least_private):
    family = Family(Mondrian(), model, table())
    assert (family.value(0), family.value(1)) == (most_private, least_private)
    values = [family.value(place / 20) for place in range(21)]
    assert values == sorted(values, reverse=model.at_least)
    for place in (0, 0.37, 1):
        recipe = family.recipe(place)
        assert recipe.model.settings() == {**model.settings(), model.figure: family.value(place)}
        assert model_and_method(str(recipe)) == (recipe.model, recipe.method), "the printed recipe can be read back"


def test_wide_ranges_are_logarithmic_and_integer_parameters_integers():
    family = Family(Mondrian(), KAnonymity(), table())
    assert [family.value(place) for place in (0, 0.5, 1)] == [1500, 39, 1]
    assert all(isinstance(family.value(place / 10), int) for place in range(11))


def test_default_families_differ_and_cover_every_sensitive_column():
    families = default_families(table(0, ("illness", "wage")), seed=3)
    assert len({str(one) for one in families}) == len(families)
    targets = [getattr(one.method, "target", None) for one in families]
    assert targets.count("illness") == targets.count("wage") == 2
    assert {one.recipe(0.5).seed for one in families} == {3}


def test_families_are_written_like_recipes():
    (family,) = families_from_recipes(table(), ["t-closeness, t=0.4, distance=js (mondrian, publish=bucketized)"])
    assert (family.model, family.method) == (TCloseness(0.4, "js"), Mondrian(publish="bucketized"))
    (family,) = families_from_recipes(table(), Recipe(Mondrian(), KAnonymity(7)))
    assert family.recipe(1).model == KAnonymity(1)


def test_a_combined_model_is_satisfied_too():
    family = Family(Mondrian(), TCloseness(distance="js"), table(), also_requires=KAnonymity(9))
    assert family.recipe(1).model == TCloseness(1, "js") & KAnonymity(9)
    assert str(family) == "t-closeness, distance = js & k-anonymity, k = 9 (mondrian)"


@pytest.mark.parametrize("wrong", ["k-anonymity", "mondrian", "k-anonymity, k=2 & t-closeness (mondrian)", 5])
def test_invalid_families_are_refused(wrong):
    with pytest.raises(BadInput, match=r"families|is not a model and a method"):
        list(families_from_recipes(table(), [wrong]))
