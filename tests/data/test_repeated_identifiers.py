"""People with several records: a warning that guarantees count records."""

import numpy as np
import pandas as pd
import pytest

from workbench.data.repeated_identifiers import repeats
from workbench.data.table import Table
from workbench.studies.checker import check_study
from workbench.studies.proposal import propose_with_reasons

N, PEOPLE = 600, 120
SAID = "iid has 120 different values in 600 records, so several records may belong to one person. "


@pytest.fixture
def receipts():
    rng = np.random.default_rng(9)
    person = np.arange(N) % PEOPLE
    return pd.DataFrame(
        {
            "iid": person,
            "receipt_number": np.arange(N),
            "last_name": [f"n{i % 30}" for i in person],
            "age": rng.integers(18, 90, PEOPLE)[person],
            "town": rng.choice(["a", "b", "c"], PEOPLE)[person],
            "illness": rng.choice(["yes", "no"], N),
        }
    )


def test_the_identifier_with_the_most_values_that_repeats_is_named(receipts):
    table = Table.without_roles(receipts)
    assert repeats(table, ["receipt_number", "iid"]) == SAID + "Guarantees count records, not people."
    assert repeats(table, ["receipt_number"]) == "", "a unique number per record"
    assert repeats(table, ["last_name"]) == "", "different people may share a name"
    assert repeats(table, ["gone"]) == ""


def test_init_and_check_warn(receipts, tmp_path):
    path = tmp_path / "receipts.csv"
    receipts.to_csv(path, index=False)
    start = propose_with_reasons(path, folder=tmp_path)
    assert "iid" in start.study.identifiers and any(SAID in line for line in start.head)
    study = tmp_path / "receipts.study.yaml"
    study.write_text(start.text(), "utf-8")
    assert any(SAID in note for note in check_study(study).notes)
    assert SAID in " ".join(start.study.table(start.study.read()).role_notes), "as commands and the workbench show it"


def test_records_are_named_after_their_unique_number(receipts, tmp_path):
    named = receipts.rename(columns={"iid": "person_id", "receipt_number": "receipt_id"})
    named[["person_id", *named.columns.drop("person_id")]].to_csv(tmp_path / "receipts.csv", index=False)
    start = propose_with_reasons(tmp_path / "receipts.csv", folder=tmp_path)
    assert start.study.record == ("receipt", "receipts"), "a person has several records"


def test_a_table_with_one_record_each_has_no_warning(receipts, tmp_path):
    receipts.drop_duplicates("iid").to_csv(tmp_path / "people.csv", index=False)
    start = propose_with_reasons(tmp_path / "people.csv", folder=tmp_path)
    assert "iid" in start.study.identifiers and not any("several records" in line for line in start.head)
