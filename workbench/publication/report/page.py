"""The page of a report: one self-contained HTML file about one published release, which needs no network.

A section is a function of the published study, the release and the limit; the page and the notebook show the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any

from markupsafe import Markup

from workbench.base.figures import format_number, format_upper_percent, format_whole_percent, humanize_name, join_names
from workbench.base.templates import Templates
from workbench.charts import offline
from workbench.publication import cost, groups, statements
from workbench.publication.offer import OFFERED
from workbench.publication.published_folder import Published
from workbench.publication.published_types import MeasureWords, PublishedPoint, SensitiveColumn
from workbench.redaction.controlled_rounding import describe_usual_share

render = Templates("workbench.publication.report", "workbench.charts").render

# --- the question, the data and the computation, which anyone with the data can reproduce

VALUES = 15  # maximum number of listed values of a sensitive column


def question_section(study: Published, index: int, cap: float | None) -> Markup:
    """Describe the candidates by kind, the measures on the axes, and the limit."""
    lines: dict[str, int] = {}
    for one in study.points:
        if not one["baseline"]:
            lines[one["line"]] = lines.get(one["line"], 0) + 1
    limit = f"The limit: {statements.scale(study, cap)}" if cap is not None else "No limit was set"
    kinds = join_names([f"{count} of {line}" for line, count in lines.items()])
    text = (
        f"{sum(lines.values()):,} candidates were generated and measured: {kinds}. They are compared on "
        f"{study.privacy['name']} ({study.privacy['about']}) and {study.utility['name']} ({study.utility['about']}). "
        f"{limit}. Numbers of people are rounded to multiples of {study.smallest}, and losses to fixed steps."
    )
    return render("tables.html", paragraphs=[text], tables=())


def data(study: Published, index: int, cap: float | None) -> Markup:
    """Describe the records, the columns by role, and the share of each sensitive value."""
    summary, wording = study.results["table"], study.wording
    counted = wording.people(summary["records"], study.smallest)
    rows = [("an attacker may know (quasi-identifiers)", wording.columns(summary["quasi"]))]
    if summary["sensitive"]:
        rows.append(("nobody should learn (sensitive)", wording.columns([one["name"] for one in summary["sensitive"]])))
    if summary["neutral"]:
        rows.append(("neutral (published unchanged)", wording.columns(summary["neutral"])))
    tables: list[tuple[Any, Any, int | None]] = [(("role", "columns"), rows, None)]
    tables += [((wording.column(one["name"]), f"of {counted}"), _common(study, one), 1) for one in summary["sensitive"]]
    return render("tables.html", paragraphs=[f"The table is {statements.everybody(study)}."], tables=tables)


def _common(study: Published, column: SensitiveColumn) -> list[tuple[str, tuple[float, str]]]:
    """Return the commonest values of a sensitive column with their shares, and the share of all others."""
    shares = [(value["label"], value["share"]) for value in column["values"][:VALUES]]
    rest = sum(value["share"] for value in column["values"][VALUES:]) + column["others"]
    records = study.results["table"]["records"]
    rows = [*shares, ("others", rest)] if rest > 0 else shares
    return [(label, (share, describe_usual_share(share, records, study.smallest))) for label, share in rows]


def computed(study: Published, index: int, cap: float | None) -> Markup:
    """Describe the recipe, every measure with its value and its sentence, the versions, and the study."""
    results, point = study.results, study.points[index]
    which = "It is one of them." if point["efficient"] else point["explain"]
    efficient = (
        f"{len(study.efficient)} candidates are efficient: no other is at least as good on {study.privacy['name']} and "
        f"{study.utility['name']} and better on one. {which}"
    )
    drawn = " and the random releases" if any(one["drawn"] for one in study.points) else ""
    again = (
        "The study, without the location of the data and without hierarchies that list values. Anyone with the data"
        f"{drawn} gets the same points from it."
    )
    return render(
        "computed.html",
        efficient=efficient,
        rows=[_measured(measure, point) for measure in results["measures"]],
        recipe=recipe_sentence(point["settings"]),
        workbench=results["workbench"],
        versions=", ".join(f"{name} {number}" for name, number in results["versions"].items()),
        smallest=study.smallest,
        again=again,
        study=study.study_text(),
    )


def _measured(measure: MeasureWords, point: PublishedPoint) -> tuple[str, str, str, str]:
    """Return the row of a measure: its figure, its unit and its sentence."""
    key, name = measure["key"], f"{measure['name']} ({measure['key']})"
    if key not in point["values"]:
        return name, "undefined", measure["unit"], point["reasons"].get(key, "")
    return name, statements.with_interval(point, measure), measure["unit"], point["sentences"].get(key, "")


def recipe_sentence(settings: Mapping[str, Any]) -> str:
    """Describe a recipe in a sentence."""
    model = settings["model"]
    models = model.get("models", [model]) if model else []
    under = f" under {' and '.join(map(_variant, models))}" if models else ""
    return f"Made by {_variant(settings['method'])}{under}; seed {settings['seed']}."


def _variant(settings: Mapping[str, Any]) -> str:
    words = {True: "yes", False: "no", None: "none"}
    chosen = [
        f"{name.replace('_', ' ')} {words[value] if value is None or isinstance(value, bool) else value}"
        for name, value in settings.items()
        if name != "name"
    ]
    return f"{settings['name']} ({', '.join(chosen)})" if chosen else str(settings["name"])


# --- the proposed release: the decision, its disclosure and cost, its classes, and people at risk

CLASSES = 25  # number of listed classes, the most exposed


def decision(study: Published, index: int, cap: float | None) -> Markup:
    """Return the paragraph that proposes a release and explains why, with warnings."""
    results, point = study.results, study.points[index]
    unsafe = " ".join(filter(None, (statements.none_safe(study, cap), statements.unsafe(study, index))))
    limit = statements.scale(study, cap)
    exceeded = f"This release exceeds the limit ({limit})." if index != study.opens(cap) else ""
    warnings = (
        statements.unsatisfied(study, cap),
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
    limit, safe = statements.scale(study, cap), study.results["safe"]
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
    believed = ["what would be believed about them"] if study.results["table"]["sensitive"] else []
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


# --- the other candidates: the frontier, the offered alternatives, and dominated candidates

ROUNDED = (
    "Figures are rounded more coarsely here than in the workbench, so points may look identical, or as if another were "
    "better. Which candidates are efficient, and which one is recommended, follows from the exact figures."
)


def frontier(study: Published, index: int, cap: float | None, live: bool = True) -> Markup:
    """Return the chart with the limit and the chosen point, and a table of the efficient points."""
    spec = study.chart()
    rows = spec["datasets"]
    for row in rows["points"]:
        if statements.hidden_by_rounding(study, row["i"], cap):
            row["x"] = cap  # the coarser published figure would be beyond the limit
    rows["chosen"] = [{"x": row["x"], "y": row["y"]} for row in rows["points"] if row["i"] == index]
    name, value = study.points[index]["recipe"], statements.shown_figure(study, index, cap)
    caption = f"Ringed: number {index + 1}, {name}, {study.privacy['name']} {value}."
    if cap is not None:
        layers = (layer.get("encoding", {}).get("x", {}) for layer in spec["layer"])
        low, high = next(x["scale"]["domain"] for x in layers if "scale" in x)
        floor = study.privacy["better"] == "higher"
        rows["cap_x"] = [
            {"x": cap, "x2": low if floor else high, "label": "", "flip": floor}
        ]  # no label: an end of the axis is labeled there
        caption += f" The line is the limit, {'at least' if floor else 'at most'} {format_number(cap)}."
    axes, keys = (study.privacy, study.utility), [study.privacy["key"], study.utility["key"]]
    head = ("number", "efficient: no other is as good on both", *keys, "what may be learned", "accuracy")
    efficient = [
        (
            str(i + 1),
            f"{study.points[i]['recipe']}{' (shown here)' if i == index else ''}",
            *(_figure(study, i, axis, cap) for axis in axes),
            " ".join(statements.learnt(study, i)[key] for key in ("figure", "unit")),
            cost.cost(study, i)["figure"],
        )
        for i in study.efficient
    ]
    caption = " ".join(filter(None, [caption, ROUNDED, study.results["intervals"]]))
    return render("frontier.html", chart=offline.fragment(spec, live), caption=caption, head=head, rows=efficient)


def _figure(study: Published, i: int, axis: MeasureWords, cap: float | None) -> str:
    """Format the figure of a row; within the limit no figure may seem to violate it."""
    if axis["key"] == study.privacy["key"] and statements.hidden_by_rounding(study, i, cap):
        return statements.shown_figure(study, i, cap)
    return statements.with_interval(study.points[i], axis)


def alternatives(study: Published, index: int, cap: float | None) -> Markup:
    """Return the other releases that are offered for the limit."""
    rows = [_offered(study, i, roles, index, cap) for i, roles in study.offered(cap).items() if i != index]
    head = ("", "release", "what may be learned", "whom it exposes most", "accuracy")
    return render("tables.html", paragraphs=(), tables=[(head, rows, None)]) if rows else Markup("")


def _offered(study: Published, other: int, roles: list[str], index: int, cap: float | None) -> tuple[str, ...]:
    """Return a row of the table: the roles of a release, a comparison with the release shown, and its cards."""
    point = study.points[other]
    dominator = "" if point["efficient"] else f" {point['explain']}"
    over = "" if cap is None or study.within(other, cap) else " (over the limit)"
    cards = (statements.learnt(study, other, cap), statements.most_exposed(study, other, cap), cost.cost(study, other))
    return (
        f"{', '.join(OFFERED[role] for role in roles)}{over}",
        f"{point['title']} (number {other + 1}, {point['recipe']}). "
        f"{statements.comparison_sentence(study, other, index)}{dominator}",
        *(f"{card['figure']} {card['unit']}" for card in cards),
    )


def dominated(study: Published, index: int, cap: float | None) -> Markup:
    """Return what dominates each other candidate, and why some are not on the chart."""
    axes, keys = (study.privacy, study.utility), [study.privacy["key"], study.utility["key"]]
    others = [one for one in study.points if not one["efficient"] and not one["baseline"]]
    beaten = [one for one in others if all(key in one["values"] for key in keys)]
    paragraphs, tables = [], []
    if beaten:
        rows = [
            (str(one["number"]), one["recipe"], *(statements.with_interval(one, axis) for axis in axes), one["explain"])
            for one in sorted(beaten, key=lambda one: float(one["values"][keys[0]]))
        ]
        are = _candidates(len(beaten))
        paragraphs.append(f"{are} dominated: another is at least as good on both measures, and better on one.")
        tables.append((("number", "candidate", *keys, "why"), rows, None))
    if missing := [one for one in others if one not in beaten]:
        whys = [_missing(one, keys) for one in missing]
        paragraphs.append(f"{_candidates(len(missing))} not on the chart: undefined on one of its measures.")
        tables.append(
            (
                ("number", "candidate", "why"),
                [(str(one["number"]), one["recipe"], why) for one, why in zip(missing, whys, strict=True)],
                None,
            )
        )
    return render("tables.html", paragraphs=paragraphs, tables=tables) if others else Markup("")


def _candidates(count: int) -> str:
    return "1 candidate is" if count == 1 else f"{count:,} candidates are"


def _missing(point: PublishedPoint, keys: Sequence[str]) -> str:
    """Return the publishable reasons why a point has no figure on these measures."""
    whys: dict[str, list[str]] = {}
    for key in keys:
        if key not in point["values"]:
            whys.setdefault(point["reasons"].get(key, ""), []).append(key)
    return "; ".join(f"{', '.join(those)}: {why or 'undefined'}" for why, those in whys.items())


Section = Callable[[Published, int, float | None], Markup]
SECTIONS: dict[str, tuple[str, Section]] = {  # name: title and content
    "decision": ("The decision", decision),
    "release": ("What may be learned, and what it costs", release),
    "frontier": ("All candidates", frontier),
    "alternatives": ("Alternatives", alternatives),
    "classes": ("Exposed groups", classes),
    "risk": ("Highest risk, and why", risk),
    "utility": ("What a researcher would get wrong", utility),
    "queries": ("What users of the data would find", queries),
    "beside": ("Original and release", distributions_section),
    "dominated": ("Candidates that are not efficient", dominated),
    "asked": ("The question", question_section),
    "data": ("The data, and the roles of their columns", data),
    "computed": ("How it was computed", computed),
}


def report(study: Published, index: int, cap: float | None = None) -> str:
    """Return the page as text."""
    study.opened(index)
    sections = [
        {"name": name, "title": title, "body": body}
        for name, (title, section) in SECTIONS.items()
        if (body := section(study, index, cap))
    ]
    title = f"{study.results['study']}: which release to publish"
    return str(render("report.html", title=title, sections=sections, library=offline.library()))
