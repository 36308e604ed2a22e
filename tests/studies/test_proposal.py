"""Proposed studies give a reason for each choice, without values of the data."""

import numpy as np
import pandas as pd
import pytest

from workbench.data.table import Table
from workbench.studies.proposal import (
    codes_for_missing,
    cryptic_names,
    hierarchy_of,
    level_of,
    lines_to_complete,
    propose_with_reasons,
    recipes_for,
    record_notes,
    record_of,
    repeated_share,
)
from workbench.studies.yaml_text import read_yaml


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(3)
    age = rng.integers(20, 80, 600)
    frame = pd.DataFrame(
        {
            "name": [f"secret-{i}" for i in range(600)],
            "age": age,
            "diagnosis": np.where(rng.random(600) < age / 100, "ulcer", rng.choice(["flu", "cold", "gout"], 600)),
        }
    )
    return frame


def test_proposed_recipes_have_a_minimum_class_size(people):
    table = Table.from_frame(people.drop(columns="name"), quasi=["age"], sensitive="diagnosis")
    for recipe in recipes_for(table):
        models = recipe["model"] if isinstance(recipe["model"], list) else [recipe["model"]]
        assert any(one["name"] == "k-anonymity" for one in models)


def test_a_hierarchy_is_proposed_without_a_value_in_its_reason(people):
    column = Table.without_roles(people).columns["age"]
    given, why = hierarchy_of(column)
    assert given["builder"] == "intervals" and why and not any(label in why.split() for label in column.labels)
    assert level_of(column, given) >= 1


def test_the_proposed_file_is_a_valid_study_without_records(people, tmp_path):
    path = tmp_path / "people.csv"
    people.to_csv(path, index=False)
    start = propose_with_reasons(path)
    text = read_yaml(start.text(), "it")
    assert text["roles"]["quasi"] and "name" not in text["roles"].get("quasi", ())
    assert start.reasons() and "secret" not in start.text()


def test_a_quasi_identifier_that_follows_from_another_is_reported_at_the_top(people, tmp_path):
    towns = people.assign(zip=(people.age // 3).astype(str).radd("z"), state=(people.age // 12).astype(str).radd("s"))
    towns.to_csv(tmp_path / "people.csv", index=False)
    head = propose_with_reasons(tmp_path / "people.csv", quasi=["zip", "state"]).head
    assert "zip determines state. Generalizing state hides nothing unless zip is generalized too." in head


def test_text_columns_get_groups_of_related_values(tmp_path):
    rng = np.random.default_rng(8)
    school = rng.choice(["Masters", "Doctorate", "Preschool", "9th", "10th"], 900)
    low = np.isin(school, ["Preschool", "9th", "10th"])
    job = np.where(low, rng.choice(["farm", "yard"], 900), rng.choice(["law", "office"], 900))
    frame = pd.DataFrame({"education": school, "workclass": job, "sex": rng.choice(["f", "m"], 900)})
    frame.assign(ill=rng.choice(["yes", "no"], 900)).to_csv(tmp_path / "people.csv", index=False)
    start = propose_with_reasons(tmp_path / "people.csv", folder=tmp_path)
    levels = start.study.hierarchies["education"]["levels"]
    assert {frozenset(values) for values in levels[-1].values()} == {
        frozenset({"Masters", "Doctorate"}),
        frozenset({"Preschool", "9th", "10th"}),
    }
    reasons = dict(start.reasons())
    assert "similar other quasi-identifiers" in reasons["education (hierarchies)"]
    assert "sex" not in start.study.hierarchies and "two values need no groups" in start.text()
    assert "Doctorate" not in " ".join(reasons.values()), "no reason contains a value of the data"


def visits(count=400) -> pd.DataFrame:
    rng = np.random.default_rng(5)
    past = np.where(rng.random(count) < 0.15, -7, rng.poisson(3, count))
    return pd.DataFrame(
        {
            "visit_id": np.arange(count),
            "age": rng.integers(0, 95, count),
            "past_visits": past,
            "dx1_3": rng.choice(["V20", "401", "250", "786"], count, p=[0.5, 0.3, 0.15, 0.05]),
        }
    )


@pytest.mark.parametrize(
    ("names", "record"),
    [
        (["visit_id", "age"], ("visit", "visits")),
        (["age", "personID"], ("person", "people")),
        (["body_id"], ("body", "bodies")),
        (["bus_id"], ("bus", "buses")),
        (["hospital_stay_id"], ("hospital stay", "hospital stays")),
        (["id", "age", "paid"], ("record", "records")),
    ],
)
def test_records_are_named_after_the_column_that_numbers_them(names, record):
    assert record_of(names) == record


def test_a_numbered_name_is_uninformative():
    assert cryptic_names(["age", "dx1_3", "n_chronic_conditions"]) == ["dx1_3"]


def column(values):
    return Table.from_frame(pd.DataFrame({"n": values}), quasi=["n"]).columns["n"]


def test_a_frequent_isolated_negative_number_may_mean_missing():
    assert codes_for_missing(column([-7] * 5 + [1, 2, 3] * 30)) == ["-7"]
    assert codes_for_missing(column([-9, -8] * 5 + [0, 2, 3] * 30)) == ["-9", "-8"]
    assert codes_for_missing(column([-7.0] * 5 + [0.5, 2, 3] * 30)) == ["-7"]
    assert codes_for_missing(column([-7] + [1, 2, 3] * 60)) == [], "a single record"
    assert codes_for_missing(column(list(range(-20, 20)) * 3)) == [], "a quantity that may be negative"
    assert codes_for_missing(column([-0.5] * 9 + [1, 2] * 9)) == [] == codes_for_missing(column([-1, -2] * 9))
    assert codes_for_missing(column(["-7", "x"] * 9)) == []


def test_coordinates_and_common_numbers_are_not_codes_for_missing_values():
    south = pd.DataFrame({"Latitude": [-33.0] * 5 + [40.5, 41.5] * 30, "n": [-33] * 5 + [1, 2] * 30})
    south["latitude_code"], south["m"] = [-9.0] * 5 + [40.5, 41.5] * 30, [-99] * 5 + [1, 2] * 30
    columns = Table.without_roles(south).columns
    assert [codes_for_missing(columns[name]) for name in south] == [[], [], [], ["-99"]]


def test_duplicate_records_are_noted():
    frame = pd.concat([visits(60)] * 3, ignore_index=True)
    table = Table.from_frame(frame, quasi=["age"])
    assert repeated_share(table, list(frame)) == pytest.approx(2 / 3)
    (said, _) = record_notes(table, list(frame))
    assert "66.7 % of the records repeat another one in every column" in said and "counts records, not people" in said
    assert not any("repeat" in one for one in record_notes(Table.from_frame(visits(), quasi=["age"]), list(frame)))
    assert repeated_share(table, []) == 0
    named = frame.assign(person=range(len(frame)))
    assert not any("repeat" in one for one in record_notes(Table.from_frame(named, quasi=["age"]), list(frame)))


def test_the_file_mentions_records_and_has_lines_to_complete(tmp_path):
    visits().to_csv(tmp_path / "visits.csv", index=False)
    start = propose_with_reasons(
        tmp_path / "visits.csv", quasi=["age", "past_visits"], sensitive=["dx1_3"], folder=tmp_path
    )
    assert start.study.wording.many == "visits" and "record:" in start.text() and "[person, people]" in start.text()
    assert "# titles: {dx1_3: dx1_3}" in start.text() and "# missing: ['-7']" in start.text()
    assert not any("-7" in one for one in start.head), "no message has a value of the data"
    assert any("past_visits" in one and "missing" in one for one in start.head)
    assert len(lines_to_complete(Table.from_frame(visits(), quasi=["age"]), ["age"])) == 0
