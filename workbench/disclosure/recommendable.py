"""Recommendable: what speaks against recommending a release to somebody who has set no limit."""

from __future__ import annotations

import numpy as np

from workbench.base.errors import Undefined
from workbench.base.figures import about_per_cent
from workbench.base.small_counts import QUARTERS, may_list_groups
from workbench.disclosure.several_releases import certain
from workbench.models import Model
from workbench.releases.base import Release
from workbench.releases.published_classes import coarse_counts, everybodys, those_of
from workbench.releases.scale import promised

LEAST = 5  # the smallest group of a release that is recommended
NEARLY, FAR = 0.95, 0.2  # a belief that is nearly certain, and how far it must have come from what is usual
NEARLY_CERTAIN = f"may be nearly certain because of the release ({about_per_cent(NEARLY)} or more)"
BELIEFS, ROUNDING = 20, 1e-9  # steps in which beliefs are rounded up
MOST_OF_THEM = 1 - 1 / QUARTERS  # the least share that is told as "over three quarters"


def against(release: Release, smallest: int, model: Model | None = None) -> list[str]:
    """Whose value it makes certain, or may make nearly so, and whether a group is very small; each as the threshold
    allows.

    What the model promises is known, too: of a small group it may tell more than a count could.
    """
    table, found = release.table, []
    wording = table.wording
    sure = certain(table, [release]).alone
    if sure:
        names, count = wording.columns(list(table.sensitive), "or"), wording.some_of(sure, table.records, smallest)
        found.append(f"the {names} of {count} can be inferred with certainty")
    else:
        found += nearly(release, smallest, model)
    try:
        if int(release.classes.sizes.min()) < LEAST:
            found.append(f"some {wording.many} are in a group of fewer than {LEAST}")
    except Undefined:
        if not release.guarantee:
            found.append(f"it puts {wording.many} in no groups, and promises nothing by itself")
    if _follows_from_totals(release):
        found.append(f"what the {wording.many} have that it leaves out would follow from the totals of the original")
    return found


def _follows_from_totals(release: Release) -> bool:
    """Whether so few are left out, or so nearly all of them have one value, that who knows the totals of the original
    and subtracts the file knows what they have."""
    gone = release.left_out
    if not gone or not release.table.sensitive:
        return False
    for name, seen in release.table.sensitive.items():
        if name in release.removed:
            continue
        left = seen.totals - release.classes.histograms[name].sum(axis=0)
        most = int(left.argmax())
        if gone < LEAST or (left[most] >= NEARLY * gone and left[most] / gone - seen.prior[most] >= FAR):
            return True
    return False


def nearly(release: Release, smallest: int, model: Model | None = None) -> list[str]:
    """Of how many a value may be nearly certain though it is not that common, column by column: counted of what is
    told of the groups, so that no count can be worked out of it."""
    table, found = release.table, []
    try:
        classes = release.classes
    except Undefined:
        names = [name for name in table.sensitive if _nearly_by_belief(release, name, smallest)]
        return [f"the {table.wording.column(name)} of some {NEARLY_CERTAIN}" for name in names]
    for name, counts in classes.histograms.items():
        seen = table.sensitive[name]
        most = np.minimum(those_of(counts, seen.totals, smallest).high, promised(model, seen, smallest))
        told = counts >= counts.sum(axis=1, keepdims=True) * MOST_OF_THEM
        there = told & (most >= NEARLY) & (most - everybodys(seen.totals, smallest).low >= FAR)
        if there.any():
            many = min(int(coarse_counts(classes.sizes, smallest)[there.any(axis=1)].sum()), table.records)
            known = may_list_groups(table.records, smallest)
            whose = f"up to {table.wording.some_of(many, table.records, smallest)}" if known else "some"
            found.append(f"the {table.wording.column(name)} of {whose} {NEARLY_CERTAIN}")
    return found


def _nearly_by_belief(release: Release, name: str, smallest: int) -> bool:
    """The same where no counts of groups are published: by beliefs, rounded up so that they tell no count."""
    most = np.ceil(release.posterior(name).beliefs * BELIEFS - ROUNDING) / BELIEFS
    usual = everybodys(release.table.sensitive[name].totals, smallest).low
    return bool(((most >= NEARLY) & (most - usual >= FAR)).any())
