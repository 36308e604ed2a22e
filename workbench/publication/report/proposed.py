"""The release that is proposed: the decision, what it gives away and costs, its classes, who is at risk."""

from __future__ import annotations

from datetime import date

from workbench.base.figures import about_per_cent, words
from workbench.publication import statements
from workbench.publication.format import WITHOUT
from workbench.publication.reader import Published
from workbench.publication.report.html import firm, paragraph, safe, table

CLASSES = 25  # the most exposed ones


def decision(study: Published, index: int, cap: float | None) -> str:
    """One paragraph that says what is proposed, and why; what is wrong with it stands out."""
    results, point = study.results, study.points[index]
    scale = statements.scale(study, cap)
    within, recommended = study.within(index, cap), study.choices(cap)["recommended"] == index
    why = f"It was opened instead of the one that is recommended for the limit ({scale})."
    if recommended and not study.set_by_hand(cap):
        why = (
            "No limit was set, so the decision is open. Of the candidates that make no value certain or nearly so "
            "this is a compromise between safety and accuracy, the knee of their frontier, or its middle where that "
            "has none."
        )
    elif recommended:
        why = f"Of the candidates that keep to the limit ({scale}) and are safe, it loses the least accuracy."
    elif index == study.opens(cap) and not study.set_by_hand(cap):
        why = "No limit was set, and none is recommended: this is the safest."
    elif index == study.opens(cap):
        why = f"Of all candidates that keep to the limit ({scale}), it loses the least accuracy."
    unsafe = " ".join(filter(None, (statements.none_safe(study, cap), statements.unsafe(study, index))))
    exceeded = (
        "" if within else f"The limit is exceeded: more may be learnt from this release than it allows ({scale})."
    )
    warnings = "".join(
        paragraph(said, "warn")
        for said in (
            unsafe,
            statements.alone(study, index),
            statements.limit(study),
            results["others"],
            exceeded,
            statements.as_they_are(study),
        )
    )
    day = date.fromisoformat(results["published"])
    return (
        f"<h1>{safe(results['study'])}</h1>"
        f'<p class="soft">Which anonymised version of this table should be published? '
        f"As of {day.day} {day:%B %Y}.</p>"
        f'<p class="lead">{safe(statements.about(study))} {"Proposed" if recommended else "Shown"} is the '
        f"release with this promise: "
        f"<b>{safe(point['promise'] or point['recipe'])}</b> ({safe(point['recipe'])}). {firm(why)}</p>{warnings}"
    )


def release(study: Published, index: int, cap: float | None) -> str:
    """What would be learnt, at most and on average, and what that costs."""
    detail = study.opened(index)
    groups = f"<p>It makes {safe(statements.groups(study, index))}.</p>" if statements.groups(study, index) else ""
    cards = "".join(
        f"<div><h3>{safe(said['title'])}</h3><p><b>{firm(said['figure'])}</b>{firm(said['unit'])}</p>"
        f"{paragraph(said['sentence'])}{paragraph(said.get('worst', ''))}</div>"
        for said in (
            statements.learnt(study, index),
            statements.most_exposed(study, index),
            statements.cost(study, index),
        )
    )
    file = f"No file was written for it: {detail['refused']}." if detail["refused"] not in ("", WITHOUT) else ""
    sure = table(("attacker", "certain of"), statements.attackers(study, index))
    return f'{groups}<div class="figures">{cards}</div>{paragraph(file)}{sure}'


def classes(study: Published, index: int, cap: float | None) -> str:
    """The classes that lose most, as the threshold allows."""
    if why := statements.unlisted(study, index):
        return paragraph(why)
    count, rows = study.exposures(index, most=CLASSES)
    shown = [
        (
            row["who"],
            statements.how_many(study, row),
            row["sentence"] or "",
            (row["share"], statements.how_exposed(row)),
        )
        for row in rows
    ]
    groups = f"{len(rows)} of {count:,} groups of {study.wording.many} that the release does not tell apart"
    note = f"{groups}. {statements.order(study, index)}"
    exposed = (
        f"How exposed: {study.results['exposure']}. Numbers of {study.wording.many} are rounded to {study.smallest}."
    )
    head = ("who they are", "how many", "what would be believed of them", "how exposed")
    return paragraph(note) + paragraph(exposed) + table(head, shown, bars=3)


def risk(study: Published, index: int, cap: float | None) -> str:
    """How many lose as much as a full disclosure, and which quasi-identifiers make people exposed."""
    found = study.opened(index)["risk"]
    if "reason" in found:
        return paragraph(f"{found['reason'][:1].upper()}{found['reason'][1:]}.")
    said = (
        f"Of {found['at_risk']} at least as much is learnt, in bits of information, as if it were said that they have "
        "the commonest value of a sensitive column."
    )
    shares = sorted(found["shares"].items(), key=lambda one: -one[1])
    if not any(share for _, share in shares):
        return paragraph(said)
    why = "How much of what is learnt hangs on each column: how far it falls when that column is not published."
    rows = [(study.wording.column(name), (share, about_per_cent(share))) for name, share in shares]
    return paragraph(said) + paragraph(why) + table(("an attacker knows", "share of the risk"), rows, bars=1)


def utility(study: Published, index: int, cap: float | None) -> str:
    """Every measure of utility in a sentence, and the large groups about which the release misleads most."""
    point = study.points[index]
    own = [one for one in study.results["measures"] if one["side"] == "utility"]
    said = "".join(
        paragraph(f"{words(one['name']).capitalize()}: {text}")
        for one in own
        if (text := point["sentences"].get(one["key"]))
    )
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
    return said + paragraph(statements.example(study, index)) + (table(head, rows) if rows else "")
