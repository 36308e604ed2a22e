"""The other candidates: the frontier, what else was offered, what dominates what, and why some are left out."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from workbench.base.figures import figures
from workbench.charts import offline
from workbench.publication import cost, statements
from workbench.publication.offer import OFFERED
from workbench.publication.reader import Published
from workbench.publication.report.layout import render
from workbench.publication.shapes import PublishedPoint


def frontier(study: Published, index: int, cap: float | None, live: bool = True) -> Markup:
    """The chart with the limit and the chosen point on it, and the efficient points in numbers."""
    spec = study.chart()
    rows, values = spec["datasets"], study.points[index]["values"]
    rows["chosen"] = [{"x": row["x"], "y": row["y"]} for row in rows["points"] if row["i"] == index]
    value = figures(float(values[study.privacy["key"]]), study.privacy["better"])
    caption = f"Ringed: {study.points[index]['recipe']}, {study.privacy['name']} {value}."
    if cap is not None and study.set_by_hand(cap):
        layers = (layer.get("encoding", {}).get("x", {}) for layer in spec["layer"])
        low, high = next(x["scale"]["domain"] for x in layers if "scale" in x)
        floor = study.privacy["better"] == "higher"
        rows["cap_x"] = [
            {"x": cap, "x2": low if floor else high, "label": "", "flip": floor}
        ]  # the name of an end is there
        caption += f" The line is the limit, {'at least' if floor else 'at most'} {figures(cap)}."
    axes, keys = (study.privacy, study.utility), [study.privacy["key"], study.utility["key"]]
    head = ("efficient: no other is as good on both", *keys, "what may be learnt", "accuracy")
    efficient = [
        (
            f"{study.points[i]['recipe']}{' (shown here)' if i == index else ''}",
            *(statements.with_interval(study.points[i], axis) for axis in axes),
            " ".join(statements.learnt(study, i)[key] for key in ("figure", "unit")),
            cost.cost(study, i)["figure"],
        )
        for i in study.efficient
    ]
    caption = " ".join(filter(None, [caption, study.results["intervals"]]))
    return render("frontier.html", chart=offline.fragment(spec, live), caption=caption, head=head, rows=efficient)


def alternatives(study: Published, index: int, cap: float | None) -> Markup:
    """The other releases that were offered beside it."""
    rows = [_offered(study, i, roles, index, cap) for i, roles in study.offered(cap).items() if i != index]
    head = ("", "release", "what may be learnt", "the group that differs most", "accuracy")
    return render("tables.html", paragraphs=(), tables=[(head, rows, None)]) if rows else Markup("")


def _offered(study: Published, other: int, roles: list[str], index: int, cap: float | None) -> tuple[str, ...]:
    """A row of the table: what a release is offered as, how it compares with the one that is shown, and its cards."""
    point = study.points[other]
    dominator = "" if point["efficient"] else f" {point['explain']}"
    over = "" if study.within(other, cap) else " (over the limit)"
    cards = (statements.learnt(study, other), statements.most_exposed(study, other, cap), cost.cost(study, other))
    return (
        f"{', '.join(OFFERED[role] for role in roles)}{over}",
        f"{point['title']} ({point['recipe']}). {statements.beside(study, other, index)}{dominator}",
        *(f"{card['figure']} {card['unit']}" for card in cards),
    )


def dominated(study: Published, index: int, cap: float | None) -> Markup:
    """What dominates every other candidate, and why some have no place on the chart."""
    axes, keys = (study.privacy, study.utility), [study.privacy["key"], study.utility["key"]]
    others = [one for one in study.points if not one["efficient"] and not one["baseline"]]
    beaten = [one for one in others if all(key in one["values"] for key in keys)]
    paragraphs, tables = [], []
    if beaten:
        rows = [
            (one["recipe"], *(statements.with_interval(one, axis) for axis in axes), one["explain"])
            for one in sorted(beaten, key=lambda one: float(one["values"][keys[0]]))
        ]
        are = _candidates(len(beaten))
        paragraphs.append(f"{are} dominated: another is at least as good on both measures, and better on one.")
        tables.append((("candidate", *keys, "why"), rows, None))
    if gone := [one for one in others if one not in beaten]:
        whys = [_missing(one, keys) for one in gone]
        paragraphs.append(f"{_candidates(len(gone))} left out: undefined on a measure of the chart.")
        tables.append((("left out", "why"), [*zip((one["recipe"] for one in gone), whys, strict=True)], None))
    return render("tables.html", paragraphs=paragraphs, tables=tables) if others else Markup("")


def _candidates(count: int) -> str:
    return "1 candidate is" if count == 1 else f"{count:,} candidates are"


def _missing(point: PublishedPoint, keys: Sequence[str]) -> str:
    """Why a point has no figure on these measures, as that may be told."""
    whys: dict[str, list[str]] = {}
    for key in keys:
        if key not in point["values"]:
            whys.setdefault(point["reasons"].get(key, ""), []).append(key)
    return "; ".join(f"{', '.join(those)}: {why or 'undefined'}" for why, those in whys.items())
