"""Randomly drawn values of a column as stored files, record by record, for the analyst only.

They are stored in the order of the table's records and of their labels, independent of the order in a hierarchy.
"""

from __future__ import annotations

import hashlib
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from workbench.data.table import Table
from workbench.releases.responses import Categorical, Drawn, Noise

HOW = b"response"  # key in the file's metadata


def content(table: Table, name: str, numbers: bool) -> str:
    """Return a digest of the input: a column's values record by record, as numbers or at the model level."""
    labels, codes = _numbers(table, name) if numbers else _values(table, name)
    order, place = _orders(labels)
    digest = hashlib.blake2b(repr([labels[code] for code in order]).encode(), digest_size=20)
    digest.update(place[codes].astype(np.int32).tobytes())
    return digest.hexdigest()


def written(table: Table, name: str, drawn: Drawn) -> bytes:
    """Return Parquet bytes of the released values and the response."""
    response, released = drawn.response, drawn.released
    if isinstance(response, Categorical):
        order, place = _orders(_values(table, name)[0])
        released, chances = place[released], response.chances[np.ix_(order, order)]
        described = {"chances": chances.tolist(), "words": response.words, "listed": response.listed}
        described |= {"keep": response.keep, "others": response.others}
    else:
        order, _ = _orders(_numbers(table, name)[0])
        described = {"scale": response.scale, "at": response.at[order].tolist()}
        described |= {"low": response.low, "high": response.high, "epsilon": response.epsilon}
    file, sink = pa.table({"released": released}), pa.BufferOutputStream()
    pq.write_table(file.replace_schema_metadata({HOW: json.dumps(described).encode()}), sink)
    return sink.getvalue().to_pybytes()


def read(table: Table, name: str, kept: bytes) -> Drawn:
    """Return the stored column; raise ValueError if it belongs to another table."""
    # Arrow's threads may release Python's bytes while the interpreter exits, which aborts the process.
    file = pq.ParquetFile(pa.BufferReader(kept)).read(use_threads=False)
    described, released = json.loads((file.schema.metadata or {})[HOW]), file["released"].to_numpy()
    listed = "chances" in described
    order, place = _orders((_values if listed else _numbers)(table, name)[0])
    if len(released) != table.records or len(described["chances" if listed else "at"]) != len(order):
        raise ValueError("it belongs to another table")
    if listed:
        chances = np.array(described["chances"], float)[np.ix_(place, place)]
        return Drawn.from_released(
            Categorical(
                chances, described["words"], described["listed"], described.get("keep"), described.get("others", "")
            ),
            order[released],
        )
    at = np.array(described["at"], float)[place]
    return Drawn.from_released(
        Noise(described["scale"], at, described["low"], described["high"], described["epsilon"]), released
    )


def _numbers(table: Table, name: str) -> tuple[tuple[str, ...], np.ndarray]:
    return table.columns[name].value_labels(), table.codes[name]


def _values(table: Table, name: str) -> tuple[tuple[str, ...], np.ndarray]:
    """Return labels and codes at the model level."""
    if name not in table.sensitive:
        return _numbers(table, name)
    return table.sensitive[name].labels, table.sensitive_codes(name)


def _orders(labels: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Return the codes in the order of their labels, and the rank of each code."""
    order = np.array(sorted(range(len(labels)), key=labels.__getitem__), np.int64)
    return order, np.argsort(order)
