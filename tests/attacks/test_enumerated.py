"""An attacker who knows our code enumerates the tables that fit all that is published: no small count is unique.

That it is not is shown by a witness: another table, some people changed, moved, added or left out, that is published
alike to the last byte and in which the count differs.
"""

import numpy as np
import pytest

from tests.attacks.everything import unique
from tests.attacks.studies import KINDS, frame_of, study_of

NOT_YET = "the search does not find a witness for every count yet: finer search, or coarser figures"
pytestmark = [
    pytest.mark.filterwarnings("ignore::UserWarning"),
    pytest.mark.slow,
    pytest.mark.xfail(raises=AssertionError, strict=False, reason=NOT_YET),
]
TRIES = 150


@pytest.mark.parametrize("seed", range(len(KINDS)))
def test_small_counts_of_a_small_study_have_witnesses(seed):
    rng = np.random.default_rng(seed)
    study, frame = study_of(KINDS[seed % len(KINDS)], rng), frame_of(KINDS[seed % len(KINDS)], rng)
    hidden, left = unique([study], study.read(frame), rng, TRIES, most=3)
    assert not left, f"{len(left)} of {hidden} small counts can be worked out: {left}"
