"""Cells: distinct combinations with their records; keys beyond 64 bits are replaced by ranks."""

import threading
import time
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from workbench.base import progress
from workbench.data import cells as cells_module
from workbench.data.cells import collapse, distinct_rows, locate

SIZES = {"few values": 3, "many values": 2**15, "columns too wide for one key": 2**30}


def columns(size, records=300, many=6, seed=0):
    """Return skewed columns with repeated combinations; the largest code occurs, so keys have the maximum width."""
    rng = np.random.default_rng(seed)
    kinds = rng.integers(0, size, (many, 40))
    kinds[:, 0] = size - 1
    return list(kinds[:, np.minimum(rng.geometric(0.05, records) - 1, 39)])


@pytest.fixture(params=["here", "in DuckDB"])
def way(request, monkeypatch):
    """Force sorting or DuckDB, whatever the number of records."""
    monkeypatch.setattr(cells_module, "FEW", {"here": 10**9, "in DuckDB": 0}[request.param])


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
def test_cells_are_the_distinct_combinations_with_their_records(way, size):
    quasi, others = columns(size)[:4], columns(size)[4:]
    cells = collapse(dict(zip("abcd", quasi, strict=True)), dict(zip("xy", others, strict=True)))
    counted = Counter(zip(*quasi, *others, strict=True))
    found = zip(*cells.quasi, cells.others["x"], cells.others["y"], strict=True)
    assert dict(zip(found, cells.weight, strict=True)) == counted
    assert len(cells) == len(counted) and (cells.quasi.dtype == np.int16) == (cells.quasi.max() < 2**15 - 1)
    assert cells.weight.dtype == np.int64 and cells.others["x"].dtype == np.int32


def test_cells_are_in_the_order_of_their_codes(way):
    quasi = columns(3) + columns(2**30, seed=1)  # all of them are too wide for one key
    cells = collapse(dict(zip("abcdefghijkl", quasi, strict=True)), {})
    assert list(zip(*cells.quasi, strict=True)) == sorted(set(zip(*quasi, strict=True)))


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
def test_every_record_finds_its_cell(size):
    records = columns(size)
    cells = collapse(dict(zip("abcdef", records, strict=True)), {})
    shuffled = np.random.default_rng(1).permutation(len(cells))  # in whatever order the cells stand
    where = locate([codes[shuffled] for codes in cells.quasi], records)
    assert (cells.quasi[:, shuffled][:, where] == np.array(records)).all()
    assert (np.bincount(where) == cells.weight[shuffled]).all()


@examples(50)
@given(st.sampled_from(sorted(SIZES.values())), st.integers(1, 60), st.integers(1, 8), st.integers(0, 1000))
def test_distinct_rows_are_numbered_in_order_of_appearance(size, records, many, seed):
    matrix = np.array(columns(size, records, many, seed)).T.astype(np.int32)
    first, number = distinct_rows(matrix)
    seen: dict[tuple, int] = {}
    assert number.tolist() == [seen.setdefault(tuple(row), len(seen)) for row in matrix]
    assert first.tolist() == [next(i for i, row in enumerate(matrix) if tuple(row) == key) for key in seen]


def test_all_rows_of_an_empty_matrix_are_none():
    first, number = distinct_rows(np.zeros((0, 3), np.int32))
    assert len(first) == len(number) == 0


@pytest.mark.slow
def test_merging_records_to_cells_can_be_cancelled():
    rng, cancel = np.random.default_rng(0), threading.Event()
    many = {name: rng.integers(0, 1000, 3_000_000) for name in "abcd"}
    began = time.monotonic()
    collapse(many, {})
    whole = time.monotonic() - began
    cancel.set()
    with progress.cancellable(cancel), pytest.raises(progress.Cancelled):
        collapse(many, {})
    assert time.monotonic() - began - whole < whole / 2


def test_rows_without_columns_are_equal():
    first, number = distinct_rows(np.empty((5, 0), np.int64))
    assert first.tolist() == [0] and number.tolist() == [0] * 5
