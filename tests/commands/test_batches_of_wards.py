"""`workbench report --each`: what a batch tells of the groups that it reports, and of those that it cannot."""

import random
import re
from pathlib import Path

import pandas as pd
import pytest

from tests.commands.people import in_this_process
from workbench import BadInput
from workbench.commands import main, shared
from workbench.publication.report import batch, batch_plan, reporting
from workbench.studies.study import Study

MARKERS = ("HIV", "Gout", "Nowhere", "81.8", "planted")


@pytest.fixture(autouse=True)
def without_kernels(monkeypatch, tmp_path):
    monkeypatch.setattr(batch, "run", in_this_process)
    monkeypatch.chdir(tmp_path)


def of_ward(ward: str, diseases: list[str | None], town: str | None = None) -> list[dict[str, object]]:
    rng = random.Random(ward)
    return [
        {"ward": ward, "age": rng.randint(20, 60), "town": town or rng.choice("ABC"), "disease": one}
        for one in diseases
    ]


def wards() -> pd.DataFrame:
    rng = random.Random(3)
    big = [rng.choice(("Flu", "Cold", "Ulcer")) for _ in range(200)]
    rows = [
        *of_ward("North", big),
        *of_ward("Few", ["HIV"] * 3),
        *of_ward("Most", ["HIV"] * 18 + ["Flu", "Flu", "Flu", "Gout"]),
        *of_ward("Same", ["HIV"] * 17),
        *of_ward("Unknown", [None] * 16),
        *of_ward("Here", ["HIV", "Flu"] * 9, "Nowhere"),
    ]
    return pd.DataFrame(rows)


def study_of(frame: pd.DataFrame, **changes) -> Path:
    """A study that most of these wards cannot keep."""
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


def told(capfd, *arguments) -> str:
    """The log of a batch and its index."""
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


@pytest.mark.parametrize("models", MODELS, ids=lambda models: models[0]["name"])
def test_a_batch_says_no_value_and_no_count_of_the_groups_that_fail(capfd, models):
    recipes = [{"method": {"name": "mondrian"}, "model": model} for model in models]
    said = told(capfd, study_of(wards(), recipes=recipes), "--each", "ward")
    assert "wards-ward-North" in said and "Few" not in said
    assert not [one for one in MARKERS if one in said], said
    failures = re.findall(r"no report: ([^<]*)", said)
    assert failures == [reporting.NOT_MADE] * len(failures) != [], "a ward of one value fails like the others"


@pytest.mark.parametrize(
    "column, value", [("age", "planted-thirty"), ("disease", "planted-HIV")], ids=["no number", "not in the hierarchy"]
)
def test_what_cannot_be_read_or_grouped_is_said_without_it(capfd, column, value):
    frame = wards().astype({"age": object})
    frame.loc[5, column] = value
    groups = {"builder": "groups", "levels": [{"ill": ["Flu", "Cold", "Ulcer"]}]}
    changes = {"hierarchies": {"disease": groups}, "levels": {}}
    data = {"path": "people.csv", "types": {"age": "number"}}
    said = told(capfd, study_of(frame, data=data, **(changes if column == "disease" else {})), "--each", "ward")
    assert "workbench check" in said or "workbench sweep" in said, said
    assert not [one for one in MARKERS if one in said], said


def test_a_study_whose_hierarchies_are_wrong_says_which_part_it_is(capfd):
    study = study_of(wards())
    text = study.read_text()
    study.write_text(f"{text}\nhierarchies:\n  disease: {{builder: groups, levels: [{{planted-HIV: 7}}]}}\n")
    study_of(wards()).rename("other.yaml")
    study.write_text(text.replace("versions", "hierarchies:\n  disease: {file: planted.json}\nversions"))
    said = told(capfd, "wards.yaml", "other.yaml")
    assert "the entry hierarchies is not valid" in said
    assert not [one for one in MARKERS if one in said], said


def test_the_columns_that_a_study_names_in_vain_are_said(capfd):
    study_of(wards()).rename("other.yaml")
    study = study_of(wards(), roles={"quasi": ["age", "plcae"], "sensitive": ["disease"]})
    assert "the data have no column 'plcae'" in told(capfd, study, "other.yaml")


def test_the_note_on_small_groups_tells_no_number_of_them(capfd):
    study = study_of(wards())
    assert "Few" not in batch_plan.values_of(study, "ward", shared.warned)
    assert capfd.readouterr().err == "note: some values of ward have too few records for a report, and get none\n"


def test_one_report_that_cannot_be_made_is_said_without_its_data():
    study = Study.open(study_of(wards(), recipes=[])).with_(data={"path": "people.csv", "only": {"ward": "Same"}})
    with pytest.raises(BadInput) as failed:
        reporting.build_report(study)
    assert not [one for one in MARKERS if one in str(failed.value)]
