"""Q-diversity of single groups: widths, nodes and sets."""

import numpy as np
import pandas as pd
import pytest

from tests.measures.tuple_diversity import weighted_tuple_diversity
from workbench import Table
from workbench.base.errors import Undefined
from workbench.data.hierarchies.builders import Columns, Groups, Intervals
from workbench.measures import GroupProtection, GroupUtility
from workbench.measures.diversity import (
    contributions,
    is_measured_in_widths,
    lacks_distances,
    nodes,
    q_diversity,
    release_q_diversity,
    s_diversity,
)
from workbench.methods import Keep, Mondrian, Remove
from workbench.models import KAnonymity
from workbench.models.classes import Classes
from workbench.releases.partition import Partition

# Q-diversity (definition 2.1): how much of a quasi-identifier's domain a class shows.

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
    one = Keep()(table.with_settings(importance={"word": 3}))
    assert GroupUtility()(one).value == pytest.approx(0 + 1 / 5 + 3 / 3)
    assert GroupUtility(floor="subtracted")(one).value == 0
    group = np.array([0, 0, 0, -1], np.int32)
    shares, sizes = release_q_diversity(Partition(table, table.cells(), group))
    assert sizes.tolist() == [3, 1] and shares[1].tolist() == [1, 1, 1]


def s_diversity_table(values, hierarchy=None, **more) -> Table:
    frame = pd.DataFrame({"q": range(len(values)), "s": values})
    return Table.from_frame(frame, ["q"], "s", hierarchies={"s": hierarchy} if hierarchy else {}, **more)


def test_numbers_contribute_by_distance_and_missing_only_to_itself():
    wages = s_diversity_table(pd.array([0, 5, 20, None], dtype="Int64"))
    expected = [[1, 0.75, 0, 0], [0.75, 1, 0.25, 0], [0, 0.25, 1, 0], [0, 0, 0, 1]]
    assert contributions(wages, "s", 1.0).tolist() == expected
    assert contributions(wages, "s", 0.25)[1].tolist() == [0.75, 1, 0, 0]
    assert contributions(wages, "s", 0.0).tolist() == np.eye(4).tolist()


def test_a_run_of_numbers_is_at_its_middle():
    years = s_diversity_table([0, 8, 10, 18, 30, 38], Intervals(widths=(10,)), levels={"s": 1})
    assert contributions(years, "s", 1.0)[0].tolist() == pytest.approx([1, 1 - 10 / 30, 0])


def test_text_contributes_by_the_leaves_of_the_common_node():
    ill = s_diversity_table(["Flu", "Cold", "Ulcer", "HIV"], Groups(({"Lung": ("Flu", "Cold")},)))
    labels = ill.sensitive["s"].labels
    found = contributions(ill, "s", 1.0)
    assert found[labels.index("Flu"), labels.index("Cold")] == 1 - 1 / 4
    assert found[labels.index("Flu"), labels.index("HIV")] == 1 - 3 / 4
    assert not lacks_distances(ill, "s")


def test_text_without_a_hierarchy_gives_a_warning():
    plain = s_diversity_table(list("abcd"))
    assert contributions(plain, "s", 1.0)[0].tolist() == pytest.approx([1, 0.75, 0.75, 0.75])
    assert lacks_distances(plain, "s")
    assert "the values of s are hardly distinguished." in GroupProtection()(Remove()(plain)).sentence


def test_s_diversity_is_between_a_records_share_and_1():
    near = contributions(s_diversity_table(list("abcd")), "s", 0.1)
    assert s_diversity(np.array([[1, 0, 0, 0], [0.25, 0.25, 0.25, 0.25]]), near).tolist() == [1, 0.25]


def test_an_attacker_who_combines_classes_has_no_floor():
    release = Remove()(s_diversity_table(list("abcd")))
    assert GroupProtection(adversary="covering classes")(release).value == pytest.approx(
        GroupProtection()(release).value
    )
    with pytest.raises(Undefined, match="no single one"):
        GroupProtection(adversary="covering classes", floor="subtracted")(release)


@pytest.mark.parametrize("weights", [(1, 0), (0, 1), (0.5, 0.5), (2, 6)])
def test_the_mean_equals_that_of_the_measures_per_column(small, weights):
    table = small(2, ("disease", "wage"))
    release = Mondrian()(table, KAnonymity(4))
    found = weighted_tuple_diversity(release, *weights, r=0.7)
    utility, protection = (weight / sum(weights) for weight in weights)
    expected = utility * GroupUtility()(release).value / 3 + protection * GroupProtection(0.7)(release).value / 2
    assert len(found) == len(release.classes) and found.mean() == pytest.approx(expected)
