"""A report: one self-contained page about one published release, which opens from disk and asks for nothing."""

from __future__ import annotations

import html
import json
from collections.abc import Iterable, Sequence
from typing import Any

from workbench import offline
from workbench.figures import about_per_cent, figures
from workbench.published import CHART, OFFERED, Published, words, words_of

CLASSES = 25  # the most exposed ones

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy"
  content="default-src 'none'; img-src data: blob:; style-src 'unsafe-inline'; script-src 'unsafe-eval' 'unsafe-inline'"
><style>
body {{ font: 16px/1.55 system-ui, sans-serif; max-width: 860px; margin: 3em auto; padding: 0 20px }}
h1 {{ font-size: 28px; line-height: 1.2; margin: 0 0 .2em }} h2 {{ font-size: 19px; margin: 2em 0 .5em }}
.soft, caption, th {{ opacity: .7 }} .lead {{ font-size: 18px }} img, svg {{ max-width: 100% }}
table {{ border-collapse: collapse; width: 100%; font-size: 14px; font-variant-numeric: tabular-nums }}
th {{ text-align: left; font-weight: 600 }} 
td, th {{ padding: 6px 12px 6px 0; border-bottom: 1px solid #8884; vertical-align: top }}
.figures {{ display: flex; flex-wrap: wrap; gap: 16px 48px; margin: 1em 0 }}
.figures b {{ font-size: 36px; line-height: 1.1; margin-right: 8px; white-space: nowrap }}
.figures div {{ flex: 1 1 320px }} .wide {{ overflow-x: auto }}
@media print {{ body {{ margin: 0 }} h2 {{ break-after: avoid }} tr {{ break-inside: avoid }} }}
</style></head>
<body>{body}</body></html>
"""


def report(study: Published, index: int, cap: float | None = None) -> str:
    """The page's text: the decision, the frontier, what it costs, who is exposed, the alternatives, and how."""
    study.opened(index)
    parts = [
        _decision(study, index, cap),
        "<h2>All candidates</h2>",
        _chart(study, index, cap),
        _release(study, index),
        _exposed(study, index),
        _misjudged(study, index),
        _alternatives(study, index, cap),
        _computed(study, index),
        offline.library(),
    ]
    return PAGE.format(title=_safe(f"{study.results['study']}: which release to publish"), body="\n".join(parts))


def _safe(text: Any) -> str:
    return html.escape(str(text))


def _table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    titles = "".join(f'<th scope="col">{_safe(name)}</th>' for name in head)
    lines = "".join(f"<tr>{''.join(f'<td>{_safe(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f'<div class="wide"><table><thead><tr>{titles}</tr></thead><tbody>{lines}</tbody></table></div>'


def _decision(study: Published, index: int, cap: float | None) -> str:
    """One paragraph that says what is proposed, and why."""
    table, point = study.results["table"], study.points[index]
    sensitive = words_of([one["name"] for one in table["sensitive"]]) if table["sensitive"] else ""
    learn = f", and nobody should learn their {sensitive}" if sensitive else ""
    best = study.choices(cap)["recommended"] == index
    recommended = (
        f"Of all candidates that keep to the limit ({study.scale(cap)}), it loses the least accuracy."
        if best
        else f"It was opened instead of the one that is recommended for the limit ({study.scale(cap)})."
    )
    return (
        f"<h1>{_safe(study.results['study'])}</h1>"
        f'<p class="soft">Which anonymised version of this table should be published?</p>'
        f'<p class="lead">The table is about {table["records"]:,} people. An attacker may know their '
        f"{_safe(words_of(table['quasi']))}{_safe(learn)}. Proposed is the release "
        f"<b>{_safe(point['recipe'])}</b>. {_safe(recommended)}</p>"
    )


def _chart(study: Published, index: int, cap: float | None) -> str:
    """The frontier with the limit and the chosen point on it."""
    spec = json.loads((study.folder / CHART).read_bytes())
    rows, values = spec["datasets"], study.points[index]["values"]
    rows["chosen"] = [{"x": row["x"], "y": row["y"]} for row in rows["points"] if row["i"] == index]
    said = f"Ringed: {study.points[index]['recipe']}, {study.privacy['key']} {values[study.privacy['key']]}."
    if cap is not None:
        drawn = (layer.get("encoding", {}).get("x", {}) for layer in spec["layer"])
        low, high = next(x["scale"]["domain"] for x in drawn if "scale" in x)
        floor = study.privacy["better"] == "higher"
        bound = f"{'at least' if floor else 'at most'} {figures(cap)}"
        rows["cap_x"] = [{"x": cap, "x2": low if floor else high, "label": bound, "flip": floor}]
        said += f" The line is the limit, {bound}."
    return f'{offline.fragment(spec)}<p class="soft">{_safe(said)}</p>'


def _release(study: Published, index: int) -> str:
    """What is promised, what would be learnt, and what that costs."""
    point = study.points[index]
    promise = f"Its promise: {point['promise']}. " if point["promise"] else ""
    groups = f"It makes {study.groups(index)}." if study.groups(index) else ""
    cards = "".join(
        f"<div><p><b>{_safe(said['figure'])}</b>{_safe(said['unit'])}</p><p>{_safe(said['sentence'])}</p></div>"
        for said in (study.learnt(index), study.cost(index))
    )
    refused = study.opened(index)["refused"]
    file = f"<p>No file was written for it: {_safe(refused)}.</p>" if refused else ""
    return f'<h2>This release</h2><p>{_safe(promise + groups)}</p><div class="figures">{cards}</div>{file}'


def _exposed(study: Published, index: int) -> str:
    """The classes that lose most, as the threshold allows."""
    detail = study.opened(index)
    if not isinstance(detail["classes"], int):
        return f"<h2>Who would be exposed</h2><p>{_safe(detail['classes']['reason'])}</p>"
    count, rows = study.exposures(index, most=CLASSES)
    shown = [(row["who"], study.how_many(row), row["sentence"] or "", figures(row["loss"])) for row in rows]
    note = f"The {len(rows)} most exposed of {count:,} groups of people whom the release does not tell apart."
    hidden = f'Counts below {study.smallest} are shown as "fewer than {study.smallest}".'
    head = ("who they are", "how many", "what would be believed of them", "loss")
    return f"<h2>Who would be exposed</h2><p>{_safe(note)} {_safe(hidden)}</p>{_table(head, shown)}"


def _misjudged(study: Published, index: int) -> str:
    """The large groups about which the release misleads most."""
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
    if not rows:
        return ""
    head = ("large group", "of everybody", "value", "in truth", "from the release")
    return f"<h2>What a researcher would get most wrong</h2>{_table(head, rows)}"


def _alternatives(study: Published, index: int, cap: float | None) -> str:
    """The other releases that were offered beside it."""
    offered: dict[int, list[str]] = {}
    for name, other in study.choices(cap).items():
        if other is not None and other != index:
            offered.setdefault(other, []).append(OFFERED[name])
    rows = []
    for other, said in offered.items():
        point, learnt, cost = study.points[other], study.learnt(other), study.cost(other)
        both = (f"{one['figure']} {one['unit']}" for one in (learnt, cost))
        rows.append((", ".join(said), point["recipe"], *both, point["explain"]))
    head = ("", "release", "an attacker learns", "accuracy", "on the frontier")
    return f"<h2>Alternatives</h2>{_table(head, rows)}"


def _computed(study: Published, index: int) -> str:
    """The recipe, and every measure with its value and its sentence."""
    results, point = study.results, study.points[index]
    candidates = sum(not one["baseline"] for one in study.points)
    rows = [
        (f"{one['name']} ({one['key']})", figures(float(point["values"][one["key"]])), one["unit"], said)
        if one["key"] in point["values"]
        else (f"{one['name']} ({one['key']})", "undefined", one["unit"], point["reasons"].get(one["key"], ""))
        for one in results["measures"]
        for said in [point["sentences"].get(one["key"], "")]
    ]
    neutral = results["table"]["neutral"]
    beside = f" Published as they are: {', '.join(map(words, neutral))}." if neutral else ""
    text = (
        f"{candidates:,} candidates were made, attacked and measured; {len(study.efficient)} of them are efficient: no "
        f"other is at least as good on {study.privacy['name']} and {study.utility['name']} and better on one. "
        f"{point['explain']}{beside}"
    )
    recipe = json.dumps(point["settings"], ensure_ascii=False)
    return (
        f"<h2>How it was computed</h2><p>{_safe(text)}</p>{_table(('measure', 'value', 'unit', 'in words'), rows)}"
        f'<p class="soft">Recipe: {_safe(recipe)}. Workbench {_safe(results["workbench"])}. This page was made from '
        f"the study's published results, without the data.</p>"
    )
