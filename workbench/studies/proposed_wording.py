"""What a proposed study calls its records, and notes to check before it is used."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from workbench.base.figures import format_percent, join_names
from workbench.data.column import Column
from workbench.data.lexicon import EXACT_PLACES, has_word, words_in
from workbench.data.table import Table
from workbench.data.uniqueness import EXACT, count_unique

RECORD = ("record", "records")  # unless the study defines its own words
PEOPLE = {"child": "children", "person": "people"}
REPEATED = 0.05  # share of duplicate records from which a note is added
DIGITS = "6789"  # digits of repeated-digit codes such as -99 and -888
CODES, OFTEN = 3, 0.01  # negative codes for missing: maximum number of distinct ones, minimum share of records


def record_of(names: Sequence[str]) -> tuple[str, str]:
    """Return the words for one record and for several: visit, visits for a column visit_id with unique numbers."""
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


def cryptic_names(names: Sequence[str]) -> list[str]:
    """Return the names that mean little to outsiders: those that contain a number."""
    return [name for name in names if re.search(r"\d", name)]


def codes_for_missing(column: Column) -> list[str]:
    """Return frequent negative numbers among nonnegative ones: they may mean missing."""
    if column.kind != "number":
        return []
    negative = np.flatnonzero(column.values < 0)
    others = column.values[len(negative) :]
    if not 0 < len(negative) <= CODES or not len(others) or (column.values[negative] % 1 != 0).any():
        return []
    codes = [f"{-value:.0f}" for value in column.values[negative]]
    if not all(len(code) == 1 or set(code) <= set(DIGITS) for code in codes) or has_word(column.name, EXACT_PLACES):
        return []
    often = column.counts[negative].sum() >= OFTEN * column.totals.sum()
    return [f"{int(value)}" for value in column.values[negative]] if often else []


def repeated_share(table: Table, names: Sequence[str]) -> float:
    """Return the share of records that repeat another in all of these columns; 0 if the table is too large to count."""
    if table.records > EXACT or not names:
        return 0.0
    return 1 - count_unique(table, names).distinct / table.records


def notes(table: Table, names: Sequence[str]) -> list[str]:
    """Return what the user should know about the records before the study is used, without values of the data."""
    sentences = []
    share = repeated_share(table, table.names)
    if share >= REPEATED:
        sentences.append(
            f"{format_percent(share)} of the records repeat another one in every column: if a person may have several "
            'records, "at least k" counts records, not people.'
        )
    coded = [name for name in names if codes_for_missing(table.columns[name])]
    if coded:
        sentences.append(
            f"Does a negative number mean a missing value in {join_names(coded)}? See `missing` in the file."
        )
    return sentences


def hints(table: Table, names: Sequence[str]) -> list[str]:
    """Return lines for the user to complete, as comments in the study."""
    lines = []
    codes = sorted({code for name in names for code in codes_for_missing(table.columns[name])}, key=int)
    if codes:
        listed = ", ".join(f"'{code}'" for code in (*table.missing_texts, *codes))
        lines.append(f"missing: [{listed}]  (under data, where these mean that a value is missing)")
    if found := cryptic_names(names):
        lines.append(f"titles: {{{', '.join(f'{name}: {name}' for name in found)}}}  (what pages call these columns)")
    return lines
