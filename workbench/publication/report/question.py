"""What was asked of which data, and how it was computed: whoever holds the data can run it again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.base.figures import about_per_cent, figures, listed
from workbench.publication import statements
from workbench.publication.reader import Published
from workbench.publication.report.html import firm, paragraph, safe, table

VALUES = 15  # of a sensitive column that are listed


def asked(study: Published, index: int, cap: float | None) -> str:
    """How many candidates of which kinds, which measures on the axes, which limit."""
    lines: dict[str, int] = {}
    for one in study.points:
        if not one["baseline"]:
            lines[one["line"]] = lines.get(one["line"], 0) + 1
    limit = f"The limit is {statements.scale(study, cap)}" if study.set_by_hand(cap) else "No limit was set"
    kinds = listed([f"{count} of {line}" for line, count in lines.items()])
    said = (
        f"{sum(lines.values()):,} candidates were made, attacked and measured: {kinds}. They are compared on "
        f"{study.privacy['name']} ({study.privacy['about']}) and {study.utility['name']} ({study.utility['about']}). "
        f"{limit}. Numbers of people are rounded to {study.smallest}, and losses in steps."
    )
    return paragraph(said)


def data(study: Published, index: int, cap: float | None) -> str:
    """Records, columns by role, and how common each sensitive value is; no record."""
    of, wording = study.results["table"], study.wording
    counted = wording.people(of["records"], study.smallest)
    rows = [("an attacker may know (quasi-identifiers)", wording.columns(of["quasi"]))]
    if of["sensitive"]:
        rows.append(("nobody should learn (sensitive)", wording.columns([one["name"] for one in of["sensitive"]])))
    if of["neutral"]:
        rows.append(("neutral: published as they are", wording.columns(of["neutral"])))
    said = table(("role", "columns"), rows)
    for one in of["sensitive"]:
        values = one["values"][:VALUES]
        shown = [(value["label"], (value["share"], about_per_cent(value["share"]))) for value in values]
        rest = sum(value["share"] for value in one["values"][VALUES:]) + one["others"]
        if rest > 0:
            shown.append(("others", (rest, about_per_cent(rest))))
        said += table(
            (wording.column(one["name"]), f"of {counted}"),
            shown,
            bars=1,
        )
    return paragraph(f"The table is {counted}.") + said


def computed(study: Published, index: int, cap: float | None) -> str:
    """The recipe, every measure with its value and its sentence, the versions, and the study."""
    results, point = study.results, study.points[index]
    rows = [
        (f"{one['name']} ({one['key']})", figures(float(point["values"][one["key"]]), one["better"]), one["unit"], said)
        if one["key"] in point["values"]
        else (f"{one['name']} ({one['key']})", "undefined", one["unit"], point["reasons"].get(one["key"], ""))
        for one in results["measures"]
        for said in [point["sentences"].get(one["key"], "")]
    ]
    which = "It is one of them." if point["efficient"] else point["explain"]
    text = (
        f"{len(study.efficient)} candidates are efficient: no other is at least as good on {study.privacy['name']} and "
        f"{study.utility['name']} and better on one. {which}"
    )
    versions = ", ".join(f"{name} {number}" for name, number in results["versions"].items())
    again = (
        "The study, without where the data lie and without hierarchies that list values: whoever holds the data gets "
        "the same points from it."
    )
    kept = study.asked()
    return (
        f"<p>{firm(text)}</p>{table(('measure', 'value', 'unit', 'in words'), rows)}"
        f'<p class="soft">{safe(made(point["settings"]))} Workbench {safe(results["workbench"])}; {safe(versions)}. '
        f"Values are rounded so that none flatters, and so that no number of people below {study.smallest} can be "
        f"worked out from them. This page was made from the study's published results, without the data.</p>"
        f"{paragraph(again)}<pre>{safe(kept)}</pre>"
    )


def made(settings: Mapping[str, Any]) -> str:
    """A recipe in a sentence."""
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
