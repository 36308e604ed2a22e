"""Budgets of a search: a time limit, or a number of evaluations (reproducible)."""

from __future__ import annotations

import math
import re
import threading
import time
from dataclasses import dataclass

from workbench.base.errors import BadInput, safe_repr
from workbench.base.progress import describe_duration

UNITS = {"": 1.0, "s": 1.0, "sec": 1.0, "second": 1.0, "min": 60.0, "minute": 60.0, "h": 3600.0, "hour": 3600.0}
UNITS |= {f"{unit}s": seconds for unit, seconds in UNITS.items() if len(unit) > 3}
WRITTEN = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*", re.IGNORECASE)
EVALUATIONS = ("evaluation", "evaluations")


@dataclass(frozen=True)
class Budget:
    """Seconds of wall-clock time, or evaluations: releases that are computed and measured, or read from the store."""

    seconds: float = math.inf
    evaluations: float = math.inf

    @classmethod
    def read(cls, given: object) -> Budget:
        """Parse 30, "30 s", "2 min" or "40 evaluations"."""
        found = WRITTEN.fullmatch(str(given)) if isinstance(given, (int, float, str)) else None
        number, unit = (float(found[1]), found[2].lower()) if found else (0.0, "")
        whole = unit not in EVALUATIONS or number.is_integer()
        if not number or unit not in (*UNITS, *EVALUATIONS) or isinstance(given, bool) or not whole:
            raise BadInput(f"budget = {safe_repr(given)}: give seconds, as 30 or '2 min', or '40 evaluations'")
        if unit in EVALUATIONS:
            return cls(evaluations=number)
        return cls(seconds=number * UNITS[unit])

    def __str__(self) -> str:
        return f"{self.evaluations:.0f} evaluations" if math.isinf(self.seconds) else describe_duration(self.seconds)


class Deadline(threading.Event):
    """An event that is set on cancellation or when the time is over."""

    def __init__(self, seconds: float, cancel: threading.Event | None = None) -> None:
        super().__init__()
        self._end, self._cancel = time.monotonic() + seconds, cancel

    @property
    def cancelled(self) -> bool:
        """True if the user has cancelled."""
        return self._cancel is not None and self._cancel.is_set()

    def is_set(self) -> bool:
        return super().is_set() or self.cancelled or time.monotonic() >= self._end
