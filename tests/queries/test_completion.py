"""Proposals at each position of a query, and queries typed from them."""

import random

import pandas as pd
import pytest

from tests.examples import seeds
from tests.queries.condition_samples import table
from tests.queries.test_parser import damaged, noise
from workbench.data.hierarchies.builders import Groups
from workbench.data.table import Table
from workbench.queries.completion import MOST, completions
from workbench.queries.parser import parse
from workbench.queries.tokens import BadQuery


@pytest.fixture(scope="module")
def people():
    frame = pd.DataFrame(
        {
            "age": [17, 39, 40, 41, 90],
            "sex": ["Male", "Female", "Male", None, "O'x"],
            "hours per week": [40.0, 0.1, None, 20.5, 99.9],
            "Education": ["b", "a", "a", "c", "c"],
            "born": pd.to_datetime(["2000-01-31", "1980-02-29", None, "1981-01-01", "1950-12-31"]),
            "w": [1.0, 2, 3, 4, 5],
        }
    )
    coded = Table.from_frame(frame, ["age"], weight="w")
    return coded.with_hierarchies({"Education": Groups({"Higher": ("a",), "Lower": ("b", "c")})})


COLUMNS = ["age", "sex", '"hours per week"', "Education", "born"]
STARTS = ["not", "(", "count where", "sum(", "avg("]
ORDERED = ["=", "!=", "in (", "not in (", ">=", "<=", ">", "<", "between", "not between"]
MISSING = ["is missing", "is not missing"]


@pytest.mark.parametrize(
    ("text", "offered"),
    [
        ("|", COLUMNS + STARTS),
        ("  |", COLUMNS + STARTS),
        ("a|", ["age", "avg("]),
        ("SU|", ["sum("]),
        ("edu|", ["Education"]),
        ("ho|", ['"hours per week"']),
        ('"hours p|', ['"hours per week"']),
        ("[age|", ["age"]),
        ("count |", ["where"]),
        ("sum(|", ["age", '"hours per week"']),
        ("sum(age) |", ["where"]),
        ("count where |", [*COLUMNS, "not", "("]),
        ("age |", ORDERED),
        ("age >|", [">=", ">"]),
        ("sex |", ["=", "!=", "in (", "not in (", *MISSING]),
        ("sex n|", ["not in ("]),
        ("Education |", ["=", "!=", "in (", "not in (", "within", "not within"]),
        ("Education within |", ["'Higher'", "'Lower'", "("]),
        ("Education within ('l|", ["'Lower'"]),
        ("sex = |", ["'Male'", "'Female'", "'O''x'"]),
        ("sex = 'm|", ["'Male'"]),
        ("sex in ('Male', f|", ["'Female'"]),
        ("sex = 'o''|", ["'O''x'"]),
        ("age = 4|", ["40", "41"]),
        ("born > |", ["1950-12-31", "1980-02-29", "1981-01-01", "2000-01-31"]),
        ('"hours per week" <= |', ["0.1", "20.5", "40.0", "99.9"]),
        ("age between 17 |", ["and"]),
        ("age in (17|", ["17"]),
        ("age in (17 |", [",", ")"]),
        ("age not |", ["in (", "between"]),
        ("sex is |", ["null", "not null", "missing", "not missing"]),
        ("age > 3 |", ["and", "or"]),
        ("(age > 3 |", ["and", "or", ")"]),
        ("age > 3 and |", [*COLUMNS, "not", "("]),
        ("age > 3 AN|", ["and"]),
        ("agee > |", []),
        ("age > 3 or sex = 'Male' and |", ["age", "not", "("]),
        ("sex = 'Male' and age > 3 or |", []),
        ("age > 3 or |", ["age", "not", "("]),
        ("(age > 3 or age < 2) and (sex = 'Male' or not (|", ["sex", "not", "("]),
        ("(age > 3 or age < 2) and |", [*COLUMNS, "not", "("]),
        ("age > 3 sex |", []),
        ("age § |", []),
        ("age > 40and|", []),
        ("age > | and sex = 'Male'", ["17", "39", "40", "41", "90"]),
    ],
)
def test_proposals(text, offered, people):
    position = text.index("|")
    found = completions(text.replace("|", ""), position, people)
    assert [one.text for one in found] == offered
    assert all(one.start <= position for one in found)


def test_place_and_kind_of_proposals(people):
    (found,) = completions("age > 3 and se", 14, people)
    assert found == ("sex", 12, "column")
    assert {one.kind for one in completions("sex = 'M", 8, people)} == {"value"}
    assert {one.kind for one in completions("Education within 'H", 19, people)} == {"group"}
    assert {one.kind for one in completions("age ", 4, people)} == {"word"}


def test_proposals_are_limited_and_ordered_by_frequency():
    frame = pd.DataFrame({"town": [f"t{i:03}" for i in range(200)] + ["t150"] * 3})
    found = completions("town = ", 7, Table.without_roles(frame))
    assert len(found) == MOST and found[0].text == "'t150'" and found[1].text == "'t000'"


@pytest.mark.parametrize("seed", seeds(60, fast=20))
def test_queries_can_be_typed_from_proposals(seed, people):
    """Choose proposals from left to right: the text is always incomplete at worst."""
    rng, text = random.Random(seed), ""
    for _ in range(40):
        offered = completions(text, len(text), people)
        if not offered:
            break
        chosen = rng.choice(offered)
        assert chosen.start == len(text)
        text += f"{chosen.text} "
        try:
            parse(text, people)
        except BadQuery as error:
            known = ("bracket is not closed", "for conditions on one column")
            assert error.position >= chosen.start or any(one in error.reason for one in known)
    assert text


def test_random_text_raises_nothing(people):
    rng, coded = random.Random(2), table(50)
    for _ in range(3_000):
        text = noise(rng)
        for asked, typed in ((people, text), (coded, damaged(f"age > 3 and {text} ", rng))):
            found = completions(typed, rng.randrange(-2, len(typed) + 3), asked)
            assert len(found) <= MOST
