"""Values that were drawn at random, as they are kept: record by record in the table's order, for the analyst alone."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from workbench.data.table import Table
from workbench.releases.responses import Categorical, Drawn, Noise, Response

HOW = b"responses"  # in the file's metadata


def written(drawn: Mapping[str, Drawn]) -> bytes:
    """As Parquet: a column each, and how it was drawn."""
    table = pa.table({name: one.released for name, one in drawn.items()})
    how = json.dumps({name: _said(one.response) for name, one in drawn.items()})
    sink = pa.BufferOutputStream()
    pq.write_table(table.replace_schema_metadata({HOW: how.encode()}), sink)
    return sink.getvalue().to_pybytes()


def read(table: Table, content: bytes) -> dict[str, Drawn]:
    """The same again; ValueError where it is not of this table."""
    file = pq.read_table(pa.BufferReader(content))
    how = json.loads((file.schema.metadata or {})[HOW])
    if file.num_rows != table.records or set(how) != set(file.column_names):
        raise ValueError("it is of another table")
    return {name: Drawn.of(_response(how[name]), file[name].to_numpy()) for name in file.column_names}


def _said(response: Response) -> dict[str, Any]:
    if isinstance(response, Categorical):
        return {"chances": response.chances.tolist(), "words": response.words, "listed": response.listed}
    ends = {"low": response.low, "high": response.high, "epsilon": response.epsilon}
    return {"scale": response.scale, "at": response.at.tolist(), **ends}


def _response(said: Mapping[str, Any]) -> Response:
    if "chances" in said:
        return Categorical(np.array(said["chances"]), said["words"], said["listed"])
    return Noise(said["scale"], np.array(said["at"], float), said["low"], said["high"], said["epsilon"])
