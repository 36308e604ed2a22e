import threading

import numpy as np
import pytest

from workbench.base.progress import Cancelled, cancellable
from workbench.frontier.ascent import maximize


def quadratic(seed, size=30):
    """Return the maximizer of a badly scaled concave function, and the function."""
    rng = np.random.default_rng(seed)
    top, root = rng.normal(size=size), rng.normal(size=(size, size)) * 10 ** rng.uniform(-1, 0.5, size)
    curvature = root.T @ root + 0.1 * np.eye(size)
    return top, lambda place: (-0.5 * (place - top) @ curvature @ (place - top), -curvature @ (place - top))


@pytest.mark.parametrize("seed", range(3))
def test_the_maximum_of_a_quadratic_function_is_found(seed):
    top, value = quadratic(seed)
    found = maximize(value, np.zeros(len(top)), 400)
    assert found == pytest.approx(top, abs=1e-3)


def test_steps_stay_in_the_domain_of_the_function():
    heights = []

    def value(place):
        if (place >= 1).any():
            return -np.inf, place
        heights.append(float(np.log(1 - place).sum() + 3 * place.sum()))
        return heights[-1], 3 - 1 / (1 - place)

    found = maximize(value, np.full(4, -5.0), 60)
    assert found == pytest.approx(np.full(4, 2 / 3), abs=1e-4)


def test_more_steps_are_never_worse():
    _, value = quadratic(5)
    begin = np.zeros(30)
    heights = [value(maximize(value, begin, steps))[0] for steps in (0, 1, 3, 10, 30)]
    assert heights == sorted(heights) and heights[0] < heights[-1]


def test_maximization_can_be_cancelled():
    cancel = threading.Event()
    cancel.set()
    _, value = quadratic(0)
    with pytest.raises(Cancelled), cancellable(cancel):
        maximize(value, np.zeros(30), 10)
