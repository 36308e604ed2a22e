"""What is wrong with plain data, and where: a fault with the path to it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, NamedTuple

from workbench.base.errors import BadInput, meant, said


class Fault(NamedTuple):
    """What is wrong, and where: ("recipes", 0, "model", "k")."""

    path: tuple[Any, ...]
    text: str


Faults = Iterator[Fault]


def first(found: Faults) -> None:
    """Raise the first fault."""
    for fault in found:
        error = BadInput(_prefixed(fault.text))
        error.path = fault.path
        raise error


def _prefixed(text: str) -> str:
    return text if text.startswith(("study", "this is not a study")) else f"study: {text}"


def under(found: Faults, *path: Any) -> Faults:
    return (Fault((*path, *fault.path), fault.text) for fault in found)


def caught(make: Callable[[], object], *path: Any) -> Faults:
    """What making something says."""
    try:
        make()
    except BadInput as error:
        yield Fault((*path, *error.path), str(error).removeprefix("study: "))


def unknown_keys(where: str, given: Mapping[str, Any], known: Collection[str]) -> Faults:
    for key in given:
        if key not in known:
            yield Fault((key,), f"{where} has no {said(key)}; {meant(key, known)}")


def must_be(kind: type, name: str, given: Any) -> str:
    """What to say of something that is of another kind; nothing where it is of that one."""
    if isinstance(given, kind) and not (kind is list and isinstance(given, str)):
        return ""
    word = {Mapping: "a mapping", list: "a list", str: "text", bool: "true or false"}[kind]
    quotes = "; put it in quotes" if kind is str and not isinstance(given, (Mapping, list, type(None))) else ""
    return f"{name} must be {word}, not {said(given)}{quotes}"
