"""Queries compared with DuckDB and with record-by-record evaluation; hostile text; the text and place of every
message.
"""

import itertools
import os
import random
import time
from bisect import bisect_left
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import seeds
from tests.queries.condition_samples import Draw, database, meet, records_of, table
from workbench.base.errors import BadInput
from workbench.data.column import Column
from workbench.data.hierarchies.builders import Groups, Intervals
from workbench.data.hierarchies.hierarchy import Hierarchy, Level
from workbench.data.table import Table
from workbench.queries.parser import DEEP, ColumnResolver, parse
from workbench.queries.tokens import BadQuery, tokens

MARK = "Zyxwvut"  # occurs in the data, but in no message


@pytest.fixture(scope="module")
def coded():
    return table()


@pytest.fixture(scope="module")
def people():
    frame = pd.DataFrame(
        {
            "age": [17, 39, 40, 41, 90],
            "sex": ["Male", "Female", "Male", None, MARK],
            "education": ["Masters", "Doctorate", "9th", "10th", "9th"],
            "hours": [40.0, 0.1, None, 20.5, 99.9],
            "born": pd.to_datetime(["2000-01-31", "1980-02-29", None, "1981-01-01", "1950-12-31"]),
        }
    )
    groups = Groups({"Higher": ("Masters", "Doctorate"), "School": ("9th", "10th")})
    return Table.without_roles(frame).with_hierarchies({"education": groups, "age": Intervals(widths=(10,))})


def met(text, coded):
    return np.flatnonzero(meet(coded, parse(text, coded).conditions)).tolist()


@pytest.mark.parametrize(
    ("text", "records"),
    [
        ("age >= 40", [2, 3, 4]),
        ("age >= 39.5", [2, 3, 4]),
        ("age > 39 and age < 40", []),
        ("AGE >= 40 AND sex = 'Male'", [2]),
        ("sex != 'Male'", [1, 4]),
        ("not sex = 'Male'", [1, 4]),
        ("not (not (not (sex = 'Male')))", [1, 4]),
        ("not not sex = 'Male'", [0, 2]),
        ("sex is missing or sex = 'Male'", [0, 2, 3]),
        ("not (sex is missing or sex = 'Male')", [1, 4]),
        ("age < 20 or age > 60 and age < 95", [0, 4]),
        ("(age < 20 or age > 40) and age != 90", [0, 3]),
        ("education within 'Higher'", [0, 1]),
        ("education not within ('Higher', '9th')", [3]),
        ("age within '[30-39]'", [1]),
        ("hours = 0.1", [1]),
        ("hours < 0.1000000000000000000001", [1]),
        ("hours is not null and hours <= 20.50", [1, 3]),
        ("born = 1980-02-29", [1]),
        ("born > '1980-02-29 23:59'", [0, 3]),
        ("born between 1980-01-01 and 1981-01-01", [1, 3]),
        ("sex in ('Male', \"Female\")", [0, 1, 2]),
        ("[sex] = 'Male' and `age` > 17", [2]),
        ("age = '40'", [2]),
        ("age -- years\n >= /* at\nleast */ 90", [4]),
        ("age between 41 and 39", []),
        ("age < -1e999 or age < 1e999", [0, 1, 2, 3, 4]),
        ("sex is null and sex is not null", []),
        ("count", [0, 1, 2, 3, 4]),
    ],
)
def test_worked_examples(text, records, people):
    assert met(text, people) == records


@pytest.mark.parametrize(
    ("text", "aggregate", "of"),
    [
        ("count where age > 3", "count", None),
        ("COUNT(*) WHERE age > 3", "count", None),
        ("count(1)", "count", None),
        ("sum(hours) where age > 3", "sum", "hours"),
        ('avg("age")', "avg", "age"),
        ("Avg ( AGE ) where sex = 'Male'", "avg", "age"),
    ],
)
def test_aggregates(text, aggregate, of, people):
    query = parse(f" {text}\n", people)
    assert (query.aggregate, query.of, query.text) == (aggregate, of, text)


def test_there_is_one_condition_per_column_in_the_order_of_the_text(people):
    query = parse("sex = 'Male' and age > 3 and sex != 'Female'", people)
    assert query.columns == ("sex", "age")
    assert query.conditions["sex"].dtype == bool and len(query.conditions["sex"]) == people.columns["sex"].size


def test_values_that_no_record_has_are_noted(people):
    query = parse("sex in ('Male', 'x') and age != 40.5 and age > 1000", people)
    assert query.absent == (("sex", "x"), ("age", "40.5"))


WRONG = [
    ("", 1, "no query"),
    ("agee > 3", 1, r"no column 'agee'; did you mean 'age'\?"),
    ("sum(agee) where age > 3", 5, r"did you mean 'age'\?"),
    ("аge > 3", 1, r"'а' is CYRILLIC SMALL LETTER A\); did you mean 'age'\?"),
    ("age４ > 3", 1, r"FULLWIDTH DIGIT FOUR.*did you mean 'age'\?"),
    ("age > ４０", 7, "U\\+FF14 FULLWIDTH DIGIT FOUR"),
    ("age \u200b> 3", 5, "U\\+200B ZERO WIDTH SPACE is not allowed here"),
    ("age > 3 \u202eand", 9, "U\\+202E RIGHT-TO-LEFT OVERRIDE"),
    ("age > \x003", 7, "U\\+0000 is not"),
    ("sex = '\ud800'", 7, "quote is not closed"),
    ("sex \ud800", 5, "U\\+D800 is not"),
    ("sex = ‘Male’", 7, "LEFT SINGLE QUOTATION MARK"),
    ("age == 3", 5, "comparison is expected here, not '=='"),
    ("age", 4, "comparison is expected here, not the end"),
    ("age >", 6, "a value is expected here, not the end"),
    ("age > and sex = 'Male'", 7, "put text in single quotes"),
    ("sex = Male", 7, "put text in single quotes"),
    ("sex = 3", 7, "holds text; put the value in quotes: '3'"),
    ('sex = "age"', 7, "expected here, not a column"),
    ("sex < 'Male'", 5, "text without an order"),
    ("sex between 'a' and 'b'", 13, "text without an order"),
    ("age > 'x'", 7, "holds numbers; 'x' is not a number"),
    ("age > 2024-01-01", 7, "not a number"),
    ("count where", 12, "a column is expected here, not the end"),
    ("sum(age) where", 15, "a column is expected here, not the end"),
    ("age = 'inf'", 7, "not a number"),
    ("age = true", 7, "not a number"),
    ("age > 40and", 7, "not a number"),
    ("age > 1e99999", 7, "not a number"),
    ("age > 1.2.3", 7, "not a number"),
    ("born > 2024-02-31", 8, "holds dates"),
    ("born > 3", 8, "holds dates"),
    ("born > '2024-01-01Z'", 8, "holds dates"),
    ("age = null", 7, "write: is null"),
    ("age is 3", 8, "null or missing is expected here, not '3'"),
    ("age in ()", 9, "a value is expected here"),
    ("age in (1", 10, ", or \\) is expected here, not the end"),
    ("age in 1", 8, "\\( is expected here, not '1'"),
    ("age between 1 or 2", 15, "and is expected"),
    ("(age > 3", 1, "bracket is not closed"),
    ("(age > 3 sex", 10, "close the bracket"),
    ("age > 3 sex", 9, "'sex' is not allowed here"),
    ("age > 3)", 8, "is not allowed here"),
    ("age > 3;", 8, "is not allowed here"),
    ("age > 3 or sex = 'Male'", 9, "use two queries"),
    ("not (age > 3 and sex = 'Male')", 1, "use two queries"),
    ("education in ('Higher')", 15, "group of the hierarchy of 'education'.* write: within 'Higher'"),
    ("education within 'Highest'", 18, "no group 'Highest'"),
    ("sex within 'x'", 12, "no hierarchy"),
    ("sum(sex)", 5, "holds no numbers"),
    ("sum(born)", 5, "holds no numbers"),
    ("min(age)", 1, "'min' is not supported"),
    ("count(age)", 7, "not missing"),
    ("count 3", 1, "no column 'count'"),
    ("sum(age) age", 10, "where is expected"),
    ("sex = 'Mal", 7, "quote is not closed"),
    ("[sex = 3", 1, "bracket is not closed"),
    ("age > 3 /* x", 9, "comment is not closed"),
    ("and age > 3", 1, "a column is expected here"),
    ("__import__('os').system('ls')", 1, "is not supported"),
    ("(lambda: 3)()", 2, "no column 'lambda'"),
    ("age > {3}", 7, "is not allowed here"),
]


@pytest.mark.parametrize(("text", "column", "told"), WRONG)
def test_messages_have_reason_and_place(text, column, told, people):
    with pytest.raises(BadInput, match=told) as raised:
        parse(text, people)
    assert str(raised.value).startswith(f"column {column}: ")
    assert raised.value.position == column - 1
    assert MARK not in str(raised.value) and str(raised.value).isprintable()


def test_places_in_several_lines(people):
    with pytest.raises(BadQuery, match="line 2, column 5: there is no column 'sax'"):
        parse("age > 3\nand sax = 'Male'", people)


def test_other_arguments_than_text_are_refused(people):
    with pytest.raises(BadInput, match="a query is a text, not a list"):
        parse(["age > 3"], people)


def test_names_that_differ_only_in_case_are_distinguished():
    coded = Table.without_roles(pd.DataFrame({"Age": [1, 2], "age": [3, 4], "N\u0303": [5, 6]}))
    assert parse("Age = 1 and age = 3", coded).columns == ("Age", "age")
    with pytest.raises(BadInput, match="no column 'AGE'"):
        parse("AGE = 1", coded)
    assert parse('"ñ" = 5', coded).columns == ("N\u0303",)  # the same letter to Unicode


def test_weights_cannot_be_queried():
    frame = pd.DataFrame({"age": [1, 2], "w": [1.5, 2.5]})
    coded = Table.from_frame(frame, ["age"], weight="w")
    for text in ("w > 1", "sum(w)"):
        with pytest.raises(BadInput, match="'w' is the weight"):
            parse(text, coded)


@pytest.mark.parametrize("seed", seeds(300, fast=30))
def test_queries_match_the_same_records_in_duckdb_and_in_a_loop(seed, coded, oracles):
    records, connection = oracles
    asked, text, sql = Draw(coded, np.random.default_rng(seed)).query()
    query = parse(text, coded)
    found = meet(coded, query.conditions)
    by_hand = [all(one.holds(record[name]) is True for name, one in asked.items()) for record in records]
    assert found.tolist() == by_hand, text
    assert set(query.conditions) == set(asked)
    (counted,) = connection.execute(f"select count(*) from t where {sql}").fetchone()
    assert found.sum() == counted, text


@pytest.fixture(scope="module")
def oracles(coded):
    return records_of(coded), database(coded)


def test_precision():
    whole = [2**53 - 1, 2**53, 2**53 + 1, 2**63 - 1, -(2**63)]
    coded = Table.without_roles(pd.DataFrame({"n": whole, "x": [0.1, 0.3, 1e300, 5e-324, -0.0]}))
    for literal in (*whole, 2**63, -(2**63) - 1, "9007199254740992.5", "1e400", "-1e400"):
        wanted = [n > Fraction(str(literal)) for n in whole]
        assert met(f"n > {literal}", coded) == np.flatnonzero(wanted).tolist()
    assert met("x = 0.1", coded) == [0] and met("x = 0.3000000000000000166", coded) == []
    assert met("x > 0.3000000000000000166", coded) == [2]  # a value is what is written, not the float's expansion
    assert met("x >= 1e999", coded) == [] and met("x = 5e-324", coded) == [3] and met("x <= 0", coded) == [4]


# --- hostile text

PIECES = [
    *["and", "or", "not", "in", "between", "is", "null", "missing", "within", "where", "count", "sum", "avg", "age"],
    *["sex", "born", "hours", "education"],
    *["(", ")", ",", ";", "*", ".", "=", "!=", "<>", "<", "<=", ">", ">=", "'", '"', "`", "[", "]", "--", "/*", "*/"],
    *["3", "-4.5", "1e9", "2024-01-31", "'Male'", "'Higher'", '"age"', "[sex]", "'O''x'", "true", "\n", " ", "\t"],
    *["\0", "а", "４", "\u200b", "\u202e", "\ud800", "é", "e\u0301", "{", "\\", "$", "%s", "__class__", "lambda", "😀"],
]


def noise(rng):
    """Pieces of the language in any order, or signs of all of Unicode."""
    if rng.random() < 0.7:
        return rng.choice(["", " "]).join(rng.choices(PIECES, k=rng.randrange(1, 14)))
    return "".join(chr(rng.randrange(rng.choice([128, 0x3000, 0x110000]))) for _ in range(rng.randrange(12)))


def damaged(text, rng):
    """A query with a piece put in, or some signs taken out."""
    at = rng.randrange(len(text))
    return text[:at] + rng.choice(["", rng.choice(PIECES)]) + text[at + rng.randrange(4) :]


@pytest.mark.slow
def test_100_000_random_strings_raise_nothing_but_bad_input(people, coded):
    rng, read = random.Random(0), 0
    sound = [Draw(coded, np.random.default_rng(seed)).query()[1] for seed in range(200)]
    for k in range(100_000):
        text, asked = (damaged(rng.choice(sound), rng), coded) if k % 5 == 0 else (noise(rng), people)
        try:
            parse(text, asked)
            read += 1
        except BadQuery as error:
            assert 0 <= error.position <= len(text)
            assert MARK not in str(error)
    assert 1_000 < read < 50_000  # some are queries


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "(" * 10_000 + "age > 3" + ")" * 10_000,
        "(" * 500_000,
        "not (" * 10_000,
        "a" * 1_000_000,
        "9" * 1_000_000,
        "9" * 1_000_000 + "a",
        "age > " + "9" * 1_000_000,
        "'" * 1_000_001,
        "sex = '" + "x" * 1_000_000,
        "/*" * 500_000,
        "age > 3 " + "-" * 1_000_000 + "\n and",
        "[" * 1_000_000,
        "." * 1_000_000,
        "a." * 500_000,
        "a-" * 500_000,
        '"a".' * 50_000,
        "\u202e" * 1_000_000,
        "age in (" + "123456789," * 100_000,
        "age > 3 and " * 20_000,
    ],
    ids=itertools.count(),
)
def test_long_hostile_text_is_refused_quickly(text, people):
    before = time.process_time()
    with pytest.raises(BadQuery) as raised:
        parse(text, people)
    assert len(str(raised.value)) < 400
    assert time.process_time() - before < 10  # in a fraction of a second; anything quadratic takes hours


@pytest.mark.slow
@pytest.mark.parametrize(
    "text", ["not " * 50_001 + "age > 3", " or ".join(["age=40"] * 30_000), " " * 1_000_000 + "age>3"]
)
def test_a_long_valid_query_is_parsed(text, people):
    assert parse(text, people).columns == ("age",)


def test_brackets_up_to_the_limit(people):
    assert met("(" * DEEP + "age > 40" + ")" * DEEP, people) == [3, 4]
    with pytest.raises(BadQuery, match=f"column {DEEP + 1}: brackets are nested more than {DEEP} deep"):
        parse("(" * (DEEP + 1) + "age > 40" + ")" * (DEEP + 1), people)


def test_no_text_is_evaluated_as_code(people, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for text in ("open('x', 'w')", "__import__('os').mkdir('x')", "age > (open('x', 'w'))", "age = 1; copy t to 'x'"):
        with pytest.raises(BadQuery):
            parse(text, people)
    assert os.listdir(tmp_path) == []


# Which codes a value or a group of a column stands for.


def held(values, kind="number", missing=0, hierarchy=None):
    values = np.asarray(values)
    return ColumnResolver(
        Column("c", kind, values, tuple(map(str, values)), np.ones(len(values), int), missing, hierarchy)
    )


def first(text):
    return next(iter(tokens(text)))


@given(
    st.lists(st.integers(-(2**63), 2**63 - 1), unique=True, min_size=1, max_size=8).map(sorted),
    st.decimals(-(10**20), 10**20, places=3) | st.integers(-(2**64), 2**64),
)
def test_whole_numbers_are_compared_exactly(values, asked):
    low, high = held(np.array(values, np.int64)).equal(
        first(f"{asked:f}" if not isinstance(asked, int) else str(asked))
    )
    assert low == bisect_left(values, Fraction(asked)) and high - low == (asked in values)


@given(
    st.lists(st.floats(-1e30, 1e30), unique=True, min_size=1, max_size=8).map(sorted),
    st.decimals(-1000, 1000, places=3) | st.floats(-1e30, 1e30),
)
def test_fractions_are_compared_as_they_are_written(values, asked):
    written = [Fraction(repr(value)) for value in values]
    text = repr(asked) if isinstance(asked, float) else f"{asked:f}"
    low, high = held(np.array(values)).equal(first(text))
    assert low == bisect_left(written, Fraction(text)) and high - low == (Fraction(text) in written)


def test_days_and_moments():
    days = held(np.array(["2024-01-30", "2024-02-01"], "datetime64[D]"), "date")
    assert days.equal(first("2024-02-01")) == (1, 2) and days.equal(first("'2024-01-30 00:01'")) == (1, 1)
    moments = held(np.array(["2024-01-30T10:00", "2024-01-30T10:00:00.000001"], "datetime64[us]"), "date")
    assert moments.equal(first("2024-01-30T10:00")) == (0, 1) and moments.equal(first("2024-01-30")) == (0, 0)


@pytest.mark.parametrize("values", [["False", "True"], ["false", "true"], ["FALSE", "TRUE"]])
def test_true_and_false_without_quotes(values):
    column = held(np.array(values, object), "text")
    assert column.equal(first("True")) == (1, 2) and column.equal(first("false")) == (0, 1)
    assert column.equal(first("'tRue'")) == (0, 0)


@given(st.integers(0, 40), st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=5), st.booleans())
def test_sets_of_codes(size, runs, missing):
    runs = [(low, high) for low, high in runs if high <= size]
    column = held(np.arange(size), missing=int(missing))
    wanted = [any(low <= code < high for low, high in runs) for code in range(size)]
    found = column.flags(column.union(runs))
    assert found.dtype == bool and found.tolist() == wanted + [False] * missing
    assert column.flags(column.values | column.missing).all() and column.flags(0).sum() == 0


LEVELS = (
    Level(np.array([0, 2]), ("x", "y")),
    Level(np.array([0, 1]), ("z", "x")),
)


@pytest.mark.parametrize(
    ("name", "run"), [("a", (0, 1)), ("y", (2, 4)), ("z", (0, 1)), ("x", None), ("w", None), ("d", (3, 4))]
)
def test_groups(name, run):
    column = held(np.array(list("abcd"), object), "text", hierarchy=Hierarchy(tuple("abcd"), LEVELS))
    if run is None:
        with pytest.raises(BadInput, match="several groups" if name == "x" else "no group 'w'"):
            column.group(first(f"'{name}'"))
    else:
        assert column.group(first(f"'{name}'")) == run


def test_the_widest_of_nested_groups_with_one_name_is_used():
    levels = (Level(np.array([0, 1, 2]), ("a", "b", "c")), Level(np.array([0, 2]), ("a", "c")))
    column = held(np.array(list("abcd"), object), "text", hierarchy=Hierarchy(tuple("abcd"), levels))
    assert column.group(first("'a'")) == (0, 2) and column.equal(first("'a'")) == (0, 1)


def test_resolvers_are_shared_per_table():
    table = Table.without_roles(pd.DataFrame({"age": [1, 2]}))
    assert ColumnResolver.of_table(table, "age") is ColumnResolver.of_table(table, "age")
