"""The results of a study as they are published: table, measures, axes, limit and points."""

from __future__ import annotations

import math
import platform
import secrets
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from importlib.metadata import version

import numpy as np

from workbench import __version__
from workbench.base.errors import BadInput, Undefined, said
from workbench.base.small_counts import coarse, named
from workbench.base.variants import meaning
from workbench.data.table import Table
from workbench.data.wording import Wording
from workbench.frontier.frontier import Frontier
from workbench.frontier.intervals import in_words
from workbench.frontier.recipe import Recipe
from workbench.measures import Measure
from workbench.publication.carried import NO_FILES
from workbench.publication.details import FIGURES, example
from workbench.publication.format import FORMAT
from workbench.publication.promises import allows, promise
from workbench.publication.selection import choice, safe, simplest
from workbench.publication.shapes import (
    Details,
    Limit,
    MeasureWords,
    PrivacyAxis,
    PublishedPoint,
    Results,
    SensitiveColumn,
    TableSummary,
    ValueShare,
    Words,
)
from workbench.releases.published_classes import told_values
from workbench.studies.study import Study

USED = ("numpy", "pandas", "pyarrow", "duckdb", "numba", "altair")  # what a figure may depend on
COMPUTED = (
    "how much accuracy is lost, and how often an attacker guesses right, is computed here from the records themselves: "
    "the guarantee of the noise does not cover these figures"
)
LEFT_OUT = "Left out of the frontier: it is undefined on one of the measures of the chart."


def results_of(study: Study, table: Table, frontier: Frontier, details: Mapping[int, Details], others: str) -> Results:
    """All but the released files: what is said of them is added when it is known which there are."""
    axis = _privacy_axis(frontier, table, study.smallest)  # first: it refuses a frontier of infinite losses
    limit, opens = _limit(study, frontier)
    return {
        "format": FORMAT,
        "edition": secrets.token_hex(8),
        "workbench": __version__,
        "versions": {"python": platform.python_version(), **{name: version(name) for name in USED}},
        "published": date.today().isoformat(),
        "study": study.name,
        "smallest": study.smallest,
        "table": _summary(table, study.smallest),
        "wording": _words(table.wording),
        "measures": [_measure(measure) for measure in frontier.measures],
        "axes": {"privacy": axis, "utility": {"key": frontier.axes[1]}},
        "exposure": _exposure(table),
        "cap": opens,
        "limit": limit,
        "others": others,
        "intervals": _tries(study, frontier),
        "points": _points(study, table, frontier, details),
        "carried": [],
        "together": NO_FILES,
        "beside": "",
    }


def _tries(study: Study, frontier: Frontier) -> str:
    """What the intervals of points are; nothing where there are none."""
    if not any(point.intervals for point in frontier.measured):
        return ""
    return f"In brackets: {in_words(**study.intervals)}, told of averages only."


def _points(study: Study, table: Table, frontier: Frontier, details: Mapping[int, Details]) -> list[PublishedPoint]:
    """Every point; only those that can be opened have sentences."""
    plainest, undefined, found = set(simplest(frontier)), np.isnan(frontier.losses()).any(axis=1), []
    for i, (point, record) in enumerate(zip(frontier.measured, frontier.records(), strict=True)):
        promised, also = _promised(point.recipe, table, study.smallest)
        one: PublishedPoint = {
            "recipe": record["recipe"],
            "line": record["line"],
            "settings": record["settings"],
            "values": record["values"],
            "reasons": record["reasons"],
            "intervals": record.get("intervals", {}),
            "sentences": record["sentences"] if i in details else {},
            "baseline": record["baseline"],
            "drawn": point.recipe.method.draws,
            "efficient": record["efficient"],
            "promise": promised,
            "brief": _promised(point.recipe, table, study.smallest, examples=False)[0],
            "also": also,
            "allows": allows(point.recipe.model, table, study.smallest),
            "title": f"{promised[:1].upper()}{promised[1:]}" or str(point.recipe),
            "explain": LEFT_OUT if undefined[i] else frontier.explain(point),
            "simple": i in plainest,
            "against": list(point.against),
            "opened": details.get(i),
        }
        found.append(one)
    return found


def _promised(recipe: Recipe, table: Table, smallest: int, examples: bool = True) -> tuple[str, str]:
    """What the models promise, else the method by itself; and what else everybody has to know of such a release."""
    promises = [one for one in (promise(recipe.model, table, smallest, examples), recipe.guarantee) if one]
    first, *others = promises or [""]
    known = (*others, recipe.method.caution, COMPUTED if recipe.guarantee else "")
    return first, " ".join(f"{one[:1].upper()}{one[1:]}." for one in known if one)


def _words(wording: Wording) -> Words:
    return {"titles": dict(wording.titles), "one": wording.one, "many": wording.many}


def _summary(table: Table, smallest: int) -> TableSummary:
    """The table in numbers: records, columns by role, and how common each sensitive value is."""
    sensitive: list[SensitiveColumn] = []
    for name, seen in table.sensitive.items():
        known, prior = named(seen.totals, smallest), told_values(seen, smallest).prior
        order = sorted(np.flatnonzero(known).tolist(), key=lambda v: (-prior[v], seen.labels[v]))
        values: list[ValueShare] = [{"label": seen.labels[v], "share": round(float(prior[v]), FIGURES)} for v in order]
        sensitive.append({"name": name, "values": values, "others": round(float(prior[~known].sum()), FIGURES)})
    return {
        "records": coarse(table.records, smallest),
        "sample_of": coarse(table.sampled.of, smallest) if table.sampled else 0,
        "quasi": list(table.quasi),
        "sensitive": sensitive,
        "neutral": list(table.neutral),
    }


def _measure(measure: Measure) -> MeasureWords:
    return {
        "key": measure.key,
        "name": measure.name,
        "unit": measure.unit,
        "side": measure.side,
        "better": measure.better,
        "about": meaning(type(measure)),
        "average": measure.told == "as an average",
    }


def _privacy_axis(frontier: Frontier, table: Table, smallest: int) -> PrivacyAxis:
    """The scale of the slider: from the safest point to choose to the least safe, and an example of what it allows."""
    key, values = frontier.axes[0], _to_choose(frontier)
    finite = values[np.isfinite(values)]
    if not len(finite):
        raise BadInput(f"{key} is infinite for every release; choose another measure of privacy for the first axis")
    scale = frontier.measure(key).scale(table, smallest)
    return {
        "key": key,
        "low": float(finite.min()),
        "high": float(finite.max()),
        "endless": len(finite) < len(values),
        "scale": example(scale),
    }


def _exposure(table: Table) -> str:
    """What the shares of classes are of, whatever the slider is about."""
    if not table.sensitive:
        return "how likely the right person is found in the group: 100 % is certain"
    far = "how close the value shown is to being certain: 0 % is the share among everybody, 100 % is certainty"
    others = (
        "; of each group one sensitive column is shown, that in which a value comes nearest to certainty (what over "
        f"80 % of {table.wording.everybody} have anyway comes last)"
        if len(table.sensitive) > 1
        else ""
    )
    return f"{far}{others}"


def _limit(study: Study, frontier: Frontier) -> tuple[Limit | None, float]:
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
        raise BadInput(f"study: the cap {said(asked)} on {key} is not a number")
    floor = measure.better == "higher"
    safest = float(finite[-1] if floor else finite[0])
    limit: Limit = {
        "asked": float(asked),
        "kept": bool(asked <= safest if floor else asked >= safest),
        "safest": safest,
    }
    return limit, float(min(max(asked, finite[0]), finite[-1]))


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
