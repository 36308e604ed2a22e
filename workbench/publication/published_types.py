"""Types of the published folder: results.json and the files next to it, and the JSON Schema of these types."""

from __future__ import annotations

import json
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, TypedDict, Union, final, get_args, get_origin, get_type_hints, is_typeddict

FORMAT = 18  # of the folder; increased with every change that affects readers
Side = Literal["privacy", "utility"]
Better = Literal["lower", "higher"]


@final
class Reason(TypedDict):
    """Why a value is missing, in words that anybody may read."""

    reason: str


# --- the table


class Words(TypedDict):
    """The names of columns and records (`workbench.data.wording.Wording`)."""

    titles: dict[str, str]
    one: str
    many: str


class ValueShare(TypedDict):
    """A sensitive value, and the share of all records that have it."""

    label: str
    share: float


class SensitiveColumn(TypedDict):
    """A sensitive column: the values that may be named, and the share of all other values."""

    name: str
    values: list[ValueShare]
    others: float


class TableSummary(TypedDict):
    """The number of records and the columns by role."""

    records: int
    weighted: bool  # by a survey weight, which is used for large groups
    sample_of: int  # the number of records that these were sampled from; 0: the table is no sample
    quasi: list[str]
    sensitive: list[SensitiveColumn]
    neutral: list[str]


# --- measures and axes


class MeasureWords(TypedDict):
    """A measure: its key, its meaning and its direction."""

    key: str
    name: str
    unit: str
    side: Side
    better: Better
    about: str
    average: bool  # over all people; otherwise the worst case of any person


class ScaleExample(TypedDict):
    """An example of what a figure allows, for one value (`workbench.releases.published_classes.Scale`)."""

    column: str
    value: str
    share: float
    costs: list[float]
    dearest: float


class PrivacyAxis(TypedDict):
    """The slider: its measure, its ends, and an example of what a figure allows."""

    key: str
    low: float
    high: float
    endless: bool  # some release has an infinite loss
    scale: ScaleExample | None


class UtilityAxis(TypedDict):
    """The measure of utility loss."""

    key: str


class Axes(TypedDict):
    """The two measures of the chart."""

    privacy: PrivacyAxis
    utility: UtilityAxis


class PublishedDecision(TypedDict):
    """The decision for one limit on the slider's measure, given the study's other caps; points by number."""

    cap: float | None  # None: no limit is set on the slider's measure
    recommended: int | None
    shown: int  # the recommended candidate, else the best within the caps, else the nearest
    satisfied: bool  # some candidate satisfies the caps; otherwise the nearest is shown
    within: list[int]  # the candidates whose exact figures satisfy the caps
    passed_over: list[int]  # more accurate than the recommended candidate, but with objections
    safer: int | None  # the neighbor of the shown candidate on the frontier of the exact figures
    useful: int | None
    simplest: int | None  # the best candidate with a promise that is easiest to explain


# --- a point


@final
class Attack(TypedDict):
    """The accuracy of an adversary's best guess, with and without the release."""

    sensitive: str
    commonest: str | None
    right: float
    chance: float


class PopulationRow(TypedDict):
    """A misjudged large population, and the share of a value in the original and in the release."""

    who: str
    share: float
    value: str
    truth: float
    told: float


class Example(TypedDict):
    """The error of a share of `about` (between `low` and `high`) in nine of ten populations of size `support`."""

    about: float
    low: float
    high: float
    off: float
    support: float


@final
class Accuracy(TypedDict):
    """The share of a large population that is counted under a wrong value on average, by the utility loss `key`."""

    key: str
    sensitive: str
    wrong: float | None  # an upper bound; None: not measured, or not implied by the distance of the measure
    counted: bool  # `wrong` was counted; otherwise it is the maximum that the loss allows
    most: float | None  # an upper bound for the most misjudged population; None: not published
    estimated: bool  # from a sample of the populations
    sample: float | None  # the minimum size of an equally accurate random sample, as a share; None: not published
    support: float
    example: Example | None
    worst: PopulationRow | None


@final
class Figure(TypedDict):
    """A figure in large type, its unit and a sentence; for a value also what a limit allows."""

    figure: str
    unit: str
    sentence: str
    allowed: ScaleExample | None


@final
class CertainValues(TypedDict):
    """The number of people whose value is certain, in words and as a figure, which is empty if there are none."""

    certain: str
    figure: str
    unit: str
    sentence: str


@final
class Risk(TypedDict):
    """The number of people at risk, and each quasi-identifier's share of the risk."""

    at_risk: str
    shares: dict[str, float]


class DistributionRow(TypedDict):
    """The number of people with a value in the original, and its estimate from the release."""

    label: str
    before: int
    after: int


class Distribution(TypedDict):
    """The distribution of a column: the values that may be named, and all others."""

    column: str
    rows: list[DistributionRow]


class CrossMoved(TypedDict):
    """An upper bound on the share of records that are expected in another cell of a cross table."""

    columns: list[str]
    moved: float


@final
class Distributions(TypedDict):
    """Distributions in the original and in the release."""

    columns: list[Distribution]
    pairs: list[CrossMoved]


class QueryRow(TypedDict):
    """A query of the study: the answer from the released data and the true answer, in words."""

    workload: str
    query: str
    told: str
    truth: str
    sentence: str


@final
class Queries(TypedDict):
    """The published answers to the study's queries, and the number of queries that are not published."""

    rows: list[QueryRow]
    hidden: int


class Details(TypedDict):
    """The description of a release that can be opened."""

    attack: Attack | Reason
    accuracy: Accuracy | Reason
    worst: Figure | Reason
    surest: CertainValues | Reason
    risk: Risk | Reason
    beside: Distributions | Reason
    queries: Queries | Reason
    classes: int | Reason
    exact: bool  # exact quasi-identifiers, with the sensitive values of each class published jointly
    tied: int  # classes that are published as equally the most exposed
    small: int  # classes of fewer people than `fewer`
    fewer: int
    refused: str  # why the release has no file; empty if it has one
    left_out: str  # the number of suppressed records in words; empty if there are none
    about: list[str]  # what recipients must know about this release, as parts of sentences


class PublishedPoint(TypedDict):
    """A point of the frontier: its recipe, its figures and sentences, and its release if it can be opened."""

    number: int  # from 1, as everywhere
    recipe: str
    line: str
    settings: dict[str, Any]  # of the recipe, in the notation of a study
    values: dict[str, float | str]  # by the measure's key; infinity is "inf"
    reasons: dict[str, str]  # why a measure has no value
    intervals: dict[str, list[float]]  # intervals of figures, explained in `Results.intervals`
    sentences: dict[str, str]
    baseline: bool
    drawn: bool  # random: another release of the same recipe would disclose more
    efficient: bool
    rank: int | None  # rank of an efficient point by exact privacy loss, the safest first; ties share one
    promise: str
    also: str  # more that recipients must know, in sentences
    brief: str  # the promise without an example
    allows: str  # the example of what the promise allows
    title: str
    explain: str  # why the point is efficient, or which point dominates it
    simple: bool  # whether the promise is among the easiest to explain
    against: list[str]  # objections; empty if the point may be recommended
    opened: Details | None


class ClassRow(TypedDict):
    """A class of a release: its labels, its size, its exposure, and what is believed about it."""

    who: str
    labels: list[str | None]  # of the quasi-identifiers; None is any value
    people: int | None  # None: fewer than `fewer`
    small: bool
    fewer: int
    fewest: float  # minimum exposure, explained in `Results.exposure`
    share: float  # maximum exposure
    sensitive: str | None
    value: str | None
    prior: float | None
    posterior: float | None
    sentence: str | None


# --- results.json


class JointDisclosure(TypedDict):
    """The joint disclosure of all files and tables of classes."""

    files: int
    joined: bool  # records can be linked across files by their neutral columns
    certain: int | None  # people whose value is certain
    alone: int | None  # people whose value is certain from a single release
    sentence: str
    of_files: str  # the same sentence for the files without the tables
    noise: str  # the total epsilon of the files; empty if they have none


class Results(TypedDict):
    """results.json: everything that is published of a study except its classes, populations and released files."""

    format: int
    edition: str  # changes whenever the study is published
    workbench: str
    versions: dict[str, str]
    published: str  # the day
    study: str
    smallest: int
    table: TableSummary
    wording: Words
    measures: list[MeasureWords]
    axes: Axes
    exposure: str  # meaning of the exposure of a class
    safe: str  # what every release that may be recommended satisfies
    nearly: str  # definition of nearly certain; empty without a sensitive column
    caps: dict[str, float]  # the study's own, by the key of the measure
    cap: float | None  # the first position of the slider: the study's own limit; None: there is none
    decisions: list[PublishedDecision]  # one for each stop of the slider, the strictest first, then one without a limit
    others: str  # a sentence about the study's limits on other measures
    intervals: str  # meaning of the intervals of points; empty if there are none
    points: list[PublishedPoint]
    carried: list[int]  # numbers of the points whose released files are in the folder
    together: JointDisclosure
    beside: str  # whose value is certain to an attacker who also knows the neutral columns


# --- the JSON Schema; `python -m workbench.publication.published_types` writes it to results.schema.json

PLACE = Path(__file__).with_name("results.schema.json")
PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}


def results_schema() -> dict[str, Any]:
    """Return the JSON Schema of results.json."""
    kinds: dict[str, Any] = {}
    whole = _schema(Results, kinds)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Results of a published study, format {FORMAT}",
        **whole,
        "$defs": dict(sorted(kinds.items())),
    }


def _schema(kind: Any, kinds: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a type; those of named types are collected."""
    origin, parts = get_origin(kind), get_args(kind)
    if kind is Any:
        return {}
    if kind in PLAIN:
        return {"type": PLAIN[kind]}
    if origin is Literal:
        return {"enum": list(parts)}
    if origin in (Union, UnionType):
        return {"anyOf": [_schema(part, kinds) for part in parts]}
    if origin is list:
        return {"type": "array", "items": _schema(parts[0], kinds)}
    if origin is dict:
        return {"type": "object", "additionalProperties": _schema(parts[1], kinds)}
    assert is_typeddict(kind), kind
    if kind.__name__ not in kinds:
        kinds[kind.__name__] = {}  # a type may contain itself
        kinds[kind.__name__] = {
            "type": "object",
            "additionalProperties": False,
            "required": sorted(kind.__required_keys__),
            "properties": {name: _schema(part, kinds) for name, part in get_type_hints(kind).items()},
        }
    return {"$ref": f"#/$defs/{kind.__name__}"}


if __name__ == "__main__":
    PLACE.write_text(json.dumps(results_schema(), indent=1) + "\n", "utf-8")
