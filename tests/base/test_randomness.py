"""Randomness that protects: another each time, whatever was seeded."""

import random

import numpy as np

from workbench.base.randomness import operating_system_random


def test_no_seed_repeats_it():
    drawn = set()
    for _ in range(20):
        random.seed(0)
        np.random.seed(0)
        drawn.add(int(operating_system_random().integers(2**63)))
    assert len(drawn) == 20
