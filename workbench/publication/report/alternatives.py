"""The other candidates: the frontier, what else was offered, and what is beaten by what."""

from __future__ import annotations

from workbench.base.figures import figures
from workbench.charts import offline
from workbench.publication import statements
from workbench.publication.offer import OFFERED
from workbench.publication.reader import Published
from workbench.publication.report.html import firm, paragraph, table


def frontier(study: Published, index: int, cap: float | None, live: bool = True) -> str:
    """The chart with the limit and the chosen point on it, and the efficient points in numbers."""
    spec = study.chart()
    rows, values = spec["datasets"], study.points[index]["values"]
    rows["chosen"] = [{"x": row["x"], "y": row["y"]} for row in rows["points"] if row["i"] == index]
    value = figures(float(values[study.privacy["key"]]), study.privacy["better"])
    said = f"Ringed: {study.points[index]['recipe']}, {study.privacy['name']} {value}."
    if cap is not None and study.set_by_hand(cap):
        layers = (layer.get("encoding", {}).get("x", {}) for layer in spec["layer"])
        low, high = next(x["scale"]["domain"] for x in layers if "scale" in x)
        floor = study.privacy["better"] == "higher"
        rows["cap_x"] = [
            {"x": cap, "x2": low if floor else high, "label": "", "flip": floor}
        ]  # the name of an end is there
        said += f" The line is the limit, {'at least' if floor else 'at most'} {figures(cap)}."
    axes, keys = (study.privacy, study.utility), [study.privacy["key"], study.utility["key"]]
    head = ("efficient: no other is as good on both", *keys, "what may be learnt", "accuracy")
    efficient = [
        (
            f"{study.points[i]['recipe']}{' (shown here)' if i == index else ''}",
            *(figures(float(study.points[i]["values"][axis["key"]]), axis["better"]) for axis in axes),
            " ".join(statements.learnt(study, i)[key] for key in ("figure", "unit")),
            statements.cost(study, i)["figure"],
        )
        for i in study.efficient
    ]
    drawn = f'<div class="wide">{offline.fragment(spec, live)}</div>'
    return f'{drawn}<p class="soft">{firm(said)}</p>{table(head, efficient)}'


def alternatives(study: Published, index: int, cap: float | None) -> str:
    """The other releases that were offered beside it."""
    offered: dict[int, list[str]] = {}
    for name, other in study.choices(cap).items():
        if other is not None and other != index:
            offered.setdefault(other, []).append(OFFERED[name])
    rows = []
    for other, said in offered.items():
        point, sayings = (
            study.points[other],
            (statements.learnt(study, other), statements.most_exposed(study, other), statements.cost(study, other)),
        )
        beaten = "" if point["efficient"] else f" {point['explain']}"
        over = "" if study.within(other, cap) else " (over the limit)"
        figured = (f"{one['figure']} {one['unit']}" for one in sayings)
        rows.append((f"{', '.join(said)}{over}", f"{point['title']} ({point['recipe']}).{beaten}", *figured))
    head = ("", "release", "what may be learnt", "the group that differs most", "accuracy")
    return table(head, rows) if rows else ""


def dominated(study: Published, index: int, cap: float | None) -> str:
    """What every other candidate is beaten by."""
    beaten = [one for one in study.points if not one["efficient"] and not one["baseline"]]
    if not beaten:
        return ""
    axes, keys = (study.privacy, study.utility), [study.privacy["key"], study.utility["key"]]
    rows = [
        (
            one["recipe"],
            *(
                figures(float(one["values"][axis["key"]]), axis["better"])
                if axis["key"] in one["values"]
                else "undefined"
                for axis in axes
            ),
            one["explain"],
        )
        for one in sorted(beaten, key=lambda one: float(one["values"].get(keys[0], "nan")))
    ]
    said = f"{len(beaten):,} candidates are beaten: another is at least as good on both measures, and better on one."
    return paragraph(said) + table(("candidate", *keys, "why"), rows)
