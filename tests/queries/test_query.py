"""Valid and invalid queries."""

import numpy as np
import pandas as pd
import pytest

from tests.examples import seeds
from tests.queries.condition_samples import Draw, table
from workbench.base.errors import BadInput
from workbench.data.table import Table
from workbench.queries.parser import parse
from workbench.queries.query import Query, text_of

OLD = np.array([False, True])


def written(query, table):
    return text_of(table, query.conditions, query.aggregate, query.of)


def test_a_query_has_columns_and_text():
    query = Query("age >= 40", "count", None, {"age": OLD.copy()})
    assert query.columns == ("age",) and str(query) == "age >= 40" and query.absent == ()


def test_conditions_are_immutable():
    query = Query("age >= 40", "count", None, {"age": OLD.copy()})
    with pytest.raises(ValueError, match="read-only"):
        query.conditions["age"][0] = True


@pytest.mark.parametrize(
    ("aggregate", "of", "told"),
    [
        ("count", "pay", "count of 'pay': name no column"),
        ("sum", None, "sum of None: name a numeric column"),
        ("mean", "pay", "unknown aggregate 'mean'"),
    ],
)
def test_invalid_queries_are_refused(aggregate, of, told):
    with pytest.raises(BadInput, match=told):
        Query("", aggregate, of, {})


# Printed queries are parsed to equal ones.


@pytest.fixture(scope="module")
def coded():
    return table()


def same(one, other):
    asked = zip(one.conditions.items(), other.conditions.items(), strict=True)
    return (one.aggregate, one.of) == (other.aggregate, other.of) and all(
        name == again and np.array_equal(codes, others) for (name, codes), (again, others) in asked
    )


@pytest.mark.parametrize("seed", seeds(200, fast=40))
def test_random_conditions_are_parsed_back(seed, coded):
    rng = np.random.default_rng(seed)
    names = rng.choice(list(coded.columns), int(rng.integers(0, 4)), replace=False)
    share = rng.choice([0.0, 0.02, 0.3, 0.9, 1.0])
    conditions = {name: rng.random(coded.columns[name].size) < share for name in map(str, names)}
    aggregate, of = [("count", None), ("sum", "age"), ("avg", 'say "hi"')][seed % 3]
    text = text_of(coded, conditions, aggregate, of)
    query = parse(text, coded)
    assert (query.aggregate, query.of) == (aggregate, of) and list(query.conditions) == list(conditions), text
    for name, codes in conditions.items():
        assert query.conditions[name].tolist() == codes.tolist(), text


@pytest.mark.parametrize("seed", range(100))
def test_typed_queries_are_parsed_back(seed, coded):
    query = parse(Draw(coded, np.random.default_rng(seed)).query()[1], coded)
    assert same(parse(query.text, coded), query)
    assert same(parse(written(query, coded), coded), query)


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("age >= 40", "age >= 40"),
        ("age > 20 and age < 40", "age between 30 and 39"),
        ("age = 39 or age > 60 or age < 20", "age <= 19 or age >= 70 or age = 39"),
        ("age = 30 and sex = 'm'", "age = 30 and sex = 'm'"),
        ("(age = 39 or age < 20) and sex != 'x'", "(age <= 19 or age = 39) and sex is not missing"),
        ("sex in ('f', 'd')", "sex != 'm'"),
        ("sex is null or sex = 'm'", "sex = 'm' or sex is missing"),
        ("age > 100", "age is missing and age is not missing"),
        ("sum(age) where sex = 'm'", "sum(age) where sex = 'm'"),
        ("avg(age)", "avg(age)"),
        ("count where sex is missing", "sex is missing"),
        ("count", "count"),
    ],
)
def test_text_is_short(text, printed):
    frame = pd.DataFrame({"age": [18, 19, 30, 39, 40, 70, 80], "sex": ["m", "m", "f", "d", "f", None, "f"]})
    coded = Table.without_roles(frame)
    assert written(parse(text, coded), coded) == printed
