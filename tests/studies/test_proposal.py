"""Proposed studies give a reason for each choice, without values of the data."""

import numpy as np
import pandas as pd
import pytest

from workbench.data.table import Table
from workbench.studies.proposal import hierarchy_of, level_of, propose_with_reasons, recipes_for
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
