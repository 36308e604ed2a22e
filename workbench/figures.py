"""Numbers as people read them."""

from __future__ import annotations

import math


def figures(value: float) -> str:
    """A number with three figures, as people read it."""
    if math.isinf(value):
        return "infinite" if value > 0 else "minus infinite"
    rounded = float(f"{value:.3g}")
    return f"{rounded:,.0f}" if abs(rounded) >= 1000 else f"{rounded:.3g}"
