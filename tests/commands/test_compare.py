"""`workbench compare` on the command line."""

import json
import re

import pytest

from tests.commands.test_audit import ROLES, STUDY, here, run  # noqa: F401  (the fixture)
from workbench.commands.compare import which_is_ahead


@pytest.fixture
def other(here):  # noqa: F811
    (here / "other.yaml").write_text(STUDY.replace("k-anonymity, k: [3, 10, 30]", "l-diversity, l: [1.5, 2, 2.2]"))
    return here / "other.yaml"


def test_two_releases_are_compared(capsys):
    out, err = run(capsys, "compare", "l_2.csv", "k_15.csv", "--study", "study.yaml")
    assert out.startswith("first: l_2.csv: 274 records in 10 classes, 26 suppressed\nsecond: k_15.csv: 293 records")
    assert "  k (k-anonymity)                       4        19  second  higher\n" in out
    assert "note: l_2.csv: 26 of the original's 300 records are suppressed\n" in err
    found = json.loads(run(capsys, "compare", "l_2.csv", "k_15.csv", *ROLES, "--json")[0])
    rows = {row["measure"]: row for row in found["measures"]}
    assert rows["k (k-anonymity)"]["ahead"] == "second" and "U_loss" not in rows
    assert found["first"]["release"] == "l_2.csv" and found["second"]["classes"] == 5


def test_a_release_is_compared_with_itself(capsys):
    found = json.loads(run(capsys, "compare", "k_3.csv", "k_3.csv", *ROLES, "--json")[0])
    ahead = {row["symbol"] if "symbol" in row else row["measure"]: row["ahead"] for row in found["measures"]}
    attacks = {name for name, which in ahead.items() if which is None}  # without the original
    assert len(attacks) == 3 and {*ahead.values()} == {"equal", None}


def test_two_studies_are_compared(capsys, other):
    found = json.loads(run(capsys, "compare", "study.yaml", "other.yaml", "--json")[0])
    assert found["axes"] == ["P_loss", "U_loss"] and not found["notes"]
    assert found["first"]["recommended"]["recipe"] == "k-anonymity, k = 10 (mondrian)"
    assert found["second"]["recommended"]["recipe"] == "l-diversity, l = 2.2 (mondrian)"
    assert [row["ahead"] for row in found["by_privacy"]] == ["second", *["first"] * 4]
    for row in found["by_privacy"]:
        for which in ("first", "second"):
            kept = [p["U_loss"] for p in found[which]["efficient"] if p["P_loss"] <= row["P_loss"]]
            assert row[which] == (min(kept) if kept else None)
    out, _ = run(capsys, "compare", "study.yaml", "other.yaml")
    assert re.search(r"recommended under P_loss 0.2: \d+, k-anonymity, k = 10 \(mondrian\)", out)
    assert "At each P_loss" in out


def test_studies_of_one_table_in_two_engines_are_comparable(capsys, other):
    other.write_text(other.read_text().replace("original.csv,", "original.csv, engine: duckdb,"))
    assert not json.loads(run(capsys, "compare", "study.yaml", "other.yaml", "--json")[0])["notes"]


def test_studies_of_different_tables_are_reported(capsys, other):
    other.write_text(other.read_text().replace("quasi: [age, zip, work]", "quasi: [age, work]"))
    _, err = run(capsys, "compare", "study.yaml", "other.yaml")
    assert "not about the same table" in err


def test_the_better_study_is_named():
    assert which_is_ahead(1, 2, "lower") == "first" and which_is_ahead(1, 2, "higher") == "second"
    assert (
        which_is_ahead(1, 1 + 1e-15, "lower") == "equal"
        and which_is_ahead(float("inf"), float("inf"), "lower") == "equal"
    )
    assert which_is_ahead(None, 1, "lower") is None


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["study.yaml", "k_3.csv"], "pass two studies or two tables"),
        (["k_3.csv", "k_5.csv"], "which columns are quasi-identifiers"),
        (["study.yaml", "study.yaml", *ROLES], "studies define their own roles"),
        (["study.yaml", "none.yaml"], "none.yaml"),
        (["-", "-", *ROLES], "only one of the two"),
    ],
)
def test_errors_are_one_line(capsys, arguments, words):
    out, err = run(capsys, "compare", *arguments, code=2)
    assert words in err.splitlines()[-1] and err.splitlines()[-1].startswith("workbench: ") and not out


def test_axes_can_be_chosen(capsys, other):
    other.write_text(other.read_text().replace("{name: utility loss}", "{name: discernibility}"))
    _, err = run(capsys, "compare", "study.yaml", "other.yaml", code=2)
    assert "have different axes" in err
