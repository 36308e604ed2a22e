"""The study now, before and after; a study that cannot be leaves the last good one."""

import pandas as pd
import pytest

from widgets.session.session import Session, fit_to_data
from workbench.base.errors import BadInput
from workbench.data.table import Table
from workbench.studies.study import Study

FRAME = pd.DataFrame(
    {"age": [30, 31, 30, 44] * 5, "sex": list("FMFM") * 5, "illness": ["flu", "cold", "flu", "HIV"] * 5}
)
STUDY = Study(data={"given": "frame"}, quasi=("age", "sex"), sensitive=("illness",))


@pytest.fixture
def session():
    seen = []
    one = Session(STUDY, lambda before, after: seen.append(after), lambda: None)
    one.store_data(STUDY, Table.without_roles(FRAME))
    one.begin(STUDY)
    one.seen = seen
    return one


def test_a_change_makes_the_next_study_and_its_table(session):
    session.change(quasi=("age",))
    assert session.table.quasi == ("age",)
    assert session.seen[-1].quasi == ("age",)


def test_undo_and_redo_bring_the_table_too(session):
    session.change(quasi=("age",))
    session.change(identifiers=("sex",))
    assert session.table.names == ["age", "illness"]
    session.undo()
    assert session.table.names == ["age", "sex", "illness"]
    session.undo()
    assert session.table.quasi == ("age", "sex")
    session.undo()
    session.redo()
    session.redo()
    assert session.table.names == ["age", "illness"]
    session.redo()
    assert not session.history.can_redo


@pytest.mark.parametrize(
    "wrong",
    [{"quasi": ("height",)}, {"quasi": ("illness",)}, {"hierarchies": {"age": {"builder": "prefixes", "keep": -1}}}],
)
def test_what_cannot_be_leaves_the_last_good_study(session, wrong):
    table = session.table
    with pytest.raises(BadInput):
        session.change(**wrong)
    assert session.study == STUDY and session.table is table
    assert not session.history.can_undo


def test_without_a_quasi_identifier_there_is_no_table_yet(session):
    session.change(quasi=())
    assert session.table is None


def test_what_changes_no_column_keeps_the_table(session):
    table = session.table
    session.change(caps={"P_loss": 0.1})
    assert session.table is table


def test_a_movement_is_one_step(session):
    for cap in (0.1, 0.2, 0.3):
        session.change(merge=True, caps={"P_loss": cap})
    session.undo()
    assert session.study.caps == {}
    session.redo()
    session.change(merge=True, caps={"P_loss": 0.9})
    session.undo()
    assert session.study.caps == {"P_loss": 0.3}, "a movement after undo or redo is another one"


@pytest.mark.parametrize(
    "wrong", [{"measures": ({"name": "nothing"},)}, {"recipes": ({"method": {"name": "nothing"}},)}, {"recipes": (1,)}]
)
def test_a_study_with_unknown_variants_changes_nothing(session, wrong):
    for change in (lambda: session.change(**wrong), lambda: session.begin(STUDY.with_(**wrong))):
        with pytest.raises(BadInput):
            change()
        assert session.study == STUDY == session.history.state


def test_other_data_keep_the_scheme_as_far_as_it_fits(session):
    other = Table.without_roles(FRAME.drop(columns="sex"))
    tens, wrong = {"builder": "intervals", "widths": [10]}, {"builder": "dates"}
    fitted, unfit = fit_to_data(STUDY.with_(hierarchies={"sex": tens, "age": tens, "illness": wrong}), other)
    assert fitted == STUDY.with_(quasi=("age",), hierarchies={"age": tens})
    assert unfit == ["illness"]


def test_undo_past_data_that_are_gone_says_so_and_stays(session):
    for i in range(4):
        study = STUDY.with_(data={"given": f"frame {i}"})
        session.store_data(study, Table.without_roles(FRAME))
        session.begin(study)
    for _ in range(2):
        session.undo()
    here = session.study
    with pytest.raises(BadInput, match="choose them again"):
        session.undo()
    assert session.study is here and session.history.state is here


def test_levels_to_be_released_at_go_with_what_they_are_of(session):
    tens = {"builder": "intervals", "widths": [10]}
    session.change(hierarchies={"age": tens}, released_levels={"age": [1, 2], "sex": [0, 1]})
    assert session.table.settings.level_ranges == {"age": (1, 2), "sex": (0, 1)} and not session.notes
    session.change(hierarchies={})
    assert (
        session.study.released_levels
        == {"sex": [0, 1]}
        == {n: [*pair] for n, pair in session.table.settings.level_ranges.items()}
    )
    assert "age: the chosen levels no longer exist" in session.notes[0]
    session.undo()
    assert session.table.settings.level_ranges == {"age": (1, 2), "sex": (0, 1)} and not session.notes
    session.change(quasi=("age",))
    assert session.table.settings.level_ranges == {"age": (1, 2)}
    session.change(quasi=())
    session.change(quasi=("age", "sex"))  # a role changed back has the levels that were chosen, not all of them
    assert session.study.released_levels == {"age": [1, 2], "sex": [0, 1]}
    assert session.table.settings.level_ranges == {"age": (1, 2), "sex": (0, 1)}


def test_what_counts_more_than_once_goes_with_its_role(session):
    session.change(importance={"age": 3, "sex": 2})
    assert session.table.settings.importance == {"age": 3, "sex": 2} and not session.notes
    session.change(quasi=("age",))
    assert session.study.importance == session.table.settings.importance == {"age": 3}
    assert session.notes == ["sex is no longer a quasi-identifier, so its importance is 1 again"]
    session.undo()
    assert session.table.settings.importance == {"age": 3, "sex": 2}
