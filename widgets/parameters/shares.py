"""Two relative weights as one number: the share of the second in their sum."""

from __future__ import annotations

from typing import Any

from workbench.base.parameters import Number
from workbench.base.variants import Variant

DIGITS = 12  # further digits are rounding errors


def control_value(variant: Variant, name: str) -> Any:
    """Return the number that the control of a parameter shows: a share for a pair of weights."""
    against = _against(type(variant), name)
    value = getattr(variant, name)
    return share(value, getattr(variant, against)) if against else value


def settings(kind: type[Variant], name: str, value: Any) -> dict[str, Any]:
    """Return the settings for the number of a control; for a pair of weights both, which add up to 1."""
    against = _against(kind, name)
    return {name: value, against: round(1 - value, DIGITS)} if against else {name: value}


def share(weight: float, against: float) -> float:
    """Return the share of a weight in the sum of both, 0 to 1."""
    return round(weight / (weight + against), DIGITS) if weight else 0.0


def halves(kind: type[Variant]) -> dict[str, str]:
    """Return the weights that are shown as part of another one, with the name of that one."""
    return {
        declared.against: name
        for name, declared in kind.parameters().items()
        if isinstance(declared, Number) and declared.against
    }


def _against(kind: type[Variant], name: str) -> str | None:
    declared = kind.parameters()[name]
    return declared.against if isinstance(declared, Number) else None
