"""Safety: what speaks against recommending a release to somebody who has set no limit."""

from __future__ import annotations

from workbench.figures import listed, words
from workbench.release import Release
from workbench.thresholds import some_of
from workbench.together import certain

LEAST = 5  # the smallest group of a release that is recommended


def against(release: Release, smallest: int) -> list[str]:
    """Whose value it makes certain, and whether somebody stands in a very small group; each as the threshold allows."""
    table, found = release.table, []
    sure = certain(table, [release]).alone
    if sure:
        names = listed([words(name) for name in table.sensitive], "or")
        found.append(f"the {names} of {some_of(sure, table.records, smallest)} is certain")
    if int(release.classes.sizes.min()) < LEAST:
        found.append(f"some people are in a group of fewer than {LEAST}")
    return found
