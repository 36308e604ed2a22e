"""The arrays of a workload: the queries that cells satisfy, in bits, kinds and shares of axes."""

import numpy as np
import pandas as pd
import pytest

from workbench.data.hierarchies.builders import Groups
from workbench.data.table import Table
from workbench.methods.mondrian import workload_arrays as asked
from workbench.methods.mondrian.workload_arrays import workload_arrays
from workbench.queries.conditions import unpack
from workbench.queries.workload import Workload

TEXTS = ["age between 20 and 30 and s = 'a'", "town = 'x'", "age > 25 and wage >= 2", "s in ('b', 'c')"]


def make_table(**more):
    frame = pd.DataFrame(
        {"age": [20, 21, 30, 40] * 3, "town": list("xxyz") * 3, "s": list("aabc") * 3, "wage": [1, 2, 3] * 4}
    )
    return Table.from_frame(frame, ["age", "town"], "s", **more)


def make_arrays(texts, exact=False, table=None, others=("wage",)):
    table = table or make_table()
    cells = table.cells(others)
    return cells, workload_arrays(table, cells, Workload.from_texts(table, texts), exact)


def test_bits_mark_the_queries_that_each_cell_matches():
    table = make_table()
    for exact in (False, True):
        cells, found = make_arrays(TEXTS, exact)
        met, known = found.arrays[0], found.arrays[1]
        age, town = (np.array(table.columns[n].labels)[cells.quasi[i]] for i, n in enumerate(table.quasi))
        age, wage = age.astype(int), cells.others["wage"] + 1
        s = np.array(table.columns["s"].labels)[cells.others["s"]]
        expected = [(age <= 30) & (s == "a"), town == "x", (age > 25) & (wage >= 2), (s == "b") | (s == "c")]
        assert (np.array(expected) == unpack(met, 4).T).all()
        told = [age <= 30, town == "x", (age > 25) & (wage >= 2), np.ones(len(s), bool)]
        assert known.shape[1] == exact and (not exact or (np.array(told) == unpack(known, 4).T).all())


def test_kinds_are_the_values_of_other_columns():
    cells, found = make_arrays(TEXTS)
    kind, kept = found.arrays[2:4]
    assert len(kept) == len({*zip(cells.others["s"].tolist(), cells.others["wage"].tolist(), strict=True)})
    s, wage = cells.others["s"], cells.others["wage"]
    assert kept[kind].T.tolist() == np.array([s == 0, s >= 0, wage >= 1, s >= 1]).astype(int).tolist()
    _, bucketized = make_arrays(TEXTS, exact=True)
    assert len(bucketized.arrays[3]) == 3 and len(make_arrays(TEXTS[1:2])[1].arrays[3]) == 1


def test_widths_are_in_years_and_gaps_are_shared_by_adjacent_codes():
    _, found = make_arrays(["age <= 30", "age = 20 or age = 30", "town = 'y'"])
    first, begin, finish, before, inside, cost = found.arrays[4:]
    assert first.tolist() == [0, 4] and before[begin[:4]].tolist() == [0, 1, 10, 20]
    assert before[finish[:4]].tolist() == [1, 2, 11, 21]
    last = finish[3]
    assert inside[last].tolist() == [11, 2, 21] and (before[last] - inside[last, 2]) == 0
    assert (inside[finish[5]] - inside[begin[5]]).tolist() == [1, 1, 1] and cost.tolist() == [1 / 9, 1 / 6, 1 / 3]
    assert found.often.tolist() == pytest.approx([2 / 3, 1 / 3])


def test_a_group_of_sensitive_values_matches_if_most_of_its_records_do():
    table = make_table(hierarchies={"s": Groups(({"AB": ("a", "b"), "C": ("c",)},))}, levels={"s": 1})
    cells, found = make_arrays(["s = 'a'", "s = 'b'"], table=table)
    group = cells.others["s"]
    assert (np.array([group == 0, np.zeros(len(group), bool)]) == unpack(found.arrays[0], 2).T).all()


def test_a_sample_of_many_queries_and_values_is_used(monkeypatch):
    texts = [f"age > {age}" for age in range(10, 50)]
    assert len(make_arrays(texts)[1].arrays[-1]) == 40
    monkeypatch.setattr(asked, "LOOKED_AT", 10)
    assert len(make_arrays(texts)[1].arrays[-1]) == 10
    monkeypatch.setattr(asked, "ROOM", 24)
    assert len(make_arrays(texts)[1].arrays[-1]) == 24 // 7
    monkeypatch.setattr(asked, "ROOM", 1)
    assert len(make_arrays(texts)[1].arrays[-1]) == 1
