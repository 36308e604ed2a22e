"""The page of a report: one self-contained HTML file about one published release, which needs no network.

A section is a function of the published study, the release and the limit; the page and the notebook show the same.
"""

from __future__ import annotations

from collections.abc import Callable

from markupsafe import Markup

from workbench.charts import offline
from workbench.publication.reader import Published
from workbench.publication.report import alternatives, proposed, question
from workbench.publication.report.layout import render

Section = Callable[[Published, int, float | None], Markup]
SECTIONS: dict[str, tuple[str, Section]] = {  # name: title and content
    "decision": ("The decision", proposed.decision),
    "release": ("What may be learned, and what it costs", proposed.release),
    "frontier": ("All candidates", alternatives.frontier),
    "alternatives": ("Alternatives", alternatives.alternatives),
    "classes": ("Exposed groups", proposed.classes),
    "risk": ("Highest risk, and why", proposed.risk),
    "utility": ("What a researcher would get wrong", proposed.utility),
    "queries": ("What users of the data would find", proposed.queries),
    "beside": ("Original and release", proposed.distributions_section),
    "dominated": ("Candidates that are not efficient", alternatives.dominated),
    "asked": ("The question", question.question_section),
    "data": ("The data, and the roles of their columns", question.data),
    "computed": ("How it was computed", question.computed),
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
