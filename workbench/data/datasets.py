"""Data sets of the workbench: a bundled census, and two tables that are generated on request.

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

# a file of data/hierarchies, or a builder
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
    """Return the file of a bundled table."""
    if name != "adult":
        raise BadInput(f"{name!r} is not a bundled data set; the only one is 'adult'")
    return DATA / "adult.csv.gz"


def hierarchy(name: str, column: str) -> Builder:
    """Return the builder of the bundled hierarchy of a column."""
    path(name)
    if column not in ADULT_HIERARCHIES:
        raise BadInput(f"{name} has no bundled hierarchy of {column!r}; there are {', '.join(ADULT_HIERARCHIES)}")
    given = ADULT_HIERARCHIES[column]
    return read_csv(DATA / "hierarchies" / given) if isinstance(given, str) else given


def adult(
    quasi: Sequence[str] = ("age", "workclass", "education", "marital_status", "race", "sex"),
    sensitive: str | Sequence[str] | None = "occupation",
    drop_missing: bool = True,
) -> Table:
    """Read the Adult census data: 48,842 records, of which 45,222 have no missing value.

    Parameters
    ----------
    quasi
        The quasi-identifiers.
    sensitive
        The sensitive columns. All other columns are neutral.
    drop_missing
        Drop the records with missing values.
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
    """Generate donations to parties, in the shape of the table of Srivastava & Weis (2005). No record is real.

    State, zip and employer have 164,649 combinations (within 2 %) among 277,274 records. The zip determines the state,
    the employer does so partly (60 %).

    Parameters
    ----------
    n
        Number of generated records.
    seed
        Seed of the generator: the same `n` and `seed` give the same records.
    quasi
        The quasi-identifiers.
    sensitive
        The sensitive columns.
    """
    return _generated(gifts.generate, gifts.NOTE, n, seed, quasi, sensitive)


def ambulatory(
    n: int = 29_102,
    seed: int = 0,
    quasi: Sequence[str] = ("birth_month", "birth_year", "sex", "race", "region"),
    sensitive: str | Sequence[str] | None = ("symptom", "diagnosis", "x_rayed", "therapy", "family_planning"),
) -> Table:
    """Generate visits to doctors, in the shape of the table of Srivastava & Weis (2005). No record is real.

    The quasi-identifiers have 9,678 combinations (within 2 %) among 29,102 records.

    Parameters
    ----------
    n
        Number of generated records.
    seed
        Seed of the generator: the same `n` and `seed` give the same records.
    quasi
        The quasi-identifiers.
    sensitive
        The sensitive columns.
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
        raise BadInput(f"generated records: n must be at least 1 and seed at least 0, got n={n} and seed={seed}")
    table = Table.read(generate(n, seed), quasi=quasi, sensitive=sensitive)
    return replace(table, notes=(*table.notes, note))
