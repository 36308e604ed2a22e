"""Safety: what speaks against recommending a release to somebody who has set no limit."""

from __future__ import annotations

from workbench.release import Release
from workbench.together import certain

LEAST = 5  # the smallest group of a release that is recommended
NEARLY, FAR = 0.95, 0.2  # a belief that is nearly certain, and how far it must have come from what is usual


def against(release: Release, smallest: int) -> list[str]:
    """Whose value it makes certain or nearly so, and whether a group is very small; each as the threshold allows."""
    table, found = release.table, []
    wording = table.wording
    sure = certain(table, [release]).alone
    if sure:
        names, count = wording.columns(list(table.sensitive), "or"), wording.some_of(sure, table.records, smallest)
        found.append(f"the {names} of {count} is certain")
    else:
        found += [f"the {wording.column(name)} of some is nearly certain" for name in _nearly(release)]
    if int(release.classes.sizes.min()) < LEAST:
        found.append(f"some {wording.many} are in a group of fewer than {LEAST}")
    return found


def _nearly(release: Release) -> list[str]:
    """The sensitive columns of which a value is nearly certain somewhere, though it is not that common."""
    found = []
    for name, seen in release.table.sensitive.items():
        beliefs = release.posterior(name).beliefs
        if ((beliefs >= NEARLY) & (beliefs - seen.prior >= FAR)).any():
            found.append(name)
    return found
