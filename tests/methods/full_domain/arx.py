"""Adult as ARX uses it: the complete records of the training file, under ARX's own hierarchies."""

from functools import cache
from pathlib import Path

import pandas as pd
import pytest

from workbench import Table
from workbench.data import datasets
from workbench.data.hierarchies.builders import read_csv

SHARED = Path(__file__).parents[4] / "shared" / "data" / "arx"
TRAINING = 32_561  # the records that come first in the bundled file
COLUMNS = {  # as they are called here, and in ARX's files
    "sex": "sex",
    "age": "age",
    "race": "race",
    "marital_status": "marital-status",
    "education": "education",
    "native_country": "native-country",
    "workclass": "workclass",
    "salary": "salary-class",
}
needs_shared = pytest.mark.skipif(not SHARED.exists(), reason="ARX's hierarchies are in ../shared/data")


def rows(name):
    """Return a hierarchy's leaves with their labels."""
    text = (SHARED / f"adult_hierarchy_{COLUMNS[name]}.csv").read_text()
    return [line.split(";") for line in text.splitlines() if line]


def frame():
    data = pd.read_csv(datasets.path("adult"), nrows=TRAINING)[[*COLUMNS, "occupation"]]
    return data.dropna(ignore_index=True)


@cache
def table():
    hierarchies = {name: read_csv(SHARED / f"adult_hierarchy_{given}.csv") for name, given in COLUMNS.items()}
    return Table.from_frame(frame(), list(COLUMNS), "occupation", hierarchies=hierarchies)


def loss(frame, levels, left_out):
    """Return ARX's loss, computed with pandas.

    A record publishes the node of its column's level, even if the data have only one of its leaves; `left_out` marks
    suppressed records.
    """
    factor = 1.0
    for name in COLUMNS:
        given, every = rows(name), len(rows(name))
        label = {row[0]: row[levels[name]] for row in given}
        below = pd.Series([row[levels[name]] for row in given]).value_counts()
        each = frame[name].astype(str).map(label).map(below).where(~left_out, every) / every
        factor *= 1 + max(0.0, (each.mean() - 1 / every) / (1 - 1 / every))
    return factor ** (1 / len(COLUMNS)) - 1
