"""An attacker who knows our code enumerates the tables that fit all that is published: is a small count unique?

That it is not is shown by a witness: another table, some people changed, moved, added or left out, that is published
alike to the last byte and in which the count differs.
"""

import numpy as np
import pytest

from tests.attacks.everything import unique
from tests.attacks.studies import KINDS, batch_of, frame_of, study_of

SAMPLE = (3, 16, 18, 24, 26, 27, 32, 38)
STUDIES, BATCHES, FOLDERS = range(200), range(20), range(6)
TRIES, MOST = 4000, 4
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def drawn(seed: int):
    """A study at random, its people, and what else is drawn."""
    rng, kind = np.random.default_rng(seed), KINDS[seed % len(KINDS)]
    return study_of(kind, rng), frame_of(kind, rng), rng


def rarely(seeds, often):
    """All of them, most of them marked as slow."""
    return [pytest.param(seed, marks=() if seed in often else pytest.mark.slow) for seed in seeds]


@pytest.mark.parametrize("seed", rarely(STUDIES, SAMPLE))
def test_no_small_count_of_a_small_study_is_unique(seed):
    study, frame, rng = drawn(seed)
    hidden, left = unique([study], study.read(frame), rng, TRIES, MOST)
    assert not left, f"{len(left)} of {hidden} small counts may be worked out: {left}"


@pytest.mark.parametrize("seed", rarely(BATCHES, (0,)))
def test_no_small_count_of_a_batch_of_wards_is_unique(seed):
    study, frame, rng = drawn(seed)
    studies, frame = batch_of(study, frame, rng)
    hidden, left = unique(studies, studies[0].read(frame), rng, TRIES, MOST)
    assert not left, f"{len(left)} of {hidden} small counts may be worked out: {left}"


@pytest.mark.parametrize("seed", rarely(FOLDERS, (0,)))
def test_no_small_count_of_a_study_that_is_published_twice_is_unique(seed):
    study, frame, rng = drawn(seed)
    other, _, _ = drawn(seed + len(KINDS))  # of the same columns, with other measures and recipes
    hidden, left = unique([study, other.with_(smallest=study.smallest)], study.read(frame), rng, TRIES, MOST)
    assert not left, f"{len(left)} of {hidden} small counts may be worked out: {left}"
