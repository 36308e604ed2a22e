"""The released files that a published folder carries: which ones, and what they tell together.

Several releases say more together than each does: so a file is carried where its release is offered when the page
opens and may be recommended, unless more are asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from workbench.base.small_counts import coarse, may_list_groups
from workbench.data.table import Table
from workbench.disclosure import spending
from workbench.disclosure.several_releases import certain, certain_beside
from workbench.methods import Method
from workbench.publication import format
from workbench.publication.certainty import certain_of
from workbench.publication.format import WITHOUT
from workbench.publication.offer import Offer
from workbench.publication.shapes import PublishedPoint, Results, Together
from workbench.releases.base import Release

Which = bool | Literal["all", "best"]  # of the releases that can be opened, those whose files are written
OFFERED = "files offered here"
NO_FILES: Together = {
    "files": 0,
    "joined": False,
    "certain": None,
    "alone": None,
    "sentence": "",
    "of_files": "",
    "noise": "",
}
NOT_SAFE = "it is not safe enough to be recommended"
NOT_CARRIED = (
    "it is not among the releases that were offered when this was published; several files together tell more of "
    "people than each does, so only those are here"
)


def with_files(
    results: Results,
    table: Table,
    made: Mapping[int, Release],
    methods: Mapping[int, Method],
    releases: Which,
    folder: Path,
) -> Results:
    """Write the released files; the results with which there are, and what they tell together with all classes."""
    offer, smallest = Offer(results), results["smallest"]
    chosen = _chosen(offer, releases)
    for i in chosen:
        file = format.point_folder(folder, i) / f"{format.release_name(offer.stem)}.csv"
        made[i].export(file, giveaways=True, smallest=smallest)  # _chosen has none that gives something away
    files = [made[i] for i in chosen]
    return {
        **results,
        "points": [_answered(point, i in chosen, releases) for i, point in enumerate(offer.points)],
        "carried": chosen,
        "together": {
            **_together(table, files, list(made.values()), smallest),
            "noise": spending.together(table, [methods[i] for i in chosen], OFFERED, published=True),
        },
        "beside": _beside(table, files, smallest),
    }


def _chosen(offer: Offer, releases: Which) -> list[int]:
    """The points whose files are written."""
    may = [i for i, point in enumerate(offer.points) if point["opened"] and not point["opened"]["refused"]]
    if isinstance(releases, str) and releases == "all":
        return may
    choices = offer.choices(offer.results["cap"])
    offered = {choices["recommended"]} if releases == "best" else set(choices.values()) if releases else set()
    return [i for i in may if i in offered and not offer.points[i]["against"]]


def _answered(point: PublishedPoint, carried: bool, releases: Which) -> PublishedPoint:
    """The point, with why it has no file where one might have been written."""
    if carried or not point["opened"] or point["opened"]["refused"]:
        return point
    why = (NOT_SAFE if point["against"] else NOT_CARRIED) if releases else WITHOUT
    return {**point, "opened": {**point["opened"], "refused": why}}


def _beside(table: Table, releases: Sequence[Release], smallest: int) -> str:
    """Whose value is certain to who has one file and knows the columns that are in it as they are, too."""
    if not (table.neutral and table.sensitive and releases):
        return ""
    return certain_of(table, max(certain_beside(table, release) for release in releases), smallest)


def _together(table: Table, files: Sequence[Release], opened: Sequence[Release], smallest: int) -> Together:
    """What the files and the tables of classes tell together, in numbers and in words; of few people there are none."""
    if not table.sensitive:
        return {**NO_FILES, "files": len(files)}
    found = certain(table, files, opened if may_list_groups(table.records, smallest) else ())
    of_files = certain(table, files, ()).together if files else 0
    return {
        "files": len(files),
        "joined": found.joined,
        "certain": coarse(found.together, smallest),
        "alone": coarse(found.alone, smallest),
        "sentence": certain_of(table, found.together, smallest),
        "of_files": certain_of(table, of_files, smallest),
        "noise": "",
    }
