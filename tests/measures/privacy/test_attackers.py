"""The people among whom an attacker searches, and the published form of the largest probability."""

import numpy as np
import pandas as pd
import pytest

from workbench.data.table import Table
from workbench.measures.privacy.attackers import (
    WHO,
    expected_chance,
    group_sizes,
    largest_published_risk,
    search_groups,
)
from workbench.methods import Keep

SAMPLE = pd.DataFrame({"age": [1, 2, 2, 3, 3, 3]})
PEOPLE = pd.DataFrame({"age": [1] * 20 + [2] * 4 + [3] * 3})


def integral(size, fraction):
    s = (np.arange(400_000) + 0.5) / 10_000
    u = np.exp(-s)
    return fraction * float((u**size / (fraction + (1 - fraction) * u)).sum()) / 10_000


@pytest.mark.parametrize("fraction", [0.001, 0.05, 0.49, 0.5, 0.9])
def test_the_expected_chance_is_an_integral(fraction):
    sizes = np.array([1, 2, 7, 59, 60, 61])
    assert expected_chance(sizes, fraction) == pytest.approx([integral(one, fraction) for one in sizes], rel=1e-4)
    assert expected_chance(sizes, 1.0) == pytest.approx(1 / sizes)


def test_each_attacker_searches_among_different_people():
    release = Keep()(Table.from_frame(SAMPLE, ["age"]))
    beside = Keep()(Table.from_frame(SAMPLE, ["age"]).with_population(PEOPLE))
    assert group_sizes(release).tolist() == [1, 2, 3]
    assert search_groups("prosecutor", beside, 0.1).risk == pytest.approx([1, 1 / 2, 1 / 3])
    assert search_groups("journalist", beside, 0.1).risk == pytest.approx([1 / 20, 1 / 4, 1 / 3])
    assert search_groups("journalist", release, 0.1).risk == pytest.approx(
        [integral(f, 0.1) for f in (1, 2, 3)], rel=1e-4
    )


@pytest.mark.parametrize("attacker", WHO)
def test_the_largest_probability_is_never_published_too_low(attacker):
    for table in (Table.from_frame(SAMPLE, ["age"]), Table.from_frame(SAMPLE, ["age"]).with_population(PEOPLE)):
        release = Keep()(table)
        for smallest in (1, 10):
            assert (
                largest_published_risk(attacker, release, 0.2, smallest)
                >= search_groups(attacker, release, 0.2).risk.max() - 1e-12
            )
