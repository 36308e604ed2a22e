"""`workbench audit` on the command line."""

import io
import json
import shutil
from pathlib import Path

import pandas as pd
import pytest

from workbench.base.figures import format_percent
from workbench.commands import main
from workbench.data.table import Table
from workbench.measures import PrivacyLoss
from workbench.methods import Mondrian, RandomizedResponse
from workbench.models import KAnonymity

FOREIGN = Path(__file__).parents[1] / "releases" / "foreign"
ROLES = ("--quasi", "age,zip,work", "--sensitive", "disease")
STUDY = """
study: Foreign
data: {path: original.csv, types: {zip: text}}
roles: {quasi: [age, zip, work], sensitive: [disease], identifiers: [name]}
hierarchies:
  work: {builder: groups, levels: [{Outdoors: [Farm, Fishing], Indoors: [Shop, Office, Clinic]}]}
regions: {age: exact, work: exact}
recipes:
- {method: {name: mondrian}, model: {name: k-anonymity, k: [3, 10, 30]}}
measures: [{name: privacy loss}, {name: utility loss}]
caps: {P_loss: 0.2}
"""


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    for path in FOREIGN.glob("*.csv"):
        shutil.copy(path, tmp_path)
    (tmp_path / "study.yaml").write_text(STUDY)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys, *arguments, code=0):
    """Run a command and return its stdout and stderr."""
    assert main.main([str(one) for one in arguments]) == code
    out, err = capsys.readouterr()
    assert "Traceback" not in err and str(Path.cwd()) not in out
    return out, err


@pytest.mark.parametrize("command", ["audit", "compare"])
def test_the_help_has_examples(capsys, command):
    out, _ = run(capsys, command, "--help")
    assert f"workbench {command} " in out and not any(word in out for word in ("<int", "<str>", "x<=", "range"))


def test_a_table_is_printed_in_the_terminal(capsys):
    out, err = run(capsys, "audit", "k_3.csv", *ROLES)
    assert out.startswith(
        "k_3.csv: 274 records in 30 classes; quasi-identifiers age, zip and work; sensitive disease\n"
    )
    assert "k-anonymity                k = 3\n" in out and "t-closeness                t = 0.767\n" in out
    assert "Without the original" in out and "U_loss" not in out and "P_loss" in out
    assert "[60, 80)  47906  Clinic" in out and not err


def test_a_release_is_compared_with_its_original(capsys):
    out, err = run(capsys, "audit", "l_2.csv", "--study", "study.yaml")
    assert "Against the original; 26 of its records are suppressed." in out and "U_loss" in out
    assert err == "note: 26 of the original's 300 records are suppressed\n"
    out, _ = run(capsys, "audit", "k_3.csv", *ROLES, "--original", "original.csv")
    assert "U_loss" in out


def test_requested_models_are_audited(capsys):
    out, _ = run(capsys, "audit", "k_3.csv", *ROLES, "--model", "k-anonymity, k=3")
    assert "  holds  k-anonymity, k = 3  k = 3\n" in out
    asked = ("--model", "k-anonymity, k=3", "--model", "t-closeness, t=0.2")
    out, _ = run(capsys, "audit", "k_3.csv", *ROLES, *asked, code=1)
    assert "  holds     k-anonymity, k = 3    k = 3\n" in out
    assert "  VIOLATED  t-closeness, t = 0.2  t = 0.767  violated by 26 classes with 182 records\n" in out
    out, _ = run(capsys, "audit", "k_3.csv", *ROLES, *asked, "--json", code=1)
    found = json.loads(out)
    assert [one["holds"] for one in found["asked"]] == [True, False] and not found["holds"]
    assert found["asked"][1]["breaking_records"] == 182


def test_json_output(capsys):
    out, err = run(capsys, "audit", "l_3.csv", "--study", "study.yaml", "--json", "--worst", 2)
    found = json.loads(out)
    assert not err and found["left_out"] == 47 and len(found["worst"]) == 2 and found["original"]
    assert {one["model"]: one["value"] for one in found["achieved"]}["delta-disclosure"] == "inf"
    assert {one["measure"] for one in found["measures"]} >= {"P_loss", "U_loss", "NCP", "R_id"}
    assert found["notes"] == ["47 of the original's 300 records are suppressed"]


@pytest.mark.slow
def test_a_missing_value_may_match_every_value(capsys, here):
    Path("lacking.csv").write_text("age,sex,disease\n20,F,a\n,F,b\n30,*,a\n20,F,b\n30,M,c\n")
    roles = ("--quasi", "age,sex", "--sensitive", "disease")
    out, err = run(capsys, "audit", "lacking.csv", *roles)
    assert "k-anonymity                k = 1\n" in out and "every value" not in err
    out, err = run(capsys, "audit", "lacking.csv", *roles, "--missing-fits", "everything")
    assert "k-anonymity                k = 2\n" in out
    assert "2 of 5 records have a missing or suppressed quasi-identifier" in err
    assert "missing values match every value, so a record is in several classes" in out
    out, _ = run(capsys, "audit", "lacking.csv", *roles, "--missing-fits", "everything", "--json")
    assert json.loads(out)["missing_fits"] == "everything" and json.loads(out)["records"] == 5
    out, _ = run(capsys, "compare", "lacking.csv", "k_3.csv", "--quasi", "age", "--missing-fits", "everything")
    assert "k (k-anonymity)" in out


def test_a_release_is_read_from_a_pipe(capsys, monkeypatch):
    def pipe(content):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))

    content = (FOREIGN / "k_3.csv").read_bytes()
    pipe(content)
    out, _ = run(capsys, "audit", "-", *ROLES)
    assert out.startswith("standard input: 274 records")
    pipe(content)
    _, err = run(capsys, "audit", "-", "--quasi", "ages", code=2)
    assert "did you mean 'age'" in err
    pipe(b"")
    _, err = run(capsys, "audit", "-", *ROLES, code=2)
    assert err.startswith("workbench: standard input") and "/tmp" not in err


def test_every_format_gives_the_same_audit(capsys, here):
    import pandas as pd

    frame = pd.read_csv("k_3.csv", dtype=str)
    frame.to_csv("k_3.tsv", sep="\t", index=False)
    frame.to_parquet("k_3.parquet")
    frame.to_json("k_3.json", orient="records")
    first = json.loads(run(capsys, "audit", "k_3.csv", *ROLES, "--json")[0])
    for ending in ("tsv", "parquet", "json"):
        found = json.loads(run(capsys, "audit", f"k_3.{ending}", *ROLES, "--json")[0])
        assert {**found, "release": "k_3.csv"} == first


def test_a_release_without_sensitive_columns_is_audited(capsys):
    out, _ = run(capsys, "audit", "k_3.csv", "--quasi", "age", "--quasi", "zip,work")
    assert "nothing sensitive" in out and "The worst classes: the smallest" in out and "k = 3" in out
    _, err = run(capsys, "audit", "k_3.csv", "--quasi", "age", "--model", "t-closeness, t=0.1", code=2)
    assert "needs a sensitive column" in err


def test_a_release_in_buckets_is_measured_by_its_codebook(capsys, here):
    given = Table.read(here / "original.csv", ["age", "zip", "work"], "disease", types={"zip": "text"})
    release = Mondrian(publish="bucketized")(given.drop(["name"]), KAnonymity(5))
    release.export(here / "out.csv", giveaways=True)
    arguments = ("audit", "out-records.csv", *ROLES, "--original", "original.csv", "--types", "zip=text")
    found = json.loads(run(capsys, *arguments, "--model", "k-anonymity, k=5", "--json")[0])
    assert found["holds"] and found["classes"] == len(release.classes)
    loss = next(one["value"] for one in found["measures"] if one["measure"] == "P_loss")
    assert loss == pytest.approx(PrivacyLoss()(release).value)
    _, err = run(capsys, *arguments, "--codebook", "original.csv", code=2)
    assert "this is not the codebook of a release" in err


def test_noise_is_measured_as_noise(capsys, here):
    given = Table.read(here / "original.csv", ["age", "zip", "work"], "disease", types={"zip": "text"})
    release = RandomizedResponse()(given.drop(["name"]))
    release.export(here / "noise.csv", giveaways=True)
    arguments = ("noise.csv", "--original", "original.csv", "--types", "zip=text")
    out, _ = run(capsys, "audit", *arguments, "--model", "k-anonymity, k=2", code=1)
    assert "300 records with noise, not in classes" in out and "undefined  k-anonymity, k = 2" in out
    found = json.loads(run(capsys, "audit", *arguments, "--json")[0])
    value = next(one["value"] for one in found["measures"] if one["measure"] == "P_loss")
    assert value == pytest.approx(PrivacyLoss()(release).value)
    out, _ = run(capsys, "compare", "noise.csv", "k_3.csv", *ROLES, "--original", "original.csv")
    assert "not in classes" in out


def test_the_codebook_names_the_roles(capsys, here):
    given = Table.read(here / "original.csv", ["age", "zip", "work"], "disease", types={"zip": "text"})
    Mondrian()(given.drop(["name"]), KAnonymity(5)).export(here / "out.csv", giveaways=True)
    named, found = (
        json.loads(run(capsys, "audit", "out.csv", *roles, "--original", "original.csv", "--json")[0])
        for roles in (ROLES, ())
    )
    assert named == found and found["quasi"] == ["age", "zip", "work"] and found["sensitive"] == ["disease"]


def test_control_characters_are_not_printed(capsys, here):
    (here / "evil.csv").write_text("age,disease\n\x1b[31m20,Flu\n\x1b[31m20,HIV\n30,Flu\n30,Flu\n")
    out, _ = run(capsys, "audit", "evil.csv", "--quasi", "age", "--sensitive", "disease")
    assert "\x1b" not in out and "\ufffd[31m20" in out


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["k_3.csv"], "which columns are quasi-identifiers"),
        (["none.csv", *ROLES], "none.csv"),
        (["k_3.csv", "--study", "none.yaml"], "none.yaml"),
        (["k_3.csv", "--study", "k_5.csv"], "is not a study"),
        (["k_3.csv", "--study", "study.yaml", *ROLES], "leave out --original"),
        (["k_3.csv", *ROLES, "--original", "none.csv"], "none.csv"),
        (["original.csv", *ROLES, "--original", "k_3.csv"], "300 records and the original 274"),
        (["l_2.csv", *ROLES, "--original", "original.csv"], "the label matches no value of the original"),
        (["k_3.csv", *ROLES, "--model", "nonsense"], "no model is called 'nonsense'"),
        (["k_3.csv", *ROLES, "--model", "k-anonymity, k=0"], "at least 1"),
        (["k_3.csv", *ROLES, "--suppressed", "maybe"], "--suppressed"),
        (["k_3.csv", *ROLES, "--worst", "some"], "--worst"),
        (["k_3.csv", "--quasi", "age,age"], "choose one"),
    ],
)
def test_errors_are_one_line(capsys, arguments, words):
    out, err = run(capsys, "audit", *arguments, code=2)
    assert words in err and err.startswith("workbench: ") and len(err.splitlines()) == 1 and not out


def test_the_audit_reports_columns_without_a_role(here, capsys):
    frame = pd.read_csv("k_3.csv", dtype=str)
    frame["room"] = [str(i % 97) for i in range(len(frame))]
    frame.to_csv("more.csv", index=False)
    known = ["age", "zip", "work", "room"]
    alone = int((frame.groupby(known, dropna=False).size() == 1).sum())
    sure = int(frame.groupby(known, dropna=False)["disease"].transform("nunique").eq(1).sum())
    assert alone > 0 < sure
    out, _ = run(capsys, "audit", "more.csv", *ROLES)
    share = format_percent(alone / 274)
    said = f"{alone} of 274 records ({share}) are unique on the quasi-identifiers and the neutral column, "
    said += f"and disease can be inferred with certainty for {sure}."
    assert "Neutral (published unchanged): room. " + said in out
    found = json.loads(run(capsys, "audit", "more.csv", *ROLES, "--json")[0])
    assert found["neutral"] == ["room"] and found["beside"]["unique"] == alone and found["beside"]["certain"] == sure
    assert "Neutral" not in run(capsys, "audit", "k_3.csv", *ROLES)[0]
    assert json.loads(run(capsys, "audit", "k_3.csv", *ROLES, "--json")[0])["beside"]["unique"] == 0


def test_an_original_on_disk_gives_all_figures_that_need_no_single_records(here, capsys):
    (here / "apart.yaml").write_text(STUDY.replace("original.csv,", "original.csv, engine: duckdb,"))
    memory, apart = (
        json.loads(run(capsys, "audit", "k_3.csv", "--study", study, "--json")[0])
        for study in ("study.yaml", "apart.yaml")
    )
    undefined = [one for one in apart["measures"] if one["value"] is None]
    assert {one["measure"] for one in undefined} == {"R_infer", "R_link", "R_single"}
    assert all("not in memory" in one["reason"] and "engine: memory under data" in one["reason"] for one in undefined)
    for one, other in zip(memory["measures"], apart["measures"], strict=True):
        assert other in undefined or other["value"] == pytest.approx(one["value"])
    assert apart["worst"] == memory["worst"] and apart["achieved"] == memory["achieved"]
    out, _ = run(capsys, "audit", "k_3.csv", "--study", "apart.yaml")
    assert "R_link" in out and "sample: 100000 under data" in out
    assert "U_loss" in run(capsys, "compare", "k_3.csv", "k_15.csv", "--study", "apart.yaml")[0]
