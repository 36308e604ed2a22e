"""Kinds of columns, by name and by the form of values."""

import numpy as np
import pandas as pd
import pytest

from workbench.data.column_meanings import guess_kind
from workbench.data.table import Table

RNG = np.random.default_rng(1)
ICD_10 = [f"{c}{i:02}.{j}" for c in "ABCEFJKM" for i in range(0, 60, 7) for j in (1, 9)]
ICD_9 = [f"{i:03}{j}-" for i in range(1, 900, 37) for j in (0, 9)] + [f"V{i}-" for i in range(20, 40)] + ["E8490"]
PROSE = [f"the patient number {i} came with pain in the left knee and {i % 7} more" for i in range(400)]


def detected_kind(name, values):
    column = Table.without_roles(
        pd.DataFrame({name: pd.Series(values).sample(400, replace=True, random_state=2).to_list()})
    )
    found = guess_kind(column.columns[name])
    return (found[0].role, found[0].what, found[1]) if found else None


FOUND = {
    "a diagnosis by its name": ("dx1_3", ["a", "b"], ("sensitive", "a diagnosis", "name")),
    "ICD-10 by its form": ("x", ICD_10, ("sensitive", "a diagnosis", "values")),
    "ICD-9 by its form": ("x", ICD_9, ("sensitive", "a diagnosis", "values")),
    "a flag of a disease": ("copd", [True, False], ("sensitive", "a disease", "name")),
    "HIV": ("hiv_status", ["pos", "neg"], ("sensitive", "a disease", "name")),
    "a procedure by its form": ("c", [f"J{i}" for i in range(1000, 1030)], ("sensitive", "a treatment", "values")),
    "religion": ("Religion", ["a", "b"], ("sensitive", "a belief", "name")),
    "a party": ("party", ["A", "B"], ("sensitive", "a political fact", "name")),
    "income": ("household_income", range(900), ("sensitive", "a fact about money", "name")),
    "a large survey weight": ("weight", range(2000, 90_000, 17), ("weight", "a survey weight", "name")),
    "a small survey weight": ("wgt", RNG.uniform(0.4, 2, 200), ("weight", "a survey weight", "name")),
    "a stratum": ("stratum", range(40), ("dropped", "a part of a survey's design", "name")),
    "free text": ("c", PROSE, ("dropped", "free text", "values")),
    "a comment": ("comments", [f"c{i}" for i in range(90)], ("dropped", "free text", "name")),
    "a place": ("latitude", RNG.uniform(40, 50, 200), ("quasi", "an exact place", "name")),
    "a date of birth": ("date_of_birth", pd.date_range("1950", periods=90), ("quasi", "a date of birth", "name")),
    "a zip code": ("zip", ["12345", "54321"], ("quasi", "a postal code", "name")),
    "a British postcode": ("c", ["SW1A 1AA", "M1 1AE", "CR2 6XH"], ("quasi", "a postal code", "values")),
    "an email": ("c", [f"a{i}@b.org" for i in range(30)], ("identifier", "an address", "values")),
    "a social security number": ("c", [f"123-45-{i}" for i in range(1000, 1040)],
                                 ("identifier", "an address", "values")),
    "a name": ("last_name", ["Ann", "Bo", "Cy"], ("identifier", "a person's name", "name")),
    "a person's own weight": ("weight", RNG.normal(75, 12, 300), ("quasi", "a visible trait", "name")),
    "a birth weight": ("birth_weight_gram", RNG.integers(1500, 5000, 200), ("quasi", "a visible trait", "name")),
    "a year of birth": ("born", RNG.integers(1930, 2010, 200), ("quasi", "a date of birth", "name")),
    "how large a party was": ("party_size", range(1, 9), None),
    "plain words": ("c", ["north", "south"], None),
    "five digits are no diagnosis": ("c", [f"{i}" for i in range(10_000, 10_300)], None),
    "a country's name": ("country_name", ["A", "B"], ("quasi", "a place", "name")),
}  # fmt: skip


@pytest.mark.parametrize(("name", "values", "meaning"), FOUND.values(), ids=FOUND)
def test_only_known_kinds_are_recognized(name, values, meaning):
    assert detected_kind(name, values) == meaning


def test_reasons_for_visits_are_recognized_as_health_by_their_values():
    reasons = ["chronic problem (routine)"] * 10 + ["preventative"] * 6 + ["new problem (<3 mos.)"] * 9
    assert detected_kind("major_reason", reasons) == ("sensitive", "health data", "values")
    assert detected_kind("job", ["surgeon"] * 2 + ["teacher"] * 9 + ["clerk"] * 9) == (
        "quasi",
        "a fact about work",
        "name",
    )


NUMBERED = [f"P{i}" for i in range(60)]


@pytest.mark.parametrize(
    ("name", "values", "found"),
    [
        ("caseid", NUMBERED, "identifier"),
        ("ID", range(60), "identifier"),
        ("ori_hid", range(60), "identifier"),
        ("case_number", NUMBERED, "identifier"),
        ("fake_first_name", NUMBERED, "identifier"),
        ("first", NUMBERED, "identifier"),
        ("c", [f"{i:08x}-0000-4000-8000-000000000000" for i in range(60)], "identifier"),
        ("schoolid", range(60), "quasi"),
        ("number_of_visits", range(60), "quasi"),
        ("first_visit", range(60), "quasi"),
        ("race_id", range(5), "quasi"),
        ("has_email_address", ["yes", "no"], ""),
        ("test_id", ["a", "b"], ""),
        ("injSeverity", range(6), "sensitive"),
        ("ill", ["yes", "no"], "sensitive"),
        ("affairs", range(6), "sensitive"),
        ("religiousness", range(5), "sensitive"),
        ("charge", ["theft", "fraud"], "sensitive"),
        ("charges", RNG.uniform(1, 900, 60), ""),
        ("lat", RNG.uniform(44, 45, 60), "quasi"),
        ("long", RNG.uniform(-93, -92, 60), "quasi"),
        ("how_long", range(60), ""),
        ("labor.costs", RNG.uniform(1, 900, 60), ""),
    ],
)
def test_the_role_that_follows_from_a_name(name, values, found):
    meaning = detected_kind(name, values)
    assert (meaning[0] if meaning else "") == found


@pytest.mark.parametrize(
    ("name", "values", "found"),
    [
        ("weight", np.repeat([112.7, 118.3, 231.5, 328.5, 420.0], 80), "weight"),
        ("weight", np.round(np.exp(RNG.normal(4, 1.6, 400)), 3), "weight"),
        ("household_weights", [8.33, 14.29, 20.0, 25.0, 100.0], "weight"),
        ("weight", np.round(RNG.normal(68, 17, 400).clip(30), 2), "quasi"),
        ("weight", RNG.integers(100, 260, 400), "quasi"),
    ],
    ids=["strata", "a long tail", "by its name", "kilograms", "pounds"],
)
def test_a_survey_weight_is_distinguished_from_the_weight_of_a_body(name, values, found):
    assert detected_kind(name, values)[0] == found
