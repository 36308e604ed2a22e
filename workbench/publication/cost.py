"""What a release costs, in words: how many are counted wrongly, how many records are left out, what is as accurate."""

from __future__ import annotations

import math

from workbench.base.figures import about_per_cent, figures, up_to
from workbench.data.wording import Wording
from workbench.publication.reader import Published
from workbench.publication.shapes import PopulationRow

NOISE = 1e-6  # per cent


def cost(study: Published, index: int) -> dict[str, str]:
    """What a researcher would get wrong, by the measure that releases are compared by, and at worst."""
    found, title = study.opened(index)["accuracy"], "What it costs in accuracy"
    wording, unit = study.wording, study.utility
    worst = _misjudged(found["worst"], wording) if "reason" not in found and found["worst"] else ""
    if "reason" in found or found["wrong"] is None or found["key"] != unit["key"]:
        own = figures(abs(study.loss(index, unit)), unit["better"])
        sentence = f"{left_out(study, index)} In units of: {unit['unit']}; {unit['better']} is better.".strip()
        return {"title": title, "figure": own, "unit": unit["name"], "sentence": sentence, "worst": worst}
    name, large = wording.column(found["sensitive"]), f"at least {100 * found['support']:g} % of {wording.everybody}"
    estimated = "This is estimated from some of these groups." if found["estimated"] else ""
    wrong = about_per_cent(found["wrong"], "lower") if found["counted"] else up_to(found["wrong"])
    most = "" if found["most"] is None else f"; in the worst group {up_to(found['most'])}"
    return {
        "title": title,
        "figure": f"{wrong[:1].upper()}{wrong[1:]}",
        "unit": f"of the {wording.many} in a large group are counted under a wrong {name}, on average{most}",
        "sentence": " ".join(
            filter(None, [f"Large: {large}.", sample(study, index), estimated, left_out(study, index)])
        ),
        "worst": worst,
    }


def left_out(study: Published, index: int) -> str:
    """How many records a release leaves out; nothing where it has all."""
    gone = study.opened(index)["left_out"]
    return f"{gone[:1].upper()}{gone[1:]} are left out." if gone else ""


def sample(study: Published, index: int) -> str:
    """The random sample of the records that is as accurate about large groups; nothing where that is not told."""
    found = study.opened(index)["accuracy"]
    if "reason" in found or found["sample"] is None:
        return ""
    if found["sample"] == 1:
        return "Of them it tells as much as the original."
    return f"Of them it tells at least as much as the true records of a random {figures(100 * found['sample'])} %."


def example(study: Published, index: int) -> str:
    """How far one share may be off, in most large groups; nothing where none could serve as an example."""
    found, wording = study.opened(index)["accuracy"], study.wording
    if "reason" in found or not found["example"]:
        return ""
    one = found["example"]
    points = math.ceil(100 * one["off"] - NOISE)
    low, high = max(one["about"] - one["off"], 0.0), min(one["about"] + one["off"], 1.0)
    return (
        f"A true {100 * one['about']:g} % may appear as {about_per_cent(low)[:-2]} to {about_per_cent(high)}: where "
        f"{100 * one['low']:g} to {100 * one['high']:g} % of a large group have the same "
        f"{wording.column(found['sensitive'])}, the release is off by up to "
        f"{points} percentage {'point' if points == 1 else 'points'} in nine cases out of ten. (Large: at least "
        f"{100 * one['support']:g} % of {wording.everybody}.)"
    )


def _misjudged(row: PopulationRow, wording: Wording) -> str:
    """A large group that the release is wrong about, in a line."""
    truth, released = about_per_cent(row["truth"]), about_per_cent(row["told"])
    have = f"{truth} of the {wording.many} with {row['who']} have the {row['value']}"
    return f"For example, {have}; by the release, {released}."
