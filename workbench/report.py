"""A report: one self-contained page about one published release, which opens from disk and asks for nothing."""

from __future__ import annotations

import html
import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any

from workbench import offline
from workbench.figures import about_per_cent, figures
from workbench.published import CHART, OFFERED, Published, words_of

CLASSES = 25  # the most exposed ones

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy"
  content="default-src 'none'; img-src data: blob:; style-src 'unsafe-inline'; script-src 'unsafe-eval' 'unsafe-inline'"
><style>
body {{ font: 16px/1.55 system-ui, sans-serif; max-width: 860px; margin: 3em auto; padding: 0 20px }}
h1 {{ font-size: 28px; line-height: 1.2; margin: 0 0 .2em }} h2 {{ font-size: 19px; margin: 2em 0 .5em }}
.soft, caption, th {{ opacity: .7 }} .lead {{ font-size: 18px }} img, svg {{ max-width: 100%; height: auto }}
table {{ border-collapse: collapse; width: 100%; font-size: 14px; font-variant-numeric: tabular-nums }}
th {{ text-align: left; font-weight: 600 }}
td, th {{ padding: 6px 12px 6px 0; border-bottom: 1px solid #8884; vertical-align: top }}
.figures {{ display: flex; flex-wrap: wrap; gap: 16px 48px; margin: 1em 0 }}
.figures b {{ font-size: 36px; line-height: 1.1; margin-right: 8px; white-space: nowrap }}
.figures div {{ flex: 1 1 320px }} .wide {{ overflow-x: auto }}
.warn {{ border-left: 4px solid #d55e00; padding-left: 12px }}
@media print {{ .vega-embed details, .vega-actions {{ display: none }} }}
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


def _cell(text: Any) -> str:
    """Text whose shares stay on one line."""
    return _safe(text).replace(" %", "&nbsp;%")


def _table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    titles = "".join(f'<th scope="col">{_safe(name)}</th>' for name in head)
    lines = "".join(f"<tr>{''.join(f'<td>{_cell(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f'<div class="wide"><table><thead><tr>{titles}</tr></thead><tbody>{lines}</tbody></table></div>'


def _decision(study: Published, index: int, cap: float | None) -> str:
    """One paragraph that says what is proposed, and why; what is wrong with it stands out."""
    results, point = study.results, study.points[index]
    table, scale = results["table"], study.scale(cap)
    sensitive = words_of([one["name"] for one in table["sensitive"]]) if table["sensitive"] else ""
    learn = f", and nobody should learn their {sensitive}" if sensitive else ""
    within, best = study.within(index, cap), study.choices(cap)["recommended"] == index
    why = f"It was opened instead of the one that is recommended for the limit ({scale})."
    if best:
        why = f"Of all candidates that keep to the limit ({scale}), it loses the least accuracy."
    exceeded = (
        "" if within else f"The limit is exceeded: more may be learnt from this release than it allows ({scale})."
    )
    warnings = "".join(
        f'<p class="warn">{_safe(said)}</p>' for said in (study.limit, results["others"], exceeded) if said
    )
    day = date.fromisoformat(results["published"])
    return (
        f"<h1>{_safe(results['study'])}</h1>"
        f'<p class="soft">Which anonymised version of this table should be published? '
        f"As of {day.day} {day:%B %Y}.</p>"
        f'<p class="lead">The table is about {table["records"]:,} people. An attacker may know their '
        f"{_safe(words_of(table['quasi']))}{_safe(learn)}. Proposed is the release with this promise: "
        f"<b>{_safe(point['promise'] or point['recipe'])}</b> ({_safe(point['recipe'])}). {_safe(why)} "
        f"{_safe(results['as_they_are'])}</p>{warnings}"
    )


def _chart(study: Published, index: int, cap: float | None) -> str:
    """The frontier with the limit and the chosen point on it."""
    spec = json.loads((study.folder / CHART).read_bytes())
    rows, values = spec["datasets"], study.points[index]["values"]
    rows["chosen"] = [{"x": row["x"], "y": row["y"]} for row in rows["points"] if row["i"] == index]
    value = figures(float(values[study.privacy["key"]]))
    said = f"Ringed: {study.points[index]['recipe']}, {study.privacy['name']} {value}."
    if cap is not None:
        drawn = (layer.get("encoding", {}).get("x", {}) for layer in spec["layer"])
        low, high = next(x["scale"]["domain"] for x in drawn if "scale" in x)
        floor = study.privacy["better"] == "higher"
        rows["cap_x"] = [
            {"x": cap, "x2": low if floor else high, "label": "", "flip": floor}
        ]  # the name of an end is there
        said += f" The line is the limit, {'at least' if floor else 'at most'} {figures(cap)}."
    return f'<div class="wide">{offline.fragment(spec)}</div><p class="soft">{_safe(said)}</p>'


def _release(study: Published, index: int) -> str:
    """What would be learnt, at most and on average, and what that costs."""
    detail, together = study.opened(index), study.results["together"]
    groups = f"<p>It makes {_safe(study.groups(index))}.</p>" if study.groups(index) else ""
    cards = "".join(
        f"<div><p><b>{_safe(said['figure'])}</b>{_safe(said['unit'])}</p><p>{_safe(said['sentence'])}</p>"
        f"{_paragraph(said.get('worst', ''))}</div>"
        for said in (study.most_exposed(index), study.learnt(index), study.cost(index))
    )
    file = f"No file was written for it: {detail['refused']}." if detail["refused"] else ""
    several = together["sentence"] if together["files"] > 1 else ""
    return f'<h2>This release</h2>{groups}<div class="figures">{cards}</div>{_paragraph(file)}{_paragraph(several)}'


def _paragraph(said: str) -> str:
    return f"<p>{_safe(said)}</p>" if said else ""


def _exposed(study: Published, index: int) -> str:
    """The classes that lose most, as the threshold allows."""
    detail = study.opened(index)
    if not isinstance(detail["classes"], int):
        return f"<h2>Who would be exposed</h2><p>{_safe(detail['classes']['reason'])}</p>"
    count, rows = study.exposures(index, most=CLASSES)
    shown = [(row["who"], study.how_many(row), row["sentence"] or "", study.how_exposed(row)) for row in rows]
    note = f"{len(rows)} of {count:,} groups of people whom the release does not tell apart. {study.order(index)}"
    exposed = (
        f"How exposed: {study.results['exposure']['name']}, of what a full disclosure would tell; "
        f'"up to" where small numbers are not told: those below {study.smallest}.'
    )
    head = ("who they are", "how many", "what would be believed of them", "how exposed")
    return f"<h2>Who would be exposed</h2><p>{_safe(note)}</p><p>{_safe(exposed)}</p>{_table(head, shown)}"


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
        point, sayings = study.points[other], (study.most_exposed(other), study.learnt(other), study.cost(other))
        beaten = "" if point["efficient"] else f" {point['explain']}"
        over = "" if study.within(other, cap) else " (over the limit)"
        figured = (f"{one['figure']} {one['unit']}" for one in sayings)
        rows.append((f"{', '.join(said)}{over}", f"{point['title']} ({point['recipe']}).{beaten}", *figured))
    head = ("", "release", "may be learnt at most", "an attacker is right", "accuracy")
    return f"<h2>Alternatives</h2>{_table(head, rows)}" if rows else ""


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
    which = "It is one of them." if point["efficient"] else point["explain"]
    text = (
        f"{candidates:,} candidates were made, attacked and measured; {len(study.efficient)} of them are efficient: no "
        f"other is at least as good on {study.privacy['name']} and {study.utility['name']} and better on one. {which}"
    )
    return (
        f"<h2>How it was computed</h2><p>{_safe(text)}</p>{_table(('measure', 'value', 'unit', 'in words'), rows)}"
        f'<p class="soft">{_safe(_made(point["settings"]))} Workbench {_safe(results["workbench"])}. This page was '
        f"made from the study's published results, without the data.</p>"
    )


def _made(settings: Mapping[str, Any]) -> str:
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
