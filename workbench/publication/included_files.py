"""Choose the released files that a published folder includes, and describe their joint disclosure.

Several releases disclose more jointly than each does. So by default a file is included only if its release is offered
when the page opens and may be recommended.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from workbench.data.table import Table
from workbench.disclosure.several_releases import count_certain, describe_joint_budget
from workbench.methods import Method
from workbench.publication import published_folder
from workbench.publication.certainty import certain_of
from workbench.publication.offer import PublishedStudy
from workbench.publication.published_folder import NOT_CARRIED, WITHOUT
from workbench.publication.published_types import JointDisclosure, PublishedPoint, Results
from workbench.redaction.controlled_rounding import may_list_groups, round_count
from workbench.releases.base import Release

Which = bool | Literal["all", "best"]  # which of the opened releases have their files written
OFFERED = "files offered here"
NO_FILES: JointDisclosure = {
    "files": 0,
    "joined": False,
    "certain": None,
    "alone": None,
    "sentence": "",
    "of_files": "",
    "noise": "",
}
NOT_SAFE = "it is not safe enough to be recommended"


def with_files(
    results: Results,
    table: Table,
    made: Mapping[int, Release],
    methods: Mapping[int, Method],
    releases: Which,
    folder: Path,
) -> Results:
    """Write the released files, and add to the results which exist and what they disclose with all classes."""
    offer, smallest = PublishedStudy(results), results["smallest"]
    chosen = _chosen(offer, releases)
    for i in chosen:
        file = published_folder.point_folder(folder, i) / f"{published_folder.release_name(offer.stem)}.csv"
        made[i].export(file, giveaways=True, smallest=smallest)  # _chosen excludes refused releases
    files = [made[i] for i in chosen]
    return {
        **results,
        "points": [_answered(point, i in chosen, releases) for i, point in enumerate(offer.points)],
        "carried": [i + 1 for i in chosen],
        "together": {
            **_joint_disclosure(table, files, list(made.values()), smallest),
            "noise": describe_joint_budget(table, [methods[i] for i in chosen], OFFERED, published=True),
        },
        "beside": _certain_with_neutral(table, files, smallest),
    }


def _chosen(offer: PublishedStudy, releases: Which) -> list[int]:
    """Return the points whose files are written."""
    may = [i for i, point in enumerate(offer.points) if point["opened"] and not point["opened"]["refused"]]
    if isinstance(releases, str) and releases == "all":
        return may
    choices = offer.choices(offer.results["cap"])
    if choices["recommended"] is None:
        return []
    offered = {choices["recommended"]} if releases == "best" else set(choices.values()) if releases else set()
    return [i for i in may if i in offered and not offer.points[i]["against"]]


def _answered(point: PublishedPoint, included: bool, releases: Which) -> PublishedPoint:
    """Add to a point the reason why it has no file, if one could have been written."""
    if included or not point["opened"] or point["opened"]["refused"]:
        return point
    why = (NOT_SAFE if point["against"] else NOT_CARRIED) if releases else WITHOUT
    return {**point, "opened": {**point["opened"], "refused": why}}


def _certain_with_neutral(table: Table, releases: Sequence[Release], smallest: int) -> str:
    """Describe whose sensitive values an attacker knows with certainty, given one file and the neutral columns."""
    if not (table.neutral and table.sensitive and releases):
        return ""
    return certain_of(table, max(release.side_information_risk().certain for release in releases), smallest)


def _joint_disclosure(
    table: Table, files: Sequence[Release], opened: Sequence[Release], smallest: int
) -> JointDisclosure:
    """Describe what the files and the tables of classes disclose jointly; without tables if there are few people."""
    if not table.sensitive:
        return {**NO_FILES, "files": len(files)}
    found = count_certain(table, files, opened if may_list_groups(table.records, smallest) else ())
    of_files = count_certain(table, files, ()).together if files else 0
    several = len(files) > 1
    return {
        "files": len(files),
        "joined": found.joined,
        "certain": round_count(found.together, smallest),
        "alone": round_count(found.alone, smallest),
        "sentence": certain_of(table, found.together, smallest, several),
        "of_files": certain_of(table, of_files, smallest, several),
        "noise": "",
    }
