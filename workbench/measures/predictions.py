"""Shared by measures of predictions: weights of records, the worth of an error, the relative loss of utility."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from workbench.base.errors import BadInput, Undefined, prefix_path, safe_repr
from workbench.base.figures import format_number
from workbench.base.parameters import LARGEST, Data, Plain, PythonFunction, parameter
from workbench.data.table import Table
from workbench.miners.cross_fitting import ScoredPredictions
from workbench.queries.parser import parse

# Weights of records: query conditions, each with a weight.

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


# Error implications (Sramka et al. 2010, section 2.3): the worth of a prediction given the true value; 1 if right.

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


# The share of a utility that is lost, and the difference of two accuracies, each with its 95 % interval.

NORMAL = 1.96  # standard deviations on each side of a 95 % interval


def utility_decline(
    before: np.ndarray, weight: np.ndarray, after: np.ndarray, weight_after: np.ndarray, paired: bool
) -> tuple[float, tuple[float, float], tuple[float, float]]:
    """Return the share of the utility that is lost, the utility on the original and on the release, and the interval.

    Records with a missing true number do not count.
    """
    first, second = _mean(before, weight), _mean(after, weight_after)
    if first <= 0:
        raise Undefined(f"the utility on the original is {format_number(first)}, so a relative loss is undefined")
    ratio = second / first
    spread = _deviations(before, weight), _deviations(after, weight_after)
    if paired:
        error = float(np.sqrt(((spread[1] - ratio * spread[0]) ** 2).sum()))
    else:
        error = float(np.sqrt((spread[1] ** 2).sum() + ratio**2 * (spread[0] ** 2).sum()))
    ends = [max(1 - ratio + side * NORMAL * error / first, 0.0) for side in (-1, 1)]
    return max(1 - ratio, 0.0), (first, second), (ends[0], ends[1])


def _mean(found: np.ndarray, weight: np.ndarray) -> float:
    known = ~np.isnan(found)
    total = weight[known].sum()
    if not total:
        raise Undefined("no record counts: all weights are 0, or all true values are missing")
    return float(weight[known] @ found[known] / total)


def _deviations(found: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Return how much each record changes the mean."""
    known = ~np.isnan(found)
    return np.where(known, weight * (np.nan_to_num(found) - _mean(found, weight)), 0.0) / weight[known].sum()


def accuracy_interval(found: np.ndarray, base: np.ndarray, paired: bool) -> tuple[float, float]:
    """Return the 95 % interval of the difference of two accuracies, on the same records or on different ones."""
    value = found.mean() - base.mean()
    if paired:
        error = (found.astype(float) - base).std() / np.sqrt(len(found))
    else:
        error = np.sqrt(found.var() / len(found) + base.var() / len(base))
    return float(value - NORMAL * error), float(value + NORMAL * error)
