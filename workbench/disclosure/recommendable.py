"""Objections to recommending a release to somebody who has set no limit."""

from __future__ import annotations

import numpy as np

from workbench.base.errors import Undefined
from workbench.base.figures import format_number, format_whole_percent
from workbench.data.published import published_total
from workbench.data.sensitive import Sensitive
from workbench.data.wording import Wording
from workbench.disclosure.several_releases import count_certain_alone
from workbench.models import Model
from workbench.redaction.controlled_rounding import QUARTERS, may_list_groups
from workbench.releases.base import Release
from workbench.releases.published_classes import class_share_bounds, guaranteed_shares, round_counts

LEAST = 5  # minimum group size of a recommended release
NEARLY, FAR = 0.95, 0.2  # a nearly certain belief, and its minimum distance from the prior
NEARLY_CERTAIN = (
    f"may be nearly certain because of the release ({format_whole_percent(NEARLY)} or more, by rounded figures)"
)
BELIEFS, ROUNDING = 20, 1e-9  # number of steps to which beliefs are rounded up
MOST_OF_THEM = 1 - 1 / QUARTERS  # minimum share that is published as "over three quarters"


def reasons_not_to_recommend(release: Release, smallest: int, model: Model | None = None) -> list[str]:
    """Return the objections: values that become certain or nearly certain, and very small groups, rounded by the
    threshold.

    A model's promise is public too: about a small group it may disclose more than a count.
    """
    table, found = release.table, []
    wording = table.settings.wording
    sure = count_certain_alone(release)
    if sure:
        names, count = (
            wording.columns(list(table.sensitive), "or"),
            wording.some_of(sure, published_total(table, smallest), smallest),
        )
        found.append(f"the {names} of {count} can be inferred with certainty")
    else:
        found += nearly_certain_columns(release, smallest, model)
    try:
        if int(release.classes.sizes.min()) < LEAST:
            found.append(f"some {wording.many} are in a group of fewer than {LEAST}")
    except Undefined:
        if not release.about.guarantee:
            found.append(f"it forms no groups of {wording.many}, and has no guarantee of its own")
    if _follows_from_totals(release):
        found.append(f"the values of suppressed {wording.many} could be inferred from the totals of the original")
    return found


def _follows_from_totals(release: Release) -> bool:
    """Return whether the original's totals minus the file would disclose the values of the suppressed records: they are
    few, or nearly all have the same value.
    """
    suppressed = release.suppressed
    if not suppressed or not release.table.sensitive:
        return False
    for name, seen in release.table.sensitive.items():
        if name in release.unpublished_columns:
            continue
        left = seen.totals - release.classes.histograms[name].sum(axis=0)
        most = int(left.argmax())
        if suppressed < LEAST or (
            left[most] >= NEARLY * suppressed and left[most] / suppressed - seen.prior[most] >= FAR
        ):
            return True
    return False


def describe_recommendable(wording: Wording, sensitive: bool) -> str:
    """Describe every release that may be recommended; completes "releases that"."""
    if not sensitive:
        return f"put {wording.nobody} in a group of fewer than {LEAST}"
    return "make no value certain or nearly so"


def define_nearly_certain(wording: Wording) -> str:
    """Define "nearly certain" in a sentence."""
    return (
        f"Nearly certain: {format_whole_percent(NEARLY)} or more of a group may have the value, and at least "
        f"{format_number(100 * FAR)} percentage points more than of {wording.everybody}; common values count, too."
    )


def nearly_certain_columns(release: Release, smallest: int, model: Model | None = None) -> list[str]:
    """Return, by column, the number of people for whom an uncommon value may be nearly certain. The numbers
    are derived from published counts of groups, so that no exact count can be inferred.
    """
    table, found = release.table, []
    try:
        classes = release.classes
    except Undefined:
        names = [name for name in table.sensitive if _is_nearly_certain_by_belief(release, name, smallest)]
        return [f"the {table.settings.wording.column(name)} of some {NEARLY_CERTAIN}" for name in names]
    for name, counts in classes.histograms.items():
        seen = table.sensitive[name]
        most = np.minimum(
            class_share_bounds(counts, seen.totals, smallest).high, guaranteed_shares(model, seen, smallest)
        )
        stated = counts >= counts.sum(axis=1, keepdims=True) * MOST_OF_THEM
        nearly_certain = stated & (most >= NEARLY) & (most - prior_lower_bound(seen, smallest) >= FAR)
        if nearly_certain.any():
            many = min(int(round_counts(classes.sizes, smallest)[nearly_certain.any(axis=1)].sum()), table.records)
            known = may_list_groups(table.records, smallest)
            every = published_total(table, smallest)
            whose = f"up to {table.settings.wording.some_of(min(many, every), every, smallest)}" if known else "some"
            found.append(f"the {table.settings.wording.column(name)} of {whose} {NEARLY_CERTAIN}")
    return found


def _is_nearly_certain_by_belief(release: Release, name: str, smallest: int) -> bool:
    """Return whether a belief may be nearly certain if no counts of groups are published; beliefs are rounded up to
    hide counts.
    """
    most = np.ceil(release.posterior(name).beliefs * BELIEFS - ROUNDING) / BELIEFS
    usual = prior_lower_bound(release.table.sensitive[name], smallest)
    return bool(((most >= NEARLY) & (most - usual >= FAR)).any())


def prior_lower_bound(seen: Sensitive, smallest: int) -> np.ndarray:
    """Return the minimum share of each value in the table, with each count rounded to the nearest step by itself.

    It determines whether a release may be recommended: that decision must not depend on the secret of the rounding.
    """
    half, rounded = max(smallest, 1) / 2, round_counts(seen.totals, smallest)
    low = np.where(rounded <= 2 * half, np.minimum(rounded, 1), np.ceil(rounded - half))
    most = int(round_counts(seen.totals.sum()[None], smallest)[0] + half)
    return low / max(most, 1)
