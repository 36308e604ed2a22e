"""Stata, SPSS and SAS files as a source, read by pyreadstat if that is installed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from workbench.base.connection import PrivateConnection
from workbench.base.errors import BadInput, Fix
from workbench.data.reading.row_source import library
from workbench.data.reading.source import FrameSource

READERS = {
    ".dta": "read_dta",
    ".sav": "read_sav",
    ".zsav": "read_sav",
    ".por": "read_por",
    ".sas7bdat": "read_sas7bdat",
    ".xpt": "read_xport",
}
USUAL = {"stata": ".dta", "spss": ".sav", "sas": ".sas7bdat"}
CALLED = {"stata": "Stata", "spss": "SPSS", "sas": "SAS"}


class LabelledSource(FrameSource):
    """A table with labels instead of codes; values that the file declares as missing are missing."""

    def __init__(self, path: Path, format: str, private: PrivateConnection, encoding: str | None = None) -> None:
        pyreadstat = library("pyreadstat", path, CALLED[format])
        read = READERS.get(path.suffix.lower(), READERS[USUAL[format]])
        options = {} if encoding is None or read == READERS[".por"] else {"encoding": encoding}
        failure = None
        try:
            frame, about = getattr(pyreadstat, read)(str(path), **options)
        except (pyreadstat.ReadstatError, OSError, UnicodeError, ValueError):
            failure = BadInput(f"{path}: not a valid {CALLED[format]} file; write it again, or give {Fix.ENCODING}")
        if failure:
            raise failure
        labels = {name: about.variable_value_labels.get(name, {}) for name in frame.columns}
        super().__init__(pd.DataFrame({name: labelled(frame[name], labels[name]) for name in frame.columns}), private)
        self.where = str(path)
        for name, known in labels.items():
            if known and (rest := len(set(frame[name].dropna().unique()) - set(known))):
                used = (
                    "their codes are text" if is_coded(frame[name], known) else "the labels of the others are not used"
                )
                self.notes.append(f"{name}: {rest:,} values have no label; {used}")


def is_coded(values: pd.Series, labels: Mapping[Any, str]) -> bool:
    """Return whether most values have a unique label; otherwise they are numbers with a few special codes."""
    present = set(values.dropna().unique())
    known = present & set(labels)
    return len(known) > len(present) / 2 and len({labels[one] for one in known}) == len(known)


def labelled(values: pd.Series, labels: Mapping[Any, str]) -> pd.Series:
    """Replace codes by their labels."""
    if not labels or not is_coded(values, labels):
        return values
    names = {
        one: labels.get(one, f"{one:g}" if isinstance(one, float) else str(one)) for one in values.dropna().unique()
    }
    return values.map(names).astype("str")
