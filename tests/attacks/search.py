"""Random studies, and what who enumerates tables finds of them: `python -m tests.attacks.search study 0 200`.

Each line says how many small counts there are, and which of some of them have no witness. A study takes some seconds to
a minute, a `batch` of wards or a study published `twice` a minute or two.
"""

from __future__ import annotations

import sys
import warnings

import numpy as np

from tests.attacks.everything import Counts, unique
from tests.attacks.studies import KINDS, batch_of, frame_of, study_of

TRIES, MOST = 8000, 4


def searched(how: str, seed: int, tries: int = TRIES) -> tuple[int, Counts]:
    """How many small counts a study, a batch or a study published twice has, and which have no witness."""
    rng, kind = np.random.default_rng(seed), KINDS[seed % len(KINDS)]
    study, frame = study_of(kind, rng), frame_of(kind, rng)
    studies = [study]
    if how == "batch":
        studies, frame = batch_of(study, frame, rng)
    elif how == "twice":  # with other measures and recipes
        studies.append(study_of(kind, np.random.default_rng(seed + len(KINDS))).with_(smallest=study.smallest))
    return unique(studies, studies[0].read(frame), rng, tries, MOST)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for number in range(int(sys.argv[2]), int(sys.argv[3])):
        hidden, left = searched(sys.argv[1], number)
        print(sys.argv[1], number, hidden, *((*what, count) for what, count in left.items()), flush=True)
