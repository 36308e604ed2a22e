"""Parts of records in a tree of cuts: counts in the engine against counts of single records."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from tests.releases.parted import SENSITIVE, pair, with_cells_outside_memory
from workbench.base.errors import BadInput, TooMany
from workbench.data import engines
from workbench.data.engines import Cut, case
from workbench.data.table import Table


def part_of(cuts, codes, record):
    while isinstance(cuts, Cut):
        cuts = cuts.left if codes[cuts.column][record] <= cuts.code else cuts.right
    return cuts


@pytest.mark.parametrize("seed", range(4))
def test_tallies_equal_counts_record_by_record(seed):
    memory, other = pair(seed)
    codes, one, two = memory.model_view.codes, memory.quasi[0], memory.quasi[-1]
    middle = [memory.columns[name].size // 2 for name in (one, two)]
    cuts = Cut(one, middle[0], Cut(two, middle[1], 1, -1), Cut(one, middle[0] + 1, 0, 2))
    names = [*memory.quasi, *SENSITIVE]
    tallies = other.model_view.tallies(cuts, names)
    parts = np.array([part_of(cuts, codes, record) for record in range(memory.records)])
    for i, name in enumerate(names):
        expected = np.zeros((3, memory.columns[name].size), int)
        for part, code in zip(parts, codes[name], strict=True):
            if part >= 0:
                expected[part, code] += 1
        assert (tallies.matrix(i, 3, memory.columns[name].size) == expected).all()
    assert len(tallies.records) == len({*zip(tallies.part, tallies.column, tallies.code, strict=True)})


@pytest.mark.parametrize("seed", range(4))
def test_only_the_records_between_two_codes_are_counted(seed):
    memory, other = pair(seed)
    name, codes = memory.quasi[0], memory.codes
    low, high = memory.columns[name].size // 4, memory.columns[name].size // 2
    inside = (codes[name] >= low) & (codes[name] <= high)
    within = other.engine.within({name: (low, high)}, int(inside.sum()))
    for column in memory.names:
        size = memory.columns[column].size
        assert (within.counts(column, size) == np.bincount(codes[column][inside], minlength=size)).all()
    assert other.engine.within({}, other.records) is other.engine


@pytest.mark.parametrize("most", [1, 20, 1000])
def test_slices_have_each_record_once_and_no_combination_in_common(monkeypatch, most):
    memory, other = pair(5)
    monkeypatch.setattr(engines, "SLICE", most)
    names = [*memory.quasi, *SENSITIVE]
    found = [one.collapse(names, []) for one in other.engine.slices(names, other.columns)]
    rows = [row for one in found for row in zip(*one.quasi.tolist(), one.weight.tolist(), strict=True)]
    whole = memory.engine.collapse(names, [])
    assert sorted(rows) == sorted(zip(*whole.quasi.tolist(), whole.weight.tolist(), strict=True))
    assert (len(found) == 1) == (most == 1000) and len([*memory.engine.slices(names, memory.columns)]) == 1


def test_combinations_are_estimated_and_refused_in_one_sentence(monkeypatch):
    memory, other = pair(11)
    assert abs(other.engine.different([*memory.quasi]) / len({*zip(*memory.cells().quasi, strict=True)}) - 1) < 0.2
    with pytest.raises(TooMany, match=r"^the combinations of .* do not fit into memory; remove a column"):
        other.cells()
    assert other.engine.combinations_fit(other.quasi, other.columns) and memory.engine.combinations_fit(
        memory.names, memory.columns
    )
    monkeypatch.setattr(engines, "MOST", 2)
    with pytest.raises(TooMany, match=r"; take fewer$"):
        other.engine.require_combinations_fit(other.quasi, other.columns, "take fewer")


def test_the_estimated_size_depends_on_roles_and_levels(monkeypatch):
    _, other = pair(11)
    fewer = other.with_roles(other.quasi[:1], SENSITIVE[1])
    monkeypatch.setattr(engines, "MOST", fewer.columns[other.quasi[0]].size * 3)
    assert fewer.engine.cells_fit and not with_cells_outside_memory(other).engine.cells_fit
    assert len(fewer.cells()) <= engines.MOST


def test_every_record_is_drawn_with_the_same_probability():
    table = Table.from_frame(pd.DataFrame({"n": range(60), "s": [0, 1] * 30}), ["n"], "s", engine="duckdb")
    odd = table.only({"s": 1})  # of which every second number is gone
    for given, many in ((table, 20), (odd, 10)):
        drawn = [given.engine.drawn(many, seed)["n"] for seed in range(90)]
        assert all(len({*one.tolist()}) == many for one in drawn)
        found = np.bincount(np.concatenate(drawn), minlength=given.records)
        assert 0.5 < ((found - 30) ** 2).sum() / (30 * (1 - 1 / 3) * (given.records - 1)) < 1.6, "chi-square by degrees"
        together = sum(len({*one} & {*other}) for one, other in pairwise(drawn)) / 89
        assert abs(together - many / 3) < 1, "the draws of two seeds are independent"


@pytest.mark.parametrize(("asked", "many"), [(20, 0), (20, 19), (1, 200)])
def test_invalid_sample_sizes_are_refused(monkeypatch, asked, many):
    _, other = pair(2)
    codes = {name: np.zeros(many, np.int16) for name in other.names}
    monkeypatch.setattr(type(other.engine), "below", lambda *_: (np.arange(many), codes))
    with pytest.raises(BadInput, match="the records have changed since they were read"):
        other.engine.drawn(asked, 0)


def test_a_tree_of_cuts_is_translated_to_sql():
    assert case(3, str) == "3"
    tree = Cut("a", 5, -1, Cut("b", 0, 0, 1))
    assert case(tree, str.upper) == "CASE WHEN A <= 5 THEN -1 ELSE CASE WHEN B <= 0 THEN 0 ELSE 1 END END"


def test_changed_records_are_reported():
    _, other = pair(2)
    assert isinstance(other.engine.changed(), BadInput)
