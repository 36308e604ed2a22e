"""Each setting of Mondrian has its splitter, and incompatible settings are refused in one sentence."""

import numpy as np
import pytest

from workbench.base.errors import BadInput
from workbench.methods import Mondrian
from workbench.methods.mondrian.heuristics import Preferred
from workbench.methods.mondrian.information_gain import InformationGainSplitter
from workbench.methods.mondrian.levels import GainOfChildren, Levels, WidestNode
from workbench.methods.mondrian.splits import Nodes, Widest
from workbench.methods.mondrian.splitters import median_splitters, neutral_columns, splitter_of, workload_splitters


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"split": "order"}, "split = order needs an order of columns; choose one"),
        ({"order": ("age",)}, "order needs split = order, not widest; remove order"),
        ({"split": "fewest", "target": "sex"}, "target needs split = information_gain, not fewest; remove target"),
        ({"split": "information_gain", "order": "age", "target": "sex"}, "not information_gain; remove order"),
        ({"split": "order", "order": []}, "order = .*; name one column or several"),
        ({"split": "order", "order": [1]}, "name one column or several"),
        ({"split": "order", "order": {"age": 1}}, "name one column or several"),
        ({"split": "workload"}, "split = workload needs a workload; choose one"),
        ({"workload": "mine"}, "workload needs split = workload, not widest; remove workload"),
        ({"split": "order", "order": ["age"], "strict": False, "recode": "levels"}, "needs strict"),
        (
            {"cuts": "binary", "recode": "levels", "split": "information_gain", "target": "sex"},
            "binary needs recode",
        ),
        ({"median": "even", "strict": False}, "median = even needs strict"),
        ({"median": "even", "recode": "levels"}, "median = even needs strict, recode = regions"),
        ({"median": "even", "split": "information_gain", "target": "sex"}, "a split other than information_gain"),
    ],
)
def test_incompatible_settings_are_refused(settings, says):
    with pytest.raises(BadInput, match=says):
        Mondrian(**settings)


def test_an_order_is_normalized():
    assert Mondrian("order", order="age") == Mondrian("order", order=["age"]) == Mondrian("order", order=("age", "age"))
    assert Mondrian("order", order=["b", "a"]) != Mondrian("order", order=["a", "b"])


def test_each_setting_has_its_splitter(small):
    table = small(0)
    cells, levels = table.cells(), Levels.from_table(table)
    for settings, on_regions, on_levels in [
        ({}, Widest, WidestNode),
        ({"split": "information_gain", "target": "disease"}, InformationGainSplitter, GainOfChildren),
        ({"split": "most_repeated"}, Preferred, Preferred),
        ({"split": "order", "order": "sex"}, Preferred, Preferred),
    ]:
        assert type(splitter_of(Mondrian(**settings), table, cells, None, None)) is on_regions
        made = splitter_of(Mondrian(**settings, recode="levels"), table, cells, None, levels)
        assert type(made) is on_levels
        assert not isinstance(made, Preferred) or isinstance(made.inner, WidestNode)


def test_widths_are_weighted_by_the_queries_of_the_workload(small):
    table = small(0).with_importance({"sex": 3}).with_workloads({"mine": ["age > 30", "age < 40 and sex = 'F'"]})
    made, more = workload_splitters(Mondrian("workload", workload="mine"), table, table.cells(), None, None)
    assert (made.worth, more.worth) == (0.1, 0.3) and made.rest.inner.span.tolist() == more.rest.inner.span.tolist()
    assert made.asked.often.tolist() == [1, 0, 0.5]
    plain = splitter_of(Mondrian(), small(0), small(0).cells(), None, None)
    assert (plain.span / made.rest.inner.span).tolist() == pytest.approx([1, 1, 1.5])
    assert made.rest.rule(Nodes.root(table, table.cells())).tolist() == [[0, 1, 0]]


def test_neutral_columns_of_the_workload_distinguish_cells(small):
    table = small(0).with_workloads({"mine": ["wage > 20 and age > 30", "disease = 'Flu'"]})
    assert neutral_columns(Mondrian("workload", workload="mine"), table) == ("wage",)
    assert neutral_columns(Mondrian("information_gain", "wage"), table) == ("wage",)
    assert neutral_columns(Mondrian("information_gain", "disease"), table) == neutral_columns(Mondrian(), table) == ()


def test_alternative_rules_start_with_each_attribute_of_the_workload(small):
    table = small(0)
    method, cells, often = Mondrian("workload", workload="random"), table.cells(), np.array([0.2, 0, 1])
    for levels in (None, Levels.from_table(table)):
        widest, *preferred = median_splitters(method, table, cells, None, levels, often)
        assert isinstance(widest.inner, WidestNode if levels else Widest) and len(preferred) == 2 + 2
        begun = Nodes.root(table, cells)
        assert widest.rule(begun).tolist() == [[0, 0, 0]]
        assert [one.rule(begun).tolist() for one in preferred[2:]] == [[[0, 1, 1]], [[1, 1, 0]]]
