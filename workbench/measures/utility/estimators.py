"""Estimators: what a researcher expects of populations and queries: by each class alone, by maximum entropy with what
everybody has, or learning from all classes together (Li & Li 2009 name that as future work)."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any

import numpy as np

from workbench.base.durations import duration
from workbench.base.errors import Undefined
from workbench.base.variants import parameter
from workbench.data import weights
from workbench.measures import LEARNED
from workbench.miners.learning import learnt
from workbench.releases.base import Release
from workbench.releases.exchanged import Exchanged

ESTIMATORS = UNIFORM, ENTROPY, _ = ("uniform", "entropy", LEARNED)
ROUNDING = 1e-6  # people who are not there only because of rounding


def estimator() -> Any:
    """The parameter of measures that ask what a researcher expects."""
    return parameter(
        UNIFORM,
        "each class by itself; raked to everybody's total too, for nothing; or learnt from all classes together, "
        "which takes seconds a release, minutes with hundreds of values",
        choices=ESTIMATORS,
        optional=True,
    )


def taken(release: Release, sensitive: Sequence[str], estimator: str) -> Release:
    """A release as a researcher takes it who is asked about some sensitive columns: it answers with her estimates."""
    return {UNIFORM: lambda *_: release, ENTROPY: _raked, LEARNED: _learned}[estimator](release, sensitive)


def also(release: Release, sensitive: Sequence[str], estimator: str) -> str:
    """What is to be said besides, with a space before it."""
    if estimator == ENTROPY and release.left_out:
        return " Those who are left out are expected to have what the classes lack of everybody's total."
    if estimator == ENTROPY:
        same = "it is what each class says by itself, since nobody is left out"
        return f" Raked to the histograms of classes and to everybody's total, {same}."
    if estimator == LEARNED:
        spent = sum(learnt(release, name).seconds for name in sensitive)
        return f" Learning it took {duration(spent)} of a processor."
    weighed = " Weights count, as if readers had them, though no file does." if release.table.weight else ""
    return f"{weighed}{' It is of one file; each file is dealt anew.' if release.in_rows else ''}"


def _raked(release: Release, sensitive: Sequence[str]) -> Release:
    """Maximum entropy, given what each class shows and what everybody has. Raking from nothing ends where each class is
    by itself, and who is left out, and may be anywhere, has what the classes lack of everybody's total."""
    published, everybody = release.own_classes.histograms, float(weights.people(release.table).sum())
    rest = {}
    for name in sensitive if release.left_out else ():
        if name in published:
            lacking = weights.shares(release.table)[name] * everybody - release.people_of_classes(name).sum(axis=0)
            if (lacking < -ROUNDING * everybody).any():
                raise Undefined(f"more people than there are have a value of {name}; use estimator = uniform")
            rest[name] = np.maximum(lacking, 0.0) / lacking.sum()
    found = copy(release)
    object.__setattr__(found, "rest", rest)
    return found


def _learned(release: Release, sensitive: Sequence[str]) -> Release:
    """People who are alike in all quasi-identifiers and in their class are a bucket, of what is believed of them."""
    if not release.classes.exact or release.left_out:
        raise Undefined(
            "a researcher learns from the quasi-identifiers of everybody, and here they are not published unchanged; "
            "use estimator = uniform"
        )
    every = {name: learnt(release, name) for name in sensitive}
    if not every:
        return release
    unit = next(iter(every.values())).of_record  # the same, whatever is asked of people
    expected = {name: one.learning * one.posterior.sizes[:, None] for name, one in every.items()}
    return Exchanged.believed(release, unit, expected)
