"""Error implications (Sramka et al. 2010, section 2.3): the worth of a prediction given the true value; 1 if right."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from workbench.base.errors import BadInput, safe_repr
from workbench.base.parameters import LARGEST, Data, Plain, PythonFunction, parameter
from workbench.miners.scoring import ScoredPredictions

NUMBER_ERRORS = ("tolerance", "absolute")
WORTH = (
    "worth of a prediction: 1 if right; 1 minus its cost; 1 if at or above the true value; 1 if within the "
    "tolerance; or 1 minus the error, as a share of the range"
)
ERRORS = ("accuracy", "costs", "false positives", *NUMBER_ERRORS)


def prediction_worth(judged: ScoredPredictions, error: Any, costs: Any, tolerance: float) -> np.ndarray:
    """Return the worth of each prediction; nan if numbers are compared and the true one is missing."""
    predicted, true = judged.predicted, judged.true
    if isinstance(error, PythonFunction):
        return _call_function(error, judged)
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


def _call_function(own: PythonFunction, judged: ScoredPredictions) -> np.ndarray:
    """Return the worth by the user's function, called once for each pair of predicted and true label or number."""
    pairs, place = np.unique(np.stack([judged.predicted, judged.true]), axis=1, return_inverse=True)
    named = pairs.T.tolist() if pairs.dtype.kind == "f" else [[judged.labels[v] for v in one] for one in pairs.T]
    return np.array([float(own.function(*one)) for one in named])[place.ravel()]


def _matrix(labels: tuple[str, ...], costs: Any) -> np.ndarray:
    """Return the matrix of costs, true x predicted: by default 1, and 0 on the diagonal."""
    found, places = 1.0 - np.eye(len(labels)), {label: v for v, label in enumerate(labels)}
    for true, row in (costs.data if isinstance(costs, Plain) else costs or {}).items():
        for predicted, cost in row.items():
            for one in (true, predicted):
                if one not in places:
                    raise BadInput(f"costs: {safe_repr(one)} is not a value of the target column; check its spelling")
            found[places[true], places[predicted]] = cost
    return found


def costs_parameter() -> Any:
    """Declare the parameter with the costs of wrong predictions."""
    help = "costs of predictions: {true value: {predicted value: cost}}; by default 1, and 0 if right"
    return parameter(None, help, kind=Data, validate=lambda given, table: check_costs(given))


def check_costs(given: Any) -> None:
    """Raise BadInput unless this is a matrix of costs."""
    data = given.data if isinstance(given, Plain) else given
    rows: list[Any] = list(data.values()) if isinstance(data, Mapping) else [None]
    if not all(isinstance(row, Mapping) for row in rows):
        raise BadInput(f"costs = {safe_repr(data)}: must be {{true value: {{predicted value: cost}}}}")
    for cost in (cost for row in rows for cost in row.values()):
        if isinstance(cost, bool) or not isinstance(cost, (int, float)) or not -LARGEST < cost < LARGEST:
            raise BadInput(f"costs: {safe_repr(cost)} is not a cost; use a number")
