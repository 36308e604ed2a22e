"""An attacker who knows our code enumerates the tables that fit all that is published: is a small count unique?

That it is not is shown by a witness: another table, some people changed, moved, added or left out, that is published
alike to the last byte and in which the count differs. `tests.attacks.search` looks at more studies than these.
"""

import pytest

from tests.attacks.search import searched

STUDIES, BATCHES, TWICE = (3, 4, 26, 32, 38), (3,), (3,)


@pytest.mark.parametrize("seed", STUDIES)
def test_small_counts_of_a_small_study_are_not_unique(seed):
    hidden, left = searched("study", seed)
    assert hidden and not left, f"{len(left)} of {hidden} small counts may be worked out: {left}"


@pytest.mark.parametrize("seed", BATCHES)
def test_small_counts_of_a_batch_of_wards_are_not_unique(seed):
    hidden, left = searched("batch", seed)
    assert hidden and not left, f"{len(left)} of {hidden} small counts may be worked out: {left}"


@pytest.mark.parametrize("seed", TWICE)
def test_small_counts_of_a_study_that_is_published_twice_are_not_unique(seed):
    hidden, left = searched("twice", seed)
    assert hidden and not left, f"{len(left)} of {hidden} small counts may be worked out: {left}"
