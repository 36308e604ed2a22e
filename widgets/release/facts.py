"""The content of the release card."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from widgets.base.part import with_controls
from workbench.base.errors import BadInput, Undefined
from workbench.base.figures import figures_next_to, format_interval, format_percent, join_names
from workbench.base.figures import format_number as as_figures
from workbench.data.table import Table
from workbench.disclosure.several_releases import describe_joint_budget
from workbench.frontier.frontier import SIDES, Frontier, relative_costs
from workbench.frontier.lower_bounds import bounded_support, compare_with_minimum
from workbench.frontier.recipe import Point, Recipe
from workbench.measures import Measure
from workbench.measures.privacy.accuracy_gain import AccuracyGain
from workbench.measures.utility.random_sample import describe_sample
from workbench.measures.utility.utility_loss import UtilityLoss
from workbench.releases.base import ADVERSARIES, OWN_CLASS, Release, recipient_notice


def sentences(
    point: Point | None,
    measures: Sequence[Measure],
    frontier: Frontier | None,
    table: Table | None = None,
    release: Release | None = None,
) -> dict[str, str]:
    """Return a sentence about each loss, the random sample that loses as much, and the distance from the bound."""
    if point is None:
        return {}
    texts = {}
    for side, key in _axes(measures, frontier).items():
        reason = with_controls(f"{key} is undefined: {point.reasons[key]}") if key in point.reasons else ""
        texts[side] = point.sentences.get(key, reason)
        lost = next((one for one in measures if one.key == key and isinstance(one, UtilityLoss)), None)
        if table is not None and table.weight is None and lost is not None and key in point.values:
            texts[side] += f" {describe_sample(table, lost, point.values[key])}"
    if release is not None and not release.about.is_truthful:
        texts["privacy"] += f" {_accuracy_of_guesses(release)}"
    if yardstick := _share_of_removal(point, frontier):
        texts["utility"] += f" {yardstick}"
    if release is not None and (text := distance_from_bound(point, release, measures, frontier)):
        texts["utility"] += f" {text}"
    if "privacy" in texts and (text := point.recipe.small_classes):
        texts["privacy"] += f" {text[:1].upper()}{text[1:]}; combine it with k-anonymity."
    return texts


def _share_of_removal(point: Point, frontier: Frontier | None) -> str:
    """Describe the loss as a share of that without quasi-identifiers; empty if unknown."""
    if frontier is None or not (frontier.privacy and frontier.utility) or point.recipe.baseline:
        return ""
    ends = [one for one in frontier.measured if one.recipe.baseline]
    share = relative_costs(replace(frontier, measured=[point, *ends], numbers=()))[0]
    return "" if share is None else f"That is {format_percent(share)} of the loss of publishing no quasi-identifiers."


def why_not_recommended(point: Point | None, frontier: Frontier | None) -> str:
    """Explain why the release is never recommended; empty without a reason."""
    there = () if point is None or frontier is None else frontier.measured
    found = next((one.against for one in there if point is not None and one.recipe == point.recipe), ())
    return f"Not recommended: {join_names(found)}." if found else ""


def _accuracy_of_guesses(release: Release) -> str:
    """Describe how often guesses are right after swapping: losses are about beliefs, which may then be wrong."""
    sentence = AccuracyGain()(release).sentence
    return (
        f"These figures describe an attacker's beliefs. Compared with the truth: {sentence[:1].lower()}{sentence[1:]}"
    )


def distance_from_bound(point: Point, release: Release, measures: Sequence[Measure], frontier: Frontier | None) -> str:
    """Describe the utility loss as a multiple of the certified bound, once that is known."""
    by_key, drawn = {one.key: one for one in measures}, _axes(measures, frontier)
    privacy, utility = (drawn[side] for side in SIDES)
    if point.recipe.method.draws or not {privacy, utility} <= set(point.values):
        return ""
    support = bounded_support(by_key[privacy], by_key[utility])
    if support is None:
        return ""
    return compare_with_minimum(release, point.values[privacy], point.values[utility], support)


def figures(point: Point | None, measures: Sequence[Measure], frontier: Frontier | None) -> list[dict[str, Any]]:
    """Return a row for each measure."""
    if point is None:
        return []
    drawn = set(_axes(measures, frontier).values())
    return [
        {
            "key": one.key,
            "name": one.name,
            "side": one.side,
            "unit": one.unit,
            "better": one.better,
            "value": point.values.get(one.key),
            "interval": format_interval(point.intervals.get(one.key)),
            "reason": with_controls(point.reasons.get(one.key, "")),
            "sentence": point.sentences.get(one.key, ""),
            "axis": one.key in drawn,
        }
        for one in sorted(measures, key=lambda one: SIDES.index(one.side))
    ]


def verdict(
    point: Point | None,
    measures: Sequence[Measure],
    frontier: Frontier | None,
    caps: Mapping[str, float],
) -> str:
    """Describe whether the release satisfies the caps, and whether the interval leaves that open."""
    drawn = _axes(measures, frontier).values()
    capped = [one for one in measures if one.key in drawn and one.key in caps]
    if point is None or not capped or any(one.key not in point.values for one in capped):
        return ""
    parts, satisfied, sure = [], True, True
    for one in capped:
        value, cap, sign = point.values[one.key], caps[one.key], 1 if one.better == "lower" else -1
        interval = point.intervals.get(one.key) or (value, value)
        within = sign * value <= sign * cap
        satisfied, sure = satisfied and within, sure and all((sign * end <= sign * cap) == within for end in interval)
        bound = "most" if sign > 0 else "least"
        parts.append(f"{one.name} {figures_next_to(value, cap)} of at {bound} {as_figures(cap)} ({one.unit})")
    doubt = "" if sure else " An interval extends beyond a cap, so this is uncertain."
    return f"{'Accepted' if satisfied else 'Not accepted'}: {'; '.join(parts)}.{doubt}"


def chosen(recipe: Recipe, table: Table) -> str:
    """Describe the values that a method chose for settings that are None."""
    own, found = recipe.method, recipe.method.chosen(table, recipe.model, recipe.seed)
    told = [
        f"{name} = {as_figures(value)}"
        for name, value in found.settings().items()
        if getattr(own, name) is None and value is not None
    ]
    return f"{join_names(told)}, chosen by sampling" if told else ""


def pooled(release: Release, measures: Sequence[Measure], frontier: Frontier | None) -> str:
    """Compare an attacker who pools all covering classes with one who knows the class."""
    drawn = _axes(measures, frontier)["privacy"]
    asked: list[Any] = [one for one in measures if getattr(one, "adversary", "") == OWN_CLASS and one.side == "privacy"]
    if not asked:
        return ""
    own = next((one for one in asked if one.key == drawn), asked[0])
    try:
        found = [replace(own, adversary=one).measure(release).value for one in ADVERSARIES]
    except Undefined as reason:
        return f"Classes overlap. The loss to an attacker who pools all covering classes is undefined: {reason}"
    by_class, by_all = (as_figures(value) for value in found)
    return (
        f"Classes overlap. An attacker with a person's quasi-identifiers who knows the class has {own.key} "
        f"{by_class}; one who does not, and pools all classes that cover the person, has {by_all}."
    )


def joint_disclosure(point: Point, release: Release, measures: Sequence[Measure], frontier: Frontier | None) -> str:
    """Describe what overlapping classes reveal jointly, and the total epsilon of all releases with noise."""
    if point.recipe.method.overlapping:
        return pooled(release, measures, frontier)
    if not point.recipe.method.draws:
        return ""
    published = [] if frontier is None else [one.recipe for one in frontier.measured if one.values]
    every = dict.fromkeys([*published, point.recipe])
    return describe_joint_budget(release.table, [recipe.method for recipe in every], "releases of this study")


def _axes(measures: Sequence[Measure], frontier: Frontier | None) -> dict[str, str]:
    """Return the measure of each side for the sentences: that of the axis, else the first."""
    measured = {measure.key for measure in measures}
    firsts = {side: next((one.key for one in measures if one.side == side), "") for side in SIDES}
    drawn = {side: str(getattr(frontier, side, None)) for side in SIDES}
    return {side: drawn[side] if drawn[side] in measured else firsts[side] for side in SIDES}


def neutral(release: Release | None) -> str:
    """Describe what neutral columns disclose together with the release."""
    try:
        return release.side_information_risk().sentence if release is not None and release.neutral else ""
    except BadInput as reason:  # the records are not in memory
        return f"{with_controls(reason)}."


def compute_texts(point: Point, release: Release, measures: Sequence[Measure]) -> None:
    """Compute the slow parts of the texts, which are then cached."""
    neutral(release)
    sentences(point, measures, None, release.table)


def describe_classes(release: Release | None) -> str:
    """Describe the classes of a release."""
    if release is None:
        return ""
    try:
        sizes = release.classes.sizes
    except Undefined:
        return f"{release.table.records:,} records, without classes"
    text = f"{sizes.sum():,} records in "
    text += "one class" if len(sizes) == 1 else f"{len(sizes):,} classes of {sizes.min():,} to {sizes.max():,}"
    gone = release.suppressed
    return f"{text}; {gone:,} ({format_percent(gone / release.table.records)}) suppressed" if gone else text


def _without_model(recipe: Recipe) -> str:
    """Return the title of a release without a model."""
    return recipe.method.name if recipe.guarantee else "no model"


def _with_intervals(point: Point | None, frontier: Frontier | None) -> Point | None:
    """Return the point with its intervals on the frontier, if it has any."""
    there = () if point is None or frontier is None else frontier.measured
    known = next((one.intervals for one in there if point is not None and one.recipe == point.recipe), None)
    return replace(point, intervals=known) if point is not None and known else point


def card_content(
    point: Point | None,
    release: Release | None,
    measures: Sequence[Measure],
    frontier: Frontier | None,
    table: Table | None,
    caps: Mapping[str, float],
) -> dict[str, Any]:
    """Return the content of the release card."""
    recipe, point = point.recipe if point else None, _with_intervals(point, frontier)
    return {
        "recipe": str(recipe) if recipe else "",
        "model": str(recipe.model or _without_model(recipe)) if recipe else "",
        "guarantee": release.about.guarantee if release is not None else "",
        "caution": recipient_notice(release) if release is not None else "",
        "notices": list(release.about.notices) if release is not None else [],
        "method": str(recipe.method) if recipe else "",
        "chosen": chosen(recipe, table) if recipe and table else "",
        "classes": describe_classes(release),
        "sentences": sentences(point, measures, frontier, table, release),
        "verdict": " ".join(
            filter(None, [verdict(point, measures, frontier, caps), why_not_recommended(point, frontier)])
        ),
        "neutral": neutral(release),
        "figures": figures(point, measures, frontier),
        "baseline": bool(recipe and recipe.baseline),
    }
