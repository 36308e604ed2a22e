"""Price tables: widths, nodes and values, as parts of the highest price of a cluster."""

import numpy as np
import pandas as pd
import pytest

from workbench import Table
from workbench.data.hierarchies.builders import Columns, Intervals
from workbench.methods.clustering.cluster_kernels import NODES, VALUES, WIDTH
from workbench.methods.clustering.prices import WHOLE, Prices

ROWS = [
    ("ant", "insect", "animal"),
    ("cat", "mammal", "animal"),
    ("dog", "mammal", "animal"),
    ("ivy", "plant", "plant"),
]


@pytest.fixture(scope="module")
def table() -> Table:
    frame = pd.DataFrame({"n": [0, 4, 10, 20], "kind": ["ant", "cat", "dog", "ivy"], "word": list("abca")})
    frame["s"] = [1, 1, 2, 3]
    return Table.from_frame(frame, ["n", "kind", "word"], "s", hierarchies={"kind": Columns(ROWS)})


def test_each_column_contributes_its_share_to_the_price(table):
    prices = Prices.from_table(table, 1.0, 0.0, 0.5)
    kind, size, at, price, place = prices.tables
    assert kind.tolist() == [WIDTH, NODES, VALUES] and size.tolist() == [4, 4, 3] and prices.depth.tolist() == [4, 4, 3]
    third = WHOLE / 3
    assert price[place[0, 0] : place[0, 0] + 4] == pytest.approx(third * np.array([0, 0.2, 0.5, 1]), abs=1)
    levels = [price[place[1, level] : place[1, level] + 4] / third for level in range(4)]
    assert np.round(levels, 3).tolist() == [[0.25] * 4, [0.25, 0.5, 0.5, 0.25], [0.75, 0.75, 0.75, 0.25], [1.0] * 4]
    assert at[place[1, 1] : place[1, 1] + 4].tolist() == [0, 1, 1, 2]
    assert price[place[2, 0] : place[2, 0] + 4] == pytest.approx(third * np.arange(4) / 3, abs=2)


def test_a_single_value_costs_nothing_by_height(table):
    _, _, _, price, place = Prices.from_table(table, 1.0, 0.0, 0.5, by_height=True).tables
    third = WHOLE / 3
    assert [price[place[1, level]] / third for level in range(4)] == pytest.approx([0, 1 / 3, 2 / 3, 1])
    assert price[place[2, 0] : place[2, 0] + 4] == pytest.approx(third * np.array([0, 0, 0.5, 1]), abs=2)


def test_importance_and_protection_have_their_shares_of_the_price(table):
    prices = Prices.from_table(table.with_importance({"n": 2}), 0.5, 0.5, 1.0)
    assert prices.tables[3][prices.tables[4][0, 0] + 3] == pytest.approx(WHOLE / 4, abs=1)
    assert prices.scale.tolist() == [WHOLE / 2] and prices.names == 1
    assert prices.near[0].tolist() == [[1, 0.5, 0], [0.5, 1, 0.5], [0, 0.5, 1]]
    assert Prices.from_table(table, 1.0, 0.0, 1.0).names == 0


def test_a_level_that_does_not_nest_is_skipped():
    frame = pd.DataFrame({"age": [1, 12, 18, 25], "s": list("xyxy")}).astype({"age": str})
    ages = Table.from_frame(frame.astype({"age": int}), ["age"], "s")
    assert Intervals(widths=(10, 15))(ages.columns["age"]).nested is False
    rows = [("1", "a", "p"), ("12", "a", "p"), ("18", "b", "p"), ("25", "b", "q")]
    words = Table.from_frame(frame, ["age"], "s", hierarchies={"age": Columns(rows)})
    assert Prices.from_table(words, 1.0, 0.0, 0.5).depth.tolist() == [3]  # values, the upper level, everything
