"""Columns as text: names separated by commas, and bounds such as `age: 17..99, hours: 0..80.5`."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from numbers import Real
from typing import Any

from workbench.base.errors import BadInput, safe_repr

HOW = "write a column with its minimum and maximum, for example age: 17..99, hours: 0..80.5"
NUMBER = r"[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?"
BOUND = re.compile(
    rf'\s*(?:"(?P<quoted>[^"]*)"|(?P<plain>[^,:"]+?))\s*:\s*(?P<low>{NUMBER})\s*\.\.\s*(?P<high>{NUMBER})\s*'
)
Bounds = dict[str, tuple[float, float]]
NAME = re.compile(r'\s*"((?:[^"]|"")+)"\s*(?=,|$)|([^,]+)')


def parse_names(text: str) -> tuple[str, ...]:
    """Return the names in a text; names with commas are in double quotes, in which a double quote is doubled."""
    found = (quoted.replace('""', '"') or bare.strip() for quoted, bare in NAME.findall(text))
    return tuple(name for name in found if name)


def format_names(names: Iterable[str]) -> str:
    """Format names so that `parse_names` reads them back; the result contains no bare semicolon."""
    return ", ".join(map(_written, names))


def _written(name: str) -> str:
    plain = parse_names(name) == (name,) and not set(name) & set('";')
    return name if plain else '"' + name.replace('"', '""') + '"'


def parse_bounds(given: Any) -> Bounds:
    """Return the bounds of each column, from a text or from a mapping of names to (low, high)."""
    found = _of_mapping(given) if isinstance(given, Mapping) else _of_text(given)
    for name, (low, high) in found.items():
        if not (math.isfinite(low) and math.isfinite(high) and low < high):
            raise BadInput(f"bounds of {name!r}: the first number must be below the second; {HOW}")
    return found


def format_bounds(bounds: Bounds) -> str:
    """Format bounds so that `parse_bounds` reads them back."""
    return ", ".join(f"{_quoted(name)}: {low!r}..{high!r}" for name, (low, high) in bounds.items())


def _of_text(given: Any) -> Bounds:
    if not isinstance(given, str) or not given.strip():
        raise BadInput(f"bounds = {safe_repr(given)} cannot be read; {HOW}")
    found, at = Bounds(), 0
    while at < len(given):
        one = BOUND.match(given, at)
        if one is None or (one.end() < len(given) and given[one.end()] not in ",;"):
            raise BadInput(f"bounds = {safe_repr(given)} cannot be read; {HOW}")
        name = one["plain"] if one["quoted"] is None else one["quoted"]
        if name in found:
            raise BadInput(f"bounds: {name!r} occurs twice; remove one")
        found[name] = _number(one["low"]), _number(one["high"])
        at = one.end() + 1
    return found


def _of_mapping(given: Mapping[Any, Any]) -> Bounds:
    found = Bounds()
    for name, ends in given.items():
        pair = list(ends) if isinstance(ends, (list, tuple)) else []
        if not isinstance(name, str) or len(pair) != 2 or not all(_is_number(one) for one in pair):
            raise BadInput(f"bounds of {safe_repr(name)}: write two numbers; {HOW}")
        found[name] = _number(repr(pair[0])), _number(repr(pair[1]))
    if not found:
        raise BadInput(f"bounds are empty; {HOW}")
    return found


def _is_number(one: Any) -> bool:
    return isinstance(one, Real) and not isinstance(one, bool) and math.isfinite(one)


def _number(text: str) -> float:
    """Return whole numbers as int, to write them back as they were."""
    value = float(text)
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


def _quoted(name: str) -> str:
    return f'"{name}"' if re.search(r"[,:;]|^\s|\s$", name) else name
