"""A report: one self-contained page about one published release, which opens from disk and asks for nothing.

A section is a function of the published study, the release and the limit; the page and the notebook show the same.
"""

from __future__ import annotations

from collections.abc import Callable

from workbench.charts import offline
from workbench.publication.reader import Published
from workbench.publication.report import alternatives, proposed, question
from workbench.publication.report.html import safe

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy"
  content="default-src 'none'; img-src data: blob:; style-src 'unsafe-inline'; script-src 'unsafe-eval' 'unsafe-inline'"
><style>
{style}
</style></head>
<body>{body}</body></html>
"""
STYLE = """
body { font: 16px/1.55 system-ui, sans-serif; max-width: 900px; margin: 3em auto; padding: 0 20px }
h1 { font-size: 28px; line-height: 1.2; margin: 0 0 .2em } h2 { font-size: 20px; margin: 2.2em 0 .5em }
h3 { font-size: 14px; margin: 0; opacity: .75 }
.soft, caption, th { opacity: .75 } .lead { font-size: 18px } img, svg { max-width: 100%; height: auto }
nav { font-size: 14px; columns: 2 240px; margin: 1.5em 0 } nav a { display: block; color: inherit }
table { border-collapse: collapse; width: 100%; font-size: 14px; font-variant-numeric: tabular-nums }
th { text-align: left; font-weight: 600 }
td, th { padding: 6px 12px 6px 0; border-bottom: 1px solid #8884; vertical-align: top }
.figures { display: flex; flex-wrap: wrap; gap: 16px 40px; margin: 1em 0 }
.figures b { font-size: 34px; line-height: 1.1; margin-right: 8px; white-space: nowrap }
.figures div { flex: 1 1 240px } .wide { overflow-x: auto }
.warn { border-left: 4px solid #d55e00; padding-left: 12px }
.bar { display: inline-block; width: 90px; height: 8px; margin-right: 8px; border-radius: 3px; overflow: hidden }
.bar { background: #8883 }
.bar i { display: block; height: 100%; background: #d55e00 }
pre { font-size: 13px; line-height: 1.45; overflow-x: auto; padding: 12px; background: #8881; border-radius: 6px }
@media (max-width: 600px) {
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
  tr { display: block; border-bottom: 1px solid #8886; padding: 8px 0 } td { display: block; border: 0; padding: 2px 0 }
  td::before { content: attr(data-head); display: block; font-size: 12px; opacity: .75 }
}
@media print {
  .vega-embed details, .vega-actions, nav { display: none } :root { color-scheme: light }
  body { margin: 0; max-width: none; font-size: 12px } h2 { break-after: avoid }
  tr, .figures div { break-inside: avoid }
  pre { white-space: pre-wrap } .bar { print-color-adjust: exact }
}
"""
Section = Callable[[Published, int, float | None], str]
SECTIONS: dict[str, tuple[str, Section]] = {  # name: title and content
    "decision": ("The decision", proposed.decision),
    "release": ("What may be learnt, and what it costs", proposed.release),
    "frontier": ("All candidates", alternatives.frontier),
    "alternatives": ("Alternatives", alternatives.alternatives),
    "classes": ("Who would be exposed", proposed.classes),
    "risk": ("Who is at risk, and why", proposed.risk),
    "utility": ("What a researcher would get wrong", proposed.utility),
    "dominated": ("Candidates that are beaten", alternatives.dominated),
    "asked": ("What was asked", question.asked),
    "data": ("The data, and the roles of their columns", question.data),
    "computed": ("How it was computed", question.computed),
}


def report(study: Published, index: int, cap: float | None = None) -> str:
    """The page's text."""
    study.opened(index)
    shown = {name: (title, section(study, index, cap)) for name, (title, section) in SECTIONS.items()}
    links = "".join(f'<a href="#{name}">{safe(title)}</a>' for name, (title, said) in shown.items() if said)
    parts = [
        f'<section id="{name}">{"" if name == "decision" else f"<h2>{safe(title)}</h2>"}{said}</section>'
        + (f"<nav>{links}</nav>" if name == "decision" else "")
        for name, (title, said) in shown.items()
        if said
    ]
    title = safe(f"{study.results['study']}: which release to publish")
    return PAGE.format(title=title, style=STYLE, body="\n".join([*parts, offline.library()]))
