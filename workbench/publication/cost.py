"""Sentences about the cost of a release: wrong counts, suppressed records, and an equally accurate sample."""

from __future__ import annotations

import math

from workbench.base.figures import format_number, format_upper_percent, format_whole_percent
from workbench.publication.published_folder import Published
from workbench.publication.published_types import PopulationRow

NOISE = 1e-6  # per cent
REMOVED = "remove"  # the recipe of the baseline without quasi-identifiers


def cost(study: Published, index: int) -> dict[str, str]:
    """Return the card of the cost in accuracy, by the utility measure of the chart, and in the worst group."""
    found, title = study.opened(index)["accuracy"], "What it costs in accuracy"
    wording, unit = study.wording, study.utility
    worst = _misjudged(found["worst"], study) if "reason" not in found and found["worst"] else ""
    if "reason" in found or found["wrong"] is None or found["key"] != unit["key"]:
        own = format_number(abs(study.loss(index, unit)), unit["better"])
        units = f"Unit: {unit['unit']}; {unit['better']} is better."
        sentence = " ".join(filter(None, [left_out(study, index), units, yardstick(study, index)]))
        return {"title": title, "figure": own, "unit": unit["name"], "sentence": sentence, "worst": worst}
    name, weighted = wording.column(found["sensitive"]), study.results["table"]["weighted"]
    large = f"at least {100 * found['support']:g} % of {wording.everybody}{', weighted' * weighted}"
    average = "weighted average" if weighted else "average"
    estimated = "This is estimated from some of these groups." if found["estimated"] else ""
    wrong = format_whole_percent(found["wrong"], "lower") if found["counted"] else format_upper_percent(found["wrong"])
    average += " (rounded up)" * bool(found["counted"] and found["wrong"])
    most = "" if found["most"] is None else f"; in the worst group {format_upper_percent(found['most'])}"
    return {
        "title": title,
        "figure": f"{wrong[:1].upper()}{wrong[1:]}",
        "unit": f"of the {wording.many} in a large group are counted with the wrong {name}, on {average}{most}",
        "sentence": " ".join(
            filter(
                None,
                [yardstick(study, index), f"Large: {large}.", sample(study, index), estimated, left_out(study, index)],
            )
        ),
        "worst": worst,
    }


def yardstick(study: Published, index: int) -> str:
    """Return the published cost as a share of the cost of removing all quasi-identifiers; empty if unknown.

    A small cost is rounded up by more than a large one, so the exact share may be much smaller.
    """
    unit = study.utility
    removed = next((i for i, one in enumerate(study.points) if one["recipe"] == REMOVED), None)
    if removed is None or unit["better"] == "higher":
        return ""
    whole, own = study.loss(removed, unit), study.loss(index, unit)
    if not (0 < whole < math.inf and math.isfinite(own)):
        return ""
    share = format_whole_percent(min(own / whole, 1.0))
    most = f"Up to about {share}" if share[0] in "123456789" else share.capitalize()  # not "about under 1 %"
    return f"{most} of the cost of publishing no quasi-identifiers."


def left_out(study: Published, index: int) -> str:
    """Return the number of suppressed records in a sentence; empty if there are none."""
    suppressed = study.opened(index)["left_out"]
    return f"{suppressed[:1].upper()}{suppressed[1:]} are suppressed." if suppressed else ""


def sample(study: Published, index: int) -> str:
    """Return the random sample that is as accurate about large groups; empty if that is not published."""
    found = study.opened(index)["accuracy"]
    if "reason" in found or found["sample"] is None:
        return ""
    if found["sample"] == 1:
        return "The release is as accurate about them as the original."
    return (
        "The release is at least as accurate about them as the true records of a random "
        f"{format_number(100 * found['sample'])} %."
    )


def example(study: Published, index: int) -> str:
    """Describe the error of one share in most large groups; empty if no example is available."""
    found, wording = study.opened(index)["accuracy"], study.wording
    weighted = study.results["table"]["weighted"]
    if "reason" in found or not found["example"]:
        return ""
    one = found["example"]
    points = math.ceil(100 * one["off"] - NOISE)
    low, high = max(one["about"] - one["off"], 0.0), min(one["about"] + one["off"], 1.0)
    return (
        f"A true {100 * one['about']:g} % may appear as {format_whole_percent(low)[:-2]} to "
        f"{format_whole_percent(high)}: where "
        f"{100 * one['low']:g} to {100 * one['high']:g} % of a large group have the same "
        f"{wording.column(found['sensitive'])}, the release is off by up to "
        f"{points} percentage {'point' if points == 1 else 'points'} in nine cases out of ten. (Large: at least "
        f"{100 * one['support']:g} % of {wording.everybody}{'; all shares weighted' if weighted else ''}.)"
    )


def _misjudged(row: PopulationRow, study: Published) -> str:
    """Return a sentence about a large group that the release is wrong about."""
    truth, released = format_whole_percent(row["truth"]), format_whole_percent(row["told"])
    have = f"about {truth} of the {study.wording.many} with {row['who']} have {row['value']}"
    weighted = " (weighted)" if study.results["table"]["weighted"] else ""
    return f"For example, {have}; by the release, about {released}{weighted}."
