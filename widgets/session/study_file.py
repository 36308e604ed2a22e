"""The study's file, which is saved automatically; changes from another tab are never overwritten without asking."""

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
from workbench.studies.study import Study, file_stem, plain_file_name, unpublished_columns, with_hierarchy_files


class FileChanged(BadInput):
    """The file was changed by another tab or program since it was last read."""


class StudyFile:
    """The file of a study, with its long hierarchies in files next to it, and their last known contents."""

    def __init__(self, path: str | os.PathLike[str], data: object = None, named: bool = True) -> None:
        self.path = Path(path).absolute()
        self.data = data  # passed directly, without a file
        self.named = named  # by the user; otherwise the file is named after its data, and other data get another file
        self._known: dict[str, bytes] = {}

    def exists(self) -> bool:
        """Return whether the file exists."""
        return self.path.exists()

    def open(self) -> Study:
        """Read the study."""
        study = Study.open(self.path)
        self._known = self._read_contents()
        return study

    def save(self, study: Study, over: bool = False) -> None:
        """Save the study; raise FileChanged if that would overwrite changes by others, unless `over`."""
        parted, contents = with_hierarchy_files(study, self.path), self._read_contents()
        wanted = {
            name: hierarchy_files.file_content(study.hierarchies[column]) for column, name in parted.files.items()
        }
        wanted[self.path.name] = parted.to_yaml().encode()
        if any(contents.get(name) != content for name, content in wanted.items()):
            if contents != self._known and not over:
                why = (
                    "was changed in another tab or program since it was opened here"
                    if self._known
                    else "exists already"
                )
                raise FileChanged(f"{self.path.name} {why}: load the saved version, or keep yours")
            study.save(self.path)
            contents = self._read_contents()
        self._known = contents

    def _read_contents(self) -> dict[str, bytes]:
        """Return the contents of the study's file and of its hierarchy files, by name."""
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


def open_study_file(
    study: Study, data: object, path: Path | None, keep: str | os.PathLike[str] | bool | None
) -> tuple[Study, StudyFile | None, str]:
    """Return the study as it was last saved, the file to save it to, and a note about it.

    Under Voila, where strangers share a folder, a study is saved only if a file is named. Files of other data are not
    changed.
    """
    named = path if path is not None else None if isinstance(keep, bool) or keep is None else Path(keep)
    if keep is False or (named is None and under_voila()):
        return study, None, ""
    if named is not None:
        file = StudyFile(named)
        if not file.exists():
            return relative_to_folder(study, file.path.parent), file, ""
        return file.open(), file, "" if path is not None else f"Continued from {file.path.name}."
    note = ""
    for candidate in _file_names(study.name):
        file = StudyFile(candidate, data, named=False)
        if _belongs_to_other_data(file):
            note = f"{candidate.name} belongs to other data of this notebook and is not changed."
            continue
        _open_files.setdefault(file.path, file)
        if not file.exists():
            break
        found = _read_if_same_data(file, study, data)
        if found is not None:
            return found, file, f"Continued from {candidate.name}."
        note = f"{candidate.name} belongs to other data and is not changed."
    return relative_to_folder(study, file.path.parent), file, note


def file_for_other_data(study: Study) -> StudyFile:
    """Return the file of a study whose data were replaced: a new file, or the existing one of these data."""
    for path in _file_names(study.name):
        file = StudyFile(path, named=False)
        taken = file.exists() and _read_if_same_data(StudyFile(path), study, None) is None
        if not taken and not _belongs_to_other_data(file):
            _open_files.setdefault(file.path, file)
            return file
    raise AssertionError("unreachable: there is always another name")


_open_files: WeakValueDictionary[Path, StudyFile] = WeakValueDictionary()  # the files of this kernel's workbenches


def _belongs_to_other_data(file: StudyFile) -> bool:
    """Return whether the file belongs to other data of the same notebook."""
    other = _open_files.get(file.path)
    if other is None or other.data is file.data:
        return False
    both = other.data, file.data
    return not (all(isinstance(one, pd.DataFrame) for one in both) and both[0].equals(both[1]))  # type: ignore[attr-defined]


def relative_to_folder(study: Study, folder: Path) -> Study:
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


def _read_if_same_data(file: StudyFile, study: Study, data: object) -> Study | None:
    """Return the study in the file if it is about these data."""
    try:
        found = file.open()
    except BadInput:
        return None  # damaged, or not a study: leave the file as it is
    if _origin(found) != _origin(study):
        return None
    columns = data.names if isinstance(data, Table) else getattr(data, "columns", None)
    named = {*found.quasi, *found.sensitive, *unpublished_columns(found), *found.weight}
    return found if columns is None or named <= set(map(str, columns)) else None


def _origin(study: Study) -> dict[str, object]:
    """Return the source of the data, independent of the folder of the study."""
    data = {key: value for key, value in study.data.items() if key not in LEAVES_OUT}
    if "path" in data:
        data["path"] = str((Path(study.folder) / str(data["path"])).resolve())
    return data
