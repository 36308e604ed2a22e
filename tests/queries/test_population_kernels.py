"""The walk over all populations: tests/queries/test_populations.py counts what it finds one record at a time."""

import numpy as np

from workbench.queries import population_kernels


def test_each_population_is_as_likely_in_a_sample_as_any_other():
    """The pseudorandom numbers are uniform in every part of the sequence, and independent of adjacent ones."""
    chances = np.array([population_kernels._chance(i) for i in range(20_000)])
    for part in (chances, chances[::2], chances[::3], chances[:500], chances[-500:]):
        share = np.histogram(part, 10, (0, 1))[0] / len(part)
        assert np.abs(share - 0.1).max() < 4 * np.sqrt(0.09 / len(part))
    assert abs(np.corrcoef(chances[1:], chances[:-1])[0, 1]) < 0.03
