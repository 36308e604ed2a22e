"""Q-diversity of single groups: widths, nodes and sets."""

import numpy as np
import pandas as pd
import pytest

from workbench import Table
from workbench.data.hierarchies.builders import Columns
from workbench.measures import GroupUtility
from workbench.measures.utility.q_diversity import is_measured_in_widths, nodes, q_diversity, release_q_diversity
from workbench.methods import Keep
from workbench.models.classes import Classes
from workbench.releases.partition import Partition

ROWS = [
    ("ant", "insect", "animal"),
    ("bee", "insect", "animal"),
    ("cat", "mammal", "animal"),
    ("ivy", "plant", "plant"),
]


@pytest.fixture(scope="module")
def table() -> Table:
    """The hierarchy contains a bee, the data do not."""
    frame = pd.DataFrame(
        {"n": [0, 4, 10, 20], "kind": ["ant", "cat", "ivy", None], "word": list("abca"), "s": list("xyxy")}
    )
    return Table.from_frame(frame, ["n", "kind", "word"], "s", hierarchies={"kind": Columns(ROWS)})


def shown(table: Table, name: str, *runs: tuple[int, int]) -> list[float]:
    low, high = (np.tile(np.array(end, np.int32)[:, None], 3) for end in zip(*runs, strict=True))
    sizes = np.ones(len(runs), np.int64)
    return q_diversity(Classes(sizes, {}, {}, low, high), table, table.quasi.index(name)).tolist()


def test_numbers_by_width_and_text_by_leaves_or_values(table):
    assert shown(table, "n", (0, 0), (0, 1), (1, 3)) == pytest.approx([0, 0.2, 0.8])
    assert shown(table, "kind", (0, 0), (0, 1), (0, 2), (3, 3)) == pytest.approx([1 / 5, 3 / 5, 1, 1 / 5])
    assert shown(table, "word", (0, 0), (0, 1), (0, 2)) == pytest.approx([1 / 3, 2 / 3, 1])
    assert [is_measured_in_widths(table.columns[name]) for name in table.quasi] == [True, False, False]


def test_leaves_below_nodes_are_those_of_the_hierarchy_as_specified(table):
    at, below = nodes(table.columns["kind"])
    assert below.tolist() == [[1, 1, 1, 1], [2, 1, 1, 1], [3, 3, 1, 1], [5, 5, 5, 5]]
    assert at[2].tolist() == [0, 0, 1, 2]


def test_a_set_counts_only_its_values(table):
    group = np.zeros(4, np.int32)
    cells = table.cells()
    group[cells.quasi[2] == 1] = 1
    release = Partition(table, cells, group, sets=frozenset(["word"]))
    assert release_q_diversity(release)[0][:, 2].tolist() == pytest.approx([2 / 3, 1 / 3])


def test_importance_counts_and_suppressed_records_lose_everything(table):
    one = Keep()(table.with_importance({"word": 3}))
    assert GroupUtility()(one).value == pytest.approx(0 + 1 / 5 + 3 / 3)
    assert GroupUtility(floor="subtracted")(one).value == 0
    group = np.array([0, 0, 0, -1], np.int32)
    shares, sizes = release_q_diversity(Partition(table, table.cells(), group))
    assert sizes.tolist() == [3, 1] and shares[1].tolist() == [1, 1, 1]
