"""What a proposed study calls its records, and what a person should look at before it is used."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from workbench.base.figures import join_names, per_cent
from workbench.data.column import Column
from workbench.data.meaning import words_in
from workbench.data.table import Table
from workbench.data.uniqueness import EXACT, single_out

RECORD = ("record", "records")  # until somebody says what one is
PEOPLE = {"person": "people"}
REPEATED = 0.05  # the share of records that repeat another from which that is said
CODES, OFTEN = 3, 0.01  # negative numbers that may stand for missing: so many values at most, in that share of records


def record_of(names: Sequence[str]) -> tuple[str, str]:
    """What one record is called and what several are: visits, where a column is called visit_id."""
    for name in names:
        *words, last = words_in(name) or [""]
        if words and last == "id":
            one = " ".join(words)
            return one, PEOPLE.get(one, _plural(one))
    return RECORD


def _plural(one: str) -> str:
    if re.search(r"[^aeiou]y$", one):
        return f"{one[:-1]}ies"
    return f"{one}es" if one.endswith(("s", "x", "ch", "sh")) else f"{one}s"


def cryptic(names: Sequence[str]) -> list[str]:
    """The names that say little to who does not know the table: those with a number in them."""
    return [name for name in names if re.search(r"\d", name)]


def codes_for_missing(column: Column) -> list[str]:
    """Negative numbers that are frequent and few among others that are not negative: they may mean missing."""
    if column.kind != "number":
        return []
    negative = np.flatnonzero(column.values < 0)
    others = column.values[len(negative) :]
    if not 0 < len(negative) <= CODES or not len(others) or (column.values[negative] % 1 != 0).any():
        return []
    often = column.counts[negative].sum() >= OFTEN * column.totals.sum()
    return [f"{int(value)}" for value in column.values[negative]] if often else []


def repeated(table: Table, names: Sequence[str]) -> float:
    """The share of the records that repeat another in all of these columns; 0 where that is not counted."""
    if table.records > EXACT or not names:
        return 0.0
    return 1 - single_out(table, names).distinct / table.records


def notes(table: Table, names: Sequence[str]) -> list[str]:
    """What a person should know of the records before the study is used; no value of the data."""
    said = []
    share = repeated(table, table.names)
    if share >= REPEATED:
        said.append(
            f"{per_cent(share)} of the records repeat another one in every column: if a person may have several "
            'records, "at least k" counts records, not people.'
        )
    coded = [name for name in names if codes_for_missing(table.columns[name])]
    if coded:
        said.append(f"Does a negative number mean a missing value in {join_names(coded)}? See `missing` in the file.")
    return said


def hints(table: Table, names: Sequence[str]) -> list[str]:
    """Lines for the study that a person may complete, as comments."""
    lines = []
    codes = sorted({code for name in names for code in codes_for_missing(table.columns[name])}, key=int)
    if codes:
        listed = ", ".join(f"'{code}'" for code in codes)
        lines.append(f"missing: [{listed}]  (under data, where these mean that a value is missing)")
    if found := cryptic(names):
        lines.append(f"titles: {{{', '.join(f'{name}: {name}' for name in found)}}}  (what pages call these columns)")
    return lines
