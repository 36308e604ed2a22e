"""Guess from its name and values what a column is about: a diagnosis, a survey weight, a zip code."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from workbench.data import lexicon
from workbench.data.column import Column
from workbench.data.lexicon import has_word, words_in

SHORT, HALF = 50, 0.5  # maximum number of values, and minimum share of records with a matching value
MOST = 0.9  # minimum share of the records with a form
FLAG, FEW = 2, 8  # maximum distinct values of a flag, and of a small set of categories
MONTHS = 12
STRATA, EACH = 20, 20  # maximum number of distinct weights, minimum number of records per weight
ICD_9, ICD_10 = r"(\d{3}|V\d\d|E\d{3})\.?\d{0,2}-*", r"[A-TV-Z]\d[\dA-Z]\.?[\dA-Z]{0,4}-*"
HCPCS, ATC = r"[A-Z]\d{4}", r"[A-Z]\d\d[A-Z]{2}\d\d"
POSTCODES = r"[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}|[A-Z]\d[A-Z] ?\d[A-Z]\d|\d{5}-\d{4}"  # British, Canadian, American
EMAIL, SOCIAL_SECURITY, INTERNET = r"[^@\s]+@[^@\s]+\.[a-zA-Z]+", r"\d{3}-\d\d-\d{4}", r"(\d{1,3}\.){3}\d{1,3}"
UUID = r"[\da-fA-F]{8}(-[\da-fA-F]{4}){3}-[\da-fA-F]{12}"
OPEN = "it is not published until you choose its role"
CONSEQUENCES = {
    "identifier": "which identifies somebody directly",
    "quasi": "which an attacker may know",
    "sensitive": "which must not be disclosed",
    "weight": "the number of people that a record represents; it is not published",
    "": f"which few people know; {OPEN}",
}
ADDRESSES = "|".join((EMAIL, SOCIAL_SECURITY, INTERNET))


@dataclass(frozen=True)
class ColumnKind:
    """A kind of column and its role, recognized by words in the name or by the form of the values.

    A form alone is sufficient; a word is sufficient if `fits` accepts the column. If the role is empty, the user must
    choose one.
    """

    what: str
    role: str
    words: Sequence[str] = ()
    form: Callable[[Column], bool] | None = None
    fits: Callable[[Column], bool] | None = None
    why: str = ""

    @property
    def consequence(self) -> str:
        """The consequence for a publication, as a relative clause."""
        return self.why or CONSEQUENCES[self.role]

    def evidence(self, column: Column) -> str:
        """Return where the kind is recognized: in the column's `name` or in its `values`; empty if in neither."""
        if has_word(column.name, self.words) and (self.fits is None or self.fits(column)):
            return "name"
        return "values" if self.form is not None and self.form(column) else ""


def guess_kind(column: Column) -> tuple[ColumnKind, str] | None:
    """Return the first kind that matches, and where it was recognized."""
    return next(((one, by) for one in KINDS if (by := one.evidence(column))), None)


# --- forms


def _share(column: Column, condition: Callable[[str], object]) -> float:
    """Return the share of a text column's records whose value satisfies a condition."""
    if column.kind != "text" or not len(column.labels):
        return 0.0
    satisfied = np.array([bool(condition(label)) for label in column.labels])
    return float(column.counts[satisfied].sum() / max(column.counts.sum(), 1))


def _like(pattern: str, column: Column) -> bool:
    return _share(column, re.compile(pattern).fullmatch) >= MOST


def _diagnoses(column: Column) -> bool:
    """Return whether the values are ICD codes: ICD-9 including V and E codes, or ICD-10 with many chapters."""
    if len(column.labels) < 20 or not _like(f"{ICD_9}|{ICD_10}", column):
        return False
    letters = {label[0] for label in column.labels if label[:1].isalpha()}
    return len(letters) >= 5 or bool(letters & {"V", "E"} and any(label[:1].isdigit() for label in column.labels))


def _procedures(column: Column) -> bool:
    return len(column.labels) >= 20 and (_like(HCPCS, column) or _like(ATC, column))


def _prose(column: Column) -> bool:
    """Return whether the column looks like free text: several words, and hardly any value twice."""
    many = len(column.labels) > 0.3 * column.counts.sum()
    return many and _share(column, lambda label: label.count(" ") >= 3 and len(label) >= 20) >= 0.5


def _of_health(column: Column) -> bool:
    """Return whether a few values are about health, such as the reason for a visit to a doctor."""
    return (
        len(column.labels) <= SHORT and _share(column, lambda label: has_word(label, lexicon.HEALTH_IN_VALUES)) >= HALF
    )


def _names_people(column: Column) -> bool:
    """Return whether the column has names of people; a "name" may also be that of a country."""
    words = words_in(column.name)
    others = [word for word in words if word != "name"]
    named = len(others) < len(words) or words in (["first"], ["last"])
    of_people = any(word in lexicon.PEOPLE for word in others) or all(len(word) == 1 for word in others)
    return named and of_people and column.kind == "text" and len(column.labels) > FLAG


def _numbers(column: Column) -> bool:
    """Return whether the column numbers persons, households or records."""
    *words, last = words_in(column.name)
    numbered = last in lexicon.NUMBER and bool(words) and words[-1] in lexicon.NUMBERED
    if not (numbered or has_word(column.name, lexicon.NUMBERS)):
        return False
    return len(column.values) > FEW and not has_word(column.name, lexicon.INSTITUTIONS) and _whole_or_text(column)


def _whole_or_text(column: Column) -> bool:
    return column.kind == "text" or column.values.dtype.kind == "i"


def _several(column: Column) -> bool:
    return len(column.values) > FLAG


def _weighs_many(column: Column) -> bool:
    """Return whether the column is a survey weight; body weights have many values and no long tail."""
    if column.kind != "number" or has_word(column.name, lexicon.BODY):
        return False
    if has_word(column.name, lexicon.SURVEY):
        return True
    records, distinct = int(column.counts.sum()), len(column.values)
    middle = float(column.values[np.searchsorted(np.cumsum(column.counts), records / 2)])
    tail = float(column.values[-1]) > 10 * middle
    strata = distinct <= STRATA and records >= EACH * distinct
    return tail or strata or middle >= 1000 or (column.values.dtype.kind == "f" and 0.2 <= middle <= 5)


def _date(column: Column) -> bool:
    return column.kind == "date"


def _many(column: Column) -> bool:
    return column.kind == "text" and len(column.labels) > 20


def _dates(column: Column) -> bool:
    """Return whether the values are days, years or a few parts of the year."""
    numbers = column.kind == "number" and len(column.values)
    years = bool(numbers and column.values[0] >= 1800 and column.values[-1] <= 2100)
    return column.kind == "date" or years or (column.kind == "text" and len(column.labels) <= MONTHS)


def _text(column: Column) -> bool:
    return column.kind == "text"


def _degrees(column: Column) -> bool:
    """Return whether the values are fractional degrees of latitude or longitude."""
    return column.values.dtype.kind == "f" and column.values[0] >= -180 and column.values[-1] <= 180


def _times(column: Column) -> bool:
    return column.kind != "text" or len(column.labels) <= MONTHS


def _number(column: Column) -> bool:
    return column.kind == "number"


KINDS = (
    ColumnKind("a person's name", "identifier", ("name", "first", "last"), None, _names_people),
    ColumnKind("an address", "identifier", lexicon.CONTACTS, partial(_like, ADDRESSES), _several),
    ColumnKind("a unique number", "identifier", (), partial(_like, UUID)),
    ColumnKind("the number of a person or record", "identifier", (*lexicon.NUMBERS, *lexicon.NUMBER), None, _numbers),
    ColumnKind("free text", "dropped", lexicon.TEXT, _prose, _many, "which may reveal anything about a person"),
    ColumnKind("a survey weight", "weight", lexicon.WEIGHTS, None, _weighs_many),
    ColumnKind("a part of a survey's design", "dropped", lexicon.DESIGN, why="which reveals the place of sampling"),
    ColumnKind("a rate or an average", "", lexicon.RATES, None, _number, "which describes a group; " + OPEN),
    ColumnKind("a date of birth", "quasi", lexicon.BIRTHS, None, _dates),
    ColumnKind("a date", "quasi", (), _date),
    ColumnKind("an age", "quasi", lexicon.AGES),
    ColumnKind("a fact about insurance", "quasi", lexicon.INSURANCES),
    ColumnKind("a diagnosis", "sensitive", lexicon.DIAGNOSES, _diagnoses),
    ColumnKind("a treatment", "sensitive", lexicon.TREATMENTS, _procedures),
    ColumnKind("a disease", "sensitive", lexicon.DISEASES),
    ColumnKind("health data", "sensitive", lexicon.HEALTH, _of_health),
    ColumnKind("a medical finding", "sensitive", lexicon.MEASURED),
    ColumnKind("a fact about sexual life", "sensitive", lexicon.SEXUALITY),
    ColumnKind("a belief", "sensitive", lexicon.BELIEFS),
    ColumnKind("a political fact", "sensitive", lexicon.POLITICS, None, _text),
    ColumnKind("a crime or a contact with the police", "sensitive", lexicon.CRIMES),
    ColumnKind("a crime", "sensitive", lexicon.CHARGES, None, _text),
    ColumnKind("a personal history", "sensitive", lexicon.HISTORIES),
    ColumnKind("a fact about money", "sensitive", lexicon.MONEY),
    ColumnKind("a decision about a person", "sensitive", lexicon.DECISIONS),
    ColumnKind("an opinion", "sensitive", lexicon.OPINIONS),
    ColumnKind("an occupation", "sensitive", lexicon.OCCUPATIONS),
    ColumnKind("a score", "sensitive", lexicon.SCORES),
    ColumnKind("a habit", "", lexicon.HABITS),
    ColumnKind("a duration", "", lexicon.DURATIONS, None, _number),
    ColumnKind("an amount", "", lexicon.AMOUNTS, None, _number),
    ColumnKind("a postal code", "quasi", lexicon.POSTAL, partial(_like, POSTCODES)),
    ColumnKind("an exact place", "quasi", lexicon.EXACT_PLACES, None, _degrees),
    ColumnKind("a place", "quasi", lexicon.PLACES),
    ColumnKind("a personal trait", "quasi", lexicon.TRAITS),
    ColumnKind("a visible trait", "quasi", lexicon.VISIBLE),
    ColumnKind("a fact about family or household", "quasi", lexicon.HOUSEHOLDS),
    ColumnKind("a fact about education", "quasi", lexicon.EDUCATION),
    ColumnKind("a fact about work", "quasi", lexicon.WORK),
    ColumnKind("a fact about housing or property", "quasi", lexicon.HOMES),
    ColumnKind("a time", "quasi", lexicon.TIMES, None, _times),
    ColumnKind("an outcome", "sensitive", lexicon.OUTCOMES),
)  # fmt: skip
