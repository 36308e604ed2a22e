"""Rows of stars: the records that a release leaves out, as rows of which nothing is told."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np
import pandas as pd

from workbench.base.randomness import operating_system_random
from workbench.releases.export import BATCH, NONE, Named, Rows
from workbench.releases.label_text import STAR


def with_stars(rows: Rows, kept: int, left_out: int, starred: Collection[str]) -> Rows:
    """The `kept` rows, and anywhere among them a row for each record left out: `*` in the columns that are `starred`,
    nothing in the others."""
    columns = [Named(name, _and(values, STAR if name in starred else None)) for name, values in rows.columns]
    nothing = [len(values) for _, values in rows.columns]

    def batches() -> Iterator[list[np.ndarray]]:
        star = np.arange(kept + left_out) < left_out
        operating_system_random().shuffle(star)
        waiting, coming = [NONE for _ in columns], rows.batches()
        for start in range(0, len(star), BATCH):
            here = star[start : start + BATCH]
            need = len(here) - np.count_nonzero(here)
            while len(waiting[0]) < need:
                waiting = [np.concatenate(pair) for pair in zip(waiting, next(coming), strict=True)]
            mixed = [np.full(len(here), last, np.int32) for last in nothing]
            for column, codes in zip(mixed, waiting, strict=True):
                column[~here] = codes[:need]
            waiting = [codes[need:] for codes in waiting]
            yield mixed

    return Rows(columns, batches)


def _and(values: pd.Series, last: str | None) -> pd.Series:
    """One distinct value more, or one that is missing."""
    if last is not None:
        return pd.Series([*values, last], dtype=object)
    whole = values.dtype.kind in "iu"  # floats would round large numbers
    longer = (values.astype("Int64") if whole else values).reset_index(drop=True)
    return longer.reindex(range(len(values) + 1))
