"""Weights of records: query conditions, each with a weight; records that meet none count once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from workbench.base.errors import BadInput, prefix_path, safe_repr
from workbench.base.parameters import LARGEST, Data, Plain, parameter
from workbench.data.table import Table
from workbench.queries.parser import parse

OTHERS = "others"


def weights_parameter() -> Any:
    """Declare the parameter of measures in which some records count more than others."""

    def check(given: Any, table: Table | None) -> None:
        if table is None:
            check_weights(given)
        else:
            record_weights(table, given)

    return parameter(None, "weights of records: {condition: weight}; others count once", kind=Data, validate=check)


def check_weights(given: Any) -> None:
    """Raise BadInput unless this is a mapping of conditions to weights."""
    data = given.data if isinstance(given, Plain) else given
    if not isinstance(data, Mapping) or not data:
        raise BadInput(f'weights = {safe_repr(data)}: must be conditions with weights, for example {{"age >= 55": 10}}')
    for condition, weight in data.items():
        number = isinstance(weight, (int, float)) and not isinstance(weight, bool)
        if not isinstance(condition, str) or not number or not 0 <= weight < LARGEST:
            raise BadInput(f"weights: {safe_repr(weight)} is not a weight; use a number of at least 0")


def record_weights(table: Table, given: Any) -> np.ndarray:
    """Return the weight of each record: that of the first condition it meets, else that of `others` (default 1)."""
    if given is None:
        return np.ones(table.records)
    check_weights(given)
    data = dict(given.data if isinstance(given, Plain) else given)
    found, free = np.full(table.records, float(data.pop(OTHERS, 1))), np.ones(table.records, bool)
    for condition, weight in data.items():
        met = _matching_records(table, condition) & free
        found[met], free = weight, free & ~met
    return found


def _matching_records(table: Table, condition: str) -> np.ndarray:
    """Return which records meet a condition."""
    with prefix_path("weights"):
        try:
            query = parse(condition, table)
        except BadInput as error:
            raise BadInput(f"weights: {error}") from None
        if query.aggregate != "count":
            raise BadInput(f"weights: {query.aggregate} is not a condition; write one, for example age >= 55")
    met = np.ones(table.records, bool)
    for name, codes in query.conditions.items():
        met &= codes[table.codes[name]]
    return met
