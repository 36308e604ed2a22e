"""The fixed-width records of the US National Ambulatory Medical Care Survey of 1973: one line per visit, 80 characters.

The positions here are those of the survey's documentation of 1973 that could be checked. For symptoms, race, region and
treatment, which the records also have, give the positions of the documentation that comes with the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from workbench.base.errors import BadInput
from workbench.data.reading.code_lists import Codes, numbers, present, spelled, stripped

Span = tuple[int, int]  # first and last position in a line, counted from 1
POSITIONS: dict[str, Span] = {
    "visit_month": (1, 2),
    "visit_year": (3, 4),
    "birth_month": (5, 6),
    "birth_year": (7, 8),
    "sex": (9, 9),
    "diagnosis": (39, 42),  # the principal one, in ICDA-8
    "weight": (71, 80),
}
CODES = {"sex": {"1": "female", "2": "male"}}
MONTHS, YEARS = ("visit_month", "birth_month"), ("visit_year", "birth_year")
NUMBERS = (*MONTHS, *YEARS, "weight")


def read_visits(
    path: str | Path, positions: Mapping[str, Span] | None = None, codes: Codes | None = None
) -> pd.DataFrame:
    """Read visits from the survey's fixed-width records: month and year of visit and birth, sex, diagnosis, weight.

    `weight` is the number of visits that a record represents.

    Parameters
    ----------
    path
        The text file.
    positions
        First and last position of further columns, or of known columns in other years, counted from 1:
        `{"race": (10, 10)}`.
    codes
        The meanings of the codes of a column.
    """
    spans, meanings = {**POSITIONS, **(positions or {})}, {**CODES, **(codes or {})}
    for name, (first, last) in spans.items():
        if not 1 <= first <= last:
            raise BadInput(f"{name}: give the first and the last position, counted from 1, such as (5, 6)")
    lines = pd.Series(present(path).read_text("latin-1").splitlines(), dtype=str)
    end = max(last for _, last in spans.values())
    short = lines.str.len() < end
    if lines.empty or short.any():
        at = f"line {int(short.to_numpy().argmax()) + 1:,} is shorter" if len(lines) else "it is empty"
        raise BadInput(f"{path}: {at}, but the positions need {end} characters per line; check the format of the file")
    frame = pd.DataFrame()
    for name, (first, last) in spans.items():
        text, place = lines.str[first - 1 : last], f"positions {first} to {last} ({name})"
        if name in meanings:
            frame[name] = spelled(text, meanings[name], str(path), place)
        else:
            frame[name] = numbers(text, str(path), place) if name in NUMBERS else stripped(text)
    for name in MONTHS:
        frame[name] = frame[name].where(frame[name].between(1, 12))  # 99: unknown
    return _full_years(frame)


def _full_years(frame: pd.DataFrame) -> pd.DataFrame:
    """Complete years of two digits: nobody is born after the visit."""
    for name in YEARS:
        frame[name] = frame[name].where(frame[name] > 99, frame[name] + 1900)
    before = frame["birth_year"] > frame["visit_year"]
    frame["birth_year"] = frame["birth_year"].where(~before, frame["birth_year"] - 100)
    return frame
