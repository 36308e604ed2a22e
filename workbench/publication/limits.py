"""Sentences about a limit: its meaning, whether a candidate satisfies it, and the nearest candidate."""

from __future__ import annotations

from workbench.base.figures import format_number
from workbench.publication.offer import PublishedStudy
from workbench.releases.scale import Scale


def scale(study: PublishedStudy, cap: float | None) -> str:
    """Explain what a cap allows."""
    axis = study.privacy
    if cap is None:
        return "no limit"
    if example := axis["scale"]:
        return Scale(**example).allows(cap, study.wording)
    bound = "at least" if axis["better"] == "higher" else "at most"
    return f"{bound} {format_number(cap, axis['better'])} on {axis['name']} ({axis['unit']})"


def limit(study: PublishedStudy) -> str:
    """State that no candidate satisfies the study's own caps, and the nearest one; empty if they can be satisfied."""
    cap = study.results["cap"]
    return unsatisfied(study, cap) if cap is not None else ""


def unsatisfied(study: PublishedStudy, cap: float | None) -> str:
    """State that no candidate satisfies a limit and the study's other caps, and the nearest; empty if one does."""
    if study.decision(cap)["satisfied"]:
        return ""
    axis, index = study.privacy, study.opens(cap)
    if cap is None:
        return study.results["others"]
    bound, more = "at least" if axis["better"] == "higher" else "at most", len(study.results["caps"]) > 1
    others = ", combined with its limits on other measures" * bool(more and study.decision(None)["satisfied"])
    reached = abs(study.loss(index, axis))
    allowed = f" ({scale(study, reached)})" if axis["scale"] else ""
    nearest = (
        f"number {index + 1}, {study.points[index]['recipe']}, with {format_number(reached, axis['better'])}{allowed}"
    )
    what = f"the limit of {bound} {format_number(cap)} on {axis['name']}{others}"
    return f"No candidate satisfies {what}. The nearest is {nearest}."


def shown_figure(study: PublishedStudy, index: int, cap: float | None = None) -> str:
    """Return a release's figure on the slider's measure.

    If the release satisfies the limit but its coarser published figure exceeds it, return the limit.
    """
    axis = study.privacy
    if cap is None or not hidden_by_rounding(study, index, cap):
        return format_number(abs(study.loss(index, axis)), axis["better"])
    return f"{'at least' if axis['better'] == 'higher' else 'at most'} {format_number(cap)}"


def hidden_by_rounding(study: PublishedStudy, index: int, cap: float | None) -> bool:
    """Return whether a release satisfies a limit that its coarser published figure seems to violate."""
    if cap is None or not study.within(index, cap):
        return False
    return study.loss(index, study.privacy) > (-cap if study.privacy["better"] == "higher" else cap)
