"""Stored draws are read back unchanged, and refused for another table."""

import numpy as np
import pyarrow.parquet as pq
import pytest

from tests.methods.noise.tables import table
from workbench.data.hierarchies.builders import Groups
from workbench.methods import Laplace, RandomizedResponse
from workbench.releases.stored_draws import content, read, written


@pytest.mark.parametrize("method", [Laplace(1, bounds="age: 17..90"), RandomizedResponse(0.5)], ids=str)
def test_stored_draws_are_read_back(method):
    given = table(missing=0.1)
    for name, one in method(given).drawn.items():
        again = read(given, name, written(given, name, one))
        assert again.released.dtype == one.released.dtype
        assert (again.released == one.released).all()
        for field, value in vars(one.response).items():
            assert np.array_equal(getattr(again.response, field), value)


def test_values_are_unchanged_if_a_hierarchy_reorders_them():
    given = table(missing=0.1)
    method = RandomizedResponse(0.5, ("city", "ill"))
    groups = {
        "city": Groups([{"far": ["c", "a"], "near": ["b"]}]),
        "ill": Groups([{"x": ["rare", "cold"], "y": ["none", "flu"]}]),
    }
    other = given.with_hierarchies(groups)
    assert given.columns["city"].value_labels() != other.columns["city"].value_labels()
    for name, one in method(given).drawn.items():
        assert content(given, name, False) == content(other, name, False)
        again = read(other, name, written(given, name, one))
        labels = [
            of.sensitive[name].labels if name == "ill" else of.columns[name].value_labels() for of in (given, other)
        ]
        assert [labels[0][i] for i in one.released] == [labels[1][i] for i in again.released]
        where = [labels[0].index(label) for label in labels[1]]
        assert np.array_equal(again.response.chances, one.response.chances[np.ix_(where, where)])


def test_the_digest_depends_only_on_values():
    given = table(missing=0.1)
    assert content(given, "ill", False) == content(
        given.with_roles(quasi=["age"], sensitive=["ill", "city"]), "ill", False
    )
    assert len({content(table(seed=seed), "ill", False) for seed in (1, 2)} | {content(table(), "city", False)}) == 3


def test_draws_of_another_table_are_refused():
    with pytest.raises(ValueError, match="it belongs to another table"):
        read(table(50), "ill", written(table(), "ill", RandomizedResponse(0.5)(table()).drawn["ill"]))


def test_no_arrow_thread_holds_a_buffer(monkeypatch):
    """Arrow's threads release buffers at any time; during interpreter exit that aborts the process (one in 600)."""
    given, alone, whole = table(), [], pq.ParquetFile.read

    def watched(file, *args, use_threads=True, **rest):
        alone.append(not use_threads)
        return whole(file, *args, use_threads=use_threads, **rest)

    monkeypatch.setattr(pq.ParquetFile, "read", watched)
    monkeypatch.delattr(pq, "read_table")  # it has threads, whatever it is asked
    for name, one in RandomizedResponse(0.5, ("ill",))(given).drawn.items():
        read(given, name, written(given, name, one))
    assert alone == [True]
