"""Workloads: their plain data, and their conversion to another table of the same data."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest

from workbench.base.errors import BadInput
from workbench.base.parameters import Plain, canonical
from workbench.data.records import fingerprint
from workbench.methods import Mondrian
from workbench.models import KAnonymity
from workbench.queries.query import Query
from workbench.queries.workload import Workload


def some(table, **codes):
    met = {name: np.isin(np.arange(table.columns[name].size), chosen) for name, chosen in codes.items()}
    return Query(f"some {', '.join(codes)}", "count", None, met)


def test_conditions_are_those_of_the_queries(small):
    table = small(1)
    workload = Workload.from_queries(table, [some(table, age=[0, 3]), some(table, sex=[1], work=[])])
    assert len(workload) == 2 and workload.columns == ("age", "sex", "work") and workload.dimension.tolist() == [1, 2]
    assert np.flatnonzero(workload.condition(0, "age")).tolist() == [0, 3]
    assert workload.condition(0, "sex") is None and workload.condition(0, "wage") is None
    assert workload.texts == ("some age", "some sex, work") and workload.truth[1] == 0


def test_missing_values_are_in_no_sum(small):
    table = small(1)
    workload = Workload.from_queries(table, [Query("sum(age)", "sum", "age", {})])
    assert workload.condition(0, "age").tolist() == [True] * len(table.columns["age"].values) + [False]
    assert workload.dimension.tolist() == [0] and workload.truth[0] == table.frame["age"].sum()


def test_absent_values_are_noted(small):
    query = Query("work = 'Smith'", "count", None, {"work": np.zeros(6, bool)}, (("work", "Smith"),))
    workload = Workload.from_queries(small(1), [query])
    assert workload.notes == ("work = 'Smith': no record has the requested value of work",)


def test_random_queries_are_rebuilt_from_their_spec(small):
    workload = Workload.random(small(0), 20, 2, seed=3)
    assert workload.spec == {"random": {"count": 20, "dimension": 2, "seed": 3}}
    again = Workload.from_spec(small(0), workload.spec)
    assert again.truth.tolist() == workload.truth.tolist() and again is Workload.from_spec(small(0), workload.spec)
    other = small(2)
    assert workload.with_table(small(0)) is workload and workload.with_table(other).table is other


def test_workloads_are_found_by_name(small):
    table = small(0).with_settings(
        workloads={"mine": Workload.random(small(0), 7, 2), "young": {"random": {"dimension": 1}}}
    )
    assert table.settings.workloads == {
        "mine": {"random": {"count": 7, "dimension": 2}},
        "young": {"random": {"dimension": 1}},
    }
    assert len(Workload.named(table, "mine")) == 7 and Workload.named(table, "mine") is Workload.named(table, "mine")
    assert len(Workload.named(table, Plain(canonical({"random": {"count": 3, "dimension": 1}})))) == 3
    assert table.with_roles(["age", "sex"], "disease").settings.workloads == table.settings.workloads
    assert fingerprint(table) == fingerprint(small(0)), "whose figures they do not touch"
    assert len(Workload.named(table, "random")) == 1000
    with pytest.raises(BadInput, match="no workload 'mein'; did you mean 'mine'"):
        Workload.named(table, "mein")


@pytest.mark.parametrize(
    ("spec", "message"),
    [({"random": {"counts": 3}}, "random queries have no setting 'counts'"), ({"all": {}}, "write a list of queries")],
)
def test_an_invalid_spec_is_refused(small, spec, message):
    with pytest.raises(BadInput, match=message):
        Workload.from_spec(small(0), spec)


@pytest.mark.parametrize(
    ("query", "message"),
    [
        (Query("", "count", None, {"agee": np.ones(3, bool)}), "no column 'agee'; did you mean 'age'"),
        (Query("", "sum", "work", {}), r"sum\(work\): the column is not numeric"),
    ],
)
def test_a_query_of_another_table_is_refused(small, query, message):
    with pytest.raises(BadInput, match=message):
        Workload.from_queries(small(0), [query])
    with pytest.raises(BadInput, match="at least one query"):
        Workload.from_queries(small(0), [])


def test_queries_are_written_and_read_again(small):
    table = small(0)
    texts = ["age >= 40 and sex = 'F'", "avg(age) where work = 'Farm'", "sum(wage)"]
    workload, frame = Workload.from_texts(table, texts), table.frame
    women, farm = frame[(frame["age"] >= 40) & (frame["sex"] == "F")], frame[frame["work"] == "Farm"]
    assert workload.truth.tolist() == [len(women), farm["age"].mean(), frame["wage"].sum()]
    assert workload.spec == texts and [workload.text(q) for q in range(3)] == texts
    assert Workload.from_spec(table, texts).truth.tolist() == workload.truth.tolist()
    assert len(Workload.from_texts(table, "age >= 40")) == 1


def test_random_queries_can_be_written(small):
    workload = Workload.random(small(1), 20, 2)
    again = Workload.from_texts(small(1), [workload.text(q) for q in range(20)])
    assert again.truth.tolist() == workload.truth.tolist()


def test_a_log_is_read_and_what_cannot_be_used_is_noted(small, tmp_path):
    log, table = tmp_path / "asked.sql", small(0)
    log.write_text("SELECT COUNT(*) FROM t WHERE age >= 40;\nSELECT 1;\nSELECT AVG(wage) FROM t;\n")
    workload = Workload.read(table, log)
    assert workload.truth.tolist() == [(table.frame["age"] >= 40).sum(), table.frame["wage"].mean()]
    assert len(workload.notes) == 1 and workload.notes[0].startswith("line 2")
    assert Workload.from_spec(table, workload.spec).truth.tolist() == workload.truth.tolist()
    log.write_text("SELECT 1;")
    with pytest.raises(BadInput, match="no usable query, first line 1"):
        Workload.read(table, log)


def test_equal_queries_count_once(small):
    table = small(0)
    assert (
        Workload.from_queries(table, [some(table, sex=[0]), some(table, sex=[0]), some(table, sex=[1])]).different == 2
    )


def test_queries_come_in_any_list(small):
    asked = ["age >= 3", "sex = 'M'"]
    for listed in (tuple(asked), (one for one in asked), pd.Series(asked, index=[5, 6]), dict.fromkeys(asked).keys()):
        assert Workload.from_texts(small(0), listed).texts == tuple(asked)
    for given in (None, 3, {"age": 3}):
        with pytest.raises(BadInput, match="a workload needs a list of queries, got"):
            Workload.from_texts(small(0), given)


def test_a_file_of_queries_is_converted_to_another_table_completely_or_not_at_all(small, tmp_path):
    (tmp_path / "asked.sql").write_text("age >= 3\nSELECT COUNT(*) FROM t WHERE work = 'a';")
    workload = Workload.read(small(0), tmp_path / "asked.sql")
    (tmp_path / "asked.sql").unlink()
    assert workload.with_table(small(2)).texts == workload.texts
    with pytest.raises(BadInput, match="query 2, column 13: there is no column 'work'"):
        workload.with_table(small(0).drop(["work"]))


def test_a_note_quotes_no_long_query(small):
    (note,) = Workload.from_texts(small(0), [f"work = '{'x' * 1000}'"]).notes
    assert note.startswith("work = 'xxx") and len(note) < 300


def test_a_workload_can_be_copied_and_sent_to_another_process(small):
    workload = Workload.from_texts(small(0), ["age >= 3", "sum(age) where sex = 'M'"])
    truth = workload.truth.tolist()
    assert Mondrian()(workload.table, KAnonymity(2)).count(workload).shape == (2,)
    for again in (pickle.loads(pickle.dumps(workload)), copy.deepcopy(workload)):
        assert again.truth.tolist() == truth and fingerprint(again.table) == fingerprint(workload.table)
        assert again.with_table(small(0)).truth.tolist() == truth
