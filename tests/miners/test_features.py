"""Published columns as plain arrays."""

import numpy as np
import pandas as pd

from tests.releases.toys import Cluster
from workbench.data.table import Table
from workbench.methods import Keep, Mondrian
from workbench.miners.features import Feature
from workbench.models import KAnonymity
from workbench.releases.shown import Shown


def test_an_interval_has_ends_a_middle_and_nodes(small):
    table = small(1)
    release = Mondrian()(table, KAnonymity(8))
    age, frame = Feature.from_shown(release.shown("age")), table.frame["age"]
    low, high = (side[age.at] + frame.min() for side in age.ends())
    for record, group in enumerate(release.group_of_record):
        inside = frame[(release.group_of_record == group) & frame.notna()]
        if len(inside):
            assert (low[record], high[record]) == (inside.min(), inside.max())
    work = Feature.from_shown(release.shown("work"))
    assert len(work.levels) == 1 and set(work.nodes(0)) - {-1} <= set(work.levels[0])


def test_sets_contain_codes_and_count_them(small):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {"age": rng.integers(0, 9, 80), "town": rng.choice(list("abcdefg"), 80), "s": list("xyyy") * 20}
    )
    release = Cluster(6)(Table.from_frame(frame, ["age", "town"], "s"))
    town = Feature.from_shown(release.shown("town"))
    assert town.held is not None
    codes, counts = release.table.codes["town"], np.bincount(town.at, minlength=len(town.low))
    held = town.has(np.arange(town.size))
    for group in range(len(release.classes)):
        inside = release.group_of_record == group
        assert set(np.flatnonzero(held[town.at[inside][0]])) == set(codes[inside])
    assert town.weight_of_codes(counts).tolist() == (held * counts[:, None]).sum(axis=0).tolist()


def test_runs_count_the_codes_in_them(small):
    release = Mondrian()(small(3), KAnonymity(6))
    for name in release.table.quasi:
        one = Feature.from_shown(release.shown(name))
        counts = np.bincount(one.at, minlength=len(one.low))
        held = one.has(np.arange(one.size))
        assert one.weight_of_codes(counts).tolist() == (held * counts[:, None]).sum(axis=0).tolist()


def test_noisy_numbers_are_their_own_positions(small):
    column = Keep()(small(0)).shown("age").column
    one = Feature.from_shown(Shown(column, numbers=np.array([3.5, np.nan, -2.0, 3.5, np.nan])))
    assert np.array_equal(one.middles()[one.at], [3.5, np.nan, -2.0, 3.5, np.nan], equal_nan=True)
