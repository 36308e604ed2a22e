"""Safety: what speaks against recommending a release to somebody who has set no limit."""

from __future__ import annotations

from workbench.release import Release
from workbench.together import certain

LEAST = 5  # the smallest group of a release that is recommended


def against(release: Release, smallest: int) -> list[str]:
    """Whose value it makes certain, and whether somebody stands in a very small group; each as the threshold allows."""
    table, found = release.table, []
    wording = table.wording
    sure = certain(table, [release]).alone
    if sure:
        names, count = wording.columns(list(table.sensitive), "or"), wording.some_of(sure, table.records, smallest)
        found.append(f"the {names} of {count} is certain")
    if int(release.classes.sizes.min()) < LEAST:
        found.append(f"some {wording.many} are in a group of fewer than {LEAST}")
    return found
