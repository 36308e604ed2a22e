"""The initial study of a workbench, from each kind of input."""

import pandas as pd
import pytest

from widgets.base.inputs import (
    default_name,
    propose_hierarchies,
    rename_after_data,
    study_from_input,
    table_from_input,
    used_hierarchies,
)
from workbench.base.errors import BadInput
from workbench.studies.study import Study


def test_a_data_frame_is_returned_separately_from_its_study():
    frame = pd.DataFrame({"age": [1, 2]})
    study, handed, path = study_from_input(frame)
    assert handed is frame and path is None and study.data == {"given": "frame"} and study.recipes


def test_a_table_keeps_its_roles_and_hierarchies(small):
    study, handed, _ = study_from_input(small(0))
    assert study.quasi == small(0).quasi and "age" in study.hierarchies
    assert not any(column.hierarchy for column in handed.columns.values())
    assert table_from_input(small(0)) is small(0) and table_from_input(None) is None


def test_a_path_names_the_study_and_a_study_is_opened(tmp_path):
    assert study_from_input("some/people.csv")[0].name == "people"
    Study(name="mine", quasi=("age",)).save(tmp_path / "mine.yaml")
    study, _, path = study_from_input(tmp_path / "mine.yaml")
    assert study.name == "mine" and path == tmp_path / "mine.yaml"
    with pytest.raises(BadInput, match="is not a data frame"):
        study_from_input(5)


def test_a_new_quasi_identifier_gets_a_hierarchy_and_a_given_one_stays():
    study = propose_hierarchies(
        Study(data={"bundled": "adult"}, quasi=("age", "sex"), hierarchies={"sex": {"x": 1}}), ()
    )
    assert study.hierarchies == {"age": "bundled", "sex": {"x": 1}}
    assert used_hierarchies(study.with_(quasi=("age",))) == {"age": "bundled"}


def test_a_study_with_a_default_name_is_renamed_with_its_data():
    before, after = Study(name="a", data={"path": "a.csv"}), Study(name="a", data={"path": "b.csv"})
    assert default_name(before) == "a" and rename_after_data(before, after).name == "b"
    assert rename_after_data(before.with_(name="mine"), after.with_(name="mine")).name == "mine"
