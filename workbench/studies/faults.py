"""Faults of plain data, each with the path to it."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from workbench.base.errors import BadInput, Fix, safe_repr, suggest


class Fault(NamedTuple):
    """A fault and its path, such as ("recipes", 0, "model", "k")."""

    path: tuple[Any, ...]
    text: str


Faults = Iterator[Fault]


def raise_first(found: Faults) -> None:
    """Raise the first fault, if there is one."""
    for fault in found:
        error = BadInput(_prefixed(fault.text))
        error.path = fault.path
        raise error


def _prefixed(text: str) -> str:
    return text if text.startswith(("study", "this is not a study")) else f"study: {text}"


def prefix_faults(found: Iterable[Fault], *path: Any) -> Faults:
    return (Fault((*path, *fault.path), fault.text) for fault in found)


def catch_faults(make: Callable[[], object], *path: Any) -> Faults:
    """Yield the BadInput that `make` raises as a fault."""
    try:
        make()
    except BadInput as error:
        yield Fault((*path, *error.path), str(error).removeprefix("study: "))


def unknown_keys(where: str, given: Mapping[str, Any], known: Collection[str]) -> Faults:
    for key in given:
        if key not in known:
            yield Fault((key,), f"{where} has no {safe_repr(key)}; {suggest(key, known)}")


def type_fault(kind: type, name: str, given: Any) -> str:
    """Return a message if a value is of the wrong type, else an empty text."""
    if isinstance(given, kind) and not (kind is list and isinstance(given, str)):
        return ""
    word = {Mapping: "a mapping", list: "a list", str: "text", bool: "true or false"}[kind]
    quotes = "; put it in quotes" if kind is str and not isinstance(given, (Mapping, list, type(None))) else ""
    return f"{name} must be {word}, not {safe_repr(given)}{quotes}"


def study_words(fix: Fix, value: Any = None) -> str:
    """Return the line of a study that applies a fix."""
    shown = "false" if value is False else value if re.fullmatch(r"[\w.-]+", str(value)) else repr(value)
    line = fix.value if value is None else f"{fix.value}: {shown}"
    return line if fix is Fix.LEVELS else f"{line} under data"
