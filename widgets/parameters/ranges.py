"""Parsing, formatting and proposing numbers of parameters."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Any, NamedTuple

from workbench.base.errors import BadInput, safe_repr
from workbench.base.variants import Variant
from workbench.data.table import Table
from workbench.studies.study import MOST

Kind = type[Variant]
_NUMBER = r"[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d{1,3})?"
_ITEM = re.compile(
    rf"(?P<low>{_NUMBER})(?:\s*(?:\.\.\.?|…|–|to\b)\s*(?P<high>{_NUMBER})"
    rf"(?:\s*,?\s*(?:(?:step|by)\s*(?P<step>{_NUMBER})|[x×*]\s*(?P<factor>{_NUMBER})))?)?(?=[\s,;]|$)"
)
_NONE = re.compile(r"\bnone\b", re.IGNORECASE)
_BETWEEN = re.compile(r"[\s,;]*")
EXAMPLE = "write 10, 20, 50, or a range such as 5..100 step 5 or 2..512 x2"
ROUND = (1, 2, 5)  # digits of round numbers
FINE = 500  # minimum number of steps of a slider


class Ends(NamedTuple):
    """The ends of a slider, its step, and whether it is logarithmic."""

    low: float
    high: float
    step: float
    log: bool


def is_number(kind: Kind, name: str) -> bool:
    """Return whether a parameter is a number."""
    return kind.number_type(name) is not None


def numbers(kind: Kind) -> list[str]:
    """Return the parameters that are numbers."""
    return [name for name in kind.parameters() if is_number(kind, name)]


def is_whole(kind: Kind, name: str) -> bool:
    """Return whether a parameter takes only whole numbers."""
    return kind.number_type(name) is int


def default(kind: Kind, name: str) -> Any:
    """Return a parameter's declared default."""
    return kind.__dataclass_fields__[name].default  # type: ignore[attr-defined]


def one(text: object, kind: Kind, name: str, table: Table | None = None) -> Any:
    """Parse a single number from a field or a slider."""
    found = values(str(text), kind, name, table)
    if len(found) > 1:
        raise BadInput(f"{safe_repr(text)} are {len(found)} numbers; use one")
    return found[0]


def values(text: str, kind: Kind, name: str, table: Table | None = None) -> list[Any]:
    """Parse a list or a range of numbers, without duplicates, in ascending order.

    If the default is None, the word for it is allowed as well; None comes first.
    """
    text, without = _NONE.subn(" ", text) if default(kind, name) is None else (text, 0)
    whole, found, at = is_whole(kind, name), set[float](), _BETWEEN.match(text).end()  # type: ignore[union-attr]
    while at < len(text):
        item = _ITEM.match(text, at)
        if item is None:
            odd = re.split(r"[,;]", text[at:])[0].strip()
            raise BadInput(f"{safe_repr(odd)} is not a number; {EXAMPLE}")
        found.update(_numbers(item, whole))
        at = _BETWEEN.match(text, item.end()).end()  # type: ignore[union-attr]
        if len(found) > MOST:
            raise BadInput(f"more than {MOST:,} values; enter fewer")
    if not found and not without:
        raise BadInput(f"no values; {EXAMPLE}")
    taken = [int(value) if whole and value.is_integer() else value for value in sorted(found)]
    for value in taken:
        try:
            kind.check_value(name, int(value) if value == int(value) else value, table)  # quoted as it was typed
        except BadInput as error:
            raise BadInput(str(error).removeprefix(f"{kind.name}: ")) from None
    return [None, *taken] if without else taken


def _numbers(item: re.Match[str], whole: bool) -> list[float]:
    """Return the numbers of an item: a single number, or an exact range."""
    if item["high"] is None:
        return [_float(item["low"])]
    low, high = Decimal(item["low"]), Decimal(item["high"])
    shown = f"{item['low']}..{item['high']}"
    if low > high:
        raise BadInput(f"{shown} is descending; write {item['high']}..{item['low']} and a step")
    if item["step"] is not None:
        step = Decimal(item["step"])
        if step <= 0:
            raise BadInput(f"{shown}: the step must be above 0")
        if high - low > step * MOST:
            raise BadInput(f"{shown} step {item['step']} is more than {MOST:,} values; take a wider step")
        return [float(low + step * i) for i in range(int((high - low) / step) + 1)]
    if item["factor"] is not None:
        factor = Decimal(item["factor"])
        if factor <= 1 or low <= 0:
            raise BadInput(f"{shown} x{item['factor']}: start above 0, with a factor above 1")
        if (high / low).ln() > factor.ln() * MOST:
            raise BadInput(f"{shown} x{item['factor']} is more than {MOST:,} values; take a larger factor")
        found = [low]
        while found[-1] < (further := found[-1] * factor) <= high:  # a factor close to 1 may not increase the number
            found.append(further)
        return [float(round(number)) if whole else float(f"{number:.6g}") for number in found]
    raise BadInput(f"{shown} needs a step: write {shown} step 5, or {shown} x2")


def _float(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise BadInput(f"{text} is too large")
    return number


def number(value: float | None) -> str:
    """Format a number for a text field."""
    if value is None:
        return "none"
    return str(value) if isinstance(value, int) else f"{value:.12g}"


def written(given: Sequence[float | None], kind: Kind, name: str) -> str:
    """Format values as a list, or as a range if they are one."""
    plain = ", ".join(map(number, given))
    if len(given) < 6 or None in given or any(b <= a for a, b in pairwise(given)):  # type: ignore[operator]
        return plain
    a, b, c = (Decimal(number(value)) for value in given[:3])
    ends = f"{number(given[0])}..{number(given[-1])}"
    ranges = [f"{ends} step {(b - a).normalize():f}"]
    if a > 0 and c / b == b / a:
        ranges.append(f"{ends} x{(b / a).normalize():f}")
    for text in ranges:
        try:
            if values(text, kind, name) == list(given):
                return text
        except BadInput:
            continue  # use the full list
    return plain


def proposed(kind: Kind, name: str, table: Table | None = None) -> list[Any]:
    """Propose values around the default: by factors if the scale is logarithmic or unbounded."""
    declared, base = kind.number(name), default(kind, name)
    low, high = declared.bounds(table)
    if declared.scale == "log" and base > 0:
        found = _round_numbers(base, 2, 4)
    elif high is None:
        found = [base * factor for factor in (0.25, 0.5, 1, 2, 4)]
    else:
        step = _nice(abs(base) / 3 or (high - (low or 0)) / 10)
        found = [base + step * i for i in range(-2, 4)]
    rounded = [round(value) if is_whole(kind, name) else float(f"{value:.6g}") for value in found]
    inside = [v for v in dict.fromkeys(rounded) if (low is None or v > low) and (high is None or v <= high)]
    return inside or [_within(base, low, high)]


def _within(value: Any, low: float | None, high: float | None) -> Any:
    value = value if high is None else min(value, type(value)(high))
    return value if low is None else max(value, type(value)(low))


def _round_numbers(base: float, below: int, above: int) -> list[float]:
    """Return 1, 2, 5, 10, 20... around a number."""
    place = math.floor(math.log10(base))
    rounds = [digit * 10.0**e for e in range(place - below, place + above + 1) for digit in ROUND]
    nearest = min(range(len(rounds)), key=lambda i: abs(math.log(rounds[i] / base)))
    return rounds[max(nearest - below, 0) : nearest + above + 1]


def _nice(step: float) -> float:
    """Return the nearest round number."""
    place = 10.0 ** math.floor(math.log10(step))
    return min((digit * place for digit in (*ROUND, 10)), key=lambda round_: abs(round_ - step))


def ends(kind: Kind, name: str, table: Table | None, current: float | None) -> Ends:
    """Return the ends of a slider; by default four times the default or twice the current value."""
    declared = kind.number(name)
    low, high = declared.bounds(table)
    current = (low or 0) if current is None else current
    base, whole = default(kind, name), is_whole(kind, name)
    base = current if base is None else base
    top = high if high is not None else max(4 * abs(base), 2 * abs(current), 1)
    bottom = low if low is not None else min(-4 * abs(base), 2 * current)
    top = max(top, bottom + (1 if whole else 1e-6))
    step = 1.0 if whole else 10.0 ** math.floor(math.log10((top - bottom) / FINE))
    if declared.above and not whole:
        bottom += step
    return Ends(float(bottom), float(top), step, declared.scale == "log" and bottom > 0)
