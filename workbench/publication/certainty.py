"""Of how many people a release makes a value certain, and how far the surest guess is right where it is nobody's."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from workbench.base.errors import Undefined
from workbench.base.figures import about_per_cent, an
from workbench.base.small_counts import QUARTERS, STEPS, between, may_list_groups, named, parts, share
from workbench.data.table import Table
from workbench.data.wording import Wording
from workbench.disclosure.recommendable import FAR, nearly
from workbench.disclosure.several_releases import certain
from workbench.models import Model
from workbench.publication.shapes import Surest
from workbench.releases.base import Release
from workbench.releases.published_classes import coarse_counts, told_values
from workbench.releases.scale import promised

FEW = 2  # sensitive columns that a sentence names
NOISE = 1e-9


def surest(release: Release, smallest: int, model: Model | None = None) -> Surest:
    """Of how many people a value is certain, or may nearly be; if of nobody's, how far the surest guess is to be
    trusted."""
    if not release.table.sensitive:
        raise Undefined("no column of the study is sensitive")
    wording, sensitive = release.table.wording, list(release.table.sensitive)
    alone = certain(release.table, [release]).alone
    of = certain_of(release.table, alone, smallest)
    if alone:
        figure = wording.people(alone, smallest)
        unit = f"whose {values_of(sensitive, wording)} is certain"
        return {"certain": of, "figure": f"{figure[:1].upper()}{figure[1:]}", "unit": unit, "sentence": ""}
    best = max(_guess(release, name, smallest, model) for name in release.table.sensitive)
    almost = "".join(f"; {one}" for one in nearly(release, smallest, model))
    sentence = f"{of[:1].upper()}{of[1:]} is certain{almost}. {best[-1]} {_left_aside(release.table, smallest)}".strip()
    return {"certain": of, "figure": "", "unit": "", "sentence": sentence}


def certain_of(table: Table, count: int, smallest: int) -> str:
    """Whose value is certain, of so many."""
    wording, value = table.wording, values_of(list(table.sensitive), table.wording)
    return (
        f"the {value} of {wording.some_of(count, table.records, smallest)}" if count else f"{wording.nobody}’s {value}"
    )


def values_of(sensitive: Sequence[str], wording: Wording) -> str:
    """Which value is or is not certain."""
    if len(sensitive) > FEW:
        return f"sensitive value (of any of {len(sensitive)} columns)"
    return wording.columns(sensitive, "or")


def _left_aside(table: Table, smallest: int) -> str:
    """That values are no guesses which nearly everybody has anyway; nothing where there are none."""
    usual = [told_values(seen, smallest).prior for seen in table.sensitive.values()]
    if not may_list_groups(table.records, smallest) or all((one <= 1 - FAR).all() for one in usual):
        return ""
    return f"Values that over {about_per_cent(1 - FAR)} of {table.wording.everybody} have anyway are left aside."


def _guess(release: Release, name: str, smallest: int, model: Model | None) -> tuple[float, float, str]:
    """The surest guess of a sensitive column that the release allows: how sure at most and at least, and a sentence.

    What nearly everybody has anyway is no guess that takes a release.
    """
    seen, (sizes, beliefs) = release.table.sensitive[name], release.posterior(name)
    usual = told_values(seen, smallest).prior
    if not (usual <= 1 - FAR).any():
        return 0.0, 0.0, ""
    many = coarse_counts(sizes, smallest)
    lower = np.minimum(np.floor(QUARTERS * beliefs), QUARTERS - 1) / QUARTERS
    upper = lower + 1 / QUARTERS
    for n in reversed(STEPS):
        fine = many >= n * max(smallest, 1)
        lower[fine] = upper[fine] = np.round(n * beliefs[fine]) / n
    limits = promised(model, seen, smallest)
    upper = np.where(usual <= 1 - FAR, np.minimum(upper, limits), 0.0)
    lower = np.where(upper == upper.max(), np.minimum(lower, upper), -1.0)  # of those alike the one told best
    group, value = np.unravel_index(int(lower.argmax()), lower.shape)
    told = _share(float(beliefs[group, value]), int(sizes[group]), float(limits[value]), smallest)
    wording = release.table.wording
    if not may_list_groups(release.table.records, smallest):
        guess, known = f"of {an(wording.column(name))}", ""
    elif not named(seen.totals, smallest)[value]:
        guess, known = f"{an(wording.column(name))} that few {wording.many} have", ""
    else:
        guess = f"{wording.column(name)} {seen.labels[value]}"
        known = f" (of {wording.everybody}: {about_per_cent(float(usual[value]))})"
    right = "right for" if release.truthful else "published for"
    sentence = f"The surest guess because of the release: {guess}, {right} {told} of a group{known}."
    return float(upper.max()), float(lower.max()), sentence


def _share(belief: float, of: int, limit: float, smallest: int) -> str:
    """How many of a group a guess is right for; no more than its model allows."""
    if parts(of, smallest) != QUARTERS:
        told = min(share(round(belief * of), of, smallest), limit)
        return "nearly all" if told == 1 and belief < 1 else about_per_cent(told)
    quarter = min(math.floor(QUARTERS * belief + NOISE), QUARTERS - 1)
    return between(quarter / QUARTERS, min((quarter + 1) / QUARTERS, limit))
