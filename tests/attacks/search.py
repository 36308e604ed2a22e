"""Search for witnesses of the small counts of random studies: `python -m tests.attacks.search study 0 200`.

A witness is another table with identical publications in which the count differs. Each line shows the number of small
counts, and which of a sample of them have no witness. A study takes some seconds to a minute, a `batch` of wards or a
study published `twice` a minute or two, one of wards and `wings` a few.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence

import numpy as np

from tests.attacks.repair import Repair
from tests.attacks.studies import KINDS, WARDS, WINGS, batch_with_parts, random_frame, random_study
from tests.attacks.witness_walk import Counts, Walk
from workbench.data.table import Table
from workbench.studies.study import Study

TRIES, MAX_COUNTS = 8000, 4
BATCHES = {"batch": WARDS, "wings": WINGS}  # parts by one column, and by two


def find_unique_counts(how: str, seed: int, tries: int = TRIES) -> tuple[int, Counts]:
    """Return the number of small counts of random publications, and those without a witness."""
    studies, base, rng = random_publications(how, seed)
    return counts_without_witness(studies, base, rng, tries, 0 if how == "wings" else tries)


def random_publications(how: str, seed: int) -> tuple[list[Study], Table, np.random.Generator]:
    """Return the studies that are published of one table, the table and the random generator."""
    rng, kind = np.random.default_rng(seed), KINDS[seed % len(KINDS)]
    study, frame = random_study(kind, rng), random_frame(kind, rng)
    studies = [study]
    if how in BATCHES:
        studies, frame = batch_with_parts(study, frame, rng, BATCHES[how])
    elif how == "twice":  # with other measures and recipes
        studies.append(random_study(kind, np.random.default_rng(seed + len(KINDS))).with_(smallest=study.smallest))
    return studies, studies[0].read(frame), rng


def counts_without_witness(
    studies: Sequence[Study], base: Table, rng: np.random.Generator, tries: int, steps: int
) -> tuple[int, Counts]:
    """Return the number of small counts in these studies of one table, and those of a sample without a witness.

    Witnesses are searched for by random steps first, then by repair.
    """
    walk = Walk(studies, base, rng, MAX_COUNTS)
    for _ in range(steps):
        if not walk.without_witness:
            break
        walk.step()
    left = {(i, key): n for (i, key), n in walk.without_witness.items()
            if Repair(studies, base, i, key, rng).witness(tries) is None}  # fmt: skip
    return walk.small_total, left


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for number in range(int(sys.argv[2]), int(sys.argv[3])):
        total, left = find_unique_counts(sys.argv[1], number)
        print(sys.argv[1], number, total, *((*key, count) for key, count in left.items()), flush=True)
