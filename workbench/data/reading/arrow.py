"""Convert frames to Arrow, and refuse mixed, nested and unsupported types before they are read."""

from __future__ import annotations

from collections import Counter

import pandas as pd
import pyarrow as pa

from workbench.base.errors import BadInput


def as_arrow(series: pd.Series, place: str) -> pa.Array | pa.ChunkedArray:
    """Return a frame's column as an Arrow array. Python objects must have a single type."""
    kinds = Counter[str]()
    if series.dtype == object:
        kinds.update(map(_kind, series[series.notna()].tolist()))
        if len(kinds) > 1:
            found = " and ".join(f"{kind} ({count:,})" for kind, count in kinds.most_common())
            raise BadInput(f"{place}: values of different types, {found}; convert them, for example with .astype(str)")
    failure = None
    try:
        return pa.array(series, from_pandas=True)
    except OverflowError:
        failure = "integers beyond 64 bits; if they are codes, convert them to text with .astype(str)"
    except (pa.ArrowException, ValueError, TypeError):
        failure = f"the pandas type {series.dtype} is not supported; convert it to numbers, dates or text"
        if set(kinds) == {"number"}:
            failure = "numbers of several types, which cannot be stored exactly; if they are codes, convert them to "
            failure += "text with .astype(str), otherwise to floats with .astype(float)"
    raise BadInput(f"{place}: {failure}")


def _kind(value: object) -> str:
    """Return the name of a value's type; all numbers have the same."""
    name = type(value).__name__.rstrip("_")
    if getattr(value, "tzinfo", None) is not None:
        return "datetime with a time zone"
    numbers = not isinstance(value, bool) and (hasattr(value, "__float__") and not isinstance(value, str))
    return "number" if numbers and name != "bool" else {"Timestamp": "datetime"}.get(name, name)


def _called(kind: pa.DataType) -> str:
    """Return the name of a type; for an extension without its storage type."""
    return kind.extension_name if isinstance(kind, pa.BaseExtensionType) else str(kind)


def refuse_type(place: str, kind: pa.DataType) -> None:
    """Raise BadInput for types without an order or a single value."""
    if pa.types.is_dictionary(kind):  # a categorical, possibly of intervals
        kind = kind.value_type
    if pa.types.is_nested(kind):
        raise BadInput(f"{place}: nested values ({kind}); unnest them into columns, or leave the column out")
    if pa.types.is_decimal256(kind):
        raise BadInput(f"{place}: integers beyond 64 bits; if they are codes, convert them to text")
    binary = pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind)
    odd = pa.types.is_duration(kind) or pa.types.is_interval(kind) or isinstance(kind, pa.BaseExtensionType)
    if binary or odd:
        raise BadInput(
            f"{place}: the type {_called(kind)} is not supported; convert it to numbers, dates or text, "
            "or leave the column out"
        )
