"""Distinct values as NumPy arrays: exact numbers, sorted text, and labels."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc


def float64(array: pa.Array) -> np.ndarray:
    if pa.types.is_float32(array.type):  # via text, so that 0.1 stays 0.1
        return np.array([float(str(value)) for value in array.to_numpy()])
    return array.cast(pa.float64()).to_numpy(zero_copy_only=False)


def whole(values: np.ndarray) -> np.ndarray:
    """Return int64 if that is exact."""
    if (values == np.floor(values)).all() and (np.abs(values) < 2.0**63).all():
        return values.astype(np.int64)
    return values + 0.0  # no -0.0


def finer(array: pa.Array) -> bool:
    """Return whether times have nanoseconds."""
    return array.type.unit == "ns" and bool((array.cast(pa.int64()).to_numpy() % 1000).any())


def sorted_text(array: pa.Array) -> tuple[np.ndarray, np.ndarray]:
    """Return distinct text sorted by code points, and the rank of each given value."""
    encoded = array.dictionary_encode()
    order = pc.sort_indices(encoded.dictionary).to_numpy()
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    values = np.empty(len(order), dtype=object)
    values[:] = encoded.dictionary.take(pa.array(order)).to_pylist()
    return values, rank[encoded.indices.to_numpy()]


def number_labels(values: np.ndarray) -> tuple[str, ...]:
    if values.dtype.kind == "i":
        return tuple(pa.array(values).cast(pa.string()).to_pylist())
    return tuple(repr(value).removesuffix(".0") for value in values.tolist())


def date_labels(values: np.ndarray) -> tuple[str, ...]:
    if values.dtype == np.dtype("datetime64[D]"):
        return tuple(np.datetime_as_string(values).tolist())
    whole = (values == values.astype("datetime64[s]")).all()
    fine = np.datetime_data(values.dtype)[0] == "ns" and (values != values.astype("datetime64[us]")).any()
    return tuple(np.datetime_as_string(values, unit="s" if whole else "ns" if fine else "us").tolist())
