"""Random tables for property tests: skewed and correlated, with missing values, gaps, floats and idle columns."""

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from tests.methods.oracle import Axis, axis_of
from workbench.data.hierarchies.builders import Columns, Intervals
from workbench.data.table import Table

WORDS = {"w1": "P", "w2": "P", "w3": "Q", "w4": "Q", "w5": "R"}  # leaf -> group
ABOVE = {leaf: "R" if group == "R" else "PQ" for leaf, group in WORDS.items()}
HIERARCHIES = {
    "word": Columns([(leaf, WORDS[leaf], ABOVE[leaf]) for leaf in WORDS]),
    "whole": Intervals(widths=(5, 20)),
}
AXES = ("whole", "word", "real", "day", "plain", "one")


def random_frame(seed: int, records: int, values: int = 4, missing: float = 0.0) -> pd.DataFrame:
    """Return `records` people; the larger `whole` is, the likelier is a high `s`; `person` identifies them."""
    rng = np.random.default_rng(seed)
    rank = rng.beta(1, 3, records)
    noisy = np.clip(rank + rng.normal(0, 0.1, records), 0, 0.999)
    frame = pd.DataFrame(
        {
            "person": np.arange(records),
            "whole": pd.array((rank * 30).astype(int) * rng.choice([1, 3]) - 5, dtype="Int64"),
            "word": np.array(list(WORDS), dtype=object)[(noisy * 5).astype(int)],
            "real": np.round(rank * 2 + rng.normal(0, 0.3, records), 1) + 0.0,
            "day": pd.Timestamp("1999-12-30") + pd.to_timedelta(rng.geometric(0.3, records), unit="D"),
            "plain": rng.choice(["x", "y", "z"], records, p=[0.7, 0.2, 0.1]),
            "one": "same",
            "s": [f"s{v}" for v in (np.sqrt(noisy) * values).astype(int)],
            "s2": rng.choice(["no", "yes"], records, p=[0.8, 0.2]),
        }
    )
    for name in ("whole", "word", "real", "day", "s"):
        frame.loc[rng.random(records) < missing, name] = None
    ends = {"s": ["s0", "s1"], "s2": ["no", "yes"], "word": ["w1", "w2"], "whole": [0, 1], "real": [0.5, 1.0]}
    for name, two in ends.items():  # a column needs something to read, a sensitive one two values
        frame.loc[frame.index[:2], name] = two[: len(frame)]
    frame.loc[0, "day"] = pd.Timestamp("2000-01-01")
    return frame


@st.composite
def frames(draw: st.DrawFn, least: int = 2, most: int = 120) -> pd.DataFrame:
    """Draw small and tiny tables, with and without missing values."""
    return random_frame(
        seed=draw(st.integers(0, 2**32 - 1)),
        records=draw(st.integers(least, most)),
        values=draw(st.integers(2, 6)),
        missing=draw(st.sampled_from([0.0, 0.0, 0.15])),
    )


quasi_choices = st.lists(st.sampled_from(AXES), min_size=1, max_size=4, unique=True)


def table_of(frame: pd.DataFrame, quasi: list[str], sensitive: tuple[str, ...] = ("s",)) -> Table:
    """Return the table; `person` and columns without another role are neutral."""
    given = {name: build for name, build in HIERARCHIES.items() if name in frame}
    return Table.from_frame(frame, quasi=quasi, sensitive=sensitive, hierarchies=given)


def axes_of(frame: pd.DataFrame, quasi: list[str]) -> list[Axis]:
    """Return the axes in the order of the data's columns; numbers, dates and text without a hierarchy have their own
    order.
    """
    known = {"word": (list(WORDS), (WORDS, ABOVE))}
    return [axis_of(frame[name], *known.get(name, ())) for name in frame if name in quasi]
