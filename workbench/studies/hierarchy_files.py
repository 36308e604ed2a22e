"""Long hierarchies in separate files next to the study that names them: they contain values of the data."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from workbench.base.errors import BadInput, prefix_path
from workbench.base.files import atomic_write
from workbench.data.hierarchies.builders import Builder, from_dict

FILE, ENDING = "file", ".hierarchy.json"
LONG = 100  # maximum number of values and labels of a hierarchy within the study
NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL
LONGEST = 60  # maximum number of characters of a column's name in a file name

Specs = Mapping[str, Any]


def name_files(specs: Specs, stem: str) -> dict[str, str]:
    """Return the columns with long hierarchies, and the names of their files next to the study `stem`."""
    found: dict[str, str] = {}
    for column, spec in specs.items():
        if isinstance(spec, Mapping) and set(spec) != {FILE} and _listed(spec) > LONG:
            plain = re.sub(r"[^\w-]+", "-", column)[:LONGEST].strip("-") or "column"
            free = (f"{plain}{end}" for end in ("", *(f"-{i}" for i in range(2, len(specs) + 2))))
            taken = {name.casefold() for name in found.values()}
            every = (f"{stem}.{name}{ENDING}" for name in free)
            found[column] = next(name for name in every if name.casefold() not in taken)
    return found


def refer_to_files(specs: Specs, files: Mapping[str, str]) -> dict[str, Any]:
    """Replace each hierarchy that has a file with the file name."""
    return {column: {FILE: files[column]} if column in files else spec for column, spec in specs.items()}


def write_files(specs: Specs, files: Mapping[str, str], folder: Path) -> None:
    """Write the files atomically, for their owner only."""
    for column, name in files.items():
        with atomic_write(folder / name) as aside, open(os.open(aside, NEW, 0o600), "wb") as file:
            file.write(file_content(specs[column]))


def file_content(spec: Mapping[str, Any]) -> bytes:
    """Return the content of a hierarchy's file."""
    return json.dumps(spec, indent=0, ensure_ascii=False).encode()


def read_files(specs: Specs, folder: str | PathLike[str]) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the hierarchies, with those in files read from the folder, and the names of these files."""
    files = {
        column: str(spec[FILE]) for column, spec in specs.items() if isinstance(spec, Mapping) and set(spec) == {FILE}
    }
    read: dict[str, Any] = {}
    for column, name in files.items():
        with prefix_path("hierarchies", column):
            read[column] = _read(Path(folder) / name)[0]
    return {**specs, **read}, files


def read_hierarchy(path: str | PathLike[str]) -> Builder:
    """Return the builder of the hierarchy in a file."""
    return _read(Path(path))[1]


def _read(path: Path) -> tuple[dict[str, Any], Builder]:
    """Return the settings in a hierarchy's file, and their builder."""
    why = "it contains no hierarchy"
    try:
        if not path.exists() or path.is_file():
            spec = json.loads(path.read_text("utf-8"))
            return spec, from_dict(spec)
        why = "it is not a file"
    except OSError as error:
        why = str(error.strerror)
    except (ValueError, TypeError, AttributeError, RecursionError):
        pass  # the message may quote values
    raise BadInput(f"study: the hierarchy file {path.name} cannot be read: {why}; it must be next to the study")


def _listed(spec: Any) -> int:
    """Count the values and labels that plain data lists."""
    if isinstance(spec, Mapping):
        return sum(1 + _listed(one) for one in spec.values())
    return sum(map(_listed, spec)) if isinstance(spec, (list, tuple)) else 1
