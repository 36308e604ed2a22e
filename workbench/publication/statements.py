"""What is said of a published release in words: what may be learnt, what that costs, to whom what is certain."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from workbench.base.figures import about_per_cent, estimated, figures, join_names
from workbench.publication.offer import OFFERED, Offer
from workbench.publication.reader import Published
from workbench.publication.shapes import Details, MeasureWords, PublishedPoint
from workbench.releases.scale import Scale

NOISE = 1e-6  # per cent
NAMED = 2  # recipes that a sentence names
Card = dict[str, str]  # a figure, its unit, the sentence that says what it is; perhaps one more


# --- the limit


def scale(study: Offer, cap: float | None) -> str:
    """What a cap means."""
    axis = study.privacy
    if cap is None:
        return "no limit"
    if example := axis["scale"]:
        return Scale(**example).allows(cap, study.wording)
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
    return f"Not recommended: {join_names(found)}." if found else ""


def rule(study: Published, index: int, cap: float | None) -> str:
    """What a version's own promise allows, as an example; nothing where it gives none, or the limit says the same."""
    example = study.points[index]["allows"]
    if not example or (study.set_by_hand(cap) and example == scale(study, cap)):
        return ""
    return f"This version’s own rule: {example}."


def holds(study: Published, index: int) -> str:
    """Against whom the promise of a release holds that is about values in groups; nothing where it is about none."""
    table, wording = study.results["table"], study.wording
    if not table["sensitive"] or not study.points[index]["settings"]["model"]:
        return ""
    names = wording.columns([one["name"] for one in table["sensitive"]], "or")
    return (
        f"What this version promises holds against an attacker who knows {wording.all_of_them} "
        f"{wording.columns(table['quasi'])}, and looks at each group by itself. One who learns from all groups "
        f"together may be surer of the {names}."
    )


def beside(study: Published, index: int, first: int) -> str:
    """How a version compares with the one that is shown first, on the two measures that versions are compared by.

    Who is exposed most may be safer where more is guessed right of all, so it is said of whom that is told.
    """
    safer, more_accurate = (
        study.loss(index, axis) - study.loss(first, axis) for axis in (study.privacy, study.utility)
    )
    whom = "on average" if study.privacy["average"] else f"for the {study.wording.one} exposed most"
    safe = _compared(safer, "Safer", "Less safe", "As safe")
    accurate = _compared(more_accurate, "more accurate", "less accurate", "as accurate")
    return f"{safe} {whom}, and {accurate}. {_yet_guessed(study, index, first, safer)}".strip()


def _compared(loss: float, less: str, more: str, same: str) -> str:
    return less if loss < 0 else more if loss > 0 else same


def _yet_guessed(study: Published, index: int, first: int, safer: float) -> str:
    """That guesses are right more often where the loss is less, or the other way round; nothing where both agree."""
    own, other = study.opened(index)["attack"], study.opened(first)["attack"]
    if "reason" in own or "reason" in other:
        return ""
    right, beside = (_in_1000(one["right"], "lower") for one in (own, other))
    if not safer * (right - beside) < 0:
        return ""
    often, name = "more" if right > beside else "less", study.wording.column(own["sensitive"])
    return (
        f"Yet over all {study.wording.many} the {name} is guessed right {often} often: for {right} in 1,000, "
        f"not {beside}."
    )


def none_safe(study: Published, cap: float | None) -> str:
    """That no release may be recommended, where that is so."""
    if study.best(cap, study.safe) is not None:
        return ""
    if study.safe:
        return "No release that keeps to this limit is safe enough to be recommended."
    own = [point["drawn"] for point in study.points if not point["baseline"]]
    ask = [*["larger groups", "stronger models"] * (not all(own)), *["more noise"] * any(own)]
    return (
        f"No release of this study is safe enough to be recommended: ask for {join_names(ask, 'or')}, or publish fewer "
        "columns."
    )


def more_accurate(study: Published, index: int, cap: float | None) -> str:
    """How many releases are more accurate and keep to the limit too, and why none of them is shown; perhaps nothing."""
    own = study.loss(index, study.utility)
    found = [
        i
        for i, point in enumerate(study.points)
        if point["against"]
        and not point["baseline"]  # the table itself is no release
        and study.loss(i, study.utility) < own
        and study.best(cap, [i]) is not None
    ]
    if not found:
        return ""
    count = "One more accurate release keeps" if len(found) == 1 else f"{len(found):,} more accurate releases keep"
    which = "of it" if len(found) == 1 else "of the most accurate of them"
    why = join_names(study.points[min(found, key=lambda i: study.loss(i, study.utility))]["against"])
    return f"{count} to the limit, but may not be recommended; {which} must be said: {why}."


def ends(study: Published) -> list[str]:
    """What the ends of the chart stand for, on the side of privacy."""
    if study.privacy["average"]:
        return ["nothing is learnt", "everything is learnt"]
    example, wording = study.privacy["scale"], study.wording
    shown = [i for i, point in enumerate(study.points) if point["opened"]]
    losses = [study.loss(i, study.privacy) for i, point in enumerate(study.points) if not point["baseline"]]
    far = max((loss for loss in losses if not math.isnan(loss)), default=math.inf)
    certain = example is None or far >= example["dearest"] - NOISE or any(_certain(study.opened(i)) for i in shown)
    may = f"some {wording.one} may be certain" if wording.many != "people" else "somebody may be certain"
    return [f"{wording.nobody} stands out", may if certain else "more may be learnt"]


# --- what may be learnt, and what that costs


def about(study: Published) -> str:
    """Whom the table is about, what an attacker may know of them, and what should not be learnt."""
    table, wording, counted = study.results["table"], study.wording, everybody(study)
    sensitive = wording.columns([one["name"] for one in table["sensitive"]]) if table["sensitive"] else "nothing named"
    return (
        f"{counted[:1].upper()}{counted[1:]}. An attacker may know: {wording.columns(table['quasi'])}. "
        f"Not to be learnt: {sensitive}.{_stars(study)}"
    )


def everybody(study: Published) -> str:
    """How many records there are, and of how many they are a sample, if they are one."""
    table, wording = study.results["table"], study.wording
    counted = wording.people(table["records"], study.smallest)
    drawn = f", a random sample of {wording.people(table['sample_of'], study.smallest)}" if table["sample_of"] else ""
    return f"{counted}{drawn}"


def _stars(study: Published) -> str:
    """What a code that ends with a star stands for, where a sensitive value is one."""
    labels = [one["label"] for column in study.results["table"]["sensitive"] for one in column["values"]]
    found = next((label for label in labels if re.fullmatch(r"\w+\*", label)), "")
    return f" {found} stands for all that begin with {found[:-1]}." if found else ""


def learnt(study: Published, index: int) -> Card:
    """What may be learnt: of how many a value is certain; if of nobody's, how often an attacker would guess right.

    Figure and unit stand in the index of a batch too, so they quote no value of the data.
    """
    sure, found, axis = study.opened(index)["surest"], study.opened(index)["attack"], study.privacy
    title = f"What may be learnt{', on average' if axis['average'] else ''}"
    known = "" if "reason" in sure else sure["sentence"]
    if "reason" not in sure and sure["figure"]:
        return {"title": title, "figure": sure["figure"], "unit": sure["unit"], "sentence": guesses(study, index)}
    if "reason" in found:
        own = figures(abs(study.loss(index, axis)), axis["better"])
        unit = f"In units of: {axis['unit']}; {axis['better']} is better."
        return {"title": title, "figure": own, "unit": axis["name"], "sentence": f"{unit} {known}".strip()}
    name, many = study.wording.column(found["sensitive"]), study.wording.many
    right = f"{_in_1000(found['right'], 'lower')} in 1,000"
    unit = f"{many} have their {name} guessed right; without the release, {_in_1000(found['chance'])}"
    of = f" of the {name}" if len(study.results["table"]["sensitive"]) > 1 else ""
    usual = f"Without the release, the best guess{of} is always {found['commonest']}."
    return {"title": title, "figure": right, "unit": unit, "sentence": f"{known} {usual}".strip()}


def with_interval(point: PublishedPoint, measure: MeasureWords) -> str:
    """The figure of a point, with the interval that is told of it."""
    ends, key = point["intervals"].get(measure["key"]), measure["key"]
    return figures(float(point["values"][key]), measure["better"]) + estimated((ends[0], ends[1]) if ends else None)


def tries(study: Offer, index: int) -> str:
    """Where the figures of a release lie that has intervals; nothing where it has none."""
    point = study.points[index]
    found = [
        f"{one['name']} {with_interval(point, one)}"
        for one in study.results["measures"]
        if one["key"] in point["intervals"]
    ]
    told = join_names(found)
    return f"{told[:1].upper()}{told[1:]}. {study.results['intervals']}" if found else ""


def guesses(study: Published, index: int) -> str:
    """How often an attacker guesses right, and how often without the release; nothing where nothing is."""
    found = study.opened(index)["attack"]
    if "reason" in found:
        return ""
    right, name = _in_1000(found["right"], "lower"), study.wording.column(found["sensitive"])
    return (
        f"An attacker guesses the {name} right for {right} {study.wording.many} in 1,000; "
        f"without the release, for {_in_1000(found['chance'])}, by always saying {found['commonest']}."
    )


def _in_1000(share: float, better: str = "") -> int:
    """Of 1,000; up where lower is better."""
    return math.ceil(round(1000 * share, 9)) if better else round(1000 * share)


def most_exposed(study: Published, index: int, cap: float | None = None) -> Card:
    """Whom it exposes: how far belief moves in the group that is worst off, what a limit allows, and who they are."""
    found, tied, title = study.opened(index)["worst"], study.opened(index)["tied"], "Whom it exposes most"
    if "reason" in found:
        return {"title": title, "figure": "Not told", "unit": found["reason"], "sentence": ""}
    alike = f"{tied:,} groups may be equally exposed; this is one of them. " if tied > 1 and found["sentence"] else ""
    unit, example = found["unit"], found["allowed"]
    if example and cap is not None and study.set_by_hand(cap):
        have, semicolon, usual = unit.rpartition("; of ")
        unit = f"{have} (the limit for this value: {about_per_cent(Scale(**example).most(cap))}){semicolon}{usual}"
    return {"title": title, "figure": found["figure"], "unit": unit, "sentence": f"{alike}{found['sentence']}"}


# --- to whom what is certain


def attackers(study: Published, index: int, cap: float | None) -> list[tuple[str, str]]:
    """Who may have what, and of whom a value is then certain: more for each."""
    sure, results, wording = study.opened(index)["surest"], study.results, study.wording
    if "certain" not in sure:
        return []
    quasi, neutral = wording.columns(results["table"]["quasi"]), wording.columns(results["table"]["neutral"])
    found = [(f"Anyone with this release who knows {quasi}", sure["certain"])]
    if results["beside"]:
        found.append(
            (
                f"Anyone with the file that discloses most who also knows {wording.all_of_them} {neutral}",
                results["beside"],
            )
        )
    again = f" who links records by their {neutral}" if results["together"]["joined"] else ""
    files = _files(study, cap) if results["carried"] else ""
    tables = "all the tables that can be opened on this page"
    listed, together = isinstance(study.opened(index)["classes"], int), results["together"]
    if files and (not listed or together["of_files"] != together["sentence"]):
        found.append((f"Anyone with {files}{again}", together["of_files"]))
    if listed:
        found.append(
            (f"Anyone with {join_names([*filter(None, [files]), tables])}{again}", results["together"]["sentence"])
        )
    return found


def _files(study: Offer, cap: float | None) -> str:
    """The files that the folder has, and what the versions that they are of are called."""
    carried = study.results["carried"]
    many = {1: "the file", 2: "both files"}.get(len(carried), f"all {len(carried)} files")
    return many if len(carried) == 1 else f"{many}{_called(study, carried, cap)}"


def _called(study: Offer, versions: Sequence[int], cap: float | None) -> str:
    """What versions are called where the page opens, if each has a name: elsewhere others are called so."""
    if cap != study.results["cap"]:
        return ""
    called = {**OFFERED, **({} if study.results["limit"] else {"recommended": "our suggestion"})}
    offered = study.offered(study.results["cap"])
    names = [f"‘{called[roles[0]].capitalize()}’" for i, roles in offered.items() if i in versions]
    return f" ({join_names(names)})" if len(names) == len(versions) else ""


def alone(study: Offer, index: int, cap: float | None) -> str:
    """That one version is published and no more: of whom a value is certain to who also gets the others, and what
    their noise adds up to."""
    carried = index in study.results["carried"]
    return " ".join(filter(None, [_alone(study, index, cap), study.results["together"]["noise"] if carried else ""]))


def _alone(study: Offer, index: int, cap: float | None) -> str:
    together, carried = study.results["together"], study.results["carried"]
    others = [i for i in carried if i != index]
    only, also, other = ("this file", " also", "other ") if index in carried else ("one file", "", "")
    if not together["certain"]:
        return "Publish one version only: several together tell more than each does." if others else ""
    files = f"{other}file" if len(others) == 1 else f"{len(others)} {other}files"
    had = [f"the {files} offered where this page opens{_called(study, others, cap)}"] * bool(others)
    if isinstance(study.opened(index)["classes"], int):
        had.append("the tables of this page")
    if not carried:
        return (
            "Share this page only with decision makers: "
            f"anyone with its tables can be certain of {together['sentence']}."
        )
    telling = [point["recipe"] for point in study.points if point["opened"] and _certain(point["opened"])]
    if telling and not _certain_of_files(study):
        which = "one table" if len(telling) == 1 else f"{len(telling)} tables"
        named = f" ({'; '.join(telling)})" if len(telling) <= NAMED else ""
        many = len(carried)
        files = "The file shows" if many == 1 else f"The {many} files offered here together show"
        return (
            f"Publish only {only}, and do not pass this page on: {which} that can be opened on it{named} "
            f"{'shows' if len(telling) == 1 else 'show'} {together['sentence']}. {files} {together['of_files']}."
        )
    return f"Publish only {only}. Anyone who{also} gets {' and '.join(had)} can be certain of {together['sentence']}."


def _certain(found: Details) -> bool:
    """Whether the table of a release makes a value certain by itself."""
    return isinstance(found["classes"], int) and "reason" not in found["surest"] and bool(found["surest"]["figure"])


def _certain_of_files(study: Offer) -> bool:
    """Whether the files together make a value certain."""
    return not study.results["together"]["of_files"].startswith(study.wording.nobody)


def as_they_are(study: Offer) -> str:
    """Which columns are in every file as they are; nothing where there is none."""
    neutral = study.results["table"]["neutral"]
    if not neutral:
        return ""
    named = study.wording.columns(neutral)
    text = f"Neutral (published unchanged): {named}. The figures assume that no attacker knows these"
    beside = f"; an attacker who does can be certain of {study.results['beside']}" if study.results["beside"] else ""
    return f"{text}{beside}."


# --- its queries


def asked(study: Published, index: int) -> tuple[list[tuple[str, str]], str]:
    """The queries that the study names, each with what a user of the release would find, and what to say of others."""
    found = study.opened(index)["queries"]
    if "reason" in found:
        return [], f"The answers to the study's queries are not told: {found['reason']}."
    count, more = found["hidden"], " more" if found["rows"] else ""
    queries = "1 query" if count == 1 else f"{count:,} queries"
    others = f"Of {queries}{more} nothing is told: few {study.wording.many} would show, or there are too many queries."
    return [(row["query"], row["sentence"]) for row in found["rows"]], others if count else ""
