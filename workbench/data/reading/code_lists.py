"""Decode columns of public files: codes as words, digits as numbers; other values are refused."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from workbench.base.errors import BadInput

Codes = Mapping[str, Mapping[str, str]]


def present(path: str | Path) -> Path:
    """Return the path of an existing text file. Raise BadInput otherwise."""
    found = Path(path)
    if not found.is_file():
        raise BadInput(f"{path}: not an existing file; check the path")
    if found.suffix.lower() in (".zip", ".exe"):
        raise BadInput(f"{path}: the file is compressed; unpack it, and use the text file in it")
    return found


def stripped(column: pd.Series) -> pd.Series:
    """Strip text; blank values are missing."""
    bare = column.str.strip()
    return bare.where(bare != "")


def spelled(column: pd.Series, meanings: Mapping[str, str], where: str, place: str) -> pd.Series:
    """Replace codes by their meanings."""
    found = stripped(column)
    unknown = found.notna() & ~found.isin(list(meanings))
    _refuse(unknown, where, f"{place} is an unknown code; add its meaning to codes")
    return found.map(meanings)


def numbers(column: pd.Series, where: str, place: str) -> pd.Series:
    """Parse digits as numbers, as integers if all are whole."""
    bare = stripped(column)
    found = pd.to_numeric(bare, errors="coerce")
    _refuse(bare.notna() & ~np.isfinite(found), where, f"{place} is not a number; check the format of the file")
    return found.astype("Int64") if (found.dropna() % 1 == 0).all() else found


def _refuse(wrong: pd.Series, where: str, what: str) -> None:
    if wrong.any():
        raise BadInput(f"{where}, line {int(wrong.to_numpy().argmax()) + 1:,}: {what}")
