"""A study gets a report for each value of enough people and for each combination of parameters."""

import pytest

from workbench.base.errors import BadInput
from workbench.publication.report.batch_plan import LONGEST, jobs_of, values_of
from workbench.studies.study import Study


@pytest.fixture
def study(tmp_path):
    wards = ["north"] * 30 + ["south/east " + "x" * 80] * 20 + ["few"] * 14
    rows = [f"{ward},{i % 7},{'ab'[i % 2]}" for i, ward in enumerate(wards)]
    (tmp_path / "a.csv").write_text("\n".join(["ward,age,ill", *rows]) + "\n")
    asked = Study(name="a", data={"path": "a.csv"}, quasi=("age",), sensitive=("ill",), folder=str(tmp_path))
    asked.save(tmp_path / "a.yaml")
    return tmp_path / "a.yaml"


def test_each_value_of_at_least_fifteen_people_gets_a_report_for_each_seed(study, tmp_path):
    notes = []
    seeds = [("seed", 1, "seed 1"), ("seed", 2, "seed 2")]
    jobs = jobs_of(study, tmp_path / "a", "ward", [seeds], {"cap": None}, notes.append)
    long = f"south/east {'x' * 80}"
    made = [(job.parameters["only"], job.parameters["seed"]) for job in jobs]
    assert made == [({"ward": one}, seed) for one in ("north", long) for seed in (1, 2)]
    assert jobs[0].label == "a-ward-north-seed-1"
    assert jobs[2].label == f"a-{'ward-south-east-' + 'x' * (LONGEST - 16)}-seed-1"
    assert notes == ["some values of ward have too few records for a report, and get none"]


def test_a_study_without_parts_is_one_report(study, tmp_path):
    (job,) = jobs_of(study, tmp_path / "a", None, [], {"cap": 0.2}, pytest.fail)
    assert job.label == "a" and job.parameters["cap"] == 0.2 and "only" not in job.parameters


@pytest.mark.parametrize(("column", "says"), [("ill", "it is sensitive"), ("wrad", "no such column; did you mean")])
def test_a_column_that_cannot_be_split_by_value_is_refused(study, column, says):
    with pytest.raises(BadInput, match=says):
        values_of(study, column, pytest.fail)
