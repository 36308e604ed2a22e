"""The question, the data and the computation in the report: anyone with the data can reproduce it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from workbench.base.figures import join_names
from workbench.base.small_counts import describe_usual_share
from workbench.publication import limits, statements
from workbench.publication.published_types import MeasureWords, PublishedPoint, SensitiveColumn
from workbench.publication.reader import Published
from workbench.publication.report.layout import render

VALUES = 15  # maximum number of listed values of a sensitive column


def question_section(study: Published, index: int, cap: float | None) -> Markup:
    """Describe the candidates by kind, the measures on the axes, and the limit."""
    lines: dict[str, int] = {}
    for one in study.points:
        if not one["baseline"]:
            lines[one["line"]] = lines.get(one["line"], 0) + 1
    limit = f"The limit: {limits.scale(study, cap)}" if cap is not None else "No limit was set"
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
