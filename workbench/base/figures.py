"""Numbers, shares and lists as people read them."""

from __future__ import annotations

import decimal
import math
import re
from collections.abc import Sequence

ROUNDING = {
    "": decimal.ROUND_HALF_UP,
    "lower": decimal.ROUND_CEILING,
    "higher": decimal.ROUND_FLOOR,
}  # by what is better
NOISE = decimal.Context(prec=12)  # figures beyond are a computer's
VOWEL = re.compile(r"(?!eu|one\b|uni|us[aeu])[aeiou]|hour|honest|heir", re.I)  # as it sounds
HUGE = 1e15  # beyond it not every whole number is one for a computer


def rounded(value: float, better: str = "", digits: int = 3) -> float:
    """A number with so many figures: the nearest, or where lower or higher is better the nearest that does not flatter.

    widgets/base/shared.js has the same rule.

    >>> rounded(0.02272), rounded(0.02272, "lower"), rounded(0.02272, "higher", 2)
    (0.0227, 0.0228, 0.022)
    """
    exact = NOISE.create_decimal_from_float(value) if better else decimal.Decimal(value)
    return float(decimal.Context(prec=digits, rounding=ROUNDING[better]).plus(exact))


def figures(value: float, better: str = "") -> str:
    """A number with three figures, a whole one exactly, rounded as `rounded` says.

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
    shown = rounded(value, better)
    if 1000 <= abs(shown) < HUGE:
        return f"{shown:,.0f}"
    return re.sub(r"e\+?(-?)0*", r"e\1", f"{shown:.3g}")


def estimated(interval: tuple[float, float] | None) -> str:
    """Where a value lies with 95 %, to stand behind it; nothing where it is exact.

    >>> estimated((0.11, 0.1349)), estimated(None)
    (' (0.11 to 0.135)', '')
    """
    if interval is None:
        return ""
    return f" ({figures(interval[0], 'higher')} to {figures(interval[1], 'lower')})"


def per_cent(share: float, better: str = "") -> str:
    """A share in per cent, with three figures, rounded as `figures` are; nearly all is not all.

    >>> per_cent(0.12345), per_cent(0.0002), per_cent(1.0)
    ('12.3 %', 'under 0.1 %', '100 %')
    """
    if 0 < share < 0.001 or 0.999 < share < 1:
        return "under 0.1 %" if share < 0.5 else "over 99.9 %"
    return f"{rounded(100 * share, better):.3g} %"


def about_per_cent(share: float, better: str = "") -> str:
    """A share in whole per cent, rounded as `figures` are; nearly all is not all.

    >>> about_per_cent(0.12345), about_per_cent(0.004), about_per_cent(0.996)
    ('12 %', 'under 1 %', 'over 99 %')
    """
    if 0 < share < 0.01 or 0.99 < share < 1:
        return "under 1 %" if share < 0.5 else "over 99 %"
    exact = NOISE.create_decimal_from_float(100 * share)
    return f"{exact.quantize(decimal.Decimal(1), ROUNDING[better] if better else decimal.ROUND_HALF_EVEN)} %"


def up_to(share: float) -> str:
    """A share that is no larger, in whole per cent.

    >>> up_to(0.0), up_to(0.004), up_to(0.12), up_to(0.121), up_to(0.996)
    ('0 %', 'under 1 %', 'up to 12 %', 'up to 13 %', 'up to 100 %')
    """
    return about_per_cent(share) if share < 0.01 else f"up to {math.ceil(round(100 * share, 9))} %"


def words(name: str) -> str:
    """A column's name as people say it; a number in it stays where it is, so that it is not taken for a value.

    >>> words("marital_status"), words("dx1_3")
    ('marital status', 'dx1_3')
    """
    return re.sub(r"_(?!\d)", " ", name).strip()


def an(name: str) -> str:
    """A name behind its article, as its first letters sound.

    >>> an("occupation"), an("disease"), an("unit"), an("hour")
    ('an occupation', 'a disease', 'a unit', 'an hour')
    """
    return f"{'an' if VOWEL.match(name) else 'a'} {name}"


def join_names(names: Sequence[str], last: str = "and") -> str:
    """Names as people list them: age, race and sex."""
    if len(names) < 2 or last == ",":
        return ", ".join(names)
    return f"{', '.join(names[:-1])} {last} {names[-1]}"
