"""The maximum sum and average compared with all selections."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from workbench.queries.selection_bounds import FOR_CERTAIN, NOTHING, PERHAPS, SelectionBounds, max_sum


@examples(200)
@given(st.integers(0, 100_000), st.booleans())
def test_the_maximum_is_that_of_the_best_selection(seed, average):
    rng = np.random.default_rng(seed)
    group = np.sort(rng.integers(0, 3, 6))
    sizes = np.bincount(group, minlength=3)
    most = rng.integers(0, sizes + 1)
    fewest = rng.integers(0, most + 1)
    adds, numbers = rng.integers(0, 3, 6), rng.integers(-4, 5, 6).astype(float)
    choices = []
    for g in range(3):
        own = np.flatnonzero(group == g)
        choices.append([one for n in range(fewest[g], most[g] + 1) for one in combinations(own, n)])
    found = set()
    for chosen in product(*choices):
        every = [i for one in chosen for i in one]
        sure = [numbers[i] for i in every if adds[i] == FOR_CERTAIN]
        free = [numbers[i] for i in every if adds[i] == PERHAPS]
        for n in range(len(free) + 1):
            for some in combinations(free, n):
                added = [*sure, *some]
                if not average:
                    found.add(sum(added))
                elif added:
                    found.add(sum(added) / len(added))
    picked = SelectionBounds(group, np.ones(6), adds, fewest.astype(float), most.astype(float))
    if found:
        assert max_sum(picked, numbers, average) == pytest.approx(max(found))
    else:
        assert np.isnan(max_sum(picked, numbers, average))


def test_items_are_of_several_people():
    group, people, most = np.array([0, 0, 1]), np.array([2.0, 3, 4]), np.array([4.0, 4])
    picked, numbers = (
        SelectionBounds(group, people, np.full(3, FOR_CERTAIN), np.array([4.0, 0]), most),
        np.array([1.0, 5, -2]),
    )
    assert max_sum(picked, numbers, False) == 16 and max_sum(picked, numbers, True) == 4
    both = picked.join(SelectionBounds(np.zeros(1, int), np.ones(1), np.full(1, NOTHING), np.ones(1), np.ones(1)))
    assert both.group.tolist() == [0, 0, 1, 2] and max_sum(both, np.append(numbers, 9), False) == 16
