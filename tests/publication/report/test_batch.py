"""Batches of reports: each is rebuilt only if its inputs change, and a failure does not end the batch."""

import json

import pytest

from workbench.base.errors import BadInput
from workbench.publication.report import batch
from workbench.publication.report.batch import LONGEST, Job, index, job_of, jobs_of, values_of
from workbench.studies.study import Study


def test_a_job_depends_on_its_study_its_data_and_its_parameters(tmp_path):
    study, data = tmp_path / "a.yaml", tmp_path / "a.csv"
    data.write_text("age\n1\n")
    Study(name="a", data={"path": "a.csv"}, quasi=("age",), folder=str(tmp_path)).save(study)
    job = job_of(tmp_path / "out", study, cap=0.2, releases="", pdf=False)
    assert job.parameters == {"cap": 0.2, "study": str(study), "output": str(tmp_path / "out")}
    assert {path.name for path in job.reads} == {"a.yaml", "a.csv"}
    before = job.made_of()
    assert job_of(tmp_path / "out", study, cap=0.2).made_of() == before
    assert job_of(tmp_path / "out", study, cap=0.3).made_of() != before
    nothing = job_of(tmp_path / "out", study, cap=0, seed=0, smallest=None)  # 0 is a requested number
    assert (nothing.parameters["cap"], nothing.parameters["seed"]) == (0, 0) and "smallest" not in nothing.parameters
    data.write_text("age\n1\n2\n")
    assert job.made_of() != before


def test_a_missing_report_is_not_up_to_date(tmp_path):
    job = Job(tmp_path / "out", {"study": str(tmp_path / "a.yaml")})
    assert not job.done()
    job.page.write_text("half a page")
    job.notebook.write_text(json.dumps({"metadata": {}}))
    assert not job.done()


def test_the_index_lists_each_proposal_or_the_reason_for_none(tmp_path):
    good, bad = (Job(tmp_path / name, {"study": "x"}) for name in ("good", "<bad>"))
    shown = {"number": 3, "title": "Small", "recipe": "k = 5", "against": [], "learnt": "10 people", "accuracy": "5 %"}
    good.points.write_text(json.dumps({"shown": shown, "records": 120, "recommended": 3, "nearest": None}))
    page = index(tmp_path, [(good, None), (bad, "no such file")]).read_text("utf-8")
    assert (
        "2 reports, 1 of which could not be made." in page and "number 3, Small (k = 5)" in page and "about 120" in page
    )
    assert "no report: no such file" in page and "<bad>" not in page


def test_an_internal_error_is_reported_by_its_place_only():
    try:
        raise ValueError("secret record")
    except ValueError as error:
        told = batch._wrong(error)
    assert "ValueError in test_batch.py" in told and "secret" not in told
    assert batch._wrong(BadInput("what to do")) == "what to do" and batch._wrong(None) is None


@pytest.mark.skipif(batch.chromium() is None, reason="Chromium is not installed")
def test_a_page_is_printed(tmp_path):
    page = tmp_path / "page.html"
    page.write_text("<h1>Decision</h1>", "utf-8")
    printed = batch.printed(page)
    assert printed == page.with_suffix(".pdf") and printed.read_bytes().startswith(b"%PDF-")
    assert sorted(tmp_path.iterdir()) == [page, printed]


def test_a_folder_in_place_of_the_notebook_is_refused_before_any_work(tmp_path):
    job = Job(tmp_path / "out", {"study": "x"})
    job.notebook.mkdir()
    with pytest.raises(BadInput, match="is a folder; choose another place"):
        batch.run(job)
    assert [path.name for path in tmp_path.iterdir()] == ["out.ipynb"]


@pytest.mark.parametrize(
    ("kind", "text", "says"),
    [
        ("BadInput", "no such column", "no such column"),
        ("MemoryError", "", "there is not enough memory"),
        ("ModuleNotFoundError", "No module named 'vl_convert'", "package vl-convert is not installed"),
        ("ValueError", "secret", "an internal error (ValueError)"),
    ],
)
def test_errors_of_a_kernel_become_advice(tmp_path, kind, text, says):
    found = batch._why(Job(tmp_path / "out", {}), kind, text)
    assert says in found and "secret" not in found


# --- a study gets a report for each value of enough people and for each combination of parameters


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
