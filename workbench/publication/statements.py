"""Sentences about a published release: the disclosure, the cost, and what each attacker can be certain of."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from workbench.base.figures import format_interval, format_number, format_whole_percent, join_names
from workbench.publication.offer import OFFERED, PublishedStudy
from workbench.publication.published_folder import NOT_CARRIED, WITHOUT, Published
from workbench.publication.published_types import Details, MeasureWords, PublishedPoint
from workbench.redaction.controlled_rounding import LISTED, may_list_groups
from workbench.releases.published_classes import Scale

# --- a limit: its meaning, whether a candidate satisfies it, and the nearest candidate


def scale(study: PublishedStudy, cap: float | None) -> str:
    """Explain what a cap allows."""
    axis = study.privacy
    if cap is None:
        return "no limit"
    if example := axis["scale"]:
        return Scale(**example).allows(cap, study.wording)
    bound = "at least" if axis["better"] == "higher" else "at most"
    return f"{bound} {format_number(cap, axis['better'])} on {axis['name']} ({axis['unit']})"


def limit(study: PublishedStudy) -> str:
    """State that no candidate satisfies the study's own caps, and the nearest one; empty if they can be satisfied."""
    cap = study.results["cap"]
    return unsatisfied(study, cap) if cap is not None else ""


def unsatisfied(study: PublishedStudy, cap: float | None) -> str:
    """State that no candidate satisfies a limit and the study's other caps, and the nearest; empty if one does."""
    if study.decision(cap)["satisfied"]:
        return ""
    axis, index = study.privacy, study.opens(cap)
    if cap is None:
        return study.results["others"]
    bound, more = "at least" if axis["better"] == "higher" else "at most", len(study.results["caps"]) > 1
    others = ", combined with its limits on other measures" * bool(more and study.decision(None)["satisfied"])
    reached = abs(study.loss(index, axis))
    allowed = f" ({scale(study, reached)})" if axis["scale"] else ""
    nearest = (
        f"number {index + 1}, {study.points[index]['recipe']}, with {format_number(reached, axis['better'])}{allowed}"
    )
    what = f"the limit of {bound} {format_number(cap)} on {axis['name']}{others}"
    return f"No candidate satisfies {what}. The nearest is {nearest}."


def shown_figure(study: PublishedStudy, index: int, cap: float | None = None) -> str:
    """Return a release's figure on the slider's measure.

    If the release satisfies the limit but its coarser published figure exceeds it, return the limit.
    """
    axis = study.privacy
    if cap is None or not hidden_by_rounding(study, index, cap):
        return format_number(abs(study.loss(index, axis)), axis["better"])
    return f"{'at least' if axis['better'] == 'higher' else 'at most'} {format_number(cap)}"


def hidden_by_rounding(study: PublishedStudy, index: int, cap: float | None) -> bool:
    """Return whether a release satisfies a limit that its coarser published figure seems to violate."""
    if cap is None or not study.within(index, cap):
        return False
    return study.loss(index, study.privacy) > (-cap if study.privacy["better"] == "higher" else cap)


NOISE = 1e-6  # per cent
NAMED = 2  # recipes that a sentence names
FINEST, COARSEST = 1000, 100  # correct guesses are stated per this many people
Card = dict[str, str]  # a title, a figure, its unit, an explanation, and sometimes another sentence


# --- recommendation


def question(study: Published) -> str:
    """Return the question that the slider answers."""
    whom = ", on average" if study.privacy["average"] else f" about any one {study.wording.one}"
    return f"How much may be learned{whom}?"


def unsafe(study: Published, index: int) -> str:
    """Return the objections to a release; empty if it may be recommended."""
    found = study.points[index]["against"]
    return f"Not recommended: {join_names(found)}." if found else ""


def rule(study: Published, index: int, cap: float | None) -> str:
    """Return the promise of a version as an example; empty if there is none, or if the limit has the same example."""
    example = study.points[index]["allows"]
    if not example or (cap is not None and example == scale(study, cap)):
        return ""
    return f"This version’s own rule: {example}."


def holds(study: Published, index: int) -> str:
    """Describe the attacker to whom a promise about values in groups applies; empty if there is no such promise."""
    table, wording = study.results["table"], study.wording
    if not table["sensitive"] or not study.points[index]["settings"]["model"]:
        return ""
    names = wording.columns([one["name"] for one in table["sensitive"]], "or")
    return (
        f"What this version promises holds against an attacker who knows {wording.all_of_them} "
        f"{wording.columns(table['quasi'])}, and looks at each group by itself. One who learns from all groups "
        f"together may be surer of the {names}."
    )


def comparison_sentence(study: Published, index: int, first: int) -> str:
    """Compare a version with the first one shown, on the two measures of the chart.

    The most exposed person may be safer although more guesses are right overall, so the sentence names the people that
    it is about.
    """
    safer, more_accurate = _differences(study, index, first)
    whom = "on average" if study.privacy["average"] else f"for the {study.wording.one} exposed most"
    safe = _compared(safer, "Safer", "Less safe", "About as safe")
    accurate = _compared(more_accurate, "more accurate", "less accurate", "about as accurate")
    return f"{safe} {whom}, and {accurate}. {_yet_guessed(study, index, first, safer)}".strip()


def _differences(study: Published, index: int, first: int) -> tuple[float, float]:
    """Return the differences in privacy and utility loss; for two efficient releases, those of the exact ranks."""
    ranks = [study.points[i]["rank"] for i in (index, first)]
    if ranks[0] is not None and ranks[1] is not None:
        return ranks[0] - ranks[1], ranks[1] - ranks[0]
    safer, more_accurate = (
        study.loss(index, axis) - study.loss(first, axis) for axis in (study.privacy, study.utility)
    )
    return safer, more_accurate


def _compared(loss: float, less: str, more: str, same: str) -> str:
    return less if loss < 0 else more if loss > 0 else same


def _yet_guessed(study: Published, index: int, first: int, safer: float) -> str:
    """State that guesses and the privacy loss rank two releases in opposite order; empty if they agree."""
    own, other = study.opened(index)["attack"], study.opened(first)["attack"]
    if "reason" in own or "reason" in other:
        return ""
    (right, total), (beside, _) = (_guessed(study, one["right"], "lower") for one in (own, other))
    if not safer * (right - beside) < 0:
        return ""
    often, name = "more" if right > beside else "less", study.wording.column(own["sensitive"])
    return (
        f"Yet over all {study.wording.many} the {name} is guessed right {often} often: for {right} in {total:,}, "
        f"not {beside}."
    )


def none_safe(study: Published, cap: float | None) -> str:
    """State that no release is recommended although some satisfy the limit; empty otherwise."""
    found = study.decision(cap)
    if found["recommended"] is not None or not found["satisfied"]:
        return ""
    if any(one["recommended"] for one in study.results["decisions"]):
        return "No release that satisfies this limit is safe enough to be recommended."
    own = [point["drawn"] for point in study.points if not point["baseline"]]
    ask = [*["larger groups", "stronger models"] * (not all(own)), *["more noise"] * any(own)]
    return (
        f"No release of this study is safe enough to be recommended: request {join_names(ask, 'or')}, or publish fewer "
        "columns."
    )


def none_recommended(study: Published, cap: float | None) -> str:
    """Return the reason why no release is recommended for a limit; empty if one is."""
    return " ".join(filter(None, [unsatisfied(study, cap), none_safe(study, cap)]))


def more_accurate(study: Published, index: int, cap: float | None) -> str:
    """State how many more accurate candidates satisfy the limit, and the objections to the most accurate."""
    found = study.decision(cap)["passed_over"]
    if not found:
        return ""
    one = len(found) == 1
    count = "One more accurate release satisfies" if one else f"{len(found):,} more accurate releases satisfy"
    which = "it" if one else "the most accurate of them"
    why = join_names(study.points[found[0] - 1]["against"])
    return f"{count} the limit but {'is' if one else 'are'} not recommended. Objections to {which}: {why}."


def ends(study: Published) -> list[str]:
    """Describe the two ends of the privacy axis."""
    if study.privacy["average"]:
        return ["nothing is learned", "everything is learned"]
    example, wording = study.privacy["scale"], study.wording
    shown = [i for i, point in enumerate(study.points) if point["opened"]]
    losses = [study.loss(i, study.privacy) for i, point in enumerate(study.points) if not point["baseline"]]
    far = max((loss for loss in losses if not math.isnan(loss)), default=math.inf)
    certain = example is None or far >= example["dearest"] - NOISE or any(_certain(study.opened(i)) for i in shown)
    some = "somebody" if wording.many == "people" else f"a {wording.one}"
    may = f"{some}’s value may be certain" if study.results["table"]["sensitive"] else f"{some} may be found"
    return [f"{wording.nobody} stands out", may if certain else "more may be learned"]


def no_file(study: Published, index: int) -> str:
    """State why a release has no file, and the command that writes it; empty if it has a file."""
    why = study.opened(index)["refused"]
    if not why:
        return ""
    command = f"workbench anonymize STUDY.yaml --recipe {index + 1} -o release.csv"
    whose = f" Anyone with the data and the study can write the file: {command}." * (why in (WITHOUT, NOT_CARRIED))
    return f"No file: {why}.{whose}"


# --- disclosure and cost


def about(study: Published) -> str:
    """Describe the people in the table, what an attacker may know about them, and what should not be learned."""
    table, wording, counted = study.results["table"], study.wording, everybody(study)
    sensitive = wording.columns([one["name"] for one in table["sensitive"]]) if table["sensitive"] else "nothing named"
    return (
        f"{counted[:1].upper()}{counted[1:]}. An attacker may know: {wording.columns(table['quasi'])}. "
        f"Not to be learned: {sensitive}.{_explain_prefix_codes(study)}{_weighted(study)}{_for_internal_use(study)}"
    )


def _for_internal_use(study: Published) -> str:
    """Warn that a page about few people discloses small counts; empty if there are enough people."""
    records, smallest = study.results["table"]["records"], study.smallest
    if may_list_groups(records, smallest):
        return ""
    return (
        f" For internal use only: in a table of fewer than {LISTED * smallest:,} {study.wording.many}, numbers below "
        f"{smallest} can be inferred from this page."
    )


def everybody(study: Published) -> str:
    """Return the number of records and, for a random sample, the number of records sampled from."""
    table, wording = study.results["table"], study.wording
    counted = wording.people(table["records"], study.smallest)
    drawn = f", a random sample of {wording.people(table['sample_of'], study.smallest)}" if table["sample_of"] else ""
    return f"{counted}{drawn}"


def _weighted(study: Published) -> str:
    """State which shares are weighted; empty if no record has a survey weight."""
    table, many = study.results["table"], study.wording.many
    if not table["weighted"]:
        return ""
    large = (
        "Weights are used in shares of large groups, which are marked as weighted; all other"
        if table["sensitive"]
        else "All"
    )
    return (
        f" Each of these {many} represents several by a survey weight. {large} shares and numbers are of these {many} "
        "themselves."
    )


def _explain_prefix_codes(study: Published) -> str:
    """Explain codes that end with a star; empty if no sensitive value is one."""
    labels = [one["label"] for column in study.results["table"]["sensitive"] for one in column["values"]]
    found = next((label for label in labels if re.fullmatch(r"\w+\*", label)), "")
    return f" {found} means all codes that begin with {found[:-1]}." if found else ""


def learnt(study: Published, index: int, cap: float | None = None) -> Card:
    """Return the card of disclosure: the people whose value is certain, or else the share of correct guesses.

    The index of a batch also shows figure and unit, so they contain no value of the data.
    """
    sure, found, axis = study.opened(index)["surest"], study.opened(index)["attack"], study.privacy
    title = f"What may be learned{', on average' if axis['average'] else ''}"
    known = "" if "reason" in sure else sure["sentence"]
    if "reason" not in sure and sure["figure"]:
        return {"title": title, "figure": sure["figure"], "unit": sure["unit"], "sentence": guesses(study, index)}
    if "reason" in found:
        own = shown_figure(study, index, cap)
        unit = f"Unit: {axis['unit']}; {axis['better']} is better."
        return {"title": title, "figure": own, "unit": axis["name"], "sentence": f"{unit} {known}".strip()}
    name, many = study.wording.column(found["sensitive"]), study.wording.many
    (right, parts), (chance, _) = _guessed(study, found["right"], "lower"), _guessed(study, found["chance"])
    figure = f"{'About ' if parts < FINEST else ''}{right} in {parts:,}"
    unit = f"{many} have their {name} guessed right; without the release, {chance}"
    of_column = f" of the {name}" if len(study.results["table"]["sensitive"]) > 1 else ""
    usual = f"Without the release, the best guess{of_column} is always “{found['commonest']}”."
    return {"title": title, "figure": figure, "unit": unit, "sentence": f"{known} {usual}".strip()}


def with_interval(point: PublishedPoint, measure: MeasureWords) -> str:
    """Format the figure of a point with its published interval."""
    ends, key = point["intervals"].get(measure["key"]), measure["key"]
    return format_number(float(point["values"][key]), measure["better"]) + format_interval(
        (ends[0], ends[1]) if ends else None
    )


def tries(study: PublishedStudy, index: int) -> str:
    """Return the intervals of a release's figures in a sentence; empty if there are none."""
    point = study.points[index]
    found = [
        f"{one['name']} {with_interval(point, one)}"
        for one in study.results["measures"]
        if one["key"] in point["intervals"]
    ]
    intervals = join_names(found)
    return f"{intervals[:1].upper()}{intervals[1:]}. {study.results['intervals']}" if found else ""


def guesses(study: Published, index: int) -> str:
    """Return how often an attacker guesses right, with and without the release; empty if undefined."""
    found = study.opened(index)["attack"]
    if "reason" in found:
        return ""
    (right, parts), (chance, _) = _guessed(study, found["right"], "lower"), _guessed(study, found["chance"])
    about, name = "about " if parts < FINEST else "", study.wording.column(found["sensitive"])
    return (
        f"An attacker guesses the {name} right for {about}{right} {study.wording.many} in {parts:,}; "
        f"without the release, for {chance}, by always guessing “{found['commonest']}”."
    )


def _guessed(study: Published, share: float, better: str = "") -> tuple[int, int]:
    """Return a share per 1,000 records, or per 100 if the threshold exceeds 1 per 1,000.

    If lower is better, the share per 1,000 is rounded up.
    """
    if study.results["table"]["records"] < FINEST * study.smallest:
        return round(COARSEST * share), COARSEST
    return math.ceil(round(FINEST * share, 9)) if better else round(FINEST * share), FINEST


def most_exposed(study: Published, index: int, cap: float | None = None) -> Card:
    """Return the card of the most exposed group: what is believed about it, what a limit allows, who they are."""
    found, tied, title = study.opened(index)["worst"], study.opened(index)["tied"], "Whom it exposes most"
    if "reason" in found:
        return {"title": title, "figure": "Not published", "unit": found["reason"], "sentence": ""}
    alike = f"{tied:,} groups may be equally exposed; this is one of them. " if tied > 1 and found["sentence"] else ""
    unit, example = found["unit"], found["allowed"]
    if example and cap is not None and not hidden_by_rounding(study, index, cap):
        have, semicolon, usual = unit.rpartition("; of ")
        limit = format_whole_percent(Scale(**example).max_share(cap))
        unit = f"{have} (the limit for this value: {limit}){semicolon}{usual}"
    return {"title": title, "figure": found["figure"], "unit": unit, "sentence": f"{alike}{found['sentence']}"}


# --- what each attacker can be certain of


def attackers(study: Published, index: int, cap: float | None) -> list[tuple[str, str]]:
    """Return pairs of an attacker and what becomes certain to this attacker, from less knowledge to more."""
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


def _files(study: PublishedStudy, cap: float | None) -> str:
    """Describe the files in the folder, with the roles of their versions."""
    included = study.included
    many = {1: "the file", 2: "both files"}.get(len(included), f"all {len(included)} files")
    return many if len(included) == 1 else f"{many}{_called(study, included, cap)}"


def _called(study: PublishedStudy, versions: Sequence[int], cap: float | None) -> str:
    """Return the names of versions on the first page, if each has one; for another limit the names would differ."""
    if cap != study.results["cap"]:
        return ""
    called = {**OFFERED, **({} if cap is not None else {"recommended": "our suggestion"})}
    offered = study.offered(study.results["cap"])
    names = [f"‘{called[roles[0]].capitalize()}’" for i, roles in offered.items() if i in versions]
    return f" ({join_names(names)})" if len(names) == len(versions) else ""


def alone(study: PublishedStudy, index: int, cap: float | None) -> str:
    """Warn against publishing several versions: describe their joint disclosure and their total epsilon."""
    included = index in study.included
    return " ".join(filter(None, [_alone(study, index, cap), study.results["together"]["noise"] if included else ""]))


def _alone(study: PublishedStudy, index: int, cap: float | None) -> str:
    together, included = study.results["together"], study.included
    others = [i for i in included if i != index]
    only, also, other = ("this file", " also", "other ") if index in included else ("one file", "", "")
    if not together["certain"]:
        return "Publish one version only: several versions reveal more jointly than each does." if others else ""
    files = f"{other}file" if len(others) == 1 else f"{len(others)} {other}files"
    had = [f"the {files} offered where this page opens{_called(study, others, cap)}"] * bool(others)
    if isinstance(study.opened(index)["classes"], int):
        had.append("the tables of this page")
    if not included:
        return (
            "Share this page only with decision makers: "
            f"anyone with its tables can be certain of {together['sentence']}."
        )
    telling = [point["recipe"] for point in study.points if point["opened"] and _certain(point["opened"])]
    if telling and not _certain_of_files(study):
        which = "one table" if len(telling) == 1 else f"{len(telling)} tables"
        named = f" ({'; '.join(telling)})" if len(telling) <= NAMED else ""
        many = len(included)
        reveal = "reveals" if len(telling) == 1 else "jointly reveal"
        files = "The file reveals" if many == 1 else f"The {many} files offered here jointly reveal"
        return (
            f"Publish only {only}, and do not pass this page on: {which} that can be opened on it{named} {reveal} "
            f"{together['sentence']}. {files} {together['of_files']}."
        )
    return f"Publish only {only}. Anyone who{also} gets {' and '.join(had)} can be certain of {together['sentence']}."


def _certain(found: Details) -> bool:
    """Return whether the table of a release makes a value certain by itself."""
    return isinstance(found["classes"], int) and "reason" not in found["surest"] and bool(found["surest"]["figure"])


def _certain_of_files(study: PublishedStudy) -> bool:
    """Return whether the files jointly make a value certain."""
    return not study.results["together"]["of_files"].startswith(study.wording.nobody)


def as_they_are(study: PublishedStudy) -> str:
    """Describe the columns that every file contains unchanged; empty if there are none."""
    neutral = study.results["table"]["neutral"]
    if not neutral:
        return ""
    named = study.wording.columns(neutral)
    text = f"Neutral (published unchanged): {named}. The figures assume that no attacker knows these"
    beside = f"; an attacker who does can be certain of {study.results['beside']}" if study.results["beside"] else ""
    return f"{text}{beside}."


# --- queries


def query_answers(study: Published, index: int) -> tuple[list[tuple[str, str]], str]:
    """Return the study's published queries with their answers, and a sentence about those that are not published."""
    found = study.opened(index)["queries"]
    if "reason" in found:
        return [], f"The answers to the study's queries are not published: {found['reason']}."
    count, more = found["hidden"], "more " if found["rows"] else ""
    queries = f"1 {more}query" if count == 1 else f"{count:,} {more}queries"
    others = (
        f"{queries} {'is' if count == 1 else 'are'} not published, because small numbers of {study.wording.many} "
        "would be revealed or there are too many queries."
    )
    return [(row["query"], row["sentence"]) for row in found["rows"]], others if count else ""
