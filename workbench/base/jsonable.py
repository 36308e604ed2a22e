"""Conversion to JSON: infinity becomes "inf", NaN becomes null."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

PLAIN = (str, int, bool)


def jsonable(data: Any) -> Any:
    """Convert data to dictionaries with text keys, lists, text and finite numbers."""
    if data is None or type(data) in PLAIN:  # the usual case
        return data
    if isinstance(data, Mapping):
        return {str(key): jsonable(value) for key, value in data.items()}
    if isinstance(data, (list, tuple, set, frozenset)):
        return [jsonable(value) for value in data]
    if hasattr(data, "tolist"):  # of numpy, without loading it
        return jsonable(data.tolist())
    if isinstance(data, float) and not math.isfinite(data):
        return None if math.isnan(data) else "inf" if data > 0 else "-inf"
    return data
