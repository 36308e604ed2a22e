"""Columns of public files as they are meant: codes as words, digits as numbers; what does not fit is refused."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from workbench.base.errors import BadInput

Codes = Mapping[str, Mapping[str, str]]


def present(path: str | Path) -> Path:
    """A plain file that is there."""
    found = Path(path)
    if not found.is_file():
        raise BadInput(f"{path}: there is no such file")
    if found.suffix.lower() in (".zip", ".exe"):
        raise BadInput(f"{path}: a packed file; unpack it, and name the text file in it")
    return found


def stripped(column: pd.Series) -> pd.Series:
    """Text without blanks around it; nothing but blanks is missing."""
    bare = column.str.strip()
    return bare.where(bare != "")


def spelled(column: pd.Series, meanings: Mapping[str, str], where: str, place: str) -> pd.Series:
    """Codes as what they stand for."""
    found = stripped(column)
    unknown = found.notna() & ~found.isin(list(meanings))
    _refuse(unknown, where, f"{place} is none of the known codes; say in codes what it means")
    return found.map(meanings)


def numbers(column: pd.Series, where: str, place: str) -> pd.Series:
    """Digits as numbers, whole ones where all are."""
    bare = stripped(column)
    found = pd.to_numeric(bare, errors="coerce")
    _refuse(bare.notna() & ~np.isfinite(found), where, f"{place} is not a number; is the file of this form?")
    return found.astype("Int64") if (found.dropna() % 1 == 0).all() else found


def _refuse(wrong: pd.Series, where: str, what: str) -> None:
    if wrong.any():
        raise BadInput(f"{where}, line {int(wrong.to_numpy().argmax()) + 1:,}: {what}")
