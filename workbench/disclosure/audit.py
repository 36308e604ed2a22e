"""Audit a release: the models it satisfies, privacy risks, utility losses, and its worst classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from workbench.base.errors import Undefined
from workbench.disclosure.exposure import assess_exposure
from workbench.measures import Measure, default_measures
from workbench.measures.privacy.achieved import MODELS, Achieved
from workbench.measures.privacy.reidentification_risk import ReidentificationRisk
from workbench.models import Model
from workbench.models.classes import Classes
from workbench.releases.base import Release, recipient_notice
from workbench.releases.foreign import describe_reading

BY_SIZE = ("C_avg", "DM", "classes")  # measures of utility that need no original


def audit_release(release: Release, requested: Sequence[Model] = (), worst: int = 10) -> dict[str, Any]:
    """Return all results of an audit as plain data."""
    verdicts = [_verdict(release, model) for model in requested]
    table, beside, classes = release.table, release.side_information_risk(), _classes(release)
    known = table.population is not None
    found: dict[str, Any] = {
        "records": table.records - release.suppressed if classes is None else int(release.own_classes.sizes.sum()),
        "classes": None if classes is None else len(classes),
        "guarantee": release.about.guarantee,
        "caution": recipient_notice(release),
        "quasi": list(table.quasi),
        "sensitive": list(table.sensitive),
        "not_published": sorted(release.unpublished_columns),
        "original": release.about.has_original,
        "prior": "the original" if release.about.has_original else "the release itself",
        "left_out": release.suppressed,
        **describe_reading(release),
        "neutral": list(release.neutral),
        "beside": {"unique": beside.unique, "certain": beside.certain, "sentence": beside.sentence},
        "asked": verdicts,
        "holds": all(verdict["holds"] for verdict in verdicts),
        "achieved": [_achieved(release, name) for name, model in MODELS.items() if known or not model.needs_population],
        "measures": [_evaluate(release, measure) for measure in _measures(release.about.has_original)],
    }
    return {**found, "worst": [] if classes is None else _worst(release, worst)}


def _classes(release: Release) -> Classes | None:
    """Return the classes, or None if the release has none."""
    try:
        return release.classes
    except Undefined:
        return None


def _verdict(release: Release, model: Model) -> dict[str, Any]:
    try:
        audit = release.audit(model)
    except Undefined as reason:
        if _classes(release) is not None:
            raise
        nothing = {"achieved": {}, "breaking_classes": 0, "breaking_records": 0, "uncovered_people": 0}
        return {"model": str(model), "holds": False, "reason": str(reason), **nothing}
    return {
        "model": str(model),
        "holds": audit.holds,
        "achieved": {figure: value for figure, value in audit.achieved},
        "breaking_classes": len(audit.violating),
        "breaking_records": audit.records,
        "uncovered_people": audit.uncovered,
    }


def _achieved(release: Release, name: str) -> dict[str, Any]:
    """Return the strictest parameter of a model that the release satisfies."""
    return {"model": name, "figure": MODELS[name].figure, **_evaluate(release, Achieved(model=name))}


def _measures(original: bool) -> list[Measure]:
    """Return the measures that can be evaluated: most utility losses need the original."""
    found = [one for one in default_measures() if not isinstance(one, Achieved)]
    every = [*found, ReidentificationRisk(statistic="average")]
    return sorted(
        (one for one in every if original or one.side == "privacy" or one.symbol in BY_SIZE),
        key=lambda one: (one.side, one.key),
    )


def _evaluate(release: Release, measure: Measure) -> dict[str, Any]:
    """Return a measure's value, or the reason why it is undefined."""
    result: dict[str, Any] = {
        "measure": measure.key,
        "name": measure.name,
        "side": measure.side,
        "better": measure.better,
    }
    try:
        with np.errstate(divide="ignore", invalid="ignore"):  # an excluded value has an infinite loss
            found = measure(release)
    except Undefined as reason:
        return {**result, "value": None, "reason": str(reason)}
    return {**result, "value": float(found.value), "sentence": found.sentence}


def _worst(release: Release, most: int) -> list[dict[str, Any]]:
    """Return the classes with the largest loss, or the smallest classes if nothing sensitive is published."""
    seen = assess_exposure(release)
    classes, losses = seen.classes, seen.losses
    labels = {
        name: release.class_labels(name) for name in release.table.quasi if name not in release.unpublished_columns
    }
    order = np.lexsort([classes.sizes] if losses is None else [classes.sizes, -losses.loss])[:most]
    rows = []
    for c in order.tolist():
        row: dict[str, Any] = {
            "size": int(classes.sizes[c]),
            "values": {name: str(column_labels[c]) for name, column_labels in labels.items()},
        }
        if losses is not None and seen.sensitive is not None:
            row |= {
                "loss": float(losses.loss[c]),
                "sensitive": seen.sensitive.name,
                "value": seen.sensitive.labels[int(losses.worst[c])],
                "prior": float(losses.prior[c]),
                "posterior": float(losses.posterior[c]),
            }
        rows.append(row)
    return rows
