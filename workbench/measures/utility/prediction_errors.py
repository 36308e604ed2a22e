"""Error implications (Sramka et al. 2010, section 2.3): what a prediction is worth, by what is true; 1 if right."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from workbench.base.errors import BadInput, meant, said
from workbench.base.variants import LARGEST, Own, Plain, parameter
from workbench.miners.judging import Judged

OF_NUMBERS = ("tolerance", "absolute")
WORTH = (
    "what a prediction is worth: 1 if right; 1 less its cost; 1 if not below the truth; 1 if near enough; or the less "
    "the farther it is"
)
ERRORS = ("accuracy", "costs", "false positives", *OF_NUMBERS)


def worth(judged: Judged, error: Any, costs: Any, tolerance: float) -> np.ndarray:
    """What each prediction is worth; nan where what is true is missing, and numbers are compared."""
    predicted, true = judged.predicted, judged.true
    if isinstance(error, Own):
        return _asked(error, judged)
    if error == "costs":
        return 1 - _matrix(judged.labels, costs)[true, predicted]
    if error == "false positives":
        return (predicted >= true).astype(float)
    if error == "accuracy":
        return (predicted == true).astype(float)
    away = np.abs(predicted - true)
    if error == "tolerance":
        return np.where(np.isnan(true), np.nan, away <= tolerance * (1 + 1e-12))
    span = float(np.nanmax(true) - np.nanmin(true)) if not np.isnan(true).all() else 0.0
    return 1 - np.where(np.isnan(away) & ~np.isnan(true), span, away) / (span or 1.0)


def _asked(own: Own, judged: Judged) -> np.ndarray:
    """What a function says of labels, or numbers: of each pair of predicted and true once."""
    pairs, place = np.unique(np.stack([judged.predicted, judged.true]), axis=1, return_inverse=True)
    named = pairs.T.tolist() if pairs.dtype.kind == "f" else [[judged.labels[v] for v in one] for one in pairs.T]
    return np.array([float(own.function(*one)) for one in named])[place.ravel()]


def _matrix(labels: tuple[str, ...], costs: Any) -> np.ndarray:
    """The cost of each true value that is predicted as each other one: 1 where nothing is said, 0 where it is right."""
    found, places = 1.0 - np.eye(len(labels)), {label: v for v, label in enumerate(labels)}
    for true, row in (costs.data if isinstance(costs, Plain) else costs or {}).items():
        for predicted, cost in row.items():
            for one in (true, predicted):
                if one not in places:
                    raise BadInput(f"costs: {said(one)} is no value of the target; {meant(one, labels)}")
            found[places[true], places[predicted]] = cost
    return found


def costs() -> Any:
    """The parameter that says what wrong predictions cost."""
    help = "the cost of predictions: {true value: {predicted value: cost}}; others 1, 0 where they are right"
    return parameter(None, help, data=True, check=lambda given, table: refuse_no_costs(given))


def refuse_no_costs(given: Any) -> None:
    """Raise BadInput for what is no matrix of costs, whatever the table."""
    data = given.data if isinstance(given, Plain) else given
    rows: list[Any] = list(data.values()) if isinstance(data, Mapping) else [None]
    if not all(isinstance(row, Mapping) for row in rows):
        raise BadInput(f"costs = {said(data)}: write {{true value: {{predicted value: cost}}}}")
    for cost in (cost for row in rows for cost in row.values()):
        if isinstance(cost, bool) or not isinstance(cost, (int, float)) or not -LARGEST < cost < LARGEST:
            raise BadInput(f"costs: {said(cost)} is no cost; write a number")
