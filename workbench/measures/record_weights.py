"""How much each record counts: conditions in the language of queries, each with a weight; all others count once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from workbench.base.errors import BadInput, at, said
from workbench.base.variants import LARGEST, Plain, parameter
from workbench.data.table import Table
from workbench.workloads.language import parse

OTHERS = "others"


def weights() -> Any:
    """The parameter of measures in which some records count more than others."""

    def check(given: Any, table: Table | None) -> None:
        if table is None:
            refuse_no_weights(given)
        else:
            record_weights(table, given)

    return parameter(None, "how much records count: {condition: weight}, others once", data=True, check=check)


def refuse_no_weights(given: Any) -> None:
    """Raise BadInput for what gives no weights, whatever the table."""
    data = given.data if isinstance(given, Plain) else given
    if not isinstance(data, Mapping) or not data:
        raise BadInput(f'weights = {said(data)}: write conditions, each with a weight, as {{"age >= 55": 10}}')
    for condition, weight in data.items():
        number = isinstance(weight, (int, float)) and not isinstance(weight, bool)
        if not isinstance(condition, str) or not number or not 0 <= weight < LARGEST:
            raise BadInput(f"weights: {said(weight)} is no weight; a condition has a number, 0 or above")


def record_weights(table: Table, given: Any) -> np.ndarray:
    """The weight of each record: that of the first condition that it meets, else that of `others` (1 if not said)."""
    if given is None:
        return np.ones(table.records)
    refuse_no_weights(given)
    data = dict(given.data if isinstance(given, Plain) else given)
    found, free = np.full(table.records, float(data.pop(OTHERS, 1))), np.ones(table.records, bool)
    for condition, weight in data.items():
        met = _meeting(table, condition) & free
        found[met], free = weight, free & ~met
    return found


def _meeting(table: Table, condition: str) -> np.ndarray:
    """Which records meet a condition."""
    with at("weights"):
        try:
            query = parse(condition, table)
        except BadInput as error:
            raise BadInput(f"weights: {error}") from None
        if query.aggregate != "count":
            raise BadInput(f"weights: {query.aggregate} is no condition; write one, as age >= 55")
    met = np.ones(table.records, bool)
    for name, codes in query.conditions.items():
        met &= codes[table.codes[name]]
    return met
