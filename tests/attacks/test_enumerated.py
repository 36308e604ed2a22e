"""An attacker who knows our code enumerates the tables that fit all that is published: is a small count unique?

That it is not is shown by a witness: another table, some people changed, moved, added or left out, that is published
alike to the last byte and in which the count differs. Where no witness is found, nothing is shown either way: of other
studies the search does not find one for every count yet.
"""

import numpy as np
import pytest

from tests.attacks.everything import unique
from tests.attacks.studies import KINDS, frame_of, study_of

SHOWN = (18, 23, 24, 25, 26, 32, 34, 35, 38)  # all looked for have a witness: figures told finer would lose some
TRIES, MOST = 150, 2
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def looked_for(seed: int) -> tuple[int, dict]:
    """How many small counts a study has, and which of some of them have no witness."""
    rng = np.random.default_rng(seed)
    study, frame = study_of(KINDS[seed % len(KINDS)], rng), frame_of(KINDS[seed % len(KINDS)], rng)
    return unique([study], study.read(frame), rng, TRIES, MOST)


@pytest.mark.parametrize("seed", SHOWN)
def test_small_counts_that_had_a_witness_have_one_still(seed):
    hidden, left = looked_for(seed)
    assert hidden and not left, f"{len(left)} of {hidden} small counts may be worked out: {left}"
