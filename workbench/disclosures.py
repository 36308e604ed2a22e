"""The disclosure table: one row a class, what it shows of its people, and who is at risk."""

from __future__ import annotations

import numpy as np
import pandas as pd

from workbench.column import spare
from workbench.distances import jensen_shannon
from workbench.errors import BadInput, Undefined, said
from workbench.measures import classes_of
from workbench.measures.achieved import MODELS
from workbench.measures.privacy_loss import PrivacyLoss
from workbench.release import Release

OWN = ("size", "loss", "records at risk", "worst value", "prior", "posterior")  # a quasi-identifier's name gives way


def disclosure(release: Release, sensitive: str | None = None, at_risk: float | None = None) -> pd.DataFrame:
    """Size, released values, every privacy figure, the most exposed value and the sensitive histogram of each class.

    Records are at risk where the class loses at least `at_risk`; by default, what the cheapest full disclosure costs.
    The worst classes come first; the index is the class's number.
    """
    if not isinstance(release, Release):
        raise BadInput(f"disclosure: {said(release)} is no release; a method makes one of a table")
    classes, table = classes_of(release), release.table
    columns: dict[str, object] = {"size": classes.sizes}
    columns |= {spare(name, OWN): release.class_labels(name) for name in table.quasi}
    if not table.sensitive:
        return pd.DataFrame(columns).sort_values("size", kind="stable")
    name = sensitive or next(iter(table.sensitive))
    if name not in table.sensitive:
        raise BadInput(f"{name!r} is not a sensitive column; there are {', '.join(table.sensitive)}")
    if name not in classes.histograms:
        raise Undefined(f"this release does not publish {name!r}, so its classes show nothing about it")
    seen, shares = table.sensitive[name], classes.distributions(name)
    loss = jensen_shannon(shares, seen.prior)
    threshold = float(PrivacyLoss().revealed(seen).min()) if at_risk is None else at_risk
    worst = (shares - seen.prior).argmax(axis=1)
    rows = np.arange(len(classes))
    columns |= {
        "loss": loss,
        "records at risk": np.where(loss >= threshold, classes.sizes, 0),
        "worst value": np.array(seen.labels, dtype=object)[worst],
        "prior": seen.prior[worst],
        "posterior": shares[rows, worst],
    }
    for kind, model in MODELS.items():
        bare = model.bare()
        if bare.needs_sensitive:
            columns[f"{bare.figure} ({kind})"] = bare.score_one(classes.histograms[name], seen)
    columns |= {f"{name}: {label}": classes.histograms[name][:, v] for v, label in enumerate(seen.labels)}
    return pd.DataFrame(columns).sort_values("loss", ascending=False, kind="stable")
