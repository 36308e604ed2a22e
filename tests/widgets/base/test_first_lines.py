"""Every part accepts the inputs of the workbench, or rejects them without quoting values."""

import random

import pytest

import widgets
from tests.conftest import people
from tests.widgets.app.test_workbench import STUDY
from workbench.base.errors import BadInput
from workbench.studies.study import Study

TAKE_DATA = ("Workbench", "DataPicker", "RolePicker", "HierarchyEditor", "RecipePicker", "ReleaseCard")
TAKE_RESULTS = ("FrontierChart", "ReleasePreview", "DisclosureTable")


@pytest.fixture
def inputs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = people(random.Random(3), missing=False)
    frame.to_csv("people.csv", index=False)
    study = STUDY.with_(data={"path": "people.csv"})
    study.save("people.study.yaml")
    table = study.table(study.read())
    return {"frame": frame, "table": table, "path": "people.csv", "study": study, "file": "people.study.yaml"}


@pytest.mark.slow
@pytest.mark.parametrize("name", TAKE_DATA)
def test_every_part_takes_what_the_workbench_takes(inputs, name):
    kind = getattr(widgets, name)
    for what, one in inputs.items():
        if (name, what) != ("DataPicker", "file"):  # it chooses data, not studies
            part = kind(one)
            table = getattr(part, "base", None) or getattr(part, "table", None) or part.session.base
            assert table.records == len(inputs["frame"]), what
            part.close()


@pytest.mark.parametrize("name", [*TAKE_DATA, *TAKE_RESULTS])
def test_what_a_part_cannot_take_is_said_without_a_value(inputs, name):
    kind = getattr(widgets, name)
    wrong = [object(), {"a": inputs["frame"]}] if name != "DataPicker" else []
    if name in TAKE_RESULTS:
        wrong += [inputs["frame"], inputs["frame"].to_numpy(), inputs["table"]]
    for one in wrong:
        with pytest.raises(BadInput) as told:
            kind(one)
        assert len(str(told.value)) < 200 and not any(word in str(told.value) for word in ("Farm", "Ulcer"))
        assert told.value.__context__ is None, "nor in what a traceback shows above it"


def test_a_trait_that_is_set_later_says_no_value_either(inputs):
    part = widgets.ReleaseCard(None)
    for name in ("table", "frontier", "release"):
        with pytest.raises(BadInput, match="cannot be a DataFrame; it must be a"):
            setattr(part, name, inputs["frame"])


def test_a_study_of_no_file_is_taken_too(inputs):
    assert widgets.RecipePicker("adult").table.records == 46_033
    assert widgets.DataPicker(Study(data={"bundled": "adult"})).base.records > 45_000
