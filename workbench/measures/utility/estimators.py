"""Estimators: a researcher's estimates for populations and queries: by each class alone, by maximum entropy with the
totals, or by learning from all classes together (which Li & Li 2009 name as future work)."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np

from workbench.base.errors import Undefined
from workbench.base.parameters import parameter
from workbench.base.progress import describe_duration
from workbench.data import weights
from workbench.measures import LEARNED
from workbench.miners.adversary import learned_beliefs
from workbench.releases.base import Release
from workbench.releases.exchanged import Exchanged, is_one_file

ESTIMATORS = UNIFORM, ENTROPY, _ = ("uniform", "entropy", LEARNED)
ROUNDING = 1e-6  # share of people attributed to rounding


def estimator_parameter() -> Any:
    """Declare the parameter of measures that use a researcher's estimates."""
    return parameter(
        UNIFORM,
        "each class by itself; raked to the published totals, at no cost; or learned from all classes together, "
        "which takes seconds per release, minutes with hundreds of values",
        choices=ESTIMATORS,
        optional=True,
    )


def with_estimator(release: Release, sensitive: Sequence[str], estimator: str) -> Release:
    """Return the release with the estimates of some sensitive columns that a researcher makes from it."""
    return {UNIFORM: lambda *_: release, ENTROPY: _raked, LEARNED: _learned}[estimator](release, sensitive)


def estimator_note(release: Release, sensitive: Sequence[str], estimator: str) -> str:
    """Return a note on the estimator, with a space before it, or nothing."""
    if estimator == ENTROPY and release.suppressed:
        return " Suppressed records are assumed to have what the classes lack of the totals."
    if estimator == ENTROPY:
        same = "equal to the estimates by each class alone, since no record is suppressed"
        return f" Raked to the histograms of classes and to the totals: {same}."
    if estimator == LEARNED:
        spent = sum(learned_beliefs(release, name).seconds for name in sensitive)
        return f" Learning took {describe_duration(spent)} of processor time."
    weighed = (
        " Weights are used as if readers knew them, although no file contains them." if release.table.weight else ""
    )
    again = " It applies to one file; values are assigned again for each file." if is_one_file(release) else ""
    return f"{weighed}{again}"


def _raked(release: Release, sensitive: Sequence[str]) -> Release:
    """Return the maximum entropy estimates given each class and the totals.

    Raking from a uniform start leaves each class as it is; suppressed records, which may be anywhere, get what the
    classes lack of the totals.
    """
    published, everybody = release.own_classes.histograms, float(weights.people(release.table).sum())
    rest = {}
    for name in sensitive if release.suppressed else ():
        if name in published:
            lacking = weights.shares(release.table)[name] * everybody - release.people_of_classes(name).sum(axis=0)
            if (lacking < -ROUNDING * everybody).any():
                raise Undefined(
                    f"the classes contain more people with a value of {name} than the table; use estimator = uniform"
                )
            rest[name] = np.maximum(lacking, 0.0) / lacking.sum()
    found = copy(release)
    object.__setattr__(found, "about", replace(release.about, suppressed_distribution=rest))
    return found


def _learned(release: Release, sensitive: Sequence[str]) -> Release:
    """Return a release with one bucket of beliefs per group of identical quasi-identifiers in a class."""
    if not release.classes.exact or release.suppressed:
        raise Undefined(
            "learning needs everybody's quasi-identifiers, and here they are not published unchanged; "
            "use estimator = uniform"
        )
    every = {name: learned_beliefs(release, name) for name in sensitive}
    if not every:
        return release
    unit = next(iter(every.values())).of_record  # the same for all columns
    expected = {name: one.learning * one.posterior.sizes[:, None] for name, one in every.items()}
    return Exchanged.believed(release, unit, expected)
