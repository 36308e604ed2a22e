"""What relaxed Mondrian cuts: records one by one, so that those with equal values may go to both halves."""

from __future__ import annotations

import numpy as np

from workbench.data.cells import Cells


def dealt(cells: Cells, seed: int) -> tuple[Cells, np.ndarray]:
    """One entry a record, in random order, so that equal values at a cut are dealt by chance.

    Cells stand in the order of their sensitive values too. Whoever could replay the deal from the seed alone would
    know which ranks of them went to which class, so the data, which only the analyst has, are part of the seed.
    """
    rng = np.random.default_rng([seed, cells.digest])
    cell = np.repeat(np.arange(len(cells), dtype=np.int32), cells.weight)
    cell = cell[rng.permutation(len(cell))]
    others = {name: codes[cell] for name, codes in cells.others.items()}
    return Cells(np.ascontiguousarray(cells.quasi[:, cell]), others, np.ones(len(cell), np.int64)), cell
