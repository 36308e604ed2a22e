"""A small table of people."""

import pandas as pd

from workbench.data.table import Table

FRAME = pd.DataFrame(
    {
        "name": ["Ada", "Bob", "Cy", "Di", "Eve", "Flo"],
        "age": [30, 40, 40, 50, 30, 30],
        "work": ["own", "gov", "gov", "own", None, "own"],
        "pay": [1.5, 2.0, 1.5, None, 2.0, 2.0],
        "ill": ["flu", "flu", "cold", "cold", "flu", "flu"],
    }
)


ROLES = {"quasi": ["age", "work"], "sensitive": "ill", "identifiers": ["name"]}


def made(frame=FRAME, **options):
    return Table.from_frame(frame, **{**ROLES, **options})
