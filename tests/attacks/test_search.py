"""Small counts are not unique among the tables that are consistent with everything published.

A witness shows that: another table, with people changed, moved, added or removed, whose publications are identical to
the last byte and in which the count differs. Four counts are drawn from each study, or all if there are fewer.
"""

import pytest

from tests.attacks.search import find_unique_counts

FAST = {"study": (3, 4), "batch": (3,), "twice": (3,), "wings": ()}
SLOW = {"study": (26, 32, 47, 80, 95, 199), "batch": (4,), "twice": (), "wings": (3,)}
ALL = {"study": range(200), "batch": range(20), "twice": range(10), "wings": (3, 4)}


def marks_of(how, seed):
    return [] if seed in FAST[how] else [pytest.mark.slow if seed in SLOW[how] else pytest.mark.exhaustive]


STUDIES = [
    pytest.param(how, seed, marks=marks_of(how, seed), id=f"{how}-{seed}")
    for how, seeds in ALL.items()
    for seed in seeds
]


@pytest.mark.parametrize(("how", "seed"), STUDIES)
def test_small_counts_are_not_unique(how, seed):
    """Search a study, a batch of wards with their whole, a study published twice, and wards with wings."""
    total, left = find_unique_counts(how, seed)
    assert not left, f"no witness for {len(left)} of {total} small counts: {left}"


@pytest.mark.slow
def test_most_studies_have_small_counts():
    for seed in FAST["study"] + SLOW["study"]:
        assert find_unique_counts("study", seed, tries=0)[0] > 0
