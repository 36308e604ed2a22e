"""Tables for tests of noise: skewed and correlated."""

import numpy as np
import pandas as pd

from workbench.data.table import Table

ILLS = np.array(["cold", "flu", "none", "rare"])


def people(records=600, seed=1, missing=0.0, fractions=False):
    """Return people: the old have the flu; wages are integers or fractions; one in a hundred is rarely ill."""
    rng = np.random.default_rng(seed)
    rank = rng.beta(1, 2, records)
    ill = ILLS[
        np.where(rng.random(records) < 0.02, 3, (np.clip(rank + rng.normal(0, 0.2, records), 0, 0.99) * 3).astype(int))
    ]
    frame = pd.DataFrame({
        "age": 20 + (rank * 40).astype(int),
        "city": rng.choice(list("abc"), records, p=[0.6, 0.3, 0.1]),
        "ill": ill,
        "wage": np.round(10 + 20 * rank, 3) if fractions else 10 + (20 * rank).astype(int),
    })  # fmt: skip
    frame = frame.astype({"age": "Int64"})
    if missing:
        for name in ("age", "ill"):
            frame.loc[rng.random(records) < missing, name] = None
    return frame


def table(records=600, quasi=("age", "city"), sensitive="ill", **more):
    return Table.from_frame(people(records, **more), list(quasi), sensitive)


def halves(one, other, records, column="x", others=()):
    """Return records of which half have one value of a column and half the other; some have further values."""
    values = [one] * records + [other] * records + list(others)
    frame = pd.DataFrame({"q": np.arange(len(values)) % 7, column: values, "s": np.arange(len(values)) % 3})
    return Table.from_frame(frame, ["q", column] if column != "s" else ["q"], "s")
