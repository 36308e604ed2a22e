"""`workbench report --each`: the output of a batch about groups with and without a report."""

import random
import re
from pathlib import Path

import pandas as pd
import pytest

from tests.commands.people import in_this_process
from workbench import BadInput
from workbench.commands import main, shared
from workbench.publication.report import batch, reporting
from workbench.studies.study import Study

MARKERS = ("HIV", "Gout", "Nowhere", "81.8", "planted")


@pytest.fixture(autouse=True)
def without_kernels(monkeypatch, tmp_path):
    monkeypatch.setattr(batch, "run", in_this_process)
    monkeypatch.chdir(tmp_path)


def ward_records(ward: str, diseases: list[str | None], town: str | None = None) -> list[dict[str, object]]:
    rng = random.Random(ward)
    return [
        {"ward": ward, "age": rng.randint(20, 60), "town": town or rng.choice("ABC"), "disease": one}
        for one in diseases
    ]


def wards() -> pd.DataFrame:
    rng = random.Random(3)
    big = [rng.choice(("Flu", "Cold", "Ulcer")) for _ in range(200)]
    rows = [
        *ward_records("North", big),
        *ward_records("Few", ["HIV"] * 3),
        *ward_records("Most", ["HIV"] * 18 + ["Flu", "Flu", "Flu", "Gout"]),
        *ward_records("Same", ["HIV"] * 17),
        *ward_records("Unknown", [None] * 16),
        *ward_records("Here", ["HIV", "Flu"] * 9, "Nowhere"),
    ]
    return pd.DataFrame(rows)


def write_study(frame: pd.DataFrame, **changes) -> Path:
    """Write a study that most of these wards cannot satisfy."""
    frame.to_csv("people.csv", index=False)
    described = {
        "study": "Wards",
        "data": {"path": "people.csv"},
        "roles": {"quasi": ["age", "town"], "sensitive": ["disease"], "dropped": ["ward"]},
        "recipes": [{"method": {"name": "mondrian"}, "model": {"name": "k-anonymity", "k": [15, 30]}}],
        "measures": [{"name": "privacy loss"}, {"name": "utility loss", "min_support": 0.2}],
    }
    Study.from_dict({**described, **changes}, Path.cwd()).save("wards.yaml")
    return Path("wards.yaml")


def run_batch(capfd, *arguments) -> str:
    """Run a batch and return its log and its index."""
    assert main.main(["report", *map(str, arguments), "-o", "reports", "--jobs", "1"]) in (0, 1, 2)
    out, err = capfd.readouterr()
    assert "Traceback" not in err
    index = Path("reports/index.html")
    return out + err + (re.sub(r"<style>.*?</style>", "", index.read_text(), flags=re.S) if index.exists() else "")


MODELS = [
    [{"name": "k-anonymity", "k": [15, 30]}],
    [{"name": "l-diversity", "l": [1.5, 2]}],
    [{"name": "(alpha,k)-anonymity", "alpha": 0.3, "k": 3}],
    [{"name": "entropy l-diversity", "l": 2}, {"name": "t-closeness", "t": 0.05, "distance": "ordered"}],
    [{"name": "beta-likeness", "beta": 0.5}, {"name": "distinct l-diversity", "l": 4}],
]


@pytest.mark.slow
@pytest.mark.parametrize("models", MODELS, ids=lambda models: models[0]["name"])
def test_a_batch_prints_no_value_and_no_count_of_failing_groups(capfd, models):
    recipes = [{"method": {"name": "mondrian"}, "model": model} for model in models]
    said = run_batch(capfd, write_study(wards(), recipes=recipes), "--each", "ward")
    assert "wards-ward-North" in said and "Few" not in said
    assert not [one for one in MARKERS if one in said], said
    failures = re.findall(r"no report: ([^<]*)", said)
    assert failures == [reporting.NOT_MADE] * len(failures) != [], "a ward of one value fails like the others"


@pytest.mark.parametrize(
    "column, value", [("age", "planted-thirty"), ("disease", "planted-HIV")], ids=["no number", "not in the hierarchy"]
)
def test_errors_of_reading_and_grouping_quote_no_data(capfd, column, value):
    frame = wards().astype({"age": object})
    frame.loc[5, column] = value
    groups = {"builder": "groups", "levels": [{"ill": ["Flu", "Cold", "Ulcer"]}]}
    changes = {"hierarchies": {"disease": groups}, "levels": {}}
    data = {"path": "people.csv", "types": {"age": "number"}}
    said = run_batch(capfd, write_study(frame, data=data, **(changes if column == "disease" else {})), "--each", "ward")
    assert "workbench check" in said or "workbench sweep" in said, said
    assert not [one for one in MARKERS if one in said], said


def test_an_error_in_a_hierarchy_names_its_part(capfd):
    study = write_study(wards())
    text = study.read_text()
    study.write_text(f"{text}\nhierarchies:\n  disease: {{builder: groups, levels: [{{planted-HIV: 7}}]}}\n")
    write_study(wards()).rename("other.yaml")
    study.write_text(text.replace("versions", "hierarchies:\n  disease: {file: planted.json}\nversions"))
    said = run_batch(capfd, "wards.yaml", "other.yaml")
    assert "the entry hierarchies is not valid" in said
    assert not [one for one in MARKERS if one in said], said


def test_unknown_columns_of_a_study_are_reported(capfd):
    write_study(wards()).rename("other.yaml")
    study = write_study(wards(), roles={"quasi": ["age", "plcae"], "sensitive": ["disease"]})
    assert "the data have no column 'plcae'" in run_batch(capfd, study, "other.yaml")


def test_the_note_on_small_groups_does_not_count_them(capfd):
    study = write_study(wards())
    assert "Few" not in batch.values_of(study, "ward", shared.print_note)
    assert capfd.readouterr().err == "note: some values of ward have too few records for a report, and get none\n"


def test_a_failing_report_is_reported_without_its_data():
    study = Study.open(write_study(wards(), recipes=[])).with_(data={"path": "people.csv", "only": {"ward": "Same"}})
    with pytest.raises(BadInput) as failed:
        reporting.build_report(study)
    assert not [one for one in MARKERS if one in str(failed.value)]
