"""What the workbench begins with: a study from whatever it is given."""

import pandas as pd
import pytest

from widgets.base.given import begin, called, proposed, renamed, table_of, used
from workbench.base.errors import BadInput
from workbench.studies.study import Study


def test_data_are_asked_about_and_kept_out_of_the_study():
    frame = pd.DataFrame({"age": [1, 2]})
    study, handed, path = begin(frame)
    assert handed is frame and path is None and study.data == {"given": "frame"} and study.recipes


def test_a_table_comes_with_its_roles_and_hierarchies(small):
    study, handed, _ = begin(small(0))
    assert study.quasi == small(0).quasi and "age" in study.hierarchies
    assert not any(column.hierarchy for column in handed.columns.values())
    assert table_of(small(0)) is small(0) and table_of(None) is None


def test_a_path_names_the_study_and_a_study_is_opened(tmp_path):
    assert begin("some/people.csv")[0].name == "people"
    Study(name="mine", quasi=("age",)).save(tmp_path / "mine.yaml")
    study, _, path = begin(tmp_path / "mine.yaml")
    assert study.name == "mine" and path == tmp_path / "mine.yaml"
    with pytest.raises(BadInput, match="is not a data frame"):
        begin(5)


def test_a_new_quasi_identifier_gets_a_hierarchy_and_a_given_one_stays():
    study = proposed(Study(data={"bundled": "adult"}, quasi=("age", "sex"), hierarchies={"sex": {"x": 1}}), ())
    assert study.hierarchies == {"age": "bundled", "sex": {"x": 1}}
    assert used(study.with_(quasi=("age",))) == {"age": "bundled"}


def test_a_study_named_after_its_data_follows_them():
    before, after = Study(name="a", data={"path": "a.csv"}), Study(name="a", data={"path": "b.csv"})
    assert called(before) == "a" and renamed(before, after).name == "b"
    assert renamed(before.with_(name="mine"), after.with_(name="mine")).name == "mine"
