"""The disclosure table: one row a class, what it shows of its people, and who is at risk."""

from __future__ import annotations

import numpy as np
import pandas as pd

from workbench.base.errors import Undefined
from workbench.data.column import spare
from workbench.disclosure.exposure import Exposure, exposed
from workbench.measures.privacy.achieved import MODELS
from workbench.models import Model
from workbench.releases.base import Release

OWN = ("size", "loss", "records at risk", "worst value", "prior", "posterior", "nearest limit", "limit used")


def disclosure_table(
    release: Release, sensitive: str | None = None, at_risk: float | None = None, model: Model | None = None
) -> pd.DataFrame:
    """Size, released values, every privacy figure, the most exposed value and the sensitive histogram of each class.

    Records are at risk where the class loses at least `at_risk`; by default, what the cheapest full disclosure costs.
    With a model, which of its limits the class is nearest to, and how much of that limit is used (1: at the limit).
    The worst classes come first; the index is the class's number. A quasi-identifier with a name of ours gives way.
    """
    seen = exposed(release, sensitive, model)
    classes, losses = seen.classes, seen.losses
    columns: dict[str, object] = {"size": classes.sizes}
    columns |= {spare(name, OWN): release.class_labels(name) for name in release.table.quasi}
    if losses is None or seen.sensitive is None:
        if release.table.sensitive:
            raise Undefined(seen.note)
        return pd.DataFrame(columns | _nearest(seen)).sort_values("size", kind="stable")
    name, labels = seen.sensitive.name, np.array(seen.sensitive.labels, dtype=object)
    columns |= {
        "loss": losses.loss,
        "records at risk": np.where(losses.at_risk(at_risk), release.own_classes.sizes, 0),
        "worst value": labels[losses.worst],
        "prior": losses.prior,
        "posterior": losses.posterior,
    }
    columns |= _nearest(seen)
    for kind, one in MODELS.items():
        bare = one.bare()
        if bare.needs_sensitive:
            columns[f"{bare.figure} ({kind})"] = bare.score_one(classes.histograms[name], seen.sensitive)
    columns |= {f"{name}: {label}": classes.histograms[name][:, v] for v, label in enumerate(labels)}
    return pd.DataFrame(columns).sort_values("loss", ascending=False, kind="stable")


def _nearest(seen: Exposure) -> dict[str, object]:
    """The limit each class is nearest to; nothing without a model."""
    if seen.nearest is None:
        return {}
    parts = np.array([str(part) for part in seen.nearest.parts], dtype=object)
    return {"nearest limit": parts[seen.nearest.part], "limit used": seen.nearest.used}
