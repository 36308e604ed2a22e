"""What a published folder says, typed: the pieces of results.json and of the files beside it.

What could not be computed is a `Reason` in place of its value (the types beside it are final, so that one test tells
them apart).
"""

from __future__ import annotations

from typing import Any, Literal, TypedDict, final

Side = Literal["privacy", "utility"]
Better = Literal["lower", "higher"]


@final
class Reason(TypedDict):
    """Why there is no such value, as it may be told to anybody."""

    reason: str


# --- the table


class Words(TypedDict):
    """What columns and records are called (`workbench.data.wording.Wording`)."""

    titles: dict[str, str]
    one: str
    many: str


class ValueShare(TypedDict):
    """A sensitive value, and how many of everybody have it."""

    label: str
    share: float


class SensitiveColumn(TypedDict):
    """A sensitive column: the values that may be named, and the share of all others."""

    name: str
    values: list[ValueShare]
    others: float


class TableSummary(TypedDict):
    """The table: how many records, and its columns by role."""

    records: int
    sample_of: int  # of how many records these were drawn at random; 0 where they are all
    quasi: list[str]
    sensitive: list[SensitiveColumn]
    neutral: list[str]


# --- measures and axes


class MeasureWords(TypedDict):
    """A measure: its key, what it is about, and which way is better."""

    key: str
    name: str
    unit: str
    side: Side
    better: Better
    about: str
    average: bool  # over all people, rather than the worst that happens to anyone


class ScaleExample(TypedDict):
    """What a figure allows, by the example of one value (`workbench.releases.scale.Scale`)."""

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
    endless: bool  # some release has an infinite loss, so that "no limit" is a last stop
    scale: ScaleExample | None


class UtilityAxis(TypedDict):
    """The measure of what is lost."""

    key: str


class Axes(TypedDict):
    """The two measures of the chart."""

    privacy: PrivacyAxis
    utility: UtilityAxis


class Limit(TypedDict):
    """The study's own limit on the slider's measure, and whether any release keeps to it."""

    asked: float
    kept: bool
    safest: float


# --- a point


@final
class Attack(TypedDict):
    """How often an adversary's best guess is right, with the release and without."""

    sensitive: str
    commonest: str | None
    right: float
    chance: float


class PopulationRow(TypedDict):
    """A large population that the release misjudges: who, and the share of a value in truth and from the release."""

    who: str
    share: float
    value: str
    truth: float
    told: float


class Example(TypedDict):
    """How far a share of `about`, between `low` and `high`, is off in nine populations out of ten of `support`."""

    about: float
    low: float
    high: float
    off: float
    support: float


@final
class Accuracy(TypedDict):
    """How many of a large population are counted under a wrong value on average, by the utility loss `key`."""

    key: str
    sensitive: str
    wrong: float | None  # at most; None where the study does not measure it, or its distance does not tell
    counted: bool  # so many are counted wrong; otherwise it is the most that the loss allows
    most: float | None  # of the population that is misjudged most, at most; None: not told
    estimated: bool  # from some of the populations
    sample: float | None  # the share of the records that is as accurate when drawn at random, at least; None: not told
    support: float
    example: Example | None
    worst: PopulationRow | None


@final
class Figure(TypedDict):
    """A figure in large type, what it is of, and a sentence; of a value what a limit allows of it."""

    figure: str
    unit: str
    sentence: str
    allowed: ScaleExample | None


@final
class Surest(TypedDict):
    """Of how many people a value is certain, in words and as a figure, which is empty where it is nobody's."""

    certain: str
    figure: str
    unit: str
    sentence: str


@final
class Risk(TypedDict):
    """How many people are at risk, and how much of it hangs on each quasi-identifier."""

    at_risk: str
    shares: dict[str, float]


class DistributionRow(TypedDict):
    """People who have a value, in the original and as the release lets expect."""

    label: str
    before: int
    after: int


class Distribution(TypedDict):
    """One column: the values that may be named, and all others."""

    column: str
    rows: list[DistributionRow]


class CrossMoved(TypedDict):
    """The share of the records that is expected in another cell of the cross table of two columns, at most."""

    columns: list[str]
    moved: float


@final
class Distributions(TypedDict):
    """Original beside release."""

    columns: list[Distribution]
    pairs: list[CrossMoved]


class QueryRow(TypedDict):
    """A query that the study names: what a user of the released data would find, and the truth, in words."""

    workload: str
    query: str
    told: str
    truth: str
    sentence: str


@final
class Queries(TypedDict):
    """Answers to the queries that the study names, and how many of these are not told."""

    rows: list[QueryRow]
    hidden: int


class Details(TypedDict):
    """What is known of one release that can be opened."""

    attack: Attack | Reason
    accuracy: Accuracy | Reason
    worst: Figure | Reason
    surest: Surest | Reason
    risk: Risk | Reason
    beside: Distributions | Reason
    queries: Queries | Reason
    classes: int | Reason
    exact: bool  # the people of a class are told apart, and their sensitive values are published together
    tied: int  # classes that share the first place, as far as that is told
    small: int  # classes of fewer people than `fewer`
    fewer: int
    refused: str  # why it has no file; nothing where it has one
    left_out: str  # how many records it leaves out, in words; nothing where it has all


class PublishedPoint(TypedDict):
    """A point of the frontier: its recipe, its figures and sentences, and its release if that can be opened."""

    recipe: str
    line: str
    settings: dict[str, Any]  # of the recipe, as a study has them
    values: dict[str, float | str]  # by the measure's key; infinity is "inf"
    reasons: dict[str, str]  # of measures without a value
    intervals: dict[str, list[float]]  # where figures lie in most tries, as `Results.intervals` says
    sentences: dict[str, str]
    baseline: bool
    drawn: bool  # at random: another release of the same recipe would tell more
    efficient: bool
    promise: str
    also: str  # what else has to be known of it, in sentences
    brief: str  # the promise without an example of what it allows
    allows: str  # that example
    title: str
    explain: str  # why it is efficient, or what dominates it
    simple: bool  # its promise is among the easiest to explain
    against: list[str]  # why it is not recommended; empty where it may be
    opened: Details | None


class ClassRow(TypedDict):
    """One class of a release: who they are, how many, how exposed, and what is believed of them."""

    who: str
    labels: list[str | None]  # of the quasi-identifiers; None is any value
    people: int | None  # None: fewer than `fewer`
    small: bool
    fewer: int
    fewest: float  # how exposed at least, as `Results.exposure` says
    share: float  # at most
    sensitive: str | None
    value: str | None
    prior: float | None
    posterior: float | None
    sentence: str | None


# --- the whole


class Together(TypedDict):
    """What all files and tables of classes tell together."""

    files: int
    joined: bool  # records can be found again by their neutral columns
    certain: int | None  # people whose value is certain
    alone: int | None  # the same from one release at a time
    sentence: str
    of_files: str  # the same of the files alone
    noise: str  # what the epsilons of the files add up to; nothing where they don't


class Results(TypedDict):
    """results.json: all that is published of a study but its classes, populations and released files."""

    format: int
    edition: str  # another one each time that the study is published
    workbench: str
    versions: dict[str, str]
    published: str  # the day
    study: str
    smallest: int
    table: TableSummary
    wording: Words
    measures: list[MeasureWords]
    axes: Axes
    exposure: str  # what the exposure of a class is a share of
    cap: float  # where the slider stands at first
    limit: Limit | None
    others: str  # what is said of points that were left out
    intervals: str  # what the intervals of points are; nothing where there are none
    points: list[PublishedPoint]
    carried: list[int]  # points whose released files are in the folder
    together: Together
    beside: str  # whose value is certain to who also knows the neutral columns
