"""Numbers, shares and lists in text.

One rule for display: a figure is shown as the nearest number with three significant digits, the same wherever it is
shown. A guarantee or a published privacy figure is never shown as better than it is: it is rounded to the worse side
(`better`), and the words next to it say "at most" or "at least". A figure next to its limit has enough digits to
distinguish the two. widgets/base/shared.js has the same functions; tests compare both on the same numbers.
"""

from __future__ import annotations

import decimal
import math
import re
from collections.abc import Sequence

DIGITS = 12  # significant digits without errors of floating-point arithmetic
ROUNDING = {
    "": decimal.ROUND_HALF_UP,
    "lower": decimal.ROUND_CEILING,
    "higher": decimal.ROUND_FLOOR,
}  # by the better direction
EXACT = decimal.Context(prec=DIGITS)
VOWEL = re.compile(r"(?!eu|one\b|uni|us[aeu])[aeiou]|hour|honest|heir", re.I)  # by its sound
HUGE = 1e15  # floats beyond do not represent every whole number


def round_digits(value: float, better: str = "", digits: int = 3) -> float:
    """Round to significant digits: to the nearest number, or toward the worse side if lower or higher is better.

    >>> round_digits(0.02272), round_digits(0.02272, "lower"), round_digits(0.02272, "higher", 2)
    (0.0227, 0.0228, 0.022)
    """
    exact = EXACT.create_decimal_from_float(value) if better else decimal.Decimal(value)
    return float(decimal.Context(prec=digits, rounding=ROUNDING[better]).plus(exact))


def format_number(value: float, better: str = "", digits: int = 3) -> str:
    """Format a number with three significant digits, and a whole number exactly.

    >>> format_number(45222), format_number(1234.5), format_number(0.0000123456), format_number(0.02272, "lower")
    ('45,222', '1,230', '1.23e-5', '0.0228')
    """
    value = float(value)
    if math.isnan(value):
        return "undefined"
    if math.isinf(value):
        return "infinite" if value > 0 else "minus infinite"
    if value.is_integer() and abs(value) < HUGE:
        return f"{int(value):,}"
    shown = round_digits(value, better, digits)
    if 1000 <= abs(shown) < HUGE:
        return f"{shown:,.0f}" if shown.is_integer() else f"{shown:,}"
    return re.sub(r"e\+?(-?)0*", r"e\1", f"{shown:.{digits}g}")


def figures_next_to(value: float, limit: float) -> str:
    """Format a number next to its limit: like `format_number`, with enough digits to differ from the limit.

    >>> figures_next_to(0.10004, 0.1), figures_next_to(0.111111, 0.1), figures_next_to(0.1, 0.1)
    ('0.10004', '0.111', '0.1')
    """
    every = [format_number(value, digits=digits) for digits in range(3, DIGITS + 1)]
    return next((shown for shown in every if shown != format_number(limit)), every[0])


def format_guarantee(value: float, better: str = "lower") -> str:
    """Format the figure of a guarantee, which is never shown as better than it is.

    >>> f"epsilon {format_guarantee(1.0)}", f"epsilon {format_guarantee(1.6094)}"
    ('epsilon = 1', 'epsilon at most 1.61')
    """
    if not math.isfinite(value) or math.isclose(round_digits(value), value, rel_tol=1e-9):
        return f"= {format_number(value)}"
    return f"at {'least' if better == 'higher' else 'most'} {format_number(value, better)}"


def format_interval(interval: tuple[float, float] | None) -> str:
    """Format a 95 % interval to follow its value; empty for exact values.

    >>> format_interval((0.11, 0.1349)), format_interval(None)
    (' (0.11 to 0.135)', '')
    """
    if interval is None:
        return ""
    return f" ({format_number(interval[0], 'higher')} to {format_number(interval[1], 'lower')})"


def format_percent(share: float, better: str = "") -> str:
    """Format a share in percent with three digits; nearly all is never shown as all.

    >>> format_percent(0.12345), format_percent(0.0002), format_percent(1.0)
    ('12.3 %', 'under 0.1 %', '100 %')
    """
    if 0 < share < 0.001 or 0.999 < share < 1:
        return "under 0.1 %" if share < 0.5 else "over 99.9 %"
    return f"{round_digits(100 * share, better):.3g} %"


def format_whole_percent(share: float, better: str = "") -> str:
    """Format a share in whole percent; nearly all is never shown as all.

    >>> format_whole_percent(0.12345), format_whole_percent(0.004), format_whole_percent(0.996)
    ('12 %', 'under 1 %', 'over 99 %')
    """
    if 0 < share < 0.01 or 0.99 < share < 1:
        return "under 1 %" if share < 0.5 else "over 99 %"
    exact = EXACT.create_decimal_from_float(100 * share)
    return f"{exact.quantize(decimal.Decimal(1), ROUNDING[better])} %"


def format_upper_percent(share: float) -> str:
    """Format an upper bound on a share in whole percent.

    >>> [format_upper_percent(share) for share in (0.0, 0.004, 0.12, 0.121, 0.996)]
    ['0 %', 'under 1 %', 'up to 12 %', 'up to 13 %', 'up to 100 %']
    """
    return format_whole_percent(share) if share < 0.01 else f"up to {math.ceil(round(100 * share, 9))} %"


def humanize_name(name: str) -> str:
    """Replace underscores in a column name with spaces, except before numbers, which might look like values.

    >>> humanize_name("marital_status"), humanize_name("dx1_3")
    ('marital status', 'dx1_3')
    """
    return re.sub(r"_(?!\d)", " ", name).strip()


def with_article(name: str) -> str:
    """Put the indefinite article before a name, by the sound of its first letters.

    >>> with_article("occupation"), with_article("disease"), with_article("unit"), with_article("hour")
    ('an occupation', 'a disease', 'a unit', 'an hour')
    """
    return f"{'an' if VOWEL.match(name) else 'a'} {name}"


def join_names(names: Sequence[str], last: str = "and") -> str:
    """Join names as in a sentence: age, race and sex."""
    if len(names) < 2 or last == ",":
        return ", ".join(names)
    return f"{', '.join(names[:-1])} {last} {names[-1]}"
