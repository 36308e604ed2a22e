"""What is being edited is one state: a step gives the next one, and the one before stays as it was."""

import dataclasses

import pandas as pd
import pytest

from widgets.hierarchies.editing import Editing
from workbench.base.errors import BadInput
from workbench.data.hierarchies.builders import Intervals
from workbench.data.table import Table
from workbench.studies.study import Study

TENS = {"builder": "intervals", "widths": [10]}
FRAME = pd.DataFrame({"age": [21, 22, 35, 36, 47] * 3, "town": list("abbcc") * 3, "ill": list("xyxyx") * 3})


@pytest.fixture
def first():
    return Editing(Study()).with_table(Table.without_roles(FRAME).with_roles(["age", "town"], "ill"))


def test_a_step_leaves_the_state_before_as_it_was(first):
    kept = {one.name: getattr(first, one.name) for one in dataclasses.fields(first)}
    now = first.with_hierarchies({"age": TENS})
    assert first.table.columns["age"].hierarchy is None and now.table.columns["age"].hierarchy is not None
    now = now.group(now.column_named("town"), 1, ["a", "b"], "ab").with_column("town").with_table(None)
    assert now.hierarchies.keys() == {"age", "town"} and now.column == "town" and now.table is None
    assert all(getattr(first, name) is value for name, value in kept.items()) and not first.drafts
    with pytest.raises(dataclasses.FrozenInstanceError):
        first.column = "town"


def test_a_step_to_the_same_is_no_step(first):
    assert first.with_table(first.table) is first and first.with_column("age") is first
    assert first.with_hierarchies({}) is first


def test_hierarchies_are_all_built_or_none(first):
    with pytest.raises(BadInput):
        first.with_hierarchies({"age": TENS, "town": TENS})
    assert first.hierarchies == {}


def test_a_step_that_cannot_be_says_why_and_offers_the_ways_out(first):
    now = first.group(first.column_named("age"), 1, ["21", "35"], "some")
    assert now.hierarchies == {} and now.refusals(now.column_named("age"))[0].field == "groups"
    mended = now.fixes(now.column_named("age"))["Add the value between them"](now)
    assert mended.hierarchies["age"]["levels"] == [{"some": ["21", "35", "22"]}] and not mended.wrong


def test_what_was_typed_goes_when_the_hierarchy_is_changed_elsewhere_and_stays_when_it_is_used(first):
    form = {"by": "widths", "widths": ["10"], "origin": "0"}
    used = first.use(first.column_named("age"), "intervals", form)
    assert used.hierarchies["age"] == TENS and used.drafts["age", "intervals"] == form
    assert not used.with_hierarchies({"age": Intervals(widths=(5,)).to_dict()}).drafts


def test_a_builder_is_made_once_for_each_setting(first):
    now = first.with_hierarchies({"age": TENS})
    assert now.builder("age") is now.with_draft(now.column_named("town"), "groups", {}).builder("age")
    assert now.builder("age") is not now.with_hierarchies({"age": {**TENS, "widths": [5]}}).builder("age")
