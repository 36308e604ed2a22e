"""A scenario: the good use and the bad use of a release, as two measures and two caps of a study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from workbench.base.errors import BadInput, safe_repr
from workbench.data.settings import released_columns
from workbench.data.table import Table
from workbench.measures import Measure
from workbench.measures.privacy.anti_utility import AntiUtility
from workbench.measures.utility.good_utility import GoodUtility
from workbench.studies.study import variant

M = TypeVar("M", bound=Measure)
ACCEPTED = 0.1  # initial maximum of the decline and of the share of people


@dataclass(frozen=True)
class Scenario:
    """Users and attackers of the data; `decline` and `share` are the accepted maxima, None without a limit."""

    good: GoodUtility
    bad: AntiUtility
    decline: float | None = ACCEPTED
    share: float | None = ACCEPTED

    def apply_to(self, measures: Sequence[Any], axes: Sequence[str], caps: Mapping[str, float]) -> dict[str, Any]:
        """Return the measures, axes and caps of a study with this scenario on its axes, instead of an older one."""
        gone = [one for one in _on(measures, axes) if isinstance(one, (GoodUtility, AntiUtility))]
        wanted = [self.bad, self.good]
        old = {one.key for one in (*gone, *wanted)}
        kept = [one for one in measures if variant("measure", one).key not in old]
        limits = {self.bad.key: self.share, self.good.key: self.decline}
        return {
            "measures": (*kept, *(one.to_dict() for one in wanted)),
            "axes": (self.bad.key, self.good.key),
            "caps": {
                **{key: cap for key, cap in caps.items() if key not in old},
                **{key: cap for key, cap in limits.items() if cap is not None},
            },
        }


def scenario_from_study(measures: Sequence[Any], axes: Sequence[str], caps: Mapping[str, float]) -> Scenario | None:
    """Return the scenario on a study's axes, if there is one."""
    there = _on(measures, axes)
    good, bad = _first(there, GoodUtility), _first(there, AntiUtility)
    if good is None or bad is None:
        return None
    return Scenario(good, bad, caps.get(good.key), caps.get(bad.key))


def proposed(table: Table) -> Scenario:
    """Propose a scenario: the first sensitive column is the good target, the first quasi-identifier the bad one."""
    target = next(iter(table.sensitive), None) or next(iter(released_columns(table)), None)
    return Scenario(GoodUtility(target=target), AntiUtility(target=table.quasi[:1] or None, miners="three"))


def percent(text: Any, what: str) -> float | None:
    """Parse a share in percent; empty text is None."""
    typed = str(text).replace("%", "").strip()
    if not typed:
        return None
    try:
        share = float(typed) / 100
    except ValueError:
        raise BadInput(f"{what}: {safe_repr(text)} is not a number; enter 0 to 100 percent, or nothing") from None
    if not 0 <= share <= 1:
        raise BadInput(f"{what}: {safe_repr(text)} is not between 0 and 100 percent")
    return share


def _on(measures: Sequence[Any], axes: Sequence[str]) -> list[Measure]:
    return [one for one in (variant("measure", given) for given in measures) if one.key in axes]


def _first(there: Sequence[Measure], kind: type[M]) -> M | None:
    return next((one for one in there if isinstance(one, kind)), None)
