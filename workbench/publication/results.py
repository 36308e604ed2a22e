"""Assemble the published results of a study: table, measures, axes, limits and points."""

from __future__ import annotations

import math
import platform
import re
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from functools import partial
from importlib.metadata import version
from itertools import groupby

import numpy as np

from workbench import __version__
from workbench.base.errors import BadInput
from workbench.base.figures import format_number, format_whole_percent, with_article
from workbench.data.published import published_total
from workbench.data.table import Table
from workbench.data.wording import Wording
from workbench.disclosure.recommendable import LEAST, define_nearly_certain, describe_recommendable
from workbench.frontier.frontier import Frontier, frontier_records
from workbench.frontier.intervals import describe_intervals
from workbench.frontier.recipe import Recipe
from workbench.measures import Measure, Publication
from workbench.models import Model
from workbench.publication.decisions import describe_other_limits, ranks_of, study_caps
from workbench.publication.details import FIGURES, example
from workbench.publication.included_files import NO_FILES
from workbench.publication.published_types import (
    FORMAT,
    Details,
    MeasureWords,
    PrivacyAxis,
    PublishedDecision,
    PublishedPoint,
    Results,
    SensitiveColumn,
    TableSummary,
    ValueShare,
    Words,
)
from workbench.publication.selection import PublishedFrontier, easiest_to_explain
from workbench.redaction.controlled_rounding import round_count
from workbench.releases.published_classes import scale, with_published_totals
from workbench.studies.study import Study

# --- the promises of models in words for decision makers: a class is a group, and distances have examples

FEW = 2  # maximum number of sensitive columns that a promise names
EXAMPLE = 0.1  # overall share of the value in an example
DISTANCE_NAMES = {
    "equal": "variation distance",
    "variation": "variation distance",
    "ordered": "ordered distance",
    "hierarchical": "hierarchical distance",
    "js": "Jensen-Shannon distance",
}
ALIKE = 5  # words of a common beginning, such as "every group has at least"
ARITHMETIC: tuple[tuple[str, Callable[[float], str]], ...] = (
    (r"\b1/(\d+(?:[\d,]*\.\d+)?)", lambda x: format_whole_percent(1 / x)),
    (r"\be\^(\d+(?:[\d,]*\.\d+)?)", lambda x: format_number(math.exp(x))),
    (r"\b(\d[\d,]*) - 1\b", lambda x: format_number(x - 1)),
    (r"\b1 \+ (\d+(?:[\d,]*\.\d+)?)", lambda x: format_number(1 + x)),
)


def promise(model: Model | None, table: Table, smallest: int, examples: bool = True) -> str:
    """Return the promises of the models with their numbers, in words for decision makers.

    With `examples`, the promise of a distance includes an example of the permitted values.
    """
    sensitive, wording = list(table.sensitive), table.settings.wording
    many = len(sensitive) > FEW
    whose = " of each sensitive column" if many else f" of {wording.columns(sensitive)}" * bool(sensitive)
    plain = {
        "classes": "groups",
        "class": "group",
        "records": wording.many,
        "distribution": f"mix{whose}",
        "the whole table": "everybody" if wording.many == "people" else "the whole table",
        "sensitive values": f"values{whose}",
        "value": wording.column(sensitive[0]) if len(sensitive) == 1 else "value",
    }
    promises = []
    for part in model.parts if model else ():
        text = part.promise
        for name, number in part.settings().items():
            if isinstance(number, (int, float)) and not isinstance(number, bool):
                text = re.sub(rf"\b{name}\b", f"{number:,g}", text)
        for pattern, worked_out in ARITHMETIC:
            text = re.sub(pattern, partial(_worked_out, worked_out), text)
        text = re.sub(rf"\b(an? )?({'|'.join(plain)})\b", partial(_plain, plain), text)
        if example := _allowed(part, table, smallest):
            kind, far = part.max_distance_from_prior or ("", 0.0)
            text = (
                f"every group's {plain['distribution']} is within {format_number(far)} of that of {wording.everybody}"
            )
            text += f" ({DISTANCE_NAMES[kind]})" + (f": {example}" if examples else "")
        elif "e^" in part.promise:
            text += _times_as_common(part, wording) * examples
        promises.append(text)
    return "; ".join(_joined(promises))


def _times_as_common(part: Model, wording: Wording) -> str:
    """Explain a factor on odds or shares by the example of a value that one in ten have."""
    factor = math.exp(next(value for value in part.settings().values() if isinstance(value, float | int)))
    low, high = (
        format_whole_percent(EXAMPLE / factor, "higher"),
        format_whole_percent(min(EXAMPLE * factor, 1.0), "lower"),
    )
    low = f"{low}, if any," if part.settings().get("absent") == "allowed" else low
    return (
        f" (a value that {format_whole_percent(EXAMPLE)} of {wording.everybody} have, {low} to {high} of a "
        f"group may have)"
    )


def allows(model: Model | None, table: Table, smallest: int) -> str:
    """Explain the distances of a model by an example; empty if the model has none."""
    parts = model.parts if model else ()
    return "; ".join(one for part in parts if (one := _allowed(part, table, smallest)))


def _allowed(part: Model, table: Table, smallest: int) -> str:
    kind, far = part.max_distance_from_prior or ("", 0.0)
    example = scale(table.sensitive.values(), kind, smallest) if kind else None
    return example.allows(far, table.settings.wording) if example else ""


def _joined(promises: Sequence[str]) -> Iterator[str]:
    """Join promises with the same beginning: every group has at least 10 people and 2 values."""
    for _, alike in groupby(promises, lambda one: one.split()[:ALIKE]):
        first, *others = alike
        yield " and ".join([first, *(" ".join(one.split()[ALIKE:]) for one in others)])


def _plain(words: Mapping[str, str], found: re.Match[str]) -> str:
    return with_article(words[found[2]]) if found[1] else words[found[2]]


def _worked_out(describe: Callable[[float], str], found: re.Match[str]) -> str:
    return describe(float(found[1].replace(",", "")))


USED = ("numpy", "pandas", "pyarrow", "duckdb", "numba", "altair")  # packages that figures may depend on
COMPUTED = (
    "how much accuracy is lost, and how often an attacker guesses right, is computed here from the records themselves: "
    "the guarantee of the noise does not cover these figures"
)
SEVERAL = "several records may belong to one person: the guarantee counts records, not people"
LEFT_OUT = "Not on the frontier: it is undefined on one of the measures of the chart."


def results_of(
    study: Study,
    table: Table,
    frontier: PublishedFrontier,
    decisions: list[PublishedDecision],
    details: Mapping[int, Details],
) -> Results:
    """Return the results before the released files are written; `with_files` adds those."""
    caps = study_caps(frontier, study)
    return {
        "format": FORMAT,
        "edition": secrets.token_hex(8),
        "workbench": __version__,
        "versions": {"python": platform.python_version(), **{name: version(name) for name in USED}},
        "published": date.today().isoformat(),
        "study": study.name,
        "smallest": study.smallest,
        "table": _summary(table, study.smallest),
        "wording": _words(table.settings.wording),
        "measures": [_measure(measure) for measure in frontier.measures],
        "axes": {
            "privacy": _privacy_axis(frontier, decisions, table, study.smallest),
            "utility": {"key": frontier.axes[1]},
        },
        "exposure": _exposure(table),
        "safe": describe_recommendable(table.settings.wording, sensitive=bool(table.sensitive)),
        "nearly": define_nearly_certain(table.settings.wording) if table.sensitive else "",
        "caps": caps,
        "cap": caps.get(frontier.axes[0]),
        "decisions": decisions,
        "others": describe_other_limits(frontier, study),
        "intervals": _tries(study, frontier),
        "points": _points(study, table, frontier, details),
        "carried": [],
        "together": NO_FILES,
        "beside": "",
    }


def _tries(study: Study, frontier: Frontier) -> str:
    """Explain the intervals of points; empty if there are none."""
    if not any(point.intervals for point in frontier.measured):
        return ""
    return f"In brackets: {describe_intervals(**study.intervals, worst_cases=False)}, published for averages only."


def _points(
    study: Study, table: Table, frontier: PublishedFrontier, details: Mapping[int, Details]
) -> list[PublishedPoint]:
    """Return every point; only points that can be opened have sentences."""
    plainest, undefined, found = set(easiest_to_explain(frontier)), np.isnan(frontier.losses()).any(axis=1), []
    ranks = ranks_of(frontier)
    for i, (point, record) in enumerate(zip(frontier.measured, frontier_records(frontier), strict=True)):
        promised, also = _promised(point.recipe, table, study.smallest, details=details.get(i))
        one: PublishedPoint = {
            "number": record["number"],
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
            "rank": ranks.get(i),
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


def _promised(
    recipe: Recipe, table: Table, smallest: int, examples: bool = True, details: Details | None = None
) -> tuple[str, str]:
    """Return the promise of the models or the method, and what else recipients must know about the release."""
    small = f"groups of fewer than {LEAST} {table.settings.wording.many} are possible" if recipe.small_classes else ""
    promises = [one for one in (promise(recipe.model, table, smallest, examples), small, recipe.guarantee) if one]
    first, *others = promises or [""]
    about = [recipe.method.warning] if details is None else details["about"]
    repeated = SEVERAL if table.origin.repeats else ""
    known = (*others, *about, COMPUTED if recipe.guarantee else "", repeated)
    return first, " ".join(f"{one[:1].upper()}{one[1:]}." for one in known if one)


def _words(wording: Wording) -> Words:
    return {"titles": dict(wording.titles), "one": wording.one, "many": wording.many}


def _summary(table: Table, smallest: int) -> TableSummary:
    """Summarize the table: records, columns by role, and the share of each sensitive value."""
    sensitive: list[SensitiveColumn] = []
    for name, seen in table.sensitive.items():
        known, prior = seen.may_name(smallest), with_published_totals(seen, smallest).prior
        order = sorted(np.flatnonzero(known).tolist(), key=lambda v: (-prior[v], seen.labels[v]))
        values: list[ValueShare] = [{"label": seen.labels[v], "share": round(float(prior[v]), FIGURES)} for v in order]
        sensitive.append({"name": name, "values": values, "others": round(float(prior[~known].sum()), FIGURES)})
    return {
        "records": published_total(table, smallest),
        "weighted": table.weight is not None,
        "sample_of": round_count(table.origin.sampled.of, smallest) if table.origin.sampled else 0,
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
        "about": measure.summary,
        "average": measure.published_as is Publication.AVERAGE,
    }


def _privacy_axis(frontier: Frontier, decisions: list[PublishedDecision], table: Table, smallest: int) -> PrivacyAxis:
    """Return the scale of the slider: its first and last stop, and an example of what a figure allows."""
    key, stops = frontier.axes[0], [one["cap"] for one in decisions if one["cap"] is not None]
    values = [point.values.get(key, math.nan) for point in frontier.measured if not point.recipe.baseline]
    if not any(map(math.isfinite, values)):
        raise BadInput(f"{key} is infinite for every release; choose another measure of privacy for the first axis")
    return {
        "key": key,
        "low": min(stops),
        "high": max(stops),
        "endless": any(map(math.isinf, values)),
        "scale": example(frontier.measure(key).scale(table, smallest)),
    }


def _exposure(table: Table) -> str:
    """Explain the exposure of classes, whatever the slider measures."""
    if not table.sensitive:
        return "how likely the right person is found in the group: 100 % is certain"
    far = "how close the value shown is to being certain: 0 % is the share among everybody, 100 % is certainty"
    declared = [seen.declared.any() for seen in table.sensitive.values()]
    rare = f"those that at most half of {table.settings.wording.everybody} have"
    harmful = "those that the study names" if any(declared) else rare
    of_others = f", of other columns {rare}" if any(declared) and not all(declared) else ""
    shown = f"; shown are values that may harm people if they are learned ({harmful}{of_others})"
    last = f" (what over 80 % of {table.settings.wording.everybody} have anyway comes last)" if any(declared) else ""
    one = "; of each group one sensitive column is shown, that in which such a value comes nearest to certainty"
    return f"{far}{shown}{f'{one}{last}' if len(table.sensitive) > 1 else ''}"
