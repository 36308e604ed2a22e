"""What is found of a release: the models it keeps, what can be learnt and what is lost, and its worst classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from workbench.base.errors import Undefined
from workbench.disclosure.exposure import exposed
from workbench.measures import Measure, default_measures
from workbench.measures.privacy.achieved import MODELS, Achieved
from workbench.measures.privacy.reidentification_risk import ReidentificationRisk
from workbench.models import Model
from workbench.models.classes import Classes
from workbench.releases.base import Release

BY_SIZE = ("C_avg", "DM", "classes")  # measures of utility that need no original


def audited(release: Release, asked: Sequence[Model] = (), worst: int = 10) -> dict[str, Any]:
    """Everything that an audit says, as plain data."""
    verdicts = [_verdict(release, model) for model in asked]
    table, beside, classes = release.table, release.beside, _classes(release)
    known = table.population is not None
    found: dict[str, Any] = {
        "records": table.records - release.left_out if classes is None else int(release.own_classes.sizes.sum()),
        "classes": None if classes is None else len(classes),
        "guarantee": release.guarantee,
        "caution": release.to_pass_on,
        "quasi": list(table.quasi),
        "sensitive": list(table.sensitive),
        "not_published": sorted(release.removed),
        "original": release.original,
        "prior": "the original" if release.original else "the release itself",
        "left_out": release.left_out,
        **release.reading,
        "neutral": list(release.neutral),
        "beside": {"unique": beside.unique, "certain": beside.certain, "sentence": beside.sentence},
        "asked": verdicts,
        "holds": all(verdict["holds"] for verdict in verdicts),
        "achieved": [_achieved(release, name) for name, model in MODELS.items() if known or not model.needs_population],
        "measures": [_measured(release, measure) for measure in _measures(release.original)],
    }
    return {**found, "worst": [] if classes is None else _worst(release, worst)}


def _classes(release: Release) -> Classes | None:
    """The classes, if there are any."""
    try:
        return release.classes
    except Undefined:
        return None


def _verdict(release: Release, model: Model) -> dict[str, Any]:
    audit = release.audit(model)
    return {
        "model": str(model),
        "holds": audit.holds,
        "achieved": {figure: value for figure, value in audit.achieved},
        "breaking_classes": len(audit.breaking),
        "breaking_records": audit.records,
    }


def _achieved(release: Release, name: str) -> dict[str, Any]:
    """The strictest limit of a model that the release keeps."""
    return {"model": name, "figure": MODELS[name].figure, **_measured(release, Achieved(model=name))}


def _measures(original: bool) -> list[Measure]:
    """Those that can be taken: what is lost shows beside the original alone, but for sizes."""
    found = [one for one in default_measures() if not isinstance(one, Achieved)]
    every = [*found, ReidentificationRisk(statistic="average")]
    return sorted(
        (one for one in every if original or one.side == "privacy" or one.symbol in BY_SIZE),
        key=lambda one: (one.side, one.key),
    )


def _measured(release: Release, measure: Measure) -> dict[str, Any]:
    """A measure's value, or why it has none."""
    said: dict[str, Any] = {
        "measure": measure.key,
        "name": measure.name,
        "side": measure.side,
        "better": measure.better,
    }
    try:
        with np.errstate(divide="ignore", invalid="ignore"):  # a value that is ruled out is infinitely unlikely
            found = measure(release)
    except Undefined as reason:
        return {**said, "value": None, "reason": str(reason)}
    return {**said, "value": float(found.value), "sentence": found.sentence}


def _worst(release: Release, most: int) -> list[dict[str, Any]]:
    """The classes that lose most, or the smallest where nothing sensitive is published."""
    seen = exposed(release)
    classes, losses = seen.classes, seen.losses
    labels = {name: release.class_labels(name) for name in release.table.quasi if name not in release.removed}
    order = np.lexsort([classes.sizes] if losses is None else [classes.sizes, -losses.loss])[:most]
    rows = []
    for c in order.tolist():
        row: dict[str, Any] = {
            "size": int(classes.sizes[c]),
            "values": {name: str(of[c]) for name, of in labels.items()},
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
