"""The release that is proposed: the decision, what it gives away and costs, its classes, who is at risk."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from markupsafe import Markup

from workbench.base.figures import about_per_cent, up_to, words
from workbench.publication import cost, groups, statements
from workbench.publication.format import WITHOUT
from workbench.publication.reader import Published
from workbench.publication.report.layout import render

CLASSES = 25  # the most exposed ones


def decision(study: Published, index: int, cap: float | None) -> Markup:
    """One paragraph that says what is proposed, and why; what is wrong with it stands out."""
    results, point = study.results, study.points[index]
    unsafe = " ".join(filter(None, (statements.none_safe(study, cap), statements.unsafe(study, index))))
    limit = statements.scale(study, cap)
    exceeded = f"The limit is exceeded: more may be learnt from this release than it allows ({limit})."
    warnings = (
        unsafe,
        statements.alone(study, index, cap),
        statements.limit(study),
        results["others"],
        "" if study.within(index, cap) else exceeded,
        statements.as_they_are(study),
    )
    day = date.fromisoformat(results["published"])
    return render(
        "decision.html",
        study=results["study"],
        day=f"{day.day} {day:%B %Y}",
        about=statements.about(study),
        recommended=study.choices(cap)["recommended"] == index,
        promise=point["promise"] or point["recipe"],
        recipe=point["recipe"],
        why=_why(study, index, cap),
        notes=(point["also"], statements.holds(study, index)),
        warnings=warnings,
    )


def _why(study: Published, index: int, cap: float | None) -> str:
    """Why it is this release that is proposed."""
    limit, by_hand = statements.scale(study, cap), study.set_by_hand(cap)
    if study.choices(cap)["recommended"] == index:
        if by_hand:
            best = (
                f"Of the candidates that keep to the limit ({limit}) and make no value certain or nearly so, it "
                "loses the least accuracy."
            )
            return f"{best} {statements.more_accurate(study, index, cap)}".strip()
        return (
            "No limit was set, so the decision is open. Of the candidates that make no value certain or nearly so "
            "this is a compromise between safety and accuracy, the knee of their frontier, or its middle point if "
            "it has no knee."
        )
    if index != study.opens(cap):
        return f"It was opened instead of the one that is recommended for the limit ({limit})."
    if by_hand:
        return f"Of all candidates that keep to the limit ({limit}), it loses the least accuracy."
    return "No limit was set, and none is recommended: this is the safest."


def release(study: Published, index: int, cap: float | None) -> Markup:
    """What would be learnt, at most and on average, and what that costs."""
    refused = study.opened(index)["refused"]
    cards = (statements.learnt(study, index), statements.most_exposed(study, index, cap), cost.cost(study, index))
    return render(
        "release.html",
        groups=groups.counted(study, index),
        cards=cards,
        file=f"No file was written for it: {refused}." if refused not in ("", WITHOUT) else "",
        attackers=statements.attackers(study, index, cap),
        tries=statements.tries(study, index),
    )


def classes(study: Published, index: int, cap: float | None) -> Markup:
    """The classes that lose most, as the threshold allows."""
    if why := groups.unlisted(study, index):
        return _tables([why])
    count, rows = study.exposures(index, most=CLASSES)
    cells = [
        (
            row["who"],
            groups.how_many(study, row),
            row["sentence"] or "",
            (row["share"], groups.how_exposed(row)),
        )
        for row in rows
    ]
    listed = f"{len(rows)} of {count:,} groups {groups.are(study, index)}"
    note = f"{listed}. {groups.order(study, index)}"
    exposed = (
        f"How exposed: {study.results['exposure']}. Numbers of {study.wording.many} are rounded to {study.smallest}."
    )
    head = (groups.who(study, index).lower(), "how many", "what would be believed of them", "how exposed")
    return _tables([note, exposed], (head, cells, 3))


def _tables(paragraphs: Sequence[str], *tables: tuple[Any, Any, int | None]) -> Markup:
    return render("tables.html", paragraphs=paragraphs, tables=tables)


def risk(study: Published, index: int, cap: float | None) -> Markup:
    """How many lose as much as a full disclosure, and which quasi-identifiers make people exposed."""
    found = study.opened(index)["risk"]
    if "reason" in found:
        return _tables([f"{found['reason'][:1].upper()}{found['reason'][1:]}."])
    many = (
        f"For {found['at_risk']}, the release discloses at least as much information, in bits, as the statement that "
        "they have the commonest value of a sensitive column."
    )
    shares = sorted(found["shares"].items(), key=lambda one: -one[1])
    if not any(share for _, share in shares):
        return _tables([many])
    why = "Each column's share of the risk: how much less is learnt when that column is not published."
    rows = [(study.wording.column(name), (share, about_per_cent(share))) for name, share in shares]
    return _tables([many, why], (("an attacker knows", "share of the risk"), rows, 1))


def utility(study: Published, index: int, cap: float | None) -> Markup:
    """Every measure of utility in a sentence, and the large groups about which the release misleads most."""
    point = study.points[index]
    own = [one for one in study.results["measures"] if one["side"] == "utility"]
    sentences = [
        f"{words(one['name']).capitalize()}: {text}" for one in own if (text := point["sentences"].get(one["key"]))
    ]
    rows = [
        (
            row["who"],
            about_per_cent(row["share"]),
            row["value"],
            about_per_cent(row["truth"]),
            about_per_cent(row["told"]),
        )
        for row in study.populations(index)
    ]
    head = ("large group", "of everybody", "value", "in truth", "from the release")
    return _tables([*sentences, cost.example(study, index)], *([(head, rows, None)] if rows else []))


def queries(study: Published, index: int, cap: float | None) -> Markup:
    """What a user of the release would find who asks the study's queries, beside the truth."""
    rows, others = statements.asked(study, index)
    if not rows and not others:
        return Markup("")
    return _tables([others], *([(("query", "answer"), rows, None)] if rows else []))


def beside(study: Published, index: int, cap: float | None) -> Markup:
    """Each column before and after, in coarse numbers, and how far cross tables are off."""
    found, wording = study.opened(index)["beside"], study.wording
    if "reason" in found:
        return _tables([f"{found['reason'][:1].upper()}{found['reason'][1:]}."])
    after = f"After is what a researcher expects who has the release alone. Numbers of {wording.many} are rounded to"
    tables: list[tuple[Any, Any, int | None]] = []
    for one in found["columns"]:
        most = max((row["after"] for row in one["rows"]), default=0) or 1
        cells = [
            (row["label"], f"{row['before']:,}", (row["after"] / most, f"{row['after']:,}")) for row in one["rows"]
        ]
        tables.append(((wording.column(one["column"]), "before", "after"), cells, 2))
    pairs = [(wording.columns(one["columns"]), (one["moved"], up_to(one["moved"]))) for one in found["pairs"]]
    if pairs:
        tables.append((("cross table of", f"{wording.many} expected in another cell"), pairs, 1))
    cross = "Of cross tables no cell is told." if pairs else ""
    return _tables([f"{after} {study.smallest}. {cross}"], *tables)
