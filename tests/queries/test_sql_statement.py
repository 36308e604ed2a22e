"""SQL statements compared with DuckDB, and reasons why other statements are refused."""

import numpy as np
import pandas as pd
import pytest

from tests.queries.condition_samples import Draw, database, meet, table
from workbench.data.table import Table
from workbench.queries.sql_statement import read_statement
from workbench.queries.tokens import BadQuery

MARK = "Zyxwvut"


@pytest.fixture(scope="module")
def people():
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
def test_the_text_of_the_query(text, read, people):
    assert read_statement(text, people).text == read


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
def test_unsupported_statements_are_refused(text, column, told, people):
    with pytest.raises(BadQuery, match=told) as raised:
        read_statement(text, people)
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
