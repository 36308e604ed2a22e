"""Data that comes with the workbench: a census in a file, and two tables that are generated when they are asked for.

Adult: Becker, B. and Kohavi, R. (1996), UCI Machine Learning Repository, CC BY 4.0. An extract of the 1994 US census.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd

from workbench.base.errors import BadInput
from workbench.base.resources import DATA
from workbench.data import ambulatory as visits
from workbench.data import donations as gifts
from workbench.data.contributions import read_contributions as read_contributions
from workbench.data.hierarchies.builders import Builder, Intervals, read_csv
from workbench.data.survey_records import read_visits as read_visits
from workbench.data.table import Table

# a file of data/hierarchies, or what builds the hierarchy from the numbers
ADULT_HIERARCHIES: dict[str, str | Builder] = {
    "age": Intervals(widths=(5, 10, 20, 40)),
    "workclass": "workclass.csv",
    "fnlwgt": Intervals(widths=(10_000, 50_000, 100_000, 500_000)),
    "education": "education.csv",
    "education_num": Intervals(cuts=(5, 10, 13, 14)),  # the same groups as education
    "marital_status": "marital_status.csv",
    "occupation": "occupation.csv",
    "relationship": "relationship.csv",
    "race": "race.csv",
    "sex": "sex.csv",
    "capital_gain": Intervals(cuts=((1, 3_000, 7_000, 15_000), (1,))),
    "capital_loss": Intervals(cuts=((1, 1_500, 2_000), (1,))),
    "hours_per_week": Intervals(widths=(5, 10, 20)),
    "native_country": "native_country.csv",
    "salary": "salary.csv",
}


def path(name: str) -> Path:
    """The file of a bundled table."""
    if name != "adult":
        raise BadInput(f"no data called {name!r} come with the workbench; there is adult")
    return DATA / "adult.csv.gz"


def hierarchy(name: str, column: str) -> Builder:
    """What builds the hierarchy that comes with a column of a bundled table."""
    path(name)
    if column not in ADULT_HIERARCHIES:
        raise BadInput(f"no hierarchy of {column!r} comes with {name}; there are {', '.join(ADULT_HIERARCHIES)}")
    given = ADULT_HIERARCHIES[column]
    return read_csv(DATA / "hierarchies" / given) if isinstance(given, str) else given


def adult(
    quasi: Sequence[str] = ("age", "workclass", "education", "marital_status", "race", "sex"),
    sensitive: str | Sequence[str] | None = "occupation",
    drop_missing: bool = True,
) -> Table:
    """The Adult census data, 48,842 records; 45,222 of them are complete and stay if missing values are dropped.

    Columns that are neither quasi-identifier nor sensitive are neutral.
    """
    return Table.read(
        path("adult"),
        quasi=quasi,
        sensitive=sensitive,
        hierarchies={name: hierarchy("adult", name) for name in ADULT_HIERARCHIES},
        drop_missing=drop_missing,
    )


def donations(
    n: int = 277_274,
    seed: int = 0,
    quasi: Sequence[str] = ("state", "zip", "employer"),
    sensitive: str | Sequence[str] | None = "party",
) -> Table:
    """Generated donations to parties, in the shape of Srivastava & Weis's (2005): no record is a real one.

    State, zip and employer have 164,649 combinations within 2 % among 277,274 records; the zip determines the state,
    the employer does so partly (60 %). The same `n` and `seed` give the same records.
    """
    return _generated(gifts.generate, gifts.NOTE, n, seed, quasi, sensitive)


def ambulatory(
    n: int = 29_102,
    seed: int = 0,
    quasi: Sequence[str] = ("birth_month", "birth_year", "sex", "race", "region"),
    sensitive: str | Sequence[str] | None = ("symptom", "diagnosis", "x_rayed", "therapy", "family_planning"),
) -> Table:
    """Generated visits to doctors, in the shape of Srivastava & Weis's (2005): no record is a real one.

    The quasi-identifiers have 9,678 combinations within 2 % among 29,102 records. The same `n` and `seed` give the same
    records.
    """
    return _generated(visits.generate, visits.NOTE, n, seed, quasi, sensitive)


def _generated(
    generate: Callable[[int, int], pd.DataFrame],
    note: str,
    n: int,
    seed: int,
    quasi: Sequence[str],
    sensitive: str | Sequence[str] | None,
) -> Table:
    if n < 1 or seed < 0:
        raise BadInput("generated records: give their number n, 1 or more, and a seed, 0 or more")
    table = Table.read(generate(n, seed), quasi=quasi, sensitive=sensitive)
    return replace(table, notes=(*table.notes, note))
