"""Hues and shapes of lines are unique and stable."""

from tests.charts.drawn import frontier, two_parameters
from workbench.base.variants import catalog
from workbench.charts import look
from workbench.charts.scene import Scene
from workbench.measures import GoodUtility, UtilityLoss
from workbench.models import Model


def test_every_line_has_its_own_hue_and_shape():
    """The hue identifies the model, the shape the line of a model."""
    lines = [
        f"{model} (mondrian{more})" for model in catalog("workbench.models", Model) for more in ("", ", relaxed", "!")
    ]
    found = look.line_numbers(lines)
    assert len({(look.hue(one), look.shape(one, found[one])) for one in lines}) == len(lines)
    assert len({look.hue(one) for one in lines}) == len(look.HUES) == len(look.HOMES) == 9


def test_a_line_keeps_its_number():
    a, b, c, d = (f"k-anonymity ({one})" for one in "abcd")
    first = look.line_numbers([a, b, c])
    assert first == {a: 0, b: 1, c: 2}
    assert look.line_numbers([d, c, a], first) == {d: 1, c: 2, a: 0}


def test_a_model_has_its_own_hue_whatever_the_order():
    assert set(look.HOMES) <= set(catalog("workbench.models", Model))
    lines = ["t-closeness, distance = js (mondrian)", "l-diversity (mondrian)", "k-anonymity (mondrian, relaxed)",
             "k-anonymity & t-closeness (mondrian)", "k-anonymity (mondrian)"]  # fmt: skip
    found = look.line_numbers(lines)
    assert found == look.line_numbers(lines[::-1])
    assert [look.hue(line) for line in lines] == [look.HUES[i] for i in (2, 1, 0, 2, 0)]
    assert len({(look.hue(line), look.shape(line, number)) for line, number in found.items()}) == 5
    assert look.hue("of-a-notebook (mondrian)") == look.hue("of-a-notebook, m = 3 (mondrian, relaxed)")  # and by name


def test_colors_are_stable_when_a_study_is_reopened():
    """Lines that are added one by one have the same hues as lines that are added together."""
    late, early = Scene(two_parameters()), Scene(frontier())
    both = look.line_numbers([*early.lines, *late.lines])
    for one in (late, early):
        assert {line: look.hue(line) for line in one.lines}.items() <= {line: look.hue(line) for line in both}.items()


def test_a_long_axis_title_is_wrapped():
    assert look.axis_title(UtilityLoss(), 400)[0] == "utility loss, U_loss   ← lower is better"
    title = look.axis_title(GoodUtility("disease", miners=["one rule", "naive bayes", "random forest"]), 300)
    assert title[-2:] == ["← lower is better", GoodUtility.unit] and all(len(line) <= 50 for line in title)
    assert "".join(title).replace(" ", "").startswith("goodutility,U_good(target=disease,miners=onerule+naivebayes")
