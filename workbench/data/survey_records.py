"""The fixed-width records of the US National Ambulatory Medical Care Survey of 1973: one line a visit, 80 characters.

The positions here are those of the survey's documentation of 1973 that could be checked. Symptoms, race, region and
treatment are in the records, too: say where, as the documentation beside the file does.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from workbench.base.errors import BadInput
from workbench.data.reading.code_lists import Codes, numbers, present, spelled, stripped

Span = tuple[int, int]  # first and last position in a line, from 1 on
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
    """Visits from the survey's fixed-width records: month and year of visit and of birth, sex, diagnosis, weight.

    `positions` says where further columns stand, or known ones in other years: `{"race": (10, 10)}`, first and last
    position, from 1 on. `codes` says what the codes of a column mean. `weight` is how many visits a record stands for.
    """
    spans, meanings = {**POSITIONS, **(positions or {})}, {**CODES, **(codes or {})}
    for name, (first, last) in spans.items():
        if not 1 <= first <= last:
            raise BadInput(f"{name}: positions are the first and the last, from 1 on, such as (5, 6)")
    lines = pd.Series(present(path).read_text("latin-1").splitlines(), dtype=str)
    end = max(last for _, last in spans.values())
    short = lines.str.len() < end
    if lines.empty or short.any():
        at = f"line {int(short.to_numpy().argmax()) + 1:,} is shorter" if len(lines) else "it is empty"
        raise BadInput(f"{path}: {at}, but {end} characters a line are asked for; is the file of this form?")
    frame = pd.DataFrame()
    for name, (first, last) in spans.items():
        text, place = lines.str[first - 1 : last], f"what stands at {first} to {last} ({name})"
        if name in meanings:
            frame[name] = spelled(text, meanings[name], str(path), place)
        else:
            frame[name] = numbers(text, str(path), place) if name in NUMBERS else stripped(text)
    for name in MONTHS:
        frame[name] = frame[name].where(frame[name].between(1, 12))  # 99: not known
    return _full_years(frame)


def _full_years(frame: pd.DataFrame) -> pd.DataFrame:
    """Years of two digits with their century: nobody is born after the visit."""
    for name in YEARS:
        frame[name] = frame[name].where(frame[name] > 99, frame[name] + 1900)
    before = frame["birth_year"] > frame["visit_year"]
    frame["birth_year"] = frame["birth_year"].where(~before, frame["birth_year"] - 100)
    return frame
