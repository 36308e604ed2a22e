"""Logs: plain lines, SQL statements, and unusable statements with their lines."""

import os
import random
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.queries.test_parser import PIECES
from workbench.base.errors import BadInput
from workbench.data.table import Table
from workbench.queries import log
from workbench.queries.log import Unusable, read_log
from workbench.queries.parser import parse

MARK = "Zyxwvut"


@pytest.fixture(scope="module")
def people():
    frame = pd.DataFrame({"age": [17, 39, 40, 90], "sex": ["m", "f", MARK, "a;b"], "limit": [1.5, 2, 3, 4]})
    return Table.without_roles(frame)


LOG = """-- asked in May
age >= 40

/* two lines
   of words */ sum(age) where sex = 'm';
SELECT COUNT(*) FROM people WHERE age > 20;
select avg(p.age) as mean
  from public.people as p  -- all of them
 where p.sex in ('m', 'f')
   and p."limit" /* years */ <= 2
;
SELECT COUNT(1) FROM t; SELECT SUM("limit") FROM t WHERE sex = 'a;b';
limit > 3; age < 40
SELECT count(*)
FROM t
SELECT count(*) FROM t WHERE (age
> 3)"""


def test_a_log_is_read(people):
    queries, unusable = read_log(LOG, people)
    assert unusable == []
    assert [query.text for query in queries] == [
        "age >= 40",
        "sum(age) where sex = 'm'",
        "count where age > 20",
        "avg(age) where sex in ('m', 'f') and limit <= 2",
        "count",
        "sum(limit) where sex = 'a;b'",
        "limit > 3",
        "age < 40",
        "count",
        "count where (age > 3)",
    ]
    for query in queries:
        again = parse(query.text, people)
        assert (again.aggregate, again.of, list(again.conditions)) == (
            query.aggregate,
            query.of,
            list(query.conditions),
        )
        assert all(np.array_equal(again.conditions[name], query.conditions[name]) for name in query.conditions)


@pytest.mark.parametrize(
    ("text", "line", "column", "told"),
    [
        ("age > 3\nagee > 3", 2, 1, "did you mean 'age'"),
        ("SELECT COUNT(*) FROM t\nWHERE agee > 3;", 2, 7, "did you mean 'age'"),
        ("\n\nselect sex, count(*) from t group by sex;", 3, 8, "only one COUNT"),
        ("select count(*) from t\ngroup by sex;", 2, 1, "GROUP BY: only one number"),
        ("select count(*) from t where age > 3\ngroup by sex", 2, 1, "GROUP BY: only one number"),
        ("with x as (select 1) select count(*) from x", 1, 1, "WITH"),
        ("age > 3 /* never\nclosed", 1, 9, "comment is not closed"),
        ("/* never\nclosed", 1, 1, "comment is not closed"),
        ("age > 3 sex", 1, 9, "is not allowed here"),
        ("1", 1, 1, "column is expected"),
        ("#", 1, 1, "is not allowed here"),
    ],
)
def test_unusable_statements_are_listed_with_reasons(text, line, column, told, people):
    queries, (found,) = read_log(f"{text}", people)
    assert (found.line, found.column) == (line, column) and told in found.reason
    assert str(found).startswith(f"line {line}, column {column}: ") and MARK not in str(found)
    assert len(queries) == ("\n" in text and text.startswith("age > 3\na"))


def test_one_bad_statement_leaves_the_others(people):
    sound = "select count(*) from t where age > 3"
    for bad in (
        "select count(*) from t where sex = 'O'Brien'",
        "agee > 3",
        "select 'x",
        'age > "',
        "sex = 'x",
        "((",
        "`",
    ):
        queries, unusable = read_log(f"{sound};\n{bad};\n{sound};\nage > 3", people)
        assert [query.text for query in queries] == ["count where age > 3"] * 2 + ["age > 3"], bad
        assert [one.line for one in unusable] == [2]


@pytest.mark.parametrize("name", ["select", "set", "Begin", "use"])
def test_a_column_may_be_named_like_a_statement(name):
    coded = Table.without_roles(pd.DataFrame({name: [1, 2]}))
    queries, unusable = read_log(f"{name} > 1\n{name} in (1)\n{name}=2", coded)
    assert len(queries) == 3 and not unusable


def test_log_files_are_read(people, tmp_path):
    path = tmp_path / "log.sql"
    path.write_bytes(b"\xef\xbb\xbfage > 3\r\n\r\nselect count(*)\r\nfrom t;\r\nx > 3\r\n")
    queries, unusable = read_log(path, people)
    assert [query.text for query in queries] == ["age > 3", "count"]
    assert [(one.line, one.column) for one in unusable] == [(5, 1)]
    path.write_bytes(b"")
    assert read_log(path, people) == ([], [])


def test_unreadable_files_are_reported(people, tmp_path):
    with pytest.raises(BadInput, match="does not exist; check the path"):
        read_log(tmp_path / "none", people)
    with pytest.raises(BadInput, match="not a file name"):
        read_log(Path("a\0b"), people)
    with pytest.raises(BadInput, match="is not a file"):
        read_log(tmp_path, people)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(BadInput, match="is not a file"):
        read_log(tmp_path / "pipe", people)
    (tmp_path / "latin").write_bytes(b"sex = 'm\xfc'")
    with pytest.raises(BadInput, match="not UTF-8 text \\(byte 8\\)"):
        read_log(tmp_path / "latin", people)
    with open(tmp_path / "large", "wb") as file:
        file.truncate(log.LARGEST + 1)
    with pytest.raises(BadInput, match="larger than 10 MB; give it in parts"):
        read_log(tmp_path / "large", people)
    with pytest.raises(BadInput, match="more than 10,000,000 characters"):
        read_log(" " * (log.LARGEST + 1), people)
    with pytest.raises(BadInput, match=r"cannot be read: .*name too long"):
        read_log(Path("x" * 5000), people)


def test_statements_beyond_the_limit_are_ignored_with_a_note(people, monkeypatch):
    monkeypatch.setattr(log, "MOST", 3)
    assert len(read_log("age > 3\n" * 3, people)[0]) == 3
    with pytest.raises(BadInput, match="more than 3 statements"):
        read_log("age > 3\n" * 4, people)


@pytest.mark.slow
@pytest.mark.parametrize("text", ["'", '"', "`", "[", "/*", "--", "(", "'\"`[", "select (", "a'b\n", "\0", ";", "'a;"])
def test_large_hostile_logs_are_read_quickly(text, people, monkeypatch):
    monkeypatch.setattr(log, "MOST", 20_000)
    try:
        _, unusable = read_log(text * (1_000_000 // len(text)), people)
        assert all(isinstance(one, Unusable) and len(one.reason) < 400 for one in unusable)
    except BadInput as error:
        assert "statements" in str(error)


def test_random_logs_raise_nothing(people):
    rng, sql = (
        random.Random(1),
        ["select", "count(*)", "from", "t", "where", "group by", "SELECT sum(age) FROM t", "\n", ";"],
    )
    read = 0
    for _ in range(5_000):
        text = " ".join(rng.choices(PIECES + sql * 4, k=rng.randrange(1, 20)))
        queries, unusable = read_log(text, people)
        read += len(queries)
        lines = text.count("\n") + 1
        assert all(1 <= one.line <= lines and MARK not in one.reason for one in unusable)
    assert read > 100
