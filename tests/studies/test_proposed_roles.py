"""Proposed roles for Adult, for real files (compared with an expert's choice) and for awkward tables."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.data.test_uniqueness import naive
from workbench.data.table import Table
from workbench.data.uniqueness import NAMELIKE, is_nearly_unique, survey
from workbench.studies.proposed_roles import propose_roles

SHARED = Path(__file__).parents[3] / "shared" / "data"
EXPERT = {  # an expert's choice, and how many of the proposed roles may differ
    "namcs-2011": {
        "quasi": {"month", "age", "sex", "race", "region", "metropolitan", "past_visits", "medicare_payment"},
        "sensitive": {"major_reason", "n_chronic_conditions", "asthma", "copd", "any_medication", "dx1_3"},
        "identifier": {"visit_id"},
        "dropped": {"dx1"},
        "weight": {"weight"},
    },
    # an amount may be a quasi-identifier or sensitive: it is dropped until a person decides
    "donations-2008": {"quasi": {"state", "zip", "employer"}, "sensitive": {"party"}, "dropped": {"amount"}},
}


def proposed(table):
    return propose_roles(table, survey(table, [name for name, c in table.columns.items() if is_nearly_unique(c)]))


def roles(frame):
    return {name: one.role for name, one in proposed(Table.without_roles(frame)).items()}


def in_role(advice, role):
    return {name for name, one in advice.items() if one.role == role}


@pytest.mark.parametrize("name", EXPERT)
def test_roles_of_real_files_are_those_of_an_expert(name):
    path = SHARED / f"{name}.csv.gz"
    if not path.exists():
        pytest.skip(f"{path} is not there")
    advice = proposed(Table.without_roles(path))
    assert {role: in_role(advice, role) for role in EXPERT[name]} == EXPERT[name]
    assert set(advice) == set.union(*EXPERT[name].values()) and all(one.reason for one in advice.values())


def test_a_column_that_determines_or_follows_from_a_sensitive_one_is_dropped_or_replaces_it():
    rng = np.random.default_rng(5)
    n, codes = 6000, np.array([f"{chr(65 + i % 20)}{i % 90 + 10}.{i % 7}" for i in range(2600)])
    frame = pd.DataFrame({"diagnosis": codes[rng.integers(0, 2600, n)], "few": codes[rng.integers(0, 60, n)]})
    frame = frame.rename(columns={"few": "dx2"}).assign(age=rng.integers(0, 90, n))
    frame["chapter"], frame["part"] = frame.diagnosis.str[:1], frame.dx2.str[:1]
    advice = proposed(Table.without_roles(frame))
    assert (advice["diagnosis"].role, advice["chapter"].role) == ("dropped", "sensitive")
    assert "too many to protect one by one; chapter follows from it" in advice["diagnosis"].reason
    assert (advice["dx2"].role, advice["part"].role) == ("sensitive", "dropped")
    assert "It follows from dx2, which is sensitive" in advice["part"].reason


def test_a_quasi_identifier_stays_although_it_determines_a_sensitive_value():
    rng = np.random.default_rng(6)
    frame = pd.DataFrame({"town": rng.choice(list("abcdefgh"), 900), "age": rng.integers(0, 90, 900)})
    frame["income"] = frame.town.map({town: 1000 * (i // 3) for i, town in enumerate("abcdefgh")})
    assert roles(frame) == {"town": "quasi", "age": "quasi", "income": "sensitive"}


def test_only_uninformative_columns_are_neutral():
    rng = np.random.default_rng(7)
    frame = pd.DataFrame({f"n{i}": rng.integers(0, 3 + i, 700) for i in range(14)}).assign(same="x")
    found = roles(frame)
    assert [name for name, role in found.items() if role == "neutral"] == ["same"]
    assert list(found.values()).count("quasi") == 8 and list(found.values()).count("dropped") == 6


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"a": [f"x{i}" for i in range(60)], "b": [f"y{i}" for i in range(60)]}),
        pd.DataFrame({"age": [40], "disease": ["flu"]}),
        pd.DataFrame({"disease": ["flu", "cold"] * 40}),
        pd.DataFrame({"a": [None, "x"] * 30, "b": [None, None, "y"] * 20}),
        pd.DataFrame({"a": np.arange(50) * 0.37}),
        pd.DataFrame({f"q{i}": np.arange(40) % (i + 2) for i in range(45)}),
    ],
    ids=["all unique", "one row", "one column", "mostly missing", "one reading", "more columns than are combined"],
)
def test_awkward_tables_get_a_role_for_every_column(frame):
    found = roles(frame)
    assert set(found) == set(frame) and set(found.values()) <= {
        "quasi",
        "sensitive",
        "identifier",
        "dropped",
        "neutral",
    }
    assert all(frame[name].nunique(dropna=False) == 1 for name, role in found.items() if role == "neutral")


def test_proposed_roles_of_adult():
    from workbench.data import datasets

    table = Table.without_roles(datasets.path("adult"))
    advice = proposed(table)
    assert in_role(advice, "quasi") == {
        "age", "workclass", "education", "marital_status", "relationship", "race", "sex", "native_country",
    }  # fmt: skip
    assert in_role(advice, "sensitive") == {"occupation", "salary"} and not in_role(advice, "neutral")
    assert "Its name suggests a survey weight" in advice["fnlwgt"].reason
    assert advice["education_num"].reason == ("It distinguishes records exactly as education does; one is enough.")
    alone, together = (
        naive(table.frame, ("education", "native_country")),
        naive(table.frame, ("age", "education", "native_country")),
    )
    more = (together[1] - alone[1]) / table.records
    said = f"with education and native_country it singles out another {100 * more:.1f} % of the records."
    assert said in advice["age"].reason
    assert all(one.reason.endswith(".") for one in advice.values())


def test_proposals_that_follow_from_one_column():
    n = 400
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(
        {
            "number": np.arange(n),
            "often": np.arange(n) % int(n * NAMELIKE + 20),
            "measured": rng.normal(size=n),
            "same": ["x"] * n,
            "Surname": rng.integers(0, 50, n).astype(str),
            "mainDiagnosis": rng.integers(0, 5, n),
            "a": rng.integers(0, 40, n),
            "b": rng.integers(0, 40, n),
            "flag": rng.integers(0, 2, n) * 0 + (np.arange(n) == 0),
        }
    )
    table = Table.without_roles(frame)
    advice = proposed(table)
    roles = {name: one.role for name, one in advice.items()}
    assert roles == {
        "number": "identifier", "often": "identifier", "measured": "dropped", "same": "neutral",
        "Surname": "identifier", "mainDiagnosis": "sensitive", "a": "quasi", "b": "quasi", "flag": "quasi",
    }  # fmt: skip


@pytest.mark.parametrize("name", ["name", "Patient Name", "last_name", "LastName", "email", "e-mail", "ssn", "phone"])
def test_a_column_named_like_a_name_is_an_identifier_although_not_unique(name):
    frame = pd.DataFrame({name: ["Anna", "Bo", "Carl", "Dora"] * 25, "age": range(100)})
    table = Table.without_roles(frame)
    assert propose_roles(table, survey(table))[name].role == "identifier"


@pytest.mark.parametrize(
    ("name", "values"), [("country_name", ["A", "B"]), ("product name", ["A", "B"]), ("name", [1, 2])]
)
def test_not_every_name_is_that_of_a_person(name, values):
    table = Table.without_roles(pd.DataFrame({name: values * 50, "age": range(100)}))
    assert propose_roles(table, survey(table))[name].role != "identifier"


def test_the_failures_of_earlier_proposals_are_corrected():
    rng = np.random.default_rng(11)
    n, people = 900, 300
    person = np.repeat(np.arange(people), 3)
    frame = pd.DataFrame(
        {
            "caseid": [f"2:{i}:1" for i in person],
            "ID": person + 1000,
            "ori_hid": rng.integers(1, 200, n),
            "sampling_weight": rng.choice([80, 100, 120], n),
            "WEIGHT": np.round(np.exp(rng.normal(4, 1.6, n)), 2),
            "age": rng.integers(18, 90, people)[person],
            "lat": rng.uniform(44.8, 45.1, n),
            "long": rng.uniform(-93.4, -93.1, n),
            "injSeverity": rng.integers(0, 6, n),
            "ill": rng.choice(["yes", "no"], n),
            "affairs": rng.integers(0, 5, n),
            "religiousness": rng.integers(1, 6, n),
        }
    )
    found = roles(frame)
    assert found == {
        "caseid": "identifier", "ID": "identifier", "ori_hid": "identifier", "sampling_weight": "weight",
        "WEIGHT": "dropped", "age": "quasi", "lat": "quasi", "long": "quasi", "injSeverity": "sensitive",
        "ill": "sensitive", "affairs": "sensitive", "religiousness": "sensitive",
    }  # fmt: skip


def test_a_column_as_distinctive_as_an_identifier_is_an_identifier():
    rng = np.random.default_rng(12)
    utility = rng.integers(1000, 1090, 600)
    frame = pd.DataFrame({"UTILITYID": utility, "UTNM": [f"Power {i}" for i in utility]})
    frame["STATE"] = rng.choice(["MN", "IA", "WI"], 600)
    advice = proposed(Table.without_roles(frame))
    assert advice["UTNM"].role == "identifier" and "exactly as UTILITYID does" in advice["UTNM"].reason
    assert advice["STATE"].role == "quasi"


def test_amounts_are_quasi_identifiers_if_there_are_no_others():
    rng = np.random.default_rng(13)
    names = ["SALES", "LABOR.COSTS", "TREASURY", *(f"ITEM{i}" for i in range(9))]
    frame = pd.DataFrame({name: np.round(np.exp(rng.normal(12, 2, 400)), 2) for name in names})
    advice = proposed(Table.without_roles(frame))
    assert [name for name, one in advice.items() if one.role == "quasi"] == names[:8]
    assert advice["SALES"].reason == (
        "An attacker might know it approximately; 400 of 400 records have a unique value."
    )


def test_few_values_of_a_small_table_are_hardly_evidence_of_a_name():
    frame = pd.DataFrame({"word": list("aabbccddeeffg"), "age": range(30, 43)})
    assert proposed(Table.without_roles(frame))["word"].role != "identifier"
    assert "name" not in proposed(Table.without_roles(frame))["word"].reason


EXPECTED = {  # tables of sdcMicro: the roles that earlier proposals got wrong
    "testdata": {"ori_hid": "identifier", "household_weights": "weight", "income": "sensitive", "age": "quasi"},
    "free1": {"WEIGHT": "weight", "AGE": "quasi", "SEX": "quasi", "INCOME": "sensitive", "DEBTS": "sensitive"},
    "CASCrefmicrodata": {"AFNLWGT": "weight"},
}


@pytest.mark.parametrize("name", EXPECTED)
def test_roles_of_sdcmicro_tables(name):
    path = SHARED / "sdcmicro" / f"{name}.csv.gz"
    if not path.exists():
        pytest.skip(f"{path} is not there")
    advice = proposed(Table.without_roles(path))
    assert {column: advice[column].role for column in EXPECTED[name]} == EXPECTED[name]
    assert any(one.role == "quasi" for one in advice.values())
