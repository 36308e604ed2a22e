"""The bulk file of contributions by individuals that the US Federal Election Commission publishes (`itcont.txt`).

One line per contribution, 21 fields separated by vertical bars, no header, no quotes. The positions of the fields are
those of the Commission's data dictionary. Lines with a memo code (field 19) repeat amounts of other lines.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.csv as pc

from workbench.base.errors import BadInput
from workbench.data.reading.code_lists import Codes, numbers, present, spelled, stripped

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
