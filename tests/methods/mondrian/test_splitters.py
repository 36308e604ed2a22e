"""Settings of Mondrian that do not go together are refused in one sentence, and each makes its splitter."""

import pytest

from workbench.base.errors import BadInput
from workbench.methods import Mondrian
from workbench.methods.mondrian.heuristics import Preferred
from workbench.methods.mondrian.information_gain import InformationGainSplitter
from workbench.methods.mondrian.levels import GainOfChildren, Levels, WidestNode
from workbench.methods.mondrian.splits import Widest
from workbench.methods.mondrian.splitters import splitter_of


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"split": "order"}, "split = order goes with an order of columns: name one"),
        ({"order": ("age",)}, "goes with an order of columns, not with split = widest: leave it out"),
        ({"split": "fewest", "target": "sex"}, "a target column, not with split = fewest: leave it out"),
        ({"split": "information_gain", "order": "age", "target": "sex"}, "not with split = information_gain"),
        ({"split": "order", "order": []}, "order = .*; name one column or several"),
        ({"split": "order", "order": [1]}, "name one column or several"),
        ({"split": "order", "order": {"age": 1}}, "name one column or several"),
        ({"split": "order", "order": ["age"], "strict": False, "recode": "levels"}, "goes with strict"),
    ],
)
def test_settings_that_do_not_go_together_are_refused(settings, says):
    with pytest.raises(BadInput, match=says):
        Mondrian(**settings)


def test_an_order_is_one_setting_however_it_was_given():
    assert Mondrian("order", order="age") == Mondrian("order", order=["age"]) == Mondrian("order", order=("age", "age"))
    assert Mondrian("order", order=["b", "a"]) != Mondrian("order", order=["a", "b"])


def test_each_setting_makes_its_splitter(small):
    table = small(0)
    cells, levels = table.cells(), Levels.of(table)
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
