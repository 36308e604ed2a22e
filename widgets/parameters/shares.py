"""Two weights that count relative to each other, as one number: the share of the second in both."""

from __future__ import annotations

from typing import Any

from workbench.base.variants import Variant

DIGITS = 12  # beyond are a computer's


def stands_at(variant: Variant, name: str) -> Any:
    """The number that a control of this parameter stands at: a share, where it counts against another one."""
    against = type(variant).parameters()[name].against
    value = getattr(variant, name)
    return share(value, getattr(variant, against)) if against else value


def settings(kind: type[Variant], name: str, value: Any) -> dict[str, Any]:
    """What a control at this number says; of two weights both, which add up to 1."""
    against = kind.parameters()[name].against
    return {name: value, against: round(1 - value, DIGITS)} if against else {name: value}


def share(weight: float, against: float) -> float:
    """The share of a weight in both, 0 to 1."""
    return round(weight / (weight + against), DIGITS) if weight else 0.0


def halves(kind: type[Variant]) -> dict[str, str]:
    """The parameters that are shown as a part of another one, each with the name of that one."""
    return {declared.against: name for name, declared in kind.parameters().items() if declared.against}
