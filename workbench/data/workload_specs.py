"""Workloads as a study says them: plain data by name, made into queries where a table is asked them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.base.errors import BadInput, at, said
from workbench.base.variants import RANDOM

FORMS = "give a list of queries, {random: {count: 1000}} or {file: its name}"


def checked(given: Mapping[str, object]) -> dict[str, Any]:
    """Workloads by name; BadInput for what is none. Whether the table can be asked them is seen when it is."""
    if not isinstance(given, Mapping):
        raise BadInput(f"workloads are {said(given)}; give a mapping: a name, then its queries")
    found = {}
    for name, spec in given.items():
        with at(name):
            if not isinstance(name, str) or not name.strip():
                raise BadInput(f"workloads: {said(name)} is no name; call a workload by a word or two")
            if name == RANDOM:
                raise BadInput(f"workloads: {RANDOM!r} is the name of random queries; call this one otherwise")
            found[name] = plain(spec, f"workload {name!r}")
    return found


def plain(given: object, what: str = "a workload") -> Any:
    """The plain data of a workload; BadInput where they are none."""
    spec = getattr(given, "spec", given)
    if isinstance(spec, (list, tuple)) and spec:
        for number, text in enumerate(spec):
            with at(number):
                if not isinstance(text, str):
                    raise BadInput(f"{what}: query {number + 1} is {said(text)}; {FORMS}, each query in quotes")
        return [*spec]
    if isinstance(spec, Mapping) and len(spec) == 1:
        (kind, about), *_ = spec.items()
        if kind == "random" and isinstance(about, Mapping):
            return {kind: dict(about)}
        if kind == "file" and isinstance(about, str):
            return {kind: about}
    raise BadInput(f"{what} is {said(spec)}; {FORMS}")
