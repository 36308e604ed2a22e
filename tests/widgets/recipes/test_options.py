"""Which options of a method go together: the combinations that can be had, and what is wrong with the others."""

from widgets.parameters.draft import Draft
from widgets.recipes.options import compatible_options
from workbench.methods import Mondrian


def options(**given):
    return compatible_options(Draft.from_settings(Mondrian, given))


def test_options_that_go_together_are_one_entry():
    assert options(publish=["generalized", "bucketized"]) == (
        [{"name": "mondrian", "publish": ["generalized", "bucketized"]}], {},
    )  # fmt: skip


def test_of_others_every_combination_that_can_be_had_is_one():
    found, wrong = options(split=["widest", "information_gain"], target=[None, "age"], publish="bucketized")
    gain = {"name": "mondrian", "split": "information_gain", "target": "age", "publish": "bucketized"}
    assert found == [{"name": "mondrian", "publish": "bucketized"}, gain] and wrong == {}


def test_a_choice_that_is_in_none_is_explained_where_something_is_missing():
    found, wrong = options(split=["widest", "information_gain"])
    assert found == [{"name": "mondrian"}] and list(wrong) == ["target"] and "choose one" in wrong["target"]
    found, wrong = options(target="age")
    assert found == [] and wrong == {"target": "target needs split = information_gain, not widest; remove target"}
    found, wrong = options(strict=False, split="information_gain", target="age")
    assert found == [] and len(wrong) == 1, "said once"


def test_what_is_wrong_with_a_list_itself_is_said_of_the_recipe():
    assert options(publish=[]) == ([{"name": "mondrian", "publish": []}], {})
