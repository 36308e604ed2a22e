"""Workloads as plain data of a study, by name; queries are created when a table is used."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.base.errors import BadInput, prefix_path, safe_repr
from workbench.base.parameters import RANDOM

FORMS = "give a list of queries, {random: {count: 1000}} or {file: NAME}"


def checked(given: Mapping[str, object]) -> dict[str, Any]:
    """Return workloads by name. Raise BadInput for invalid ones. Column names are checked when a table is used."""
    if not isinstance(given, Mapping):
        raise BadInput(f"workloads: must be a mapping from names to queries, got {safe_repr(given)}")
    found = {}
    for name, spec in given.items():
        with prefix_path(name):
            if not isinstance(name, str) or not name.strip():
                raise BadInput(f"workloads: the name of a workload must be a text, got {safe_repr(name)}")
            if name == RANDOM:
                raise BadInput(f"workloads: the name {RANDOM!r} is reserved for random queries; choose another name")
            found[name] = plain(spec, f"workload {name!r}")
    return found


def plain(given: object, what: str = "a workload") -> Any:
    """Return the plain data of a workload. Raise BadInput if it is invalid."""
    spec = getattr(given, "spec", given)
    if isinstance(spec, (list, tuple)) and spec:
        for number, text in enumerate(spec):
            with prefix_path(number):
                if not isinstance(text, str):
                    raise BadInput(f"{what}: query {number + 1} is {safe_repr(text)}; {FORMS}, each query in quotes")
        return [*spec]
    if isinstance(spec, Mapping) and len(spec) == 1:
        (kind, about), *_ = spec.items()
        if kind == "random" and isinstance(about, Mapping):
            return {kind: dict(about)}
        if kind == "file" and isinstance(about, str):
            return {kind: about}
    raise BadInput(f"{what}: must be a workload, got {safe_repr(spec)}; {FORMS}")
