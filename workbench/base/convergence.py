"""The outcome of iterative fits: the residual, and whether they converged. Measures report it with their figures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

from workbench.base.figures import format_number


class Fit(NamedTuple):
    """The outcome of an iterative fit."""

    name: str  # what was fitted, such as "expectation maximization"; no data
    rounds: int
    residual: float  # how far from a solution, as the algorithm measures it; 0 is exact
    converged: bool


_collected: ContextVar[list[Fit] | None] = ContextVar("collected fits", default=None)


def report_fit(fit: Fit) -> None:
    """Report a fit to the enclosing `collect_fits`; cached results report their fit at each use."""
    fits = _collected.get()
    if fits is not None and fit not in fits:
        fits.append(fit)


@contextmanager
def collect_fits() -> Iterator[list[Fit]]:
    """Collect the fits that are reported in this thread."""
    fits: list[Fit] = []
    before = _collected.set(fits)
    try:
        yield fits
    finally:
        _collected.reset(before)


def warning_about(fits: Iterable[Fit]) -> str:
    """Return a sentence about the fits that did not converge; empty if all did.

    >>> warning_about([Fit("logistic regression", 60, 0.0123, False), Fit("Sinkhorn", 5, 1e-12, True)])
    'Computed from a fit that did not converge: logistic regression (residual 0.0123 after 60 rounds).'
    """
    left = [one for one in fits if not one.converged]
    open_ends = [f"{one.name} (residual {format_number(one.residual)} after {one.rounds:,} rounds)" for one in left]
    if not open_ends:
        return ""
    what = "a fit that did not converge" if len(open_ends) == 1 else "fits that did not converge"
    return f"Computed from {what}: {'; '.join(open_ends)}."
