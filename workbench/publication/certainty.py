"""Of how many people a release makes a value certain, and how far the surest guess is right where it is nobody's."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from workbench.base.errors import Undefined
from workbench.base.figures import about_per_cent
from workbench.base.small_counts import QUARTERS, STEPS, about_share, may_list_groups, named
from workbench.data.table import Table
from workbench.data.wording import Wording
from workbench.disclosure.recommendable import nearly
from workbench.disclosure.several_releases import certain
from workbench.models import Model
from workbench.publication.format import Surest
from workbench.releases.base import Release
from workbench.releases.published_classes import coarse_counts, told_values

FEW = 2  # sensitive columns that a sentence names


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
    best = max(_guess(release, name, smallest) for name in release.table.sensitive)
    almost = "".join(f"; {one}" for one in nearly(release, smallest, model))
    sentence = f"{of[:1].upper()}{of[1:]} is certain{almost}. {best[1]}"
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


def _guess(release: Release, name: str, smallest: int) -> tuple[float, str]:
    """The surest guess of a sensitive column: how sure at most, and a sentence."""
    seen, (sizes, beliefs) = release.table.sensitive[name], release.posterior(name)
    many = coarse_counts(sizes, smallest)
    upper = (np.minimum(np.floor(QUARTERS * beliefs), QUARTERS - 1) + 1) / QUARTERS
    for parts in reversed(STEPS):
        fine = many >= parts * max(smallest, 1)
        upper[fine] = np.round(parts * beliefs[fine]) / parts
    group, value = np.unravel_index(int(upper.argmax()), upper.shape)
    share = about_share(round(float(beliefs[group, value]) * int(sizes[group])), int(sizes[group]), smallest)
    share = "nearly all" if share == about_per_cent(1) and beliefs[group, value] < 1 else share
    wording = release.table.wording
    if not may_list_groups(release.table.records, smallest):
        guess, usual = f"of a {wording.column(name)}", ""
    elif not named(seen.totals, smallest)[value]:
        guess, usual = f"a {wording.column(name)} that few {wording.many} have", ""
    else:
        guess = f"{wording.column(name)} {seen.labels[value]}"
        usual = f" (of {wording.everybody}: {about_per_cent(float(told_values(seen, smallest).prior[value]))})"
    return float(upper.max()), f"The surest guess: {guess}, right for {share} of a group{usual}."
