"""Long hierarchies in files of their own, beside the study that names them: they hold values of the data."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from workbench.base.errors import BadInput, at
from workbench.base.files import whole
from workbench.data.hierarchies.builders import Builder, from_dict

FILE, ENDING = "file", ".hierarchy.json"
LONG = 100  # values and labels that a hierarchy in the study itself may list
NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL
LONGEST = 60  # characters of a file's name that come from a column's

Specs = Mapping[str, Any]


def names(specs: Specs, stem: str) -> dict[str, str]:
    """The columns whose hierarchy is long, and what its file is called beside the study `stem`."""
    found: dict[str, str] = {}
    for column, spec in specs.items():
        if isinstance(spec, Mapping) and set(spec) != {FILE} and _listed(spec) > LONG:
            plain = re.sub(r"[^\w-]+", "-", column)[:LONGEST].strip("-") or "column"
            free = (f"{plain}{end}" for end in ("", *(f"-{i}" for i in range(2, len(specs) + 2))))
            taken = {name.casefold() for name in found.values()}
            every = (f"{stem}.{name}{ENDING}" for name in free)
            found[column] = next(name for name in every if name.casefold() not in taken)
    return found


def part(specs: Specs, files: Mapping[str, str]) -> dict[str, Any]:
    """The hierarchies with those that have a file named by it."""
    return {column: {FILE: files[column]} if column in files else spec for column, spec in specs.items()}


def write(specs: Specs, files: Mapping[str, str], folder: Path) -> None:
    """Write the files, each whole or not at all, for their owner alone."""
    for column, name in files.items():
        with whole(folder / name) as aside, open(os.open(aside, NEW, 0o600), "wb") as file:
            file.write(text(specs[column]))


def text(spec: Mapping[str, Any]) -> bytes:
    """What is in the file of a hierarchy."""
    return json.dumps(spec, indent=0, ensure_ascii=False).encode()


def gathered(specs: Specs, folder: str | PathLike[str]) -> tuple[dict[str, Any], dict[str, str]]:
    """The hierarchies, what lies in files read from there; and these files."""
    files = {
        column: str(spec[FILE]) for column, spec in specs.items() if isinstance(spec, Mapping) and set(spec) == {FILE}
    }
    read: dict[str, Any] = {}
    for column, name in files.items():
        with at("hierarchies", column):
            read[column] = _read(Path(folder) / name)[0]
    return {**specs, **read}, files


def read_hierarchy(path: str | PathLike[str]) -> Builder:
    """What makes the hierarchy in such a file."""
    return _read(Path(path))[1]


def _read(path: Path) -> tuple[dict[str, Any], Builder]:
    """A hierarchy's settings in a file, and what they make."""
    why = "it holds no hierarchy"
    try:
        if not path.exists() or path.is_file():
            spec = json.loads(path.read_text("utf-8"))
            return spec, from_dict(spec)
        why = "it is not a file"
    except OSError as error:
        why = str(error.strerror)
    except (ValueError, TypeError, AttributeError, RecursionError):
        pass  # its text may hold values
    raise BadInput(f"study: the hierarchy file {path.name} cannot be read: {why}; it belongs beside the study")


def _listed(spec: Any) -> int:
    """How many values and labels plain data lists."""
    if isinstance(spec, Mapping):
        return sum(1 + _listed(one) for one in spec.values())
    return sum(map(_listed, spec)) if isinstance(spec, (list, tuple)) else 1
