"""Publishing a study: what people may see who don't have the data, in a folder that has no microdata in it.

What is where is said in `workbench.publication.format`. Four rules keep raw records out:

- Every number of people is rounded to the study's threshold (`workbench.base.small_counts`), however large it is, and
  what is worked out of the counts of classes is worked out of rounded ones (`workbench.releases.published_classes`).
- Each measure says how its figure may be told, and what it does not declare is hidden. Averages have two figures.
  Which points are efficient, which keep a limit, where the slider ends: all of it follows from the figures told.
- The text of an exception passes `reasons.reason`: advice that is known keeps the study's own numbers; nothing
  else comes out with a number or a value of the data.
- Several releases say more together than each does: a person's value is in the person's class of every one. So the
  folder has the file of no more than those that are offered where the page opens, and says of how many people a value
  is certain to who has these and the tables of all classes that are shown.

A folder is for the people who choose, and one release is for the public. So it is readable by its owner alone.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from workbench.base.errors import BadInput, Undefined, said
from workbench.base.scratch import scratch
from workbench.base.variants import RANDOM
from workbench.data.hierarchies.intervals import integers
from workbench.data.table import Table
from workbench.frontier.frontier import Frontier
from workbench.frontier.intervals import LEARNING, with_intervals
from workbench.frontier.store import Store
from workbench.frontier.sweep import sweep
from workbench.publication import format, reasons, statements
from workbench.publication.accuracy import comparable
from workbench.publication.carried import NOT_CARRIED, NOT_SAFE, Which, with_files
from workbench.publication.details import details_of
from workbench.publication.format import WITHOUT
from workbench.publication.offer import Offer
from workbench.publication.results import results_of
from workbench.publication.seal import seal
from workbench.publication.selection import keeping, on_axes, refuse_untold_axes, told, worth_opening
from workbench.publication.shapes import Details
from workbench.publication.tellable_queries import tellable
from workbench.releases.base import Release
from workbench.studies.faults import first
from workbench.studies.hierarchy_files import FILE
from workbench.studies.schema import LEAVES_OUT
from workbench.studies.study import BUNDLED, Study
from workbench.studies.workload_faults import missing_workloads
from workbench.workloads.workload import Workload

Progress = Callable[[int, int, str], object]
Warn = Callable[[str], object]
NOT_HERE = "not published"  # for the file of queries that are not told of
PLAIN = ("intervals", "prefixes", "dates")  # builders whose settings list no value of the data


def aloud(text: str) -> None:
    """What the analyst should know, on stderr."""
    print(f"note: {text}", file=sys.stderr)


def publish(
    study: Study,
    folder: str | PathLike[str],
    *,
    given: Any = None,
    store: Store | str | PathLike[str] | None = None,
    progress: Progress | None = None,
    releases: Which = True,
    warn: Warn = aloud,
) -> Path:
    """Write what the dashboard and the report show of a study; the folder is new, empty, or published before.

    `given` stands for data that no file holds. `progress(done, total, words)` is called after every point and every
    release. Written are the files of the releases that are offered where the page opens; with `releases="best"` that
    of the recommended one, with "all" those of all that can be opened, with False none. What the analyst should know
    goes to `warn`, one text each, and to stderr by default.
    """
    if not isinstance(study, Study):
        raise BadInput(f"publish: {said(study)} is not a study; open one with Study.open(path)")
    place = _place(Path(folder))
    if not (isinstance(releases, bool) or releases in ("all", "best")):
        raise BadInput("publish: releases must be True (those that are offered), False (none), 'best' or 'all'")
    step: Progress = progress or (lambda done, total, words: None)
    table = study.table(study.read(given))
    for text in table.role_notes:
        warn(text)
    first(missing_workloads(study.to_dict()))  # queries that stand in a measure would be in every name of its figure
    for name in study.workloads:
        Workload.named(table, name)  # what is wrong with a query is said before hours are spent
    kept = store if store is None or isinstance(store, Store) else Store(store)
    swept = sweep(
        table,
        study.candidates(),
        study.measured(),
        kept,
        progress=lambda done, total, point: step(done, total, f"measured: {point.recipe}"),
    )
    tries = _tries(swept, table, study, step)
    frontier, others = _to_show(swept, table, study, kept, tries)
    aside, failure = scratch(place.parent), ""
    try:
        made, details = _opened(frontier, table, study, aside, kept, step)
        methods = {i: frontier.measured[i].recipe.method for i in made}
        results = with_files(results_of(study, table, frontier, details, others), table, made, methods, releases, aside)
        format.write_results(aside, results)
        format.write_chart(aside, frontier.chart(640, 380).to_dict(validate=False))
        format.write_study(aside, _bare(study, table).to_yaml())
        seal(aside)
        _into_place(aside, place)
    except OSError as error:
        failure = f"{folder}: it cannot be written there ({error.strerror}); choose another place, or make room"
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    if failure:
        raise BadInput(failure)
    for text in [*_worth_saying(Offer(results)), *_spread(table)]:
        warn(text)
    return place


def _tries(swept: Frontier, table: Table, study: Study, step: Progress) -> Frontier | None:
    """The points with the intervals that the study asks for; what who learns finds is for the analyst alone."""
    if study.intervals.get("over") in (None, LEARNING):
        return None
    return with_intervals(
        table, swept, **study.intervals, progress=lambda done, total: step(done, total, "made again, for intervals")
    )


def _to_show(
    swept: Frontier, table: Table, study: Study, store: Store | None, tries: Frontier | None
) -> tuple[Frontier, str]:
    """The points as they may be told that keep the study's limits, and what to say of the others."""
    drawn = on_axes(told(swept, table, study.smallest, store, tries), study)
    refuse_untold_axes(drawn)
    frontier, others = keeping(drawn, study)
    if not worth_opening(frontier):
        found = (point.reasons[key] for point in frontier.measured for key in frontier.axes if key in point.reasons)
        why = next(found, "")  # as it may be told
        raise BadInput(f"{reasons.NOTHING}{f': {why}' if why else ''}")
    return frontier, others


def _opened(
    frontier: Frontier, table: Table, study: Study, folder: Path, store: Store | None, step: Progress
) -> tuple[dict[int, Release], dict[int, Details]]:
    """The releases that can be opened, and what is known of each; their tables are in the folder."""
    indices = worth_opening(frontier)
    made, details = {}, {}
    for done, i in enumerate(indices, 1):
        point = frontier.measured[i]
        made[i] = point.recipe.release(table, store)
        place = format.make_point_folder(folder, i)
        details[i] = details_of(
            table, made[i], study.measured(), study.smallest, place, point.values, point.recipe.model
        )
        step(done, len(indices), f"written: {point.recipe}")
    return made, comparable(details, {i: frontier.measured[i].values for i in indices})


def _worth_saying(read: Offer) -> list[str]:
    """What the analyst should know of the folder."""
    found = [statements.as_they_are(read), statements.limit(read), read.results["others"]]
    refused = {point["opened"]["refused"] for point in read.points if point["opened"]}
    found += [
        f"No file of a release was written: {why}." for why in sorted(refused - {"", NOT_CARRIED, NOT_SAFE, WITHOUT})
    ]
    return [text for text in found if text]


def _spread(table: Table) -> list[str]:
    """Codes that look like numbers: an interval of them is taken to hold every number, and most are none."""
    found = []
    for name in table.quasi:
        values = table.columns[name].values
        if integers(table.columns[name]) and 10 * len(values) < int(values[-1]) - int(values[0]):
            found.append(
                f"{name} is read as a number, and people in an interval of it are taken to be spread evenly over all "
                f"numbers; if they are codes, such as zip codes, declare types: {{{name}: text}} in the study's data."
            )
    return found


def _bare(study: Study, table: Table) -> Study:
    """The study without what tells where the data lie or which values are in them."""
    data = {key: study.data[key] for key in ("bundled", "only", *LEAVES_OUT) if key in study.data}
    if "bundled" not in data:
        data["given"] = study.name
    plain = {
        name: given
        for name, given in study.hierarchies.items()
        if given == BUNDLED or (isinstance(given, Mapping) and given.get("builder") in PLAIN)
    }
    return study.with_(data=data, hierarchies=plain, workloads=_bare_workloads(study, table))


def _bare_workloads(study: Study, table: Table) -> dict[str, Any]:
    """Random queries, and those that are told of; for others stands that they are not here."""
    try:
        told = {(one.workload, one.number): one.text for one in tellable(table, study.smallest)}
    except Undefined:
        told = {}
    found: dict[str, Any] = {}
    for name, spec in study.workloads.items():
        texts = [told.get((name, i)) for i in range(len(spec))] if isinstance(spec, list) else [None]
        kept = spec if isinstance(spec, Mapping) and RANDOM in spec else texts
        found[name] = {FILE: NOT_HERE} if kept is texts and None in texts else kept
    return found


# --- the folder


def _place(folder: Path) -> Path:
    """Where to publish; refused if something else is there."""
    place = folder.resolve()
    if not place.parent.is_dir():
        raise BadInput(
            f"{folder}: there is no folder {str(place.parent)!r} to publish into; make it, or choose another"
        )
    if place.exists() and not place.is_dir():
        raise BadInput(f"{folder} is a file; name a folder that is new, empty, or published before")
    if place.is_dir() and any(place.iterdir()) and not format.is_published(place):
        raise BadInput(f"{folder} holds something else than a published study; name a new or an empty folder")
    return place


def _into_place(aside: Path, place: Path) -> None:
    """Move the finished folder to its name; what was published there before goes last."""
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
