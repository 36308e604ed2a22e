"""Random studies, and what who enumerates tables finds of them: `python -m tests.attacks.search study 0 200`.

Each line says how many small counts there are, and which of some of them have no witness. A study takes some seconds to
a minute, a `batch` of wards or a study published `twice` a minute or two, one of wards and `wings` a few.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence

import numpy as np

from tests.attacks.everything import Counts, Walk
from tests.attacks.mending import Mending
from tests.attacks.studies import KINDS, WARDS, WINGS, batch_of, frame_of, study_of
from workbench.data.table import Table
from workbench.studies.study import Study

TRIES, MOST = 8000, 4
BATCHES = {"batch": WARDS, "wings": WINGS}  # parts by one column, and by two


def searched(how: str, seed: int, tries: int = TRIES) -> tuple[int, Counts]:
    """How many small counts a study, a batch or a study published twice has, and which have no witness."""
    studies, base, rng = published(how, seed)
    return unique(studies, base, rng, tries, 0 if how == "wings" else tries)


def published(how: str, seed: int) -> tuple[list[Study], Table, np.random.Generator]:
    """The studies that are published of one table, and the randomness that goes on from there."""
    rng, kind = np.random.default_rng(seed), KINDS[seed % len(KINDS)]
    study, frame = study_of(kind, rng), frame_of(kind, rng)
    studies = [study]
    if how in BATCHES:
        studies, frame = batch_of(study, frame, rng, BATCHES[how])
    elif how == "twice":  # with other measures and recipes
        studies.append(study_of(kind, np.random.default_rng(seed + len(KINDS))).with_(smallest=study.smallest))
    return studies, studies[0].read(frame), rng


def unique(
    studies: Sequence[Study], base: Table, rng: np.random.Generator, tries: int, steps: int
) -> tuple[int, Counts]:
    """How many small counts there are in all that is published of these studies of one table, and which of some of them
    have no other table that is published alike, as far as one was found: by steps at random, then by mending."""
    walk = Walk(studies, base, rng, MOST)
    for _ in range(steps):
        if not walk.left:
            break
        walk.step()
    left = {(i, what): n for (i, what), n in walk.left.items()
            if Mending(studies, base, i, what, rng).witness(tries) is None}  # fmt: skip
    return walk.hidden, left


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for number in range(int(sys.argv[2]), int(sys.argv[3])):
        hidden, left = searched(sys.argv[1], number)
        print(sys.argv[1], number, hidden, *((*what, count) for what, count in left.items()), flush=True)
