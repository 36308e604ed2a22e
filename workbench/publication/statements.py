"""What is said of a published release in words: what may be learnt, what that costs, to whom what is certain."""

from __future__ import annotations

import math

from workbench.base.figures import about_per_cent, figures, listed
from workbench.publication.format import ClassRow, PopulationRow
from workbench.publication.offer import Offer
from workbench.publication.reader import Published
from workbench.releases.scale import Scale

Card = dict[str, str]  # a figure, its unit, the sentence that says what it is; perhaps one more


# --- the limit


def scale(study: Offer, cap: float | None) -> str:
    """What a cap means."""
    axis = study.privacy
    if cap is None:
        return "no limit"
    if example := axis["scale"]:
        known = Scale(example["column"], example["value"], example["share"], tuple(example["costs"]))
        return known.allows(cap, study.wording)
    bound = "at least" if axis["better"] == "higher" else "at most"
    return f"{bound} {figures(cap, axis['better'])} on {axis['name']} ({axis['unit']})"


def question(study: Published) -> str:
    """What the slider asks."""
    whom = ", on average" if study.privacy["average"] else f" about any one {study.wording.one}"
    return f"How much may be learnt{whom}?"


def limit(study: Offer) -> str:
    """What is to be said of the study's own limit: nothing where there is none, or a release keeps to it."""
    found = study.results["limit"]
    if not found or found["kept"]:
        return ""
    axis, bound = study.privacy, "at least" if study.privacy["better"] == "higher" else "at most"
    allowed = f" ({scale(study, found['safest'])})" if axis["scale"] else ""
    return (
        f"No release keeps to the study's own limit of {bound} {figures(found['asked'])} on {axis['name']}; "
        f"the safest reaches {figures(found['safest'], axis['better'])}{allowed}."
    )


# --- whether to


def unsafe(study: Published, index: int) -> str:
    """What speaks against a release; nothing where it may be recommended."""
    found = study.points[index]["against"]
    return f"Not recommended: {listed(found)}." if found else ""


def none_safe(study: Published, cap: float | None) -> str:
    """That no release may be recommended, where that is so."""
    if study.best(cap, study.safe) is not None:
        return ""
    if study.safe:
        return "No release that keeps to this limit is safe enough to be recommended."
    return (
        "No release of this study is safe enough to be recommended: ask for larger groups or stronger models, or "
        "publish fewer columns."
    )


# --- what may be learnt, and what that costs


def about(study: Published) -> str:
    """Whom the table is about, what an attacker may know of them, and what should not be learnt."""
    table, wording = study.results["table"], study.wording
    counted = wording.people(table["records"], study.smallest)
    sensitive = wording.columns([one["name"] for one in table["sensitive"]]) if table["sensitive"] else "nothing named"
    return (
        f"{counted[:1].upper()}{counted[1:]}. An attacker may know: {wording.columns(table['quasi'])}. "
        f"Not to be learnt: {sensitive}."
    )


def surest(study: Published, index: int) -> Card:
    """What may be learnt at most: of how many a value is certain, and the surest guess."""
    sure, axis = study.opened(index)["surest"], study.privacy
    if "figure" in sure:
        return {
            "title": "What may be learnt at most",
            "figure": sure["figure"],
            "unit": sure["unit"],
            "sentence": sure["sentence"],
        }
    title = "What may be learnt, on average" if axis["average"] else "What may be learnt at most"
    own, sentence = figures(abs(study.loss(index, axis)), axis["better"]), f"In units of: {axis['unit']}."
    return {"title": title, "figure": own, "unit": axis["name"], "sentence": sentence}


def most_exposed(study: Published, index: int) -> Card:
    """Whom it hurts: how far belief moves in the group that is worst off, and who they are."""
    found = study.opened(index)["worst"]
    if "reason" in found:
        return {"title": "Whom it hurts most", "figure": "Not told", "unit": found["reason"], "sentence": ""}
    return {
        "title": "Whom it hurts most",
        "figure": found["figure"],
        "unit": found["unit"],
        "sentence": found["sentence"],
    }


def learnt(study: Published, index: int) -> Card:
    """How often an attacker would guess right on average, and how often without the release."""
    found, axis, title = study.opened(index)["attack"], study.privacy, "What an attacker learns on average"
    if "reason" in found:
        title = title if axis["average"] else "What an attacker learns"
        own = figures(abs(study.loss(index, axis)), axis["better"])
        return {"title": title, "figure": own, "unit": axis["name"], "sentence": f"In units of: {axis['unit']}."}
    right, chance, name = found["right"], found["chance"], study.wording.column(found["sensitive"])
    instead = f"instead of {about_per_cent(chance)}" if right - chance >= 0.0005 else "as without the release"
    return {
        "title": title,
        "figure": about_per_cent(right, "lower"),
        "unit": f"of guesses of the {name} are right on average, {instead}",
        "sentence": f"An attacker who has the release guesses the {name} right for {math.ceil(round(1000 * right, 9))} "
        f"{study.wording.many} in 1,000; without it, for {1000 * chance:.0f}, by always saying {found['commonest']}.",
    }


def guesses(study: Published, index: int) -> str:
    """The same as a sentence; nothing where there is nothing to guess."""
    return "" if "reason" in study.opened(index)["attack"] else learnt(study, index)["sentence"]


def cost(study: Published, index: int) -> Card:
    """What a researcher would get wrong, usually and at worst."""
    found, title, wording = study.opened(index)["accuracy"], "What it costs in accuracy", study.wording
    if "reason" in found:
        unit = study.utility
        own = figures(abs(study.loss(index, unit)), unit["better"])
        sentence = f"In units of: {unit['unit']}."
        return {"title": title, "figure": own, "unit": unit["name"], "sentence": sentence, "worst": ""}
    points = f"{100 * found['off']:.0f} {'point' if round(100 * found['off']) == 1 else 'points'}"
    near = f"{100 * found['low']:g} to {100 * found['high']:g} %"
    return {
        "title": title,
        "figure": f"± {points}",
        "unit": f"on shares of {near} (original: 0)",
        "sentence": f"Where {near} of a large group have the same {wording.column(found['sensitive'])}, the release "
        f"is off by up to {points.replace('point', 'percentage point')} in nine cases out of ten. "
        f"(Large: at least {100 * found['support']:g} % of {wording.everybody}.)",
        "worst": _misjudged(found["worst"]) if found["worst"] else "",
    }


def _misjudged(row: PopulationRow) -> str:
    """A large group that the release is wrong about, in a line."""
    truth, told = about_per_cent(row["truth"]), about_per_cent(row["told"])
    return f"At worst: {row['who']}, {row['value']}: {truth} in truth, {told} in the release."


# --- to whom what is certain


def attackers(study: Published, index: int) -> list[tuple[str, str]]:
    """Who may have what, and of whom a value is then certain: more for each."""
    sure, results, wording = study.opened(index)["surest"], study.results, study.wording
    if "certain" not in sure:
        return []
    quasi, neutral = wording.columns(results["table"]["quasi"]), wording.columns(results["table"]["neutral"])
    found = [(f"Who has this release and knows {quasi}", sure["certain"])]
    if results["beside"]:
        found.append(
            (f"Who has the most telling file, and also knows {wording.all_of_them} {neutral}", results["beside"])
        )
    together = results["together"]
    shown = {0: [], 1: ["the file"], 2: ["both files"]}.get(together["files"], [f"all {together['files']} files"])
    if isinstance(study.opened(index)["classes"], int):
        shown = [*shown, "all the tables that can be opened on this page"]
    again = f", and finds records again by their {neutral}" if together["joined"] else ""
    if shown:
        found.append((f"Who has {' and '.join(shown)}{again}", together["sentence"]))
    return found


def as_they_are(study: Offer) -> str:
    """Which columns are in every file as they are; nothing where there is none."""
    neutral = study.results["table"]["neutral"]
    if not neutral:
        return ""
    said = f"Published as they are: {study.wording.columns(neutral)}. The figures assume that no attacker knows these"
    beside = f"; who does is certain of {study.results['beside']}" if study.results["beside"] else ""
    return f"{said}{beside}."


# --- its classes


def groups(study: Published, index: int) -> str:
    """Into how many groups of people alike a release puts them."""
    classes, records = study.opened(index)["classes"], study.results["table"]["records"]
    if not isinstance(classes, int):
        return ""
    mean = f"about {figures(float(f'{records / classes:.2g}'))} on average"
    return f"{classes:,} {'group' if classes == 1 else 'groups'} of {study.wording.many} alike, {mean}"


def unlisted(study: Published, index: int) -> str:
    """Why the classes of a release are not listed; nothing where they are."""
    classes = study.opened(index)["classes"]
    return "" if isinstance(classes, int) else f"{classes['reason'][:1].upper()}{classes['reason'][1:]}."


def order(study: Published, index: int) -> str:
    """In what order the classes of a release are listed."""
    if unlisted(study, index):
        return ""
    detail = study.opened(index)
    few, fewer, every, tied = detail["small"], detail["fewer"], detail["classes"], detail["tied"]
    small = f"fewer than {fewer:,} {study.wording.many}"
    if few == every:
        return f"All are groups of {small}: the most exposed first, as far as that may be told."
    first = "The most exposed first"
    if tied > 1:
        first += f"; of the first {tied:,}, whose exposure may not be told apart, those of whom most is believed"
    are = "group of" if few == 1 else "groups of"
    return f"{first}. At the end {few:,} {are} {small}." if few else f"{first}."


def how_many(study: Published, row: ClassRow) -> str:
    """The people of one row of the table of classes."""
    count, wording = row["people"], study.wording
    return f"fewer than {row['fewer']:,} {wording.many}" if count is None else wording.people(count, study.smallest)


def how_exposed(row: ClassRow) -> str:
    """The exposure of one row of that table: what it may be at most."""
    return f"up to {about_per_cent(row['share'], 'lower')}"
