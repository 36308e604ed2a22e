"""Publishing a study: what people may see who don't have the data, in a folder that has no microdata in it.

What is where is said in `workbench.publication.reader`, which reads it. Four rules keep raw records out:

- Every number of people is rounded to the study's threshold (`workbench.base.thresholds`), however large it is, and
  what is worked out of the counts of classes is worked out of rounded ones (`workbench.releases.coarsened`).
- Each measure says how its figure may be told, and what it does not declare is hidden. Averages have two figures.
  Which points are efficient, which keep a limit, where the slider ends: all of it follows from the figures told.
- The text of an exception passes `findings.reason`: advice that is known keeps the study's own numbers; nothing
  else comes out with a number or a value of the data.
- Several releases say more together than each does: a person's value is in the person's class of every one. So the
  folder has the file of no more than those that are offered where the page opens, and says of how many people a value
  is certain to who has these and the tables of all classes that are shown.

A folder is for the people who choose, and one release is for the public. So it is readable by its owner alone.
"""

from __future__ import annotations

import math
import os
import platform
import secrets
import shutil
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from importlib.metadata import version
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np

from workbench import __version__
from workbench.base.errors import BadInput, Undefined, said
from workbench.base.scratch import scratch
from workbench.base.thresholds import coarse, listed, named
from workbench.data.hierarchies.intervals import integers
from workbench.data.table import Table
from workbench.disclosure.several_releases import certain, certain_beside
from workbench.frontier.frontier import Frontier
from workbench.frontier.store import Store
from workbench.frontier.sweep import sweep
from workbench.measures import Measure
from workbench.publication import details as shown
from workbench.publication import findings, reader, statements
from workbench.publication.details import FIGURES, write_json
from workbench.publication.reader import WITHOUT, Published
from workbench.publication.seal import seal
from workbench.publication.selection import choice, keeping, on_axes, safe, shown_on_axes, simplest, told, worth_opening
from workbench.releases.coarsened import told_values
from workbench.releases.release import Release
from workbench.studies.study import BUNDLED, Study

Progress = Callable[[int, int, str], object]
Warn = Callable[[str], object]
Which = bool | Literal["all", "best"]  # of the releases that can be opened, those whose files are written
PLAIN = ("intervals", "prefixes", "dates")  # builders whose settings list no value of the data
USED = ("numpy", "pandas", "pyarrow", "duckdb", "numba", "altair")  # what a figure may depend on
NOT_SAFE = "it is not safe enough to be recommended"
NOT_CARRIED = (
    "it is not among the releases that were offered when this was published; several files together tell more of "
    "people than each does, so only those are here"
)


def publish(
    study: Study,
    folder: str | PathLike[str],
    *,
    given: Any = None,
    store: Store | str | PathLike[str] | None = None,
    progress: Progress | None = None,
    releases: Which = True,
    warn: Warn | None = None,
) -> Path:
    """Write what the dashboard and the report show of a study; the folder is new, empty, or published before.

    `given` stands for data that no file holds. `progress(done, total, words)` is called after every point and every
    release. Written are the files of the releases that are offered where the page opens; with `releases="best"` that
    of the recommended one, with "all" those of all that can be opened, with False none. What the analyst should know
    goes to `warn`, or is a Python warning.
    """
    if not isinstance(study, Study):
        raise BadInput(f"publish: {said(study)} is no study; open one with Study.open(path)")
    place = _place(Path(folder))
    if not (isinstance(releases, bool) or releases in ("all", "best")):
        raise BadInput("publish: releases must be True (those that are offered), False (none), 'best' or 'all'")
    step: Progress = progress or (lambda done, total, words: None)
    warned: Warn = warn or (lambda text: warnings.warn(text, UserWarning, stacklevel=3))
    with _heard(warned):
        table = study.table(study.read(given))
    swept = sweep(
        table,
        study.candidates(),
        study.measured(),
        store,
        progress=lambda done, total, point: step(done, total, f"measured: {point.recipe}"),
    )
    frontier, others = _to_show(swept, table, study)
    aside = scratch(place.parent)
    try:
        made, details = _opened(frontier, table, study, aside / reader.POINTS, step)
        results = {**_results(study, table, frontier, details), "others": others}
        write_json(aside / reader.RESULTS, results)
        seal(aside)
        results |= _carried(Published(aside), table, made, releases)
        write_json(aside / reader.RESULTS, results)
        write_json(aside / reader.CHART, frontier.chart(640, 380).to_dict())
        (aside / reader.STUDY).write_text(_bare(study).to_yaml(), "utf-8")
        seal(aside)
        _into_place(aside, place)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    for text in [*_worth_saying(Published(place)), *_spread(table)]:
        warned(text)
    return place


def _to_show(swept: Frontier, table: Table, study: Study) -> tuple[Frontier, str]:
    """The points as they may be told that keep the study's limits, and what to say of the others."""
    drawn = on_axes(told(swept, table, study.smallest), study)
    shown_on_axes(drawn)
    frontier, others = keeping(drawn, study)
    if not worth_opening(frontier):
        why = next((said for point in frontier.measured for said in point.reasons.values()), "")  # as it may be told
        more = f": {why}" if why else "; give the study recipes"
        raise BadInput(f"{findings.NOTHING}{more}")
    return frontier, others


def _opened(
    frontier: Frontier, table: Table, study: Study, folder: Path, step: Progress
) -> tuple[dict[int, Release], dict[int, Any]]:
    """The releases that can be opened, each with all that is shown of it; their tables are in the folder."""
    indices = worth_opening(frontier)
    made, details = {}, {}
    folder.mkdir(mode=0o700)
    for done, i in enumerate(indices, 1):
        point = frontier.measured[i]
        made[i] = point.recipe.release(table)
        details[i] = shown.opened(table, made[i], study.measured(), study.smallest, folder / str(i), point.values)
        step(done, len(indices), f"written: {point.recipe}")
    return made, details


@contextmanager
def _heard(warned: Warn) -> Iterator[None]:
    """What is warned of while the data are read, for the analyst."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        yield
    for one in caught:
        if issubclass(one.category, UserWarning):
            warned(str(one.message))
        else:
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)


def _worth_saying(read: Published) -> list[str]:
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


# --- the whole


def _results(study: Study, table: Table, frontier: Frontier, details: Mapping[int, Any]) -> dict[str, Any]:
    plainest, records = set(simplest(frontier)), frontier.records()
    for i, (point, record) in enumerate(zip(frontier.measured, records, strict=True)):
        detail = dict(details[i]) if i in details else None
        left_out = "Left out of the frontier: it is undefined on one of the measures of the chart."
        promise = findings.promise(point.recipe.model, table, study.smallest)
        record |= {
            "sentences": record["sentences"] if detail else {},
            "promise": promise,
            "title": f"{promise[:1].upper()}{promise[1:]}" or str(point.recipe),
            "explain": left_out if np.isnan(frontier.losses()[i]).any() else frontier.explain(point),
            "simple": i in plainest,
            "against": list(point.against),
            "opened": detail,
        }
    axis = _privacy_axis(frontier, table, study.smallest)  # first: it refuses a frontier of infinite losses
    asked, opens = _limit(study, frontier)
    return {
        "format": reader.FORMAT,
        "edition": secrets.token_hex(8),
        "workbench": __version__,
        "versions": {"python": platform.python_version(), **{name: version(name) for name in USED}},
        "published": date.today().isoformat(),
        "study": study.name,
        "smallest": study.smallest,
        "table": _described(table, study.smallest),
        "wording": table.wording.plain(),
        "measures": [_measure(measure) for measure in frontier.measures],
        "axes": {"privacy": axis, "utility": {"key": frontier.axes[1]}},
        "exposure": _exposure(table),
        "cap": opens,
        "limit": asked,
        "points": records,
    }


def _carried(read: Published, table: Table, made: Mapping[int, Release], releases: Which) -> dict[str, Any]:
    """Write the released files; which there are, and what they tell together with the tables of the classes of all."""
    points = read.points
    may = [i for i, point in enumerate(points) if point["opened"] and not point["opened"]["refused"]]
    choices = read.choices(read.results["cap"])
    offered = {choices["recommended"]} if releases == "best" else set(choices.values())
    chosen = [i for i in may if releases == "all" or (releases and i in offered and not points[i]["against"])]
    for i in may:
        why = NOT_SAFE if points[i]["against"] else NOT_CARRIED
        points[i]["opened"]["refused"] = "" if i in chosen else why if releases else WITHOUT
    for i in chosen:
        file = read.folder / reader.POINTS / str(i) / f"{read.stem}-release.csv"
        made[i].export(file, giveaways=True, smallest=read.smallest)  # refused above
    files = [made[i] for i in chosen]
    together = _together(table, files, list(made.values()), read.smallest)
    beside = _beside(table, files, read.smallest)
    return {"points": points, "carried": chosen, "together": together, "beside": beside}


def _beside(table: Table, releases: Sequence[Release], smallest: int) -> str:
    """Whose value is certain to who has one file and knows the columns that are in it as they are, too."""
    if not (table.neutral and table.sensitive and releases):
        return ""
    return findings.certain_of(table, max(certain_beside(table, release) for release in releases), smallest)


def _together(table: Table, files: Sequence[Release], shown: Sequence[Release], smallest: int) -> dict[str, Any]:
    """What the files and the tables of classes tell together, in numbers and in words; of few people there are none."""
    if not table.sensitive:
        return {"files": len(files), "joined": False, "certain": None, "alone": None, "sentence": ""}
    found = certain(table, files, shown if listed(table.records, smallest) else ())
    return {
        "files": len(files),
        "joined": found.joined,
        "certain": coarse(found.together, smallest),
        "alone": coarse(found.alone, smallest),
        "sentence": findings.certain_of(table, found.together, smallest),
    }


def _described(table: Table, smallest: int) -> dict[str, Any]:
    """The table in numbers: records, columns by role, and how common each sensitive value is."""
    sensitive = []
    for name, seen in table.sensitive.items():
        known, prior = named(seen.totals, smallest), told_values(seen, smallest).prior
        order = sorted(np.flatnonzero(known).tolist(), key=lambda v: (-prior[v], seen.labels[v]))
        values = [{"label": seen.labels[v], "share": round(float(prior[v]), FIGURES)} for v in order]
        sensitive.append({"name": name, "values": values, "others": round(float(prior[~known].sum()), FIGURES)})
    neutral, records = list(table.neutral), coarse(table.records, smallest)
    return {"records": records, "quasi": list(table.quasi), "sensitive": sensitive, "neutral": neutral}


def _measure(measure: Measure) -> dict[str, Any]:
    said = {name: getattr(measure, name) for name in ("key", "name", "unit", "side", "better")}
    return {**said, "about": findings.about(type(measure)), "average": measure.told == "as an average"}


def _privacy_axis(frontier: Frontier, table: Table, smallest: int) -> dict[str, Any]:
    """The scale of the slider: from the safest point to choose to the least safe, and an example of what it allows."""
    key, values = frontier.axes[0], _to_choose(frontier)
    finite = values[np.isfinite(values)]
    if not len(finite):
        raise BadInput(f"{key} is infinite for every release; choose another measure of privacy for the first axis")
    measure = frontier.measure(key)
    scale = measure.scale(table, smallest)
    return {
        "key": key,
        "low": float(finite.min()),
        "high": float(finite.max()),
        "endless": len(finite) < len(values),
        "scale": scale and scale._asdict(),
    }


def _exposure(table: Table) -> str:
    """What the shares of classes are of, whatever the slider is about."""
    if not table.sensitive:
        return "how likely the right person is found in the group"
    return "how far belief in the value named has come, from what is usual, on the way to certainty"


def _limit(study: Study, frontier: Frontier) -> tuple[dict[str, Any] | None, float]:
    """The study's limit, whether a release keeps it, and where the slider stands at first.

    That is the limit, or the end nearest to it; without one the knee of the safe points, or the middle of those that
    none of them beats; where no point is safe, the safest end.
    """
    key = frontier.axes[0]
    measure, values = frontier.measure(key), _to_choose(frontier)
    finite = np.sort(values[np.isfinite(values)])
    asked = study.caps.get(key)
    if asked is None:
        return None, _opening(frontier, finite[-1] if measure.better == "higher" else finite[0])
    if isinstance(asked, bool) or not isinstance(asked, (int, float)) or math.isnan(asked):
        raise BadInput(f"study: the cap {said(asked)} on {key} is no number")
    floor = measure.better == "higher"
    safest = float(finite[-1] if floor else finite[0])
    told = {"asked": float(asked), "kept": bool(asked <= safest if floor else asked >= safest), "safest": safest}
    return told, float(min(max(asked, finite[0]), finite[-1]))


def _to_choose(frontier: Frontier) -> np.ndarray:
    """The figures on the slider's measure of the points to choose from."""
    return np.array([frontier.measured[i].values[frontier.axes[0]] for i in choice(frontier)])


def _opening(frontier: Frontier, safest: float) -> float:
    """Where the slider stands when nobody has set a limit."""
    key, among = frontier.axes[0], set(safe(frontier))
    points = [point for i, point in enumerate(frontier.measured) if i in among or point.recipe.baseline]
    of_safe = replace(frontier, measured=points)
    values = of_safe.efficient[key].to_numpy()
    finite = np.unique(values[np.isfinite(values)])  # points alike are one step of the slider
    if not len(finite):
        return float(safest)
    try:
        knee = of_safe.knee.values[key]
    except Undefined:
        knee = math.inf
    return float(knee if math.isfinite(knee) else finite[len(finite) // 2])


def _bare(study: Study) -> Study:
    """The study without what tells where the data lie or which values are in them."""
    data = {key: study.data[key] for key in ("bundled", "only", "drop_missing") if key in study.data}
    if "bundled" not in data:
        data["given"] = study.name
    plain = {
        name: given
        for name, given in study.hierarchies.items()
        if given == BUNDLED or (isinstance(given, Mapping) and given.get("builder") in PLAIN)
    }
    return study.with_(data=data, hierarchies=plain)


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
    if place.is_dir() and any(place.iterdir()) and not reader.is_published(place):
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
