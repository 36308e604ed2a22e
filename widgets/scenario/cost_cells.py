"""The costs of wrong predictions as a table: a row per true value, a column per predicted value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from workbench.base.errors import BadInput, safe_repr
from workbench.base.parameters import LARGEST, Plain

MOST = 8  # maximum number of values for a table
Costs = dict[str, dict[str, float]]


def cells(costs: Any, labels: Sequence[str]) -> list[list[str]]:
    """Return the cost of each prediction as text."""
    given = _as_dict(costs)
    return [[f"{given.get(true, {}).get(one, _usual(true, one)):.10g}" for one in labels] for true in labels]


def typed(costs: Any, labels: Sequence[str], true: Any, predicted: Any, text: Any) -> Costs | None:
    """Set one cell, empty text for the usual cost, and return the costs; None if all are usual."""
    if true not in labels or predicted not in labels:
        raise BadInput("the column has other values now; reload the page")
    after = {
        **_as_dict(costs),
        true: {**_as_dict(costs).get(true, {}), predicted: _cost(text, _usual(true, predicted))},
    }
    kept = {
        one: {other: cost for other, cost in row.items() if cost != _usual(one, other)} for one, row in after.items()
    }
    return {one: row for one, row in kept.items() if row} or None


def explain_file_format(target: str, labels: Sequence[str]) -> str:
    """Explain how to write costs in a study's file, for columns with too many values."""
    one, other = labels[:2]
    return (
        f"{target} has {len(labels):,} values, too many for a table. Write their costs in the study's file, next "
        f"to error: costs, for example costs: {{{safe_repr(one)}: {{{safe_repr(other)}: 2}}}} for the cost of "
        f"predicting {safe_repr(other)} if {safe_repr(one)} is true. Until then each wrong prediction costs 1."
    )


def _as_dict(costs: Any) -> Costs:
    return dict(costs.data if isinstance(costs, Plain) else costs or {})


def _usual(true: str, predicted: str) -> float:
    return float(true != predicted)


def _cost(text: Any, usual: float) -> float:
    words = str(text if text is not None else "").strip()
    try:
        cost = float(words) if words else usual
    except ValueError:
        raise BadInput(
            f"{safe_repr(text)} is not a number; enter the cost of this prediction, such as 2 or 0.5"
        ) from None
    if not -LARGEST < cost < LARGEST:
        raise BadInput(f"{safe_repr(text)} is not a valid cost; enter a smaller number")
    return int(cost) if cost == int(cost) else cost
