"""Tables whose populations differ: skewed, correlated, of any number of people."""

import numpy as np
import pandas as pd

from workbench.data.hierarchies.builders import Columns, Intervals
from workbench.data.table import Table

TOWNS = {"Ash": "North", "Bow": "North", "Cam": "South", "Dee": "South", "Eye": "South"}


def people(seed: int, records: int = 1500, weights: bool = False, missing: float = 0.0) -> pd.DataFrame:
    """Return people: the old of the north are ill, the young of the south well paid."""
    rng = np.random.default_rng(seed)
    rank = rng.beta(1.5, 3, records)
    near = np.clip(rank + rng.normal(0, 0.2, records), 0, 0.999)
    frame = pd.DataFrame(
        {
            "age": 18 + (rank * 60).astype(int),
            "town": np.array([*TOWNS], object)[(near * 5).astype(int)],
            "sex": rng.choice(["f", "m"], records),
            "illness": np.array(["none", "flu", "ulcer", "asthma"], object)[
                np.clip((near * 3 + rng.exponential(0.5, records)).astype(int), 0, 3)
            ],
            "wage": np.array(["low", "middle", "high"], object)[np.clip((2.9 - 3 * rank).astype(int), 0, 2)],
        }
    )
    if weights:
        frame["stands_for"] = rng.choice([1, 5, 40], records)
    frame.loc[rng.random(records) < missing, ["town", "illness"]] = None
    return frame


def table(seed: int = 0, sensitive: tuple[str, ...] = ("illness",), **given: object) -> Table:
    frame = people(seed, **given)  # type: ignore[arg-type]
    hierarchies = {"age": Intervals(widths=(10, 20)), "town": Columns([*TOWNS.items()])}
    more = {"weight": "stands_for"} if "stands_for" in frame else {}
    return Table.from_frame(
        frame, quasi=["age", "town", "sex"], sensitive=list(sensitive), hierarchies=hierarchies, **more
    )


def people_with_values(values: int, records: int, seed: int) -> pd.DataFrame:
    """Return people with a skewed illness of many values, correlated with the other columns."""
    rng = np.random.default_rng(seed)
    rank = rng.beta(1.5, 3, records)
    town = (np.clip(rank + rng.normal(0, 0.25, records), 0, 0.999) * 5).astype(int)
    sex = rng.integers(0, 2, records)
    kind = 2 * np.clip((rank * 4).astype(int), 0, 3) + sex + 8 * (town > 2)
    ill = np.empty(records, int)
    for one in np.unique(kind):
        weight = (np.arange(values) + 1.0) ** -0.9 * np.exp(rng.normal(0, 1, values))
        ill[kind == one] = rng.choice(values, (kind == one).sum(), p=weight / weight.sum())
    return pd.DataFrame(
        {
            "age": 18 + (rank * 60).astype(int),
            "town": np.array([*TOWNS], object)[town],
            "sex": np.array(["f", "m"], object)[sex],
            "illness": np.array([f"i{one:03d}" for one in range(values)], object)[ill],
        }
    )


def with_values(values: int, records: int, seed: int) -> Table:
    """Return the table of these people."""
    hierarchies = {"age": Intervals(widths=(10, 20)), "town": Columns([*TOWNS.items()])}
    frame = people_with_values(values, records, seed)
    return Table.from_frame(frame, quasi=["age", "town", "sex"], sensitive="illness", hierarchies=hierarchies)
