"""Releases for these tests."""

import pandas as pd

from workbench import Table


def made(quasi: str = "age", values: tuple[object, ...] = ("flu", "cold", "flu", "flu")) -> Table:
    frame = pd.DataFrame({quasi: [20, 20, 20, 50, 50, 50] * 2, "ill": list(values) * 3})
    return Table.from_frame(frame, quasi=[quasi], sensitive="ill")
