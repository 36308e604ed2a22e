"""Publish a study for people without access to the data: write a folder that contains no microdata.

`workbench.publication.published_folder` describes the files. Four rules keep raw records out:

- Every number of people is rounded to the study's threshold (`workbench.redaction.controlled_rounding`), however large
  it is, and figures derived from class counts are derived from rounded ones (`workbench.releases.published_classes`).
- Each measure declares how its figure may be published; otherwise the figure is hidden. Averages have two significant
  digits. The exact figures decide which points are efficient, and each decision for a stop of the slider; only the
  decisions are stored.
- The text of an exception passes `publishable_reason`: known advice keeps the study's own numbers; any other text with
  a number or a value of the data is replaced.
- Several releases disclose more jointly than each does: a person's value is in the person's class in every one. So the
  folder contains at most the files that are offered where the page opens, and states how many people's values become
  certain to an attacker with these files and the tables of all opened classes.

A folder is for decision makers, and one release is for the public. So only its owner can read the folder.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

from workbench.base.errors import BadInput, Fix, Undefined, safe_repr
from workbench.base.files import scratch
from workbench.base.parameters import RANDOM
from workbench.data.hierarchies.builders import integers
from workbench.data.published import rounded_by
from workbench.data.settings import role_notes
from workbench.data.table import Table
from workbench.frontier.decision import decide
from workbench.frontier.frontier import Frontier
from workbench.frontier.intervals import LEARNING, with_intervals
from workbench.frontier.store import Store
from workbench.frontier.sweep import sweep
from workbench.publication import publishable_reasons, published_folder, statements
from workbench.publication.accuracy import comparable
from workbench.publication.audited_groups import audited
from workbench.publication.decisions import decisions_of, opened_by, study_caps
from workbench.publication.details import details_of, groups_of
from workbench.publication.included_files import NOT_SAFE, Which, with_files
from workbench.publication.offer import PublishedStudy
from workbench.publication.publishable_queries import publishable_queries
from workbench.publication.published_folder import NOT_CARRIED, WITHOUT, seal
from workbench.publication.published_types import Details
from workbench.publication.results import results_of
from workbench.publication.selection import PublishedFrontier, on_axes, redact_points, refuse_unpublished_axes
from workbench.queries.workload import Workload
from workbench.releases.base import Release
from workbench.studies.faults import raise_first, study_words
from workbench.studies.hierarchy_files import FILE
from workbench.studies.schema import LEAVES_OUT, missing_workloads
from workbench.studies.study import BUNDLED, Study

Progress = Callable[[int, int, str], object]
Warn = Callable[[str], object]
NOT_HERE = "not published"  # replaces the file of queries that are not published
PLAIN = ("intervals", "prefixes", "dates")  # builders whose settings contain no value of the data


def warn_on_stderr(text: str) -> None:
    """Print a note for the analyst to stderr."""
    print(f"note: {text}", file=sys.stderr)


def publish(
    study: Study,
    folder: str | PathLike[str],
    *,
    given: Any = None,
    store: Store | str | PathLike[str] | None = None,
    progress: Progress | None = None,
    releases: Which = True,
    warn: Warn = warn_on_stderr,
) -> Path:
    """Write the folder of a study that the dashboard and the report show.

    `folder` must be new, empty, or published before. `given` is the table of a study whose data have no file.
    `progress(done, total, words)` is called after every point and every release. With `releases=True` the files of the
    releases that are offered where the page opens are written; with "best" that of the recommended one, with "all"
    those of all that can be opened, with False none. `warn` receives notes for the analyst, one at a time; the default
    prints them to stderr.
    """
    if not isinstance(study, Study):
        raise BadInput(f"publish: {safe_repr(study)} is not a study; open one with Study.open(path)")
    place = _place(Path(folder))
    if not (isinstance(releases, bool) or releases in ("all", "best")):
        raise BadInput("publish: releases must be True (the releases that are offered), False (none), 'best' or 'all'")
    step: Progress = progress or (lambda done, total, words: None)
    table = study.table(study.read(given))
    for text in role_notes(table):
        warn(text)
    raise_first(missing_workloads(study.to_dict()))  # queries inside a measure would appear in the key of its figure
    for name in study.workloads:
        Workload.named(table, name)  # report errors in queries before hours of computation
    kept = store if store is None or isinstance(store, Store) else Store(store)
    table = table if kept is None else rounded_by(table, kept.rounding_secret)
    swept = sweep(
        table,
        study.candidates(),
        study.measured(),
        kept,
        progress=lambda done, total, point: step(done, total, f"measured: {point.recipe}"),
        smallest=study.smallest,
    )
    tries = _tries(swept, table, study, step)
    frontier = _to_show(swept, table, study, kept, tries)
    decisions = decisions_of(frontier, study)
    aside, failure = scratch(place.parent), ""
    try:
        opened = [number - 1 for number in opened_by(frontier, decisions)]
        made, details = _opened(frontier, opened, table, study, aside, kept, step)
        methods = {i: frontier.measured[i].recipe.method for i in made}
        results = with_files(
            results_of(study, table, frontier, decisions, details), table, made, methods, releases, aside
        )
        published_folder.write_results(aside, results)
        published_folder.write_chart(aside, frontier.chart(640, 380).to_dict(validate=False))
        published_folder.write_study(aside, _bare(study, table).to_yaml())
        seal(aside)
        _into_place(aside, place)
    except OSError as error:
        failure = f"{folder}: cannot write the folder ({error.strerror}); choose another, or free some space"
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    if failure:
        raise BadInput(failure)
    for text in [*_worth_saying(PublishedStudy(results)), *_spread(table)]:
        warn(text)
    return place


def _tries(swept: Frontier, table: Table, study: Study, step: Progress) -> Frontier | None:
    """Return the points with the intervals that the study requests.

    Intervals of a learning attacker are for the analyst only.
    """
    if study.intervals.get("over") in (None, LEARNING):
        return None
    return with_intervals(
        table, swept, **study.intervals, progress=lambda done, total: step(done, total, "made again, for intervals")
    )


def _to_show(
    swept: Frontier, table: Table, study: Study, store: Store | None, tries: Frontier | None
) -> PublishedFrontier:
    """Return the points with published figures, on the study's axes."""
    frontier = redact_points(on_axes(swept, study), table, study.smallest, store, tries)
    refuse_unpublished_axes(frontier)
    if decide(frontier.exact, study_caps(frontier, study)).shown is None:
        found = (point.reasons[key] for point in frontier.measured for key in frontier.axes if key in point.reasons)
        why = next(found, "")  # already sanitized
        raise BadInput(f"{publishable_reasons.NOTHING}{f': {why}' if why else ''}")
    return frontier


def _opened(
    frontier: Frontier,
    indices: Sequence[int],
    table: Table,
    study: Study,
    folder: Path,
    store: Store | None,
    step: Progress,
) -> tuple[dict[int, Release], dict[int, Details]]:
    """Return the releases that can be opened and their details; write their tables into the folder."""
    points, details = {i: frontier.measured[i] for i in indices}, {}
    made = {i: point.recipe.release(table, store) for i, point in points.items()}
    every = [groups_of(made[i], study.smallest, point.values, point.recipe.model) for i, point in points.items()]
    for done, (i, groups) in enumerate(zip(indices, audited(table, every), strict=True), 1):
        details[i] = details_of(
            groups, study.measured(), published_folder.make_point_folder(folder, i), points[i].values
        )
        step(done, len(indices), f"written: {points[i].recipe}")
    return made, comparable(details, {i: frontier.measured[i].values for i in indices})


def _worth_saying(read: PublishedStudy) -> list[str]:
    """Return notes about the folder for the analyst."""
    found = [statements.as_they_are(read), statements.limit(read), read.results["others"]]
    refused = {point["opened"]["refused"] for point in read.points if point["opened"]}
    found += [
        f"No file of a release was written: {why}." for why in sorted(refused - {"", NOT_CARRIED, NOT_SAFE, WITHOUT})
    ]
    return [text for text in found if text]


def _spread(table: Table) -> list[str]:
    """Return warnings about codes that look like numbers.

    An interval is assumed to contain every number, but most codes do not occur.
    """
    found = []
    for name in table.quasi:
        values = table.columns[name].values
        if integers(table.columns[name]) and 10 * len(values) < int(values[-1]) - int(values[0]):
            found.append(
                f"{name} is read as a number, and people in an interval of it are assumed to be spread evenly over all "
                f"numbers; if they are codes, such as zip codes, use {study_words(Fix.TYPES, {name: 'text'})}."
            )
    return found


def _bare(study: Study, table: Table) -> Study:
    """Return the study without the location of the data and without values of the data."""
    data = {key: study.data[key] for key in ("bundled", "only", *LEAVES_OUT) if key in study.data}
    if "bundled" not in data:
        data["given"] = study.name
    plain = {
        name: given
        for name, given in study.hierarchies.items()
        if given == BUNDLED or (isinstance(given, Mapping) and given.get("builder") in PLAIN)
    }
    workloads, wording = _bare_workloads(study, table), replace(study.wording, harmful={})
    return study.with_(data=data, hierarchies=plain, workloads=workloads, wording=wording)


def _bare_workloads(study: Study, table: Table) -> dict[str, Any]:
    """Return random queries and published ones; others are replaced by a note."""
    try:
        workloads = {(one.workload, one.number): one.text for one in publishable_queries(table, study.smallest)}
    except Undefined:
        workloads = {}
    found: dict[str, Any] = {}
    for name, spec in study.workloads.items():
        texts = [workloads.get((name, i)) for i in range(len(spec))] if isinstance(spec, list) else [None]
        kept = spec if isinstance(spec, Mapping) and RANDOM in spec else texts
        found[name] = {FILE: NOT_HERE} if kept is texts and None in texts else kept
    return found


# --- the folder


def _place(folder: Path) -> Path:
    """Return the folder to publish into; raise BadInput if it contains anything else."""
    place = folder.resolve()
    if not place.parent.is_dir():
        raise BadInput(
            f"{folder}: there is no folder {str(place.parent)!r} to publish into; create it, or choose another"
        )
    if place.exists() and not place.is_dir():
        raise BadInput(f"{folder} is a file; name a folder that is new, empty, or published before")
    if place.is_dir() and any(place.iterdir()) and not published_folder.is_published(place):
        raise BadInput(f"{folder} contains something other than a published study; name a new or an empty folder")
    return place


def _into_place(aside: Path, place: Path) -> None:
    """Move the finished folder to its name; an earlier publication is deleted last."""
    if not place.exists():
        os.rename(aside, place)
        return
    away = scratch(place.parent)
    try:
        os.rename(place, away / "before")
        try:
            os.rename(aside, place)
        except OSError:
            os.rename(away / "before", place)
            raise
    finally:
        shutil.rmtree(away, ignore_errors=True)
