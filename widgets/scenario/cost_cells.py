"""What wrong predictions cost as a small table of numbers: a row a true value, a column a predicted one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from workbench.base.errors import BadInput, safe_repr
from workbench.base.parameters import LARGEST, Plain

MOST = 8  # values of a column for which there is a table
Costs = dict[str, dict[str, float]]


def cells(costs: Any, labels: Sequence[str]) -> list[list[str]]:
    """The cost of each true value that is predicted as each other one, as it is typed."""
    given = _given(costs)
    return [[f"{given.get(true, {}).get(one, _usual(true, one)):.10g}" for one in labels] for true in labels]


def typed(costs: Any, labels: Sequence[str], true: Any, predicted: Any, text: Any) -> Costs | None:
    """The costs with one cell as it was typed, of which nothing is the usual cost; None where all are usual."""
    if true not in labels or predicted not in labels:
        raise BadInput("the column has other values now; reload the page")
    after = {**_given(costs), true: {**_given(costs).get(true, {}), predicted: _cost(text, _usual(true, predicted))}}
    kept = {
        one: {other: cost for other, cost in row.items() if cost != _usual(one, other)} for one, row in after.items()
    }
    return {one: row for one, row in kept.items() if row} or None


def in_the_file(target: str, labels: Sequence[str]) -> str:
    """Explain how to write costs in a study's file, for columns with too many values."""
    one, other = labels[:2]
    return (
        f"{target} has {len(labels):,} values, too many for a table. Write their costs in the study's file, beside "
        f"error: costs, as costs: {{{safe_repr(one)}: {{{safe_repr(other)}: 2}}}}: what a true {safe_repr(one)} "
        f"costs that is "
        "predicted as the other. Until then each wrong prediction costs 1."
    )


def _given(costs: Any) -> Costs:
    return dict(costs.data if isinstance(costs, Plain) else costs or {})


def _usual(true: str, predicted: str) -> float:
    return float(true != predicted)


def _cost(text: Any, usual: float) -> float:
    words = str(text if text is not None else "").strip()
    try:
        cost = float(words) if words else usual
    except ValueError:
        raise BadInput(
            f"{safe_repr(text)} is not a number; give what this prediction costs, such as 2 or 0.5"
        ) from None
    if not -LARGEST < cost < LARGEST:
        raise BadInput(f"{safe_repr(text)} is no cost; give a smaller number")
    return int(cost) if cost == int(cost) else cost
