"""The other candidates of the report: the frontier, the offered alternatives, and dominated candidates."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from workbench.base.figures import format_number
from workbench.charts import offline
from workbench.publication import cost, limits, statements
from workbench.publication.offer import OFFERED
from workbench.publication.published_types import MeasureWords, PublishedPoint
from workbench.publication.reader import Published
from workbench.publication.report.layout import render

ROUNDED = (
    "Figures are rounded more coarsely here than in the workbench, so points may look identical, or as if another were "
    "better. Which candidates are efficient, and which one is recommended, follows from the exact figures."
)


def frontier(study: Published, index: int, cap: float | None, live: bool = True) -> Markup:
    """Return the chart with the limit and the chosen point, and a table of the efficient points."""
    spec = study.chart()
    rows = spec["datasets"]
    for row in rows["points"]:
        if limits.hidden_by_rounding(study, row["i"], cap):
            row["x"] = cap  # the coarser published figure would be beyond the limit
    rows["chosen"] = [{"x": row["x"], "y": row["y"]} for row in rows["points"] if row["i"] == index]
    name, value = study.points[index]["recipe"], limits.shown_figure(study, index, cap)
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
    if axis["key"] == study.privacy["key"] and limits.hidden_by_rounding(study, i, cap):
        return limits.shown_figure(study, i, cap)
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
