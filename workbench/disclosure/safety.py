"""Safety: what speaks against recommending a release to somebody who has set no limit."""

from __future__ import annotations

import numpy as np

from workbench.base.errors import Undefined
from workbench.base.thresholds import QUARTERS
from workbench.disclosure.several_releases import certain
from workbench.models import Model
from workbench.releases.base import Release
from workbench.releases.coarsened import everybodys, those_of
from workbench.releases.scale import allowed

LEAST = 5  # the smallest group of a release that is recommended
NEARLY, FAR = 0.95, 0.2  # a belief that is nearly certain, and how far it must have come from what is usual
BELIEFS, ROUNDING = 20, 1e-9  # steps in which beliefs are rounded up
MOST_OF_THEM = 1 - 1 / QUARTERS  # the least share that is told as "over three quarters"


def against(release: Release, smallest: int, model: Model | None = None) -> list[str]:
    """Whose value it makes certain or nearly so, and whether a group is very small; each as the threshold allows.

    What the model promises is known, too: of a small group it may tell more than a count could.
    """
    table, found = release.table, []
    wording = table.wording
    sure = certain(table, [release]).alone
    if sure:
        names, count = wording.columns(list(table.sensitive), "or"), wording.some_of(sure, table.records, smallest)
        found.append(f"the {names} of {count} is certain")
    else:
        found += [f"the {wording.column(name)} of some is nearly certain" for name in _nearly(release, smallest, model)]
    try:
        if int(release.classes.sizes.min()) < LEAST:
            found.append(f"some {wording.many} are in a group of fewer than {LEAST}")
    except Undefined:
        if not release.guarantee:
            found.append(f"it puts {wording.many} in no groups, and promises nothing by itself")
    return found


def _nearly(release: Release, smallest: int, model: Model | None) -> list[str]:
    """The sensitive columns of which a value may be nearly certain somewhere, though it is not that common: by what is
    told of a group, so that no count can be worked out of it."""
    try:
        histograms = release.classes.histograms
    except Undefined:
        return [name for name in release.table.sensitive if _nearly_by_belief(release, name, smallest)]
    found = []
    for name, counts in histograms.items():
        seen = release.table.sensitive[name]
        totals, most = seen.totals, those_of(counts, seen.totals, smallest).high
        for kind, far in (part.far for part in (model.parts if model else ()) if part.far):
            most = np.minimum(most, allowed(seen, kind, far, smallest))
        told = counts >= counts.sum(axis=1, keepdims=True) * MOST_OF_THEM
        if (told & (most >= NEARLY) & (most - everybodys(totals, smallest).low >= FAR)).any():
            found.append(name)
    return found


def _nearly_by_belief(release: Release, name: str, smallest: int) -> bool:
    """The same where no counts of groups are published: by beliefs, rounded up so that they tell no count."""
    most = np.ceil(release.posterior(name).beliefs * BELIEFS - ROUNDING) / BELIEFS
    usual = everybodys(release.table.sensitive[name].totals, smallest).low
    return bool(((most >= NEARLY) & (most - usual >= FAR)).any())
