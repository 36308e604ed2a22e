"""The proposed release in the report: the decision, its disclosure and cost, its classes, and people at risk."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from markupsafe import Markup

from workbench.base.figures import format_upper_percent, format_whole_percent, humanize_name
from workbench.publication import cost, groups, limits, statements
from workbench.publication.reader import Published
from workbench.publication.report.layout import render

CLASSES = 25  # number of listed classes, the most exposed


def decision(study: Published, index: int, cap: float | None) -> Markup:
    """Return the paragraph that proposes a release and explains why, with warnings."""
    results, point = study.results, study.points[index]
    unsafe = " ".join(filter(None, (statements.none_safe(study, cap), statements.unsafe(study, index))))
    limit = limits.scale(study, cap)
    exceeded = f"This release exceeds the limit ({limit})." if index != study.opens(cap) else ""
    warnings = (
        limits.unsatisfied(study, cap),
        unsafe,
        statements.alone(study, index, cap),
        results["others"] if cap is not None else "",
        "" if cap is None or study.within(index, cap) else exceeded,
        statements.as_they_are(study),
    )
    day = date.fromisoformat(results["published"])
    return render(
        "decision.html",
        study=results["study"],
        day=f"{day.day} {day:%B %Y}",
        about=statements.about(study),
        number=index + 1,
        proposed=study.choices(cap)["recommended"] == index,
        promise=point["promise"] or point["recipe"],
        recipe=point["recipe"],
        why=_why(study, index, cap),
        notes=(point["also"], statements.holds(study, index)),
        warnings=warnings,
    )


def _why(study: Published, index: int, cap: float | None) -> str:
    """Explain why this release is proposed or shown."""
    if index != study.opens(cap):
        first = f"number {study.opens(cap) + 1}"
        if study.decision(cap)["recommended"] is None:
            return f"It was opened instead of {first}, which is shown by default; none is recommended."
        which = "suggested, since no limit is set" if cap is None else "recommended"
        return f"It was opened instead of {first}, which is {which}."
    limit, safe = limits.scale(study, cap), study.results["safe"]
    if study.decision(cap)["recommended"] is not None:
        if cap is not None:
            best = f"It loses the least accuracy among the candidates that satisfy the limit ({limit}) and {safe}."
            return " ".join(filter(None, [best, statements.more_accurate(study, index, cap), study.results["nearly"]]))
        suggested = (
            f"No limit was set, so this is a suggestion. Among the candidates that {safe}, it is a compromise between "
            "safety and accuracy: the knee of their frontier, or its middle point if it has no knee."
        )
        return f"{suggested} {study.results['nearly']}".strip()
    if not study.decision(cap)["satisfied"]:
        return "It is the nearest candidate, and is not recommended."
    if cap is not None:
        return (
            f"It loses the least accuracy among all candidates that satisfy the limit ({limit}); none is recommended."
        )
    return "No limit was set, and none is recommended: this is the safest."


def release(study: Published, index: int, cap: float | None) -> Markup:
    """Return the cards of disclosure and cost."""
    cards = (statements.learnt(study, index, cap), statements.most_exposed(study, index, cap), cost.cost(study, index))
    return render(
        "release.html",
        groups=groups.counted(study, index),
        cards=cards,
        file=statements.no_file(study, index),
        attackers=statements.attackers(study, index, cap),
        tries=statements.tries(study, index),
    )


def classes(study: Published, index: int, cap: float | None) -> Markup:
    """Return the table of the most exposed groups."""
    if why := groups.unlisted(study, index):
        return _tables([why])
    count, rows = study.exposures(index, most=CLASSES)
    believed = ["what would be believed of them"] if study.results["table"]["sensitive"] else []
    cells = [
        (
            row["who"],
            groups.how_many(study, row),
            *([row["sentence"] or ""] if believed else []),
            (row["share"], groups.how_exposed(row)),
        )
        for row in rows
    ]
    listed = f"{len(rows)} of {count:,} groups {groups.are(study, index)}"
    note = f"{listed}. {groups.order(study, index)}"
    exposed = f"How exposed: {study.results['exposure']}. {groups.rounding(study)}"
    head = (groups.who(study, index).lower(), "how many", *believed, "how exposed")
    return _tables([note, exposed], (head, cells, len(head) - 1))


def _tables(paragraphs: Sequence[str], *tables: tuple[Any, Any, int | None]) -> Markup:
    return render("tables.html", paragraphs=paragraphs, tables=tables)


def risk(study: Published, index: int, cap: float | None) -> Markup:
    """Return how many people lose as much as a full disclosure would cost, and each column's share of the risk."""
    found = study.opened(index)["risk"]
    if "reason" in found:
        return _tables([f"{found['reason'][:1].upper()}{found['reason'][1:]}."])
    many = (
        f"The release discloses at least as much information (in bits) on {found['at_risk']} as the statement that "
        "they have the commonest value of a sensitive column."
    )
    shares = sorted(found["shares"].items(), key=lambda one: -one[1])
    if not any(share for _, share in shares):
        return _tables([many])
    why = "Each column's share of the risk: how much less can be learned if that column is not published."
    rows = [(study.wording.column(name), (share, format_whole_percent(share))) for name, share in shares]
    return _tables([many, why], (("an attacker knows", "share of the risk"), rows, 1))


def utility(study: Published, index: int, cap: float | None) -> Markup:
    """Return a sentence for every measure of utility, and the most misjudged large groups."""
    point = study.points[index]
    own = [one for one in study.results["measures"] if one["side"] == "utility"]
    sentences = [
        f"{humanize_name(one['name']).capitalize()}: {statements.with_interval(point, one)} ({one['unit']}). "
        f"{point['sentences'].get(one['key'], '')}".strip()
        for one in own
        if one["key"] in point["values"]
    ]
    rows = [
        (
            row["who"],
            format_whole_percent(row["share"]),
            row["value"],
            format_whole_percent(row["truth"]),
            format_whole_percent(row["told"]),
        )
        for row in study.populations(index)
    ]
    weighted = ", weighted" if study.results["table"]["weighted"] else ""
    shares = (f"of {study.wording.everybody}{weighted}", "value", f"in truth{weighted}", f"from the release{weighted}")
    head = ("large group", *shares)
    return _tables([*sentences, cost.example(study, index)], *([(head, rows, None)] if rows else []))


def queries(study: Published, index: int, cap: float | None) -> Markup:
    """Return the answers that a user of the release would find for the study's queries, and the true answers."""
    rows, others = statements.query_answers(study, index)
    if not rows and not others:
        return Markup("")
    return _tables([others], *([(("query", "answer"), rows, None)] if rows else []))


def distributions_section(study: Published, index: int, cap: float | None) -> Markup:
    """Return the coarse distributions of each column before and after, and the errors of cross tables."""
    found, wording = study.opened(index)["beside"], study.wording
    if "reason" in found:
        return _tables([f"{found['reason'][:1].upper()}{found['reason'][1:]}."])
    after = (
        "“After” is what a researcher who has only the release would estimate. "
        f"Numbers of {wording.many} are rounded to multiples of {study.smallest}."
    )
    tables: list[tuple[Any, Any, int | None]] = []
    for one in found["columns"]:
        most = max((row["after"] for row in one["rows"]), default=0) or 1
        cells = [
            (row["label"], f"{row['before']:,}", (row["after"] / most, f"{row['after']:,}")) for row in one["rows"]
        ]
        tables.append(((wording.column(one["column"]), "before", "after"), cells, 2))
    pairs = [
        (wording.columns(one["columns"]), (one["moved"], format_upper_percent(one["moved"]))) for one in found["pairs"]
    ]
    if pairs:
        tables.append((("cross table of", f"{wording.many} expected in another cell"), pairs, 1))
    cross = "Cells of cross tables are not published." if pairs else ""
    return _tables([f"{after} {cross}"], *tables)
