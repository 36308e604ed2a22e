"""Values of a column that were drawn at random, as they are kept: record by record, for the analyst alone.

They are kept in the order of the table's records and of their labels, whichever order a hierarchy gives them.
"""

from __future__ import annotations

import hashlib
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from workbench.data.table import Table
from workbench.releases.responses import Categorical, Drawn, Noise

HOW = b"response"  # in the file's metadata


def content(table: Table, name: str, numbers: bool) -> str:
    """A digest of what is drawn from: a column's values, record by record, its numbers or what models see of it."""
    labels, codes = _numbers(table, name) if numbers else _values(table, name)
    order, place = _orders(labels)
    digest = hashlib.blake2b(repr([labels[code] for code in order]).encode(), digest_size=20)
    digest.update(place[codes].astype(np.int32).tobytes())
    return digest.hexdigest()


def written(table: Table, name: str, drawn: Drawn) -> bytes:
    """As Parquet: what was released, and how it was drawn."""
    response, released = drawn.response, drawn.released
    if isinstance(response, Categorical):
        order, place = _orders(_values(table, name)[0])
        released, chances = place[released], response.chances[np.ix_(order, order)]
        said = {"chances": chances.tolist(), "words": response.words, "listed": response.listed}
    else:
        order, _ = _orders(_numbers(table, name)[0])
        said = {"scale": response.scale, "at": response.at[order].tolist()}
        said |= {"low": response.low, "high": response.high, "epsilon": response.epsilon}
    file, sink = pa.table({"released": released}), pa.BufferOutputStream()
    pq.write_table(file.replace_schema_metadata({HOW: json.dumps(said).encode()}), sink)
    return sink.getvalue().to_pybytes()


def read(table: Table, name: str, kept: bytes) -> Drawn:
    """The same again; ValueError where it is not of this table."""
    # Without threads of Arrow: one that lets go of Python's bytes while the interpreter ends, aborts the process.
    file = pq.ParquetFile(pa.BufferReader(kept)).read(use_threads=False)
    said, released = json.loads((file.schema.metadata or {})[HOW]), file["released"].to_numpy()
    listed = "chances" in said
    order, place = _orders((_values if listed else _numbers)(table, name)[0])
    if len(released) != table.records or len(said["chances" if listed else "at"]) != len(order):
        raise ValueError("it is of another table")
    if listed:
        chances = np.array(said["chances"], float)[np.ix_(place, place)]
        return Drawn.of(Categorical(chances, said["words"], said["listed"]), order[released])
    at = np.array(said["at"], float)[place]
    return Drawn.of(Noise(said["scale"], at, said["low"], said["high"], said["epsilon"]), released)


def _numbers(table: Table, name: str) -> tuple[tuple[str, ...], np.ndarray]:
    return table.columns[name].value_labels(), table.codes[name]


def _values(table: Table, name: str) -> tuple[tuple[str, ...], np.ndarray]:
    """As models see them: of a sensitive column at its level."""
    if name not in table.sensitive:
        return _numbers(table, name)
    return table.sensitive[name].labels, table.sensitive_codes(name)


def _orders(labels: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
    """The codes in the order of their labels, and the place of each code in it."""
    order = np.array(sorted(range(len(labels)), key=labels.__getitem__), np.int64)
    return order, np.argsort(order)
