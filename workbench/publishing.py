"""Publishing a study: what people may see who don't have the data, in a folder that has no microdata in it.

What is where is said in `workbench.published`, which reads it. Three rules keep raw records out:

- What is said of classes is what the release itself says, and less: labels as released; below the study's threshold
  no count, no exact share and no loss finer than a tenth (`workbench.thresholds`).
- What is said of large populations (the truth beside the release's answer) is in whole per cent, about populations
  and values that at least as many people have as the threshold says.
- Measured values have four figures, so that they are no checksum of the data; a limit that was kept stays kept.

A point's own figures (its largest loss, its smallest class) belong to the release as a whole, and stay.
The releases of several points together say more than any of them: a folder is for the people who choose, and one
release is for the public. So it is readable by its owner alone.
"""

from __future__ import annotations

import math
import os
import re
import secrets
import shutil
import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from workbench import __version__, published, shown
from workbench.errors import BadInput, Undefined
from workbench.frontier import Frontier, undominated
from workbench.measures import Measure
from workbench.models import Model
from workbench.parameters import about
from workbench.scratch import scratch
from workbench.shown import FIGURES, write_json
from workbench.store import Store
from workbench.study import Study
from workbench.sweeps import sweep
from workbench.table import Table
from workbench.thresholds import coarse, nameable

Progress = Callable[[int, int, str], object]


def publish(
    study: Study,
    folder: str | PathLike[str],
    *,
    given: Any = None,
    store: Store | str | PathLike[str] | None = None,
    progress: Progress | None = None,
    releases: bool = True,
) -> Path:
    """Write what the dashboard and the report show of a study; the folder is new, empty, or published before.

    `given` stands for data that no file holds. `progress(done, total, words)` is called after every point and every
    release. With `releases=False` no released file is written.
    """
    place = _place(Path(folder))
    told: Progress = progress or (lambda done, total, words: None)
    with warnings.catch_warnings():  # about roles: the analyst has seen them
        warnings.simplefilter("ignore", UserWarning)
        table = study.table(study.read(given))
    swept = sweep(
        table,
        study.candidates(),
        study.measured(),
        store,
        progress=lambda done, total, point: told(done, total, f"measured: {point.recipe}"),
    )
    frontier = _rounded(_on_axes(swept, study))
    opened = worth_opening(frontier)
    if not opened:
        why = f": {frontier.undefined['reason'].iloc[0]}" if len(frontier.undefined) else "; give the study recipes"
        raise BadInput(f"there is nothing to publish, since no release could be measured on both axes{why}")
    aside = scratch(place.parent)
    try:
        details = {}
        (aside / published.POINTS).mkdir(mode=0o700)
        for done, i in enumerate(opened):
            details[i] = shown.opened(
                table, frontier.measured[i].recipe, study, aside / published.POINTS / str(i), releases
            )
            told(done + 1, len(opened), f"written: {frontier.measured[i].recipe}")
        write_json(aside / published.RESULTS, _results(study, table, frontier, details))
        write_json(aside / published.CHART, frontier.chart(640, 380).to_dict())
        (aside / published.STUDY).write_text(_bare(study).to_yaml(), "utf-8")
        _into_place(aside, place)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return place


# --- which points


def _on_axes(swept: Frontier, study: Study) -> Frontier:
    if len(study.axes) not in (0, 2):
        raise BadInput("study: axes name two measures, one of privacy and one of utility")
    frontier = swept.on(*study.axes)
    assert frontier.axes  # says what is missing
    return frontier


def _rounded(frontier: Frontier) -> Frontier:
    """The same points with four figures; what lies under a limit lies under it still."""

    def figures(key: str, value: float) -> float:
        if not math.isfinite(value):
            return value
        measure = frontier.measure(key)
        towards = ROUND_FLOOR if measure.better == "higher" else ROUND_CEILING
        rounding = towards if measure.side == "privacy" else ROUND_HALF_EVEN
        return float(Context(prec=FIGURES, rounding=rounding).create_decimal(value))

    points = [
        replace(point, values={key: figures(key, value) for key, value in point.values.items()}, key="")
        for point in frontier.measured
    ]
    return replace(frontier, measured=points)


def worth_opening(frontier: Frontier) -> list[int]:
    """The points that may be recommended: the efficient ones, and those that are among the simplest."""
    efficient, plainest = frontier.is_efficient(), simplest(frontier)
    among = np.array(plainest, dtype=int)
    of_them = among[undominated(frontier.losses()[among])].tolist() if plainest else []
    return sorted({*np.flatnonzero(efficient).tolist(), *of_them})


def simplest(frontier: Frontier) -> list[int]:
    """The points whose promise is the easiest to explain: one model rather than several, about sizes alone."""

    def plainness(model: Model) -> tuple[int, bool]:
        return len(model.parts), model.needs_sensitive

    defined = ~np.isnan(frontier.losses()).any(axis=1) & frontier.recommendable
    found = {i: plainness(m) for i in np.flatnonzero(defined).tolist() if (m := frontier.measured[i].recipe.model)}
    return [i for i, plain in found.items() if plain == min(found.values())]


# --- the whole


def _results(study: Study, table: Table, frontier: Frontier, details: Mapping[int, Any]) -> dict[str, Any]:
    rare = [
        label
        for seen in table.sensitive.values()
        for label, named in zip(seen.labels, nameable(seen.totals, study.smallest), strict=True)
        if not named
    ]
    plainest, records = set(simplest(frontier)), frontier.records()
    for i, (point, record) in enumerate(zip(frontier.measured, records, strict=True)):
        for said in ("sentences", "reasons"):
            record[said] = {key: coarse(text, study.smallest, rare) for key, text in record[said].items()}
        record |= {
            "promise": _promise(point.recipe.model),
            "explain": frontier.explain(point),
            "simple": i in plainest,
            "opened": details.get(i),
        }
    return {
        "format": published.FORMAT,
        "edition": secrets.token_hex(8),
        "workbench": __version__,
        "study": study.name,
        "smallest": study.smallest,
        "table": _described(table, study.smallest),
        "measures": [_measure(measure) for measure in frontier.measures],
        "axes": {"privacy": _privacy_axis(frontier, table), "utility": {"key": frontier.axes[1]}},
        "cap": _cap(study, frontier),
        "points": records,
    }


def _described(table: Table, smallest: int) -> dict[str, Any]:
    """The table in numbers: records, columns by role, and how common each sensitive value is."""
    sensitive = []
    for name, seen in table.sensitive.items():
        named = nameable(seen.totals, smallest)
        values = [
            {"label": seen.labels[v], "share": round(float(seen.prior[v]), FIGURES)}
            for v in sorted(np.flatnonzero(named).tolist(), key=lambda v: -seen.totals[v])
        ]
        sensitive.append({"name": name, "values": values, "others": round(float(seen.prior[~named].sum()), FIGURES)})
    neutral = list(table.neutral)
    return {"records": table.records, "quasi": list(table.quasi), "sensitive": sensitive, "neutral": neutral}


def _measure(measure: Measure) -> dict[str, Any]:
    said = {name: getattr(measure, name) for name in ("key", "name", "unit", "side", "better")}
    return {**said, "about": _about(type(measure))}


def _privacy_axis(frontier: Frontier, table: Table) -> dict[str, Any]:
    """The scale of the slider: from the safest efficient point to the least safe, and what full disclosure costs."""
    key = frontier.axes[0]
    values = frontier.efficient[key].to_numpy()
    finite = values[np.isfinite(values)]
    if not len(finite):
        raise BadInput(f"{key} is infinite for every release; choose another measure of privacy for the first axis")
    revealed = getattr(frontier.measure(key), "revealed", None)
    full = min(float(revealed(seen).min()) for seen in table.sensitive.values()) if revealed else None
    return {
        "key": key,
        "low": float(finite.min()),
        "high": float(finite.max()),
        "endless": len(finite) < len(values),
        "full": None if full is None else round(full, FIGURES),
    }


def _cap(study: Study, frontier: Frontier) -> float:
    """Where the slider stands at first: the study's cap, the knee, or the middle of the efficient points."""
    key = frontier.axes[0]
    values = frontier.efficient[key].to_numpy()
    finite = np.sort(values[np.isfinite(values)])
    asked = study.caps.get(key)
    if asked is not None and finite[0] <= asked <= finite[-1]:
        return float(asked)
    try:
        knee = frontier.knee.values[key]
    except Undefined:
        knee = math.inf
    return float(knee if math.isfinite(knee) else finite[len(finite) // 2])


def _promise(model: Model | None) -> str:
    """What the models say of themselves in the first line of their files, with their numbers; a class is a group."""
    promises = []
    for part in model.parts if model else ():
        said = _about(type(part))
        for name, value in part.settings().items():
            if isinstance(value, (int, float)):
                said = re.sub(rf"\b{name}\b", f"{value:,g}", said)
        promises.append(said.replace("classes", "groups").replace("class", "group"))
    return "; ".join(promises)


def _about(kind: type) -> str:
    """What a variant says of itself after its name."""
    return about(kind).partition(": ")[2].rstrip(".")


def _bare(study: Study) -> Study:
    """The study without what tells where the data lie or which values are in them."""
    data = {key: study.data[key] for key in ("bundled", "drop_missing") if key in study.data}
    if "bundled" not in data:
        data["given"] = study.name
    return study.with_(data=data, hierarchies={})


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
    if place.is_dir() and any(place.iterdir()) and not published.is_published(place):
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
