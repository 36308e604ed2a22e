"""The number of people whose value a release makes certain; if there are none, the reliability of the best guess."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from workbench.base.errors import Undefined
from workbench.base.figures import format_whole_percent, with_article
from workbench.data.published import published_total
from workbench.data.table import Table
from workbench.data.wording import Wording
from workbench.disclosure.recommendable import FAR, nearly_certain_columns
from workbench.disclosure.several_releases import count_certain
from workbench.models import Model
from workbench.publication.published_types import CertainValues
from workbench.redaction.controlled_rounding import (
    HALVES,
    QUARTERS,
    STEPS,
    describe_range,
    describe_usual_share,
    round_share,
    share_resolution,
)
from workbench.releases.base import Release
from workbench.releases.published_classes import guaranteed_shares, round_counts, with_published_totals

FEW = 2  # maximum number of sensitive columns that a sentence names
NOISE = 1e-9


def describe_certainty(release: Release, smallest: int, model: Model | None = None) -> CertainValues:
    """Return how many people's values are certain or nearly certain; if none are certain, also the best guess."""
    if not release.table.sensitive:
        raise Undefined("no column of the study is sensitive")
    wording, sensitive = release.table.settings.wording, list(release.table.sensitive)
    alone = count_certain(release.table, [release]).alone
    certain = certain_of(release.table, alone, smallest)
    if alone:
        figure = wording.people(alone, smallest)
        unit = f"whose {values_of(sensitive, wording)} is certain"
        return {"certain": certain, "figure": f"{figure[:1].upper()}{figure[1:]}", "unit": unit, "sentence": ""}
    best = max(_guess(release, name, smallest, model) for name in release.table.sensitive)
    almost = "".join(f"; {one}" for one in nearly_certain_columns(release, smallest, model))
    ignored = _left_aside(release.table, smallest)
    sentence = f"{certain[:1].upper()}{certain[1:]} is certain{almost}. {best[-1]} {ignored}".strip()
    return {"certain": certain, "figure": "", "unit": "", "sentence": sentence}


def certain_of(table: Table, count: int, smallest: int, by_subtraction: bool = False) -> str:
    """Name the people whose value is certain. Subtracting files finds many of these people, but not all."""
    wording, value = table.settings.wording, values_of(list(table.sensitive), table.settings.wording)
    every = published_total(table, smallest)
    if not count:
        return f"{wording.nobody}’s {value}{', as far as subtracting groups shows' * by_subtraction}"
    some = wording.some_of(count, every, smallest)
    if by_subtraction and some.startswith("about "):
        some = f"at least {some}"
    elif by_subtraction and some.startswith("fewer "):
        some = f"at least 1 of {wording.people(every, smallest)}"
    return f"the {value} of {some}"


def values_of(sensitive: Sequence[str], wording: Wording) -> str:
    """Name the sensitive value that is or is not certain."""
    if len(sensitive) > FEW:
        return f"sensitive value (of any of {len(sensitive)} columns)"
    return wording.columns(sensitive, "or")


def _left_aside(table: Table, smallest: int) -> str:
    """State that values which nearly everybody has are no guesses; empty if there are none."""
    usual = [with_published_totals(seen, smallest).prior for seen in table.sensitive.values()]
    if all((one <= 1 - FAR).all() for one in usual):
        return ""
    everybody = table.settings.wording.everybody
    return f"Values that over {format_whole_percent(1 - FAR)} of {everybody} have anyway are ignored."


def _guess(release: Release, name: str, smallest: int, model: Model | None) -> tuple[float, float, str]:
    """Return the best guess of a sensitive column: its maximum and minimum certainty, and a sentence.

    A value that nearly everybody has is excluded, since guessing it takes no release.
    """
    seen, (sizes, beliefs) = release.table.sensitive[name], release.posterior(name)
    usual = with_published_totals(seen, smallest).prior
    if not (usual <= 1 - FAR).any():
        return 0.0, 0.0, ""
    many = round_counts(sizes, smallest)
    ranges = np.where(many >= QUARTERS * max(smallest, 1), QUARTERS, HALVES)[:, None]
    lower = np.minimum(np.floor(ranges * beliefs), ranges - 1) / ranges
    upper = lower + 1 / ranges
    for n in reversed(STEPS):
        fine = many >= n * max(smallest, 1)
        lower[fine] = upper[fine] = np.round(n * beliefs[fine]) / n
    limits = guaranteed_shares(model, seen, smallest)
    upper = np.where(usual <= 1 - FAR, np.minimum(upper, limits), 0.0)
    lower = np.where(upper == upper.max(), np.minimum(lower, upper), -1.0)  # among ties the narrowest range wins
    group, value = np.unravel_index(int(lower.argmax()), lower.shape)
    share = _share(float(beliefs[group, value]), int(sizes[group]), float(limits[value]), smallest)
    wording = release.table.settings.wording
    if not seen.may_name(smallest)[value]:
        guess, known = f"{with_article(wording.column(name))} that few {wording.many} have", ""
    else:
        guess = wording.having(name, seen.labels[value])
        known = (
            f" (of {wording.everybody}: {describe_usual_share(float(usual[value]), release.table.records, smallest)})"
        )
    right = "right for" if release.about.is_truthful else "published for"
    sentence = f"The surest guess because of the release: {guess}, {right} {share} of a group{known}."
    return float(upper.max()), float(lower.max()), sentence


def _share(belief: float, total: int, limit: float, smallest: int) -> str:
    """Return the share of a group for which a guess is right, capped by the promise of the model."""
    if (n := share_resolution(total, smallest)) > QUARTERS:
        rounded = min(round_share(round(belief * total), total, smallest), limit)
        return "nearly all" if rounded == 1 and belief < 1 else format_whole_percent(rounded)
    part = min(math.floor(n * belief + NOISE), n - 1)
    return describe_range(part / n, min((part + 1) / n, limit))
