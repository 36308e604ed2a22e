"""The disclosure table: one row per class with its values, privacy figures and records at risk."""

from __future__ import annotations

import numpy as np
import pandas as pd

from workbench.base.errors import Undefined
from workbench.data.column import unused_name
from workbench.disclosure.exposure import Exposure, assess_exposure
from workbench.measures.privacy.achieved import MODELS
from workbench.models import Model
from workbench.releases.base import Release

OWN = ("size", "loss", "records at risk", "worst value", "prior", "posterior", "nearest limit", "limit used")


def disclosure_table(
    release: Release, sensitive: str | None = None, at_risk: float | None = None, model: Model | None = None
) -> pd.DataFrame:
    """Return what each class of a release discloses, the worst classes first; the index is the class's number.

    Parameters
    ----------
    release
        The release.
    sensitive
        The sensitive column; by default the first.
    at_risk
        Records are at risk if their class loses at least this much. By default, the cost of the cheapest full
        disclosure.
    model
        If given, columns for the limit that the class is nearest to and its used share (1: at the limit).

    Returns
    -------
    pandas.DataFrame
        Size, released values, every privacy figure, the most exposed value and the histogram of each class. A
        quasi-identifier with the name of a figure is renamed.

    Examples
    --------
    >>> import pandas as pd
    >>> from workbench import Table, disclosure_table, methods, models
    >>> people = pd.DataFrame({"age": [30, 31, 60, 61], "ill": ["flu", "flu", "flu", "none"]})
    >>> table = Table.from_frame(people, quasi=["age"], sensitive="ill")
    >>> release = methods.Mondrian()(table, models.KAnonymity(2))
    >>> disclosure_table(release)["size"].tolist()
    [2, 2]
    """
    seen = assess_exposure(release, sensitive, model)
    classes, losses = seen.classes, seen.losses
    columns: dict[str, object] = {"size": classes.sizes}
    columns |= {unused_name(name, OWN): release.class_labels(name) for name in release.table.quasi}
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
        bare = one.with_loosest_parameters()
        if bare.needs_sensitive:
            columns[f"{bare.figure} ({kind})"] = bare.score_column(classes.histograms[name], seen.sensitive)
    columns |= {f"{name}: {label}": classes.histograms[name][:, v] for v, label in enumerate(labels)}
    return pd.DataFrame(columns).sort_values("loss", ascending=False, kind="stable")


def _nearest(seen: Exposure) -> dict[str, object]:
    """Return the columns about the nearest limit; empty without a model."""
    if seen.nearest is None:
        return {}
    parts = np.array([str(part) for part in seen.nearest.parts], dtype=object)
    return {"nearest limit": parts[seen.nearest.part], "limit used": seen.nearest.used}
