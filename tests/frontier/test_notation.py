"""The notation of models and methods: parsing and printing are inverse."""

from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base.errors import BadInput
from workbench.base.parameters import Choice, Column
from workbench.base.variants import catalog
from workbench.frontier import notation
from workbench.frontier.recipe import Recipe
from workbench.methods import Keep, Method, Mondrian, Remove
from workbench.models import AlphaK, KAnonymity, Model, RecursiveLDiversity, TCloseness

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


MODELS, METHODS = variant("workbench.models", Model), variant("workbench.methods", Method)


@given(st.lists(MODELS, min_size=1, max_size=3, unique=True), METHODS)
def test_printed_variants_are_parsed_to_equal_ones(models, method):
    model = models[0]
    for other in models[1:]:
        model = model & other
    assert notation.model(str(model)) == model
    assert notation.method(str(method)) == method
    assert notation.model_and_method(str(Recipe(method, model))) == (model, method)
    assert notation.model_and_method(str(Recipe(method))) == (None, method)


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
    assert notation.model(text) == model


def test_methods_are_parsed_with_and_without_brackets():
    assert notation.method("mondrian, strict=false") == Mondrian(strict=False)
    assert notation.method("remove, columns = age, sex") == Remove(("age", "sex"))
    order = Mondrian("order", order=("zip code", "a, b"))
    assert notation.method('mondrian, split=order, order = zip code, "a, b"') == order == notation.method(str(order))
    assert str(order) == 'mondrian, split = order, order = zip code, "a, b"'
    assert notation.method("mondrian, order=age, split=order") == Mondrian("order", order="age")
    for workload in ("by age", {"random": {"count": 9, "seed": 2}}, ["age > 30", "sex = 'F'"]):
        serving = Mondrian("workload", workload=workload)
        assert notation.method(str(serving)) == serving
    target = Mondrian(split="information_gain", target="a, b (c)")
    assert notation.model_and_method(f"k-anonymity, k=3 ({target})") == (KAnonymity(3), target)
    assert notation.model_and_method("keep") == (None, Keep())
    assert notation.model_and_method("k-anonymity, k=3") == (KAnonymity(3), None)


@pytest.mark.parametrize(
    "text, words",
    [
        ("k-anonimity, k=10", "no model is called 'k-anonimity'; did you mean 'k-anonymity'?"),
        ("xyz", "no model is called 'xyz'; there are (alpha,k)-anonymity, "),
        ("", "no model is called ''"),
        ("k=10", "no model is called ''"),
        ("k-anonymity, k=10 & ", "no model is called ''"),
        ("k-anonymity, kk=10", "k-anonymity has no parameter 'kk'; did you mean 'k'?"),
        ("k-anonymity, 10", "k-anonymity has no parameter '10'; there is k"),
        ("k-anonymity, k=ten", "k = 'ten' must be a number"),
        ("k-anonymity, k=1.5", "must be a whole number"),
        ("k-anonymity, k=10, k=20", "k is given twice"),
        ("t-closeness, t=0.2, distance=jss", "is not one of 'equal', 'ordered', 'hierarchical', 'js'"),
        ("k-anonymity, k=10 (mondrain)", "no method is called 'mondrain'; did you mean 'mondrian'?"),
        ("mondrian", "names a method"),
        ("k-anonymity, k=10 (mondrian)", "names a method"),
    ],
)
def test_errors_of_models_are_reported(text, words):
    with pytest.raises(BadInput) as error:
        notation.model(text)
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
        notation.method(text)
    assert words in str(error.value)
