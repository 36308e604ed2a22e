"""Two public files: contributions (US Federal Election Commission) and the 1973 survey of ambulatory medical care."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv as pc

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
    """Replace codes with their meanings."""
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


# The bulk file of contributions by individuals that the US Federal Election Commission publishes (`itcont.txt`).
#
# One line per contribution, 21 fields separated by vertical bars, no header, no quotes. The positions of the fields are
# those of the Commission's data dictionary. Lines with a memo code (field 19) repeat amounts of other lines.

FIELDS, COMMITTEE_FIELDS = 21, 15
# columns and their fields in a line, counted from 1; names and addresses are not read
PLACES = {"state": 10, "zip": 11, "employer": 12, "occupation": 13, "entity": 7, "amount": 15}
COMMITTEE, PARTY_OF_COMMITTEE = 1, 11  # field in both files; field in the file of committees
CODES = {
    "entity": {
        "CAN": "candidate",
        "CCM": "candidate committee",
        "COM": "committee",
        "IND": "individual",
        "ORG": "organization",
        "PAC": "political action committee",
        "PTY": "party organization",
    },
    "amendment": {"N": "new", "A": "amendment", "T": "termination"},
}


def read_contributions(
    path: str | Path,
    committees: str | Path | None = None,
    places: Mapping[str, int] | None = None,
    codes: Codes | None = None,
) -> pd.DataFrame:
    """Read contributions from an `itcont.txt`: state, zip (five digits), employer, occupation, entity, amount.

    Parameters
    ----------
    path
        The file of contributions.
    committees
        The file of committees of the same years (`cm.txt`). It adds the party (missing for unlisted committees).
    places
        Fields of further columns, or other fields of known columns: `{"date": 14, "amendment": 2}`.
    codes
        The meanings of the codes of a column.
    """
    found, meanings = {**PLACES, **(places or {})}, {**CODES, **(codes or {})}
    lines = _fields(present(path), FIELDS, {*found.values(), *((COMMITTEE,) if committees else ())})
    frame = pd.DataFrame()
    for name, place in found.items():
        where = f"field {place} ({name})"
        if name in meanings:
            frame[name] = spelled(lines[place], meanings[name], str(path), where)
        else:
            frame[name] = numbers(lines[place], str(path), where) if name == "amount" else stripped(lines[place])
    frame["zip"] = frame["zip"].str[:5]
    if committees is not None:
        committee_rows = _fields(present(committees), COMMITTEE_FIELDS, {COMMITTEE, PARTY_OF_COMMITTEE})
        parties = dict(zip(committee_rows[COMMITTEE], stripped(committee_rows[PARTY_OF_COMMITTEE]), strict=True))
        frame["party"] = lines[COMMITTEE].map(parties)
    return frame


def _fields(path: Path, width: int, wanted: set[int]) -> pd.DataFrame:
    """Read some fields of every line as text, by their positions."""
    for place in wanted:
        if place not in range(1, width + 1):
            raise BadInput(f"{path}: there is no field {place} in this format; use a number from 1 to {width}")
    wrong: list[str] = []

    def other(row: pc.InvalidRow) -> str:
        wrong.append(f"line {row.number:,} has {row.actual_columns} fields")
        return "error"

    names = [str(place) for place in range(1, width + 1)]
    chosen = sorted(wanted)
    try:
        table = pc.read_csv(
            path,
            pc.ReadOptions(use_threads=False, column_names=names, encoding="latin-1"),
            pc.ParseOptions(delimiter="|", quote_char=False, invalid_row_handler=other),
            pc.ConvertOptions(
                include_columns=[str(place) for place in chosen], column_types=dict.fromkeys(names, pa.string())
            ),
        )
    except (pa.ArrowInvalid, OSError):
        table = None
    if table is None:
        what = wrong[0] if wrong else "it cannot be read as lines of text"
        raise BadInput(f"{path}: {what}; in this format each line has {width} fields, separated by vertical bars")
    return table.rename_columns([str(place) for place in chosen]).to_pandas().set_axis(chosen, axis=1).fillna("")


# The fixed-width records of the US National Ambulatory Medical Care Survey of 1973: one line per visit, 80 characters.
#
# The positions here are those of the survey's documentation of 1973 that could be checked. For symptoms, race, region
# and treatment, which the records also have, give the positions of the documentation that comes with the file.

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
SURVEY_CODES = {"sex": {"1": "female", "2": "male"}}
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
    spans, meanings = {**POSITIONS, **(positions or {})}, {**SURVEY_CODES, **(codes or {})}
    for name, (first, last) in spans.items():
        if not 1 <= first <= last:
            raise BadInput(f"{name}: specify the first and the last position, counted from 1, such as (5, 6)")
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
