"""Published columns as plain arrays."""

import numpy as np
import pandas as pd

from tests.releases.toys import Cluster
from workbench.data.cells import cell_of_record
from workbench.data.hierarchies.builders import Columns
from workbench.data.table import Table
from workbench.methods import Keep, Mondrian
from workbench.miners import features as encoding
from workbench.miners.features import LACKING, Encoded, Feature, features
from workbench.models import KAnonymity
from workbench.releases.partition import Partition
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


# The inputs of learners: ends, indicators and values.

FRAME = pd.DataFrame(
    {"age": [20, 30, 40, 50, None], "work": ["farm", "shop", "shop", "clergy", "farm"], "s": list("abaab")}
).astype({"age": "Int64"})
ABOVE = Columns([("farm", "own"), ("shop", "own"), ("clergy", "church")])


def table():
    return Table.from_frame(FRAME, ["age", "work"], "s", hierarchies={"work": ABOVE})


def encoded(release, form, train=None):
    every = np.arange(len(release.published_records))
    of = Encoded.from_features(features(release, ("age", "work"), 0), form, every if train is None else train)
    return of.rows(every), of


def test_exact_values():
    rows, _ = encoded(Keep()(table()), "ends")
    codes, node = table().codes["work"], table().columns["work"].node(0)
    assert rows[:, 0].tolist() == [0, 10, 20, 30, LACKING]
    assert rows[:, 1].tolist() == codes.tolist() and rows[:, 2].tolist() == node[codes].tolist()
    rows, of = encoded(Keep()(table()), "values")
    assert np.array_equal(rows[:, 0], [0, 10, 20, 30, np.nan], equal_nan=True) and of.nominal == [0, 3]


def test_intervals_are_encoded_as_ends_and_labels_as_paths():
    given = table()
    cells, codes = given.cells(), given.codes
    half = np.where(codes["age"] < 2, 0, 1)[np.argsort(cell_of_record(given))].astype(np.int32)
    release = Partition(given, cells, half)
    rows, _ = encoded(release, "ends")
    assert rows[:2, :2].tolist() == [[0, 10], [0, 10]] and rows[2:, :2].tolist() == [[20, 30]] * 3
    work = given.codes["work"]
    assert rows[0, 2:4].tolist() == [work[:2].min(), work[:2].max()]
    node = given.columns["work"].node(0)
    assert rows[0, 4] == node[work[0]] and (rows[2:, 4] == -1).all()  # the second half spans several groups
    values, _ = encoded(release, "values")
    assert values[:, 0].tolist() == [5, 5, 25, 25, 25]


def test_indicators_mark_possible_values():
    rows, _ = encoded(Keep()(table()), "indicators")
    assert abs(rows[:4, 0].mean()) < 1e-6 and rows[4, 0] == 0 and rows[:, 1].tolist() == [0, 0, 0, 0, 1]
    assert (rows[:, 2:5].sum(axis=1) == 1).all() and (rows[:, 5:].sum(axis=1) == 1).all()
    assert (np.argmax(rows[:, 2:5], axis=1) == table().codes["work"]).all()


def test_statistics_come_from_the_training_records():
    release, train = Keep()(table()), np.array([0, 1])
    rows, _ = encoded(release, "indicators", train)
    assert rows[:2, 0].tolist() == [-1, 1]  # 20 and 30: mean 25, deviation 5
    assert rows[3, 0] == 5


def test_a_column_with_many_values_has_few_indicators(monkeypatch):
    monkeypatch.setattr(encoding, "MOST", 2)
    names = pd.DataFrame({"town": list("aaabbcdef"), "s": list("xyxyxyxyx")})
    shown = Keep()(Table.from_frame(names, ["town"], "s")).shown("town")
    of = Encoded.from_features([Feature.from_shown(shown)], "indicators", np.arange(9))
    assert of.rows(np.arange(9)).tolist() == [[1, 0]] * 3 + [[0, 1]] * 2 + [[0, 0]] * 4


def test_noisy_numbers():
    column = Keep()(table()).shown("age").column
    noisy = Feature.from_shown(Shown(column, numbers=np.array([1.5, np.nan, 7.25])))
    rows = Encoded.from_features([noisy], "values", np.arange(3)).rows(np.arange(3))
    assert np.array_equal(rows[:, 0], [1.5, np.nan, 7.25], equal_nan=True)
    assert Encoded.from_features([noisy], "indicators", np.arange(3)).rows(np.arange(3))[:, 1].tolist() == [0, 1, 0]


def test_very_many_records_have_fewer_indicators(monkeypatch):
    monkeypatch.setattr(encoding, "NUMBERS", 9 * 2 * 3)
    towns = pd.DataFrame({"town": list("aaabbccde"), "s": list("xyxyxyxyx")})
    shown = Keep()(Table.from_frame(towns, ["town"], "s")).shown("town")
    assert Encoded.from_features([Feature.from_shown(shown)], "indicators", np.arange(9)).rows(np.arange(9)).shape == (
        9,
        3,
    )
