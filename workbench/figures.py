"""Numbers, shares and lists as people read them."""

from __future__ import annotations

import decimal
import math
import re
from collections.abc import Sequence

ROUNDED = {  # to the nearest; where lower or higher is better so that no figure flatters
    better: decimal.Context(prec=3, rounding=rounding)
    for better, rounding in (
        ("", decimal.ROUND_HALF_UP),
        ("lower", decimal.ROUND_CEILING),
        ("higher", decimal.ROUND_FLOOR),
    )
}
NOISE = decimal.Context(prec=12)  # figures beyond are a computer's
HUGE = 1e15  # beyond it not every whole number is one for a computer


def figures(value: float, better: str = "") -> str:
    """A number with three figures, a whole one exactly; widgets/static/shared.js has the same rule.

    Where it is said what is better, "lower" or "higher", it is rounded to the other side.

    >>> figures(45222), figures(1234.5), figures(0.0000123456), figures(0.02272, "lower")
    ('45,222', '1,230', '1.23e-5', '0.0228')
    """
    value = float(value)
    if math.isnan(value):
        return "undefined"
    if math.isinf(value):
        return "infinite" if value > 0 else "minus infinite"
    if value.is_integer() and abs(value) < HUGE:
        return f"{int(value):,}"
    rounded = float(ROUNDED[better].plus(NOISE.create_decimal_from_float(value) if better else decimal.Decimal(value)))
    if 1000 <= abs(rounded) < HUGE:
        return f"{rounded:,.0f}"
    return re.sub(r"e\+?(-?)0*", r"e\1", f"{rounded:.3g}")


def per_cent(share: float) -> str:
    """A share in per cent, with three figures; nearly all is not all.

    >>> per_cent(0.12345), per_cent(0.0002), per_cent(1.0)
    ('12.3 %', 'under 0.1 %', '100 %')
    """
    if 0 < share < 0.001 or 0.999 < share < 1:
        return "under 0.1 %" if share < 0.5 else "over 99.9 %"
    return f"{100 * share:.3g} %"


def about_per_cent(share: float) -> str:
    """A share in whole per cent; nearly all is not all.

    >>> about_per_cent(0.12345), about_per_cent(0.004), about_per_cent(0.996)
    ('12 %', 'under 1 %', 'over 99 %')
    """
    if 0 < share < 0.01 or 0.99 < share < 1:
        return "under 1 %" if share < 0.5 else "over 99 %"
    return f"{100 * share:.0f} %"


def words(name: str) -> str:
    """A column's name as people say it."""
    return name.replace("_", " ").strip()


def listed(names: Sequence[str], last: str = "and") -> str:
    """Names as people list them: age, race and sex."""
    if len(names) < 2 or last == ",":
        return ", ".join(names)
    return f"{', '.join(names[:-1])} {last} {names[-1]}"
