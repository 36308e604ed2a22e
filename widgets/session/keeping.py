"""The study's file, kept as one works; what another tab has written meanwhile is never overwritten unasked."""

from __future__ import annotations

import os
from collections.abc import Iterator
from glob import escape
from itertools import count
from pathlib import Path
from weakref import WeakValueDictionary

import pandas as pd

from widgets.base.host import under_voila
from workbench.base.errors import BadInput
from workbench.data.table import Table
from workbench.studies import hierarchy_files
from workbench.studies.schema import LEAVES_OUT
from workbench.studies.study import Study, file_stem, plain_file_name


class Changed(BadInput):
    """Somebody else has written the file since we last saw it."""


class Keeper:
    """The file of a study, with its long hierarchies in files next to it, and their last known contents."""

    def __init__(self, path: str | os.PathLike[str], handed: object = None, named: bool = True) -> None:
        self.path = Path(path).absolute()
        self.handed = handed  # the data, where they came without a file
        self.named = named  # by a person; else after its data, and a study of others goes elsewhere
        self._known: dict[str, bytes] = {}

    def exists(self) -> bool:
        """Return whether the file exists."""
        return self.path.exists()

    def open(self) -> Study:
        """The study in the file."""
        study = Study.open(self.path)
        self._known = self._there()
        return study

    def save(self, study: Study, over: bool = False) -> None:
        """Keep the study; raises Changed where that would undo what another has written, unless `over`."""
        parted, there = study.parted(self.path), self._there()
        wanted = {
            name: hierarchy_files.file_content(study.hierarchies[column]) for column, name in parted.files.items()
        }
        wanted[self.path.name] = parted.to_yaml().encode()
        if any(there.get(name) != content for name, content in wanted.items()):
            if there != self._known and not over:
                why = "was changed in another tab or program since it was opened here" if self._known else "was there"
                raise Changed(f"{self.path.name} {why}: load the saved version, or keep yours")
            study.save(self.path)
            there = self._there()
        self._known = there

    def _there(self) -> dict[str, bytes]:
        """Read the file of the study and those of its hierarchies."""
        found = {}
        for path in (
            self.path,
            *sorted(self.path.parent.glob(f"{escape(file_stem(self.path))}.*{hierarchy_files.ENDING}")),
        ):
            try:
                found[path.name] = path.read_bytes()
            except FileNotFoundError:
                continue
            except OSError as error:
                raise BadInput(f"{path.name} cannot be read: {error.strerror}") from None
        return found


def kept(
    study: Study, handed: object, file: Path | None, keep: str | os.PathLike[str] | bool | None
) -> tuple[Study, Keeper | None, str]:
    """The study as it was left, what keeps it from now on, and a word on that.

    Under Voila, where strangers share a folder, it is kept only if a file is named. What is about other data stays.
    """
    named = file if file is not None else None if isinstance(keep, bool) or keep is None else Path(keep)
    if keep is False or (named is None and under_voila()):
        return study, None, ""
    if named is not None:
        keeper = Keeper(named)
        if not keeper.exists():
            return seen_from(study, keeper.path.parent), keeper, ""
        return keeper.open(), keeper, "" if file is not None else f"Continued from {keeper.path.name}."
    note = ""
    for path in _file_names(study.name):
        keeper = Keeper(path, handed, named=False)
        if _held_by_others(keeper):
            note = f"{path.name} belongs to other data of this notebook and is not changed."
            continue
        _open.setdefault(keeper.path, keeper)
        if not keeper.exists():
            break
        found = _about_the_same(keeper, study, handed)
        if found is not None:
            return found, keeper, f"Continued from {path.name}."
        note = f"{path.name} belongs to other data and is not changed."
    return seen_from(study, keeper.path.parent), keeper, note


def elsewhere(study: Study) -> Keeper:
    """Return the keeper of a study with other data: a new file, or the existing file of these data."""
    for path in _file_names(study.name):
        keeper = Keeper(path, named=False)
        taken = keeper.exists() and _about_the_same(Keeper(path), study, None) is None
        if not taken and not _held_by_others(keeper):
            _open.setdefault(keeper.path, keeper)
            return keeper
    raise AssertionError("there is no end of names")


_open: WeakValueDictionary[Path, Keeper] = WeakValueDictionary()  # the files of this kernel's workbenches


def _held_by_others(keeper: Keeper) -> bool:
    """Return whether the file belongs to other data of the same notebook."""
    other = _open.get(keeper.path)
    if other is None or other.handed is keeper.handed:
        return False
    both = other.handed, keeper.handed
    return not (all(isinstance(one, pd.DataFrame) for one in both) and both[0].equals(both[1]))  # type: ignore[attr-defined]


def seen_from(study: Study, folder: Path) -> Study:
    """Return the study with paths relative to another folder."""
    if Path(study.folder).absolute() == folder.absolute():
        return study.with_(folder=str(folder.absolute()))
    here = Path(study.folder).absolute()
    data = dict(study.data)
    if "path" in data:
        data["path"] = os.path.relpath(here / str(data["path"]), folder)
    hierarchies = {
        name: {"csv": os.path.relpath(here / str(spec["csv"]), folder)}
        if isinstance(spec, dict) and set(spec) == {"csv"}
        else spec
        for name, spec in study.hierarchies.items()
    }
    return study.with_(data=data, hierarchies=hierarchies, folder=str(folder), files={})


def _file_names(name: str) -> Iterator[Path]:
    for number in count(1):
        yield Path(
            f"{plain_file_name(name)}.study.yaml" if number == 1 else f"{plain_file_name(name)}-{number}.study.yaml"
        )


def _about_the_same(keeper: Keeper, study: Study, handed: object) -> Study | None:
    """Return the study in the file if it is about these data."""
    try:
        found = keeper.open()
    except BadInput:
        return None  # damaged, or no study: somebody will want to look at it
    if _origin(found) != _origin(study):
        return None
    columns = handed.names if isinstance(handed, Table) else getattr(handed, "columns", None)
    named = {*found.quasi, *found.sensitive, *found.left_out, *found.weight}
    return found if columns is None or named <= set(map(str, columns)) else None


def _origin(study: Study) -> dict[str, object]:
    """Return the source of the data, independent of the folder of the study."""
    data = {key: value for key, value in study.data.items() if key not in LEAVES_OUT}
    if "path" in data:
        data["path"] = str((Path(study.folder) / str(data["path"])).resolve())
    return data
