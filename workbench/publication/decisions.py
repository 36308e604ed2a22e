"""The decisions that a published study can show: one for each limit on its slider, made from the exact figures.

A folder contains no exact figures, so it contains the decisions instead; `workbench.publication.offer` looks them up.
The slider's stops are the published figures of the candidates that may be chosen, and the study's own limit.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping

import numpy as np

from workbench.base.figures import format_number as in_figures
from workbench.base.figures import join_names
from workbench.frontier.decision import decide, neighbors
from workbench.frontier.frontier import Frontier, undominated
from workbench.publication.published_types import PublishedDecision
from workbench.publication.selection import PublishedFrontier, easiest_to_explain
from workbench.studies.study import Study


def decisions_of(frontier: PublishedFrontier, study: Study) -> list[PublishedDecision]:
    """Return one decision for each stop of the slider, the strictest first, then the one without a limit."""
    exact, caps = frontier.exact, study_caps(frontier, study)
    privacy = frontier.axes[0]
    others = {key: cap for key, cap in caps.items() if key != privacy}
    plain = {i + 1 for i in easiest_to_explain(exact)}
    within = set(decide(exact, others).satisfying) or set(range(1, len(exact.measured) + 1))
    figures = (_figure(frontier, number) for number in _to_choose(exact, within, plain))
    stops = {figure for figure in figures if math.isfinite(figure)}
    own = {float(caps[privacy])} if privacy in caps else set()
    every = sorted(own | stops, key=lambda stop: frontier.sign(privacy) * stop)
    limited = [_decision(exact, stop, {**others, privacy: stop}, within, plain) for stop in every]
    return [*limited, _decision(exact, None, others, within, plain)]


def study_caps(frontier: Frontier, study: Study) -> dict[str, float]:
    """Return the study's caps, by the keys of measures."""
    return {frontier.key(key): float(cap) for key, cap in study.caps.items()}


def opened_by(frontier: PublishedFrontier, decisions: Iterable[PublishedDecision]) -> list[int]:
    """Return the numbers of the points that can be opened: the efficient ones, and those that a decision names."""
    found = set((np.flatnonzero(frontier.is_efficient()) + 1).tolist())
    for one in decisions:
        named = (one["recommended"], one["shown"], one["safer"], one["useful"], one["simplest"])
        found |= {number for number in named if number is not None}
    return sorted(found)


def ranks_of(frontier: PublishedFrontier) -> dict[int, int]:
    """Return the rank of each efficient point by exact privacy loss, the safest first; ties share one."""
    losses, efficient = frontier.exact.losses(), np.flatnonzero(frontier.is_efficient()).tolist()
    order = sorted({tuple(losses[i]) for i in efficient})
    return {i: order.index(tuple(losses[i])) for i in efficient}


def describe_other_limits(frontier: PublishedFrontier, study: Study) -> str:
    """Describe how the candidates satisfy the study's limits on other measures than the slider's; empty without any."""
    exact, privacy = frontier.exact, frontier.axes[0]
    caps = {key: cap for key, cap in study_caps(frontier, study).items() if key != privacy}
    if not caps:
        return ""
    decision, own = decide(exact, caps), int(exact.recommendable.sum())
    limit = limits_in_words(frontier, caps)
    if decision.nearest is not None:
        return f"No candidate satisfies the study's limit of {limit}; the nearest is number {decision.nearest}."
    broken = own - len(decision.satisfying)
    return f"{broken} of {own} candidates violate the study's limit of {limit}, and are not recommended." * bool(broken)


def limits_in_words(frontier: Frontier, caps: Mapping[str, float]) -> str:
    """Describe caps by the names of measures."""
    bounds = {1: "at most", -1: "at least"}
    named = ((bounds[frontier.sign(key)], in_figures(cap), frontier.measure(key).name) for key, cap in caps.items())
    return join_names([f"{bound} {cap} on {name}" for bound, cap, name in named])


def _decision(
    exact: Frontier, stop: float | None, caps: Mapping[str, float], within: Collection[int], plain: Collection[int]
) -> PublishedDecision:
    found, privacy = decide(exact, caps), exact.axes[0]
    assert found.shown is not None  # `publish` refuses a study without candidates
    safer, useful = neighbors(exact, found.shown, within)
    as_safe = {**caps, privacy: exact.measured[found.shown - 1].values[privacy]} if stop is None else caps
    simple = decide(exact, as_safe, plain).satisfying if plain else ()
    return {
        "cap": stop,
        "recommended": found.recommended,
        "shown": found.shown,
        "satisfied": found.nearest is None,
        "within": list(found.satisfying),
        "passed_over": list(found.passed_over) if found.recommended else [],
        "safer": safer,
        "useful": useful,
        "simplest": simple[0] if simple else None,
    }


def _to_choose(exact: Frontier, within: Collection[int], plain: Collection[int]) -> set[int]:
    """Return the undominated candidates: of all, of those that may be recommended, and of the simplest kind."""
    valued = exact.recommendable & ~np.isnan(exact.losses()).any(axis=1)
    every = [i for i in np.flatnonzero(valued).tolist() if i + 1 in within]
    safe = [i for i in every if not exact.measured[i].against]
    groups = (every, safe, [i for i in every if i + 1 in plain])
    return {i + 1 for group in groups for i in _best_of(exact, group)}


def _best_of(frontier: Frontier, places: list[int]) -> list[int]:
    among = np.array(places, dtype=int)
    return among[undominated(frontier.losses()[among])].tolist() if len(among) else []


def _figure(frontier: PublishedFrontier, number: int) -> float:
    """Return the published figure on the slider's measure; NaN if it is not published."""
    return float(frontier.measured[number - 1].values.get(frontier.axes[0], math.nan))
