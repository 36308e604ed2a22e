"""Records in memory: new codes, fewer records, counts and cells, compared with NumPy."""

import numpy as np
import pandas as pd
import pytest

from workbench.base.errors import BadInput
from workbench.data.cells import Cells
from workbench.data.engines import ENGINES, ClassesOfCells, memory_limit
from workbench.data.engines.memory import Memory, MemoryBuilder
from workbench.data.table import Table

CODES = {"a": np.array([0, 1, 2, 1, 0], np.int16), "b": np.array([1, 1, 0, 0, 1], np.int16)}


def test_codes_are_replaced_and_records_without_a_code_dropped():
    engine = Memory(CODES)
    other = engine.mapped({"a": np.array([2, -1, 0])})
    assert other.codes["a"].tolist() == [2, 0, 2] and other.codes["b"].tolist() == [1, 0, 1]
    assert other.records == 3 and engine.records == 5 and other.codes["a"].dtype == np.int16
    assert engine.mapped({"a": np.arange(3)}).codes["a"] is CODES["a"]  # nothing is copied where nothing changes
    assert engine.mapped({"a": np.array([-1, -1, -1])}).records == 0


def test_counts_and_cells_are_those_of_the_records():
    engine = Memory(CODES)
    assert engine.counts("a", 4).tolist() == [2, 2, 1, 0]
    cells = engine.collapse(["a"], ["b"])
    assert [*zip(cells.quasi[0], cells.others["b"], cells.weight, strict=True)] == [
        (0, 1, 2),
        (1, 0, 1),
        (1, 1, 1),
        (2, 0, 1),
    ]
    assert list(engine.select(["b"]).codes) == ["b"]


def test_every_record_is_returned_once_with_its_class():
    engine = Memory({"a": np.arange(200_000) % 500})
    classes = ClassesOfCells(["a"], engine.collapse(["a"], []), np.arange(500) // 10, lambda: engine.codes["a"] // 10)
    batches = list(engine.shuffled([None, "a"], classes))
    group, codes = (np.concatenate(column) for column in zip(*batches, strict=True))
    assert len(batches) > 1 and (group == codes // 10).all() and np.bincount(codes).tolist() == [400] * 500
    assert abs(np.corrcoef(codes, engine.codes["a"])[0, 1]) < 0.02


def is_function_of(group, cells):
    codes, classes = ClassesOfCells(["a"], cells, np.array(group), list).keys()
    return {name: one.tolist() for name, one in codes.items()}, classes.tolist()


def test_classes_are_joined_by_quasi_identifiers_if_these_determine_them():
    cells = Memory(CODES).collapse(["a"], ["b"])  # the second and the third have the same a
    assert is_function_of([0, 1, 1, -1], cells) == ({"a": [0, 1, 2]}, [0, 1, -1])
    every = {"a": [0, 1, 1, 2], "b": [1, 0, 1, 0]}
    assert is_function_of([0, 1, 0, 0], cells) == (every, [0, 1, 0, 0])
    backwards = Cells(cells.quasi[:, ::-1], {"b": cells.others["b"][::-1]}, cells.weight[::-1])
    assert is_function_of([1, 0, 0, 0], backwards) == (
        {name: codes[::-1] for name, codes in every.items()},
        [1, 0, 0, 0],
    )


def test_only_known_engines_have_a_limit():
    assert [memory_limit(engine) is None for engine in ENGINES] == [True, False, True]
    with pytest.raises(BadInput, match="engine: 'sparc' is unknown; did you mean 'spark'"):
        memory_limit("sparc")


def test_the_error_of_too_many_records_names_the_other_engine(monkeypatch):
    def full(self, batch):
        raise MemoryError

    monkeypatch.setattr(MemoryBuilder, "add", full)
    with pytest.raises(BadInput, match="the frame: the records do not fit into memory; use engine='duckdb'") as caught:
        Table.from_frame(pd.DataFrame({"a": [1, 2]}), ["a"])
    assert caught.value.__context__ is None


@pytest.mark.parametrize(
    ("engine", "about"), [("memory", "<2 records in memory"), ("duckdb", "<2 records in a DuckDB file")]
)
def test_a_table_states_where_its_records_are_and_why(engine, about):
    found = repr(Table.from_frame(pd.DataFrame({"a": [1, 2]}), ["a"], engine=engine).engine)
    assert found.startswith(about) and ("engine='duckdb'" in found) == (engine == "duckdb")
