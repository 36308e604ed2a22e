"""Logs: plain lines, SQL statements, and unusable statements with their lines."""

import os
import random
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.queries.condition_samples import Draw, database, meet, table
from tests.queries.test_parser import PIECES
from workbench.base.errors import BadInput
from workbench.data.table import Table
from workbench.queries import log
from workbench.queries.log import Unusable, read_log, read_statement
from workbench.queries.parser import parse
from workbench.queries.tokens import BadQuery

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
    with pytest.raises(BadInput, match="larger than 10 MB; split it"):
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


# SQL statements compared with DuckDB, and reasons why other statements are refused.


@pytest.fixture(scope="module")
def sql_statement_people():
    frame = pd.DataFrame({"age": [17, 39, 40, 90], "sex": ["m", "f", MARK, "a;b"], "top": [1.5, 2, 3, 4]})
    return Table.without_roles(frame)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("select count(*) from t", "count"),
        ("SELECT Count(1) AS n FROM people WHERE age > 3", "count where age > 3"),
        ("select sum(people.age) from people where People.sex='m'", "sum(age) where sex = 'm'"),
        ("select avg(a.b.age) from a.b where b.age > 1 and a.b.sex = 'm'", "avg(age) where age > 1 and sex = 'm'"),
        ('select sum("t"."top") s from [my t] as "t" where t.`top` in (1, 2)', "sum(top) where top in (1, 2)"),
        ("select count(*) from t where not (sex is null)", "count where not (sex is null)"),
    ],
)
def test_the_text_of_the_query(text, read, sql_statement_people):
    assert read_statement(text, sql_statement_people).text == read


@pytest.mark.parametrize(
    ("text", "column", "told"),
    [
        ("select count(*) from t where age > 3 order by 1", 38, "ORDER BY"),
        ("select count(*) from t where age > 3 limit 5", 38, "LIMIT"),
        ("select count(*) from t where age > 3 having count(*) > 5", 38, "HAVING"),
        ("select count(*) from t where age > 3 union select 1", 38, "UNION"),
        ("select count(*) from t join u on t.id = u.id", 24, "JOIN"),
        ("select count(*) from t a left join u using (id)", 26, "JOIN"),
        ("select count(*) from t, u where age > 3", 23, "several tables"),
        ("select count(*) from (select * from t)", 22, "sub-select"),
        ("select count(*) from t where age in (select 1)", 38, "sub-select"),
        ("select count(*) from t where exists (select 1)", 30, "sub-select"),
        ("select count(*) from t where age > (select 1)", 36, "value is expected"),
        ("select count(*), sum(age) from t", 16, "several numbers"),
        ("select count(distinct age) from t", 14, "DISTINCT"),
        ("select count(age) from t", 14, "count takes no column"),
        ("select sum(sex) from t", 12, "holds no numbers"),
        ("select max(age) from t", 8, "only one COUNT"),
        ("select * from t", 8, "only one COUNT"),
        ("select count(*) from t where sex like 'm%'", 34, "LIKE: text patterns"),
        ("select count(*) from t where sex not like 'm%'", 38, "LIKE: text patterns"),
        ("select count(*) from t where age > 3 or sex = 'm'", 38, "use two queries"),
        ("select count(*) from t where", 29, "column is expected"),
        ("select count(*) where age > 3", 17, "from is expected"),
        ("select count(*) from", 21, "name of a table"),
        ("select count(*) from t where t.agee > 3", 30, r"no column 'agee'; did you mean 'age'\?"),
        ("select count(*) from t where u.age > 3", 30, "no column 'u.age'"),
        ("insert into t values (1);", 1, "select is expected"),
        ("select count(*) from t where sex = 'O'Brien';", 39, "is not allowed here"),
    ],
)
def test_unsupported_statements_are_refused(text, column, told, sql_statement_people):
    with pytest.raises(BadQuery, match=told) as raised:
        read_statement(text, sql_statement_people)
    assert raised.value.position == column - 1 and MARK not in str(raised.value)


def test_a_column_may_be_named_like_an_sql_keyword():
    coded = Table.without_roles(pd.DataFrame({"left": ["a", "b"], "limit": [1, 2]}))
    query = read_statement("select sum(limit) from t where left = 'a'", coded)
    assert query.text == "sum(limit) where left = 'a'"
    with pytest.raises(BadQuery, match="'left' holds no numbers"):
        read_statement("select sum(left) from t", coded)


def test_answers_equal_those_of_duckdb():
    coded = table()
    connection, sums = database(coded), coded.frame["age"].to_numpy()
    statements = []
    for seed in range(150):
        _, ours, sql = Draw(coded, np.random.default_rng(1000 + seed), sql_only=True).query()
        asked = ["COUNT(*)", "Sum(age)", 'AVG( t."age" )'][seed % 3]
        statements.append((f"SELECT {asked}\nFROM t WHERE {ours}", f"select {asked} from t where {sql}"))
    for ours, sql in statements:
        query = read_statement(ours, coded)
        met = meet(coded, query.conditions)
        (wanted,) = connection.execute(sql).fetchone()
        if query.aggregate == "count":
            assert met.sum() == wanted
        elif not met.any():
            assert wanted is None
        else:
            assert (sums[met].sum() if query.aggregate == "sum" else sums[met].mean()) == pytest.approx(wanted)
            assert query.of == "age"
