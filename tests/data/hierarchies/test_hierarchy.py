"""Hierarchies: every level is a partition into runs; anything else is refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base.errors import BadInput
from workbench.data.hierarchies.hierarchy import Hierarchy, Level


def level(starts, labels):
    return Level(np.array(starts, dtype=np.int32), tuple(labels))


WORK = Hierarchy.from_assignment(
    ["Federal", "Local", "Private", "Own"],
    [["Government", "Government", "Private", "Private"], ["*", "*", "*", "*"]],
)


@st.composite
def hierarchies(draw):
    size = draw(st.integers(1, 12))
    levels = []
    for number in range(draw(st.integers(0, 4))):
        inner = draw(st.sets(st.integers(1, size - 1))) if size > 1 else set()
        starts = [0, *sorted(inner)]
        levels.append(level(starts, [f"{number}/{s}" for s in starts]))
    return Hierarchy(tuple(f"v{i}" for i in range(size)), tuple(levels))


@given(hierarchies())
def test_every_level_partitions_the_leaves_into_runs(hierarchy):
    codes = np.arange(len(hierarchy.leaves))
    for i in range(len(hierarchy.levels)):
        bounds = hierarchy.bounds(i)
        covered = np.concatenate([np.arange(low, high + 1) for low, high in bounds])
        assert (covered == codes).all()
        node = hierarchy.node(i)
        assert all(bounds[node[c], 0] <= c <= bounds[node[c], 1] for c in codes)


@given(hierarchies())
def test_runs_are_every_node_once(hierarchy):
    expected = {(i, i) for i in range(len(hierarchy.leaves))}
    for i in range(len(hierarchy.levels)):
        expected |= {(low, high) for low, high in hierarchy.bounds(i).tolist()}
    runs = [(low, high) for low, high in hierarchy.runs().tolist()]
    assert len(runs) == len(set(runs))
    assert set(runs) == expected


@given(hierarchies())
def test_label_is_that_of_the_finest_node_with_this_run(hierarchy):
    size = len(hierarchy.leaves)
    for low in range(size):
        for high in range(low, size):
            found = [hierarchy.leaves[low]] if low == high else []
            for i, one in enumerate(hierarchy.levels):
                found += [one.labels[r] for r, b in enumerate(hierarchy.bounds(i).tolist()) if b == [low, high]]
            assert hierarchy.label(low, high) == (found[0] if found else None)


@given(hierarchies())
def test_nested_means_that_no_run_crosses(hierarchy):
    crossed = any(
        len({hierarchy.node(i + 1)[c] for c in range(low, high + 1)}) > 1
        for i in range(len(hierarchy.levels) - 1)
        for low, high in hierarchy.bounds(i)
    )
    assert hierarchy.nested == (not crossed)


@given(hierarchies(), st.data())
def test_a_restricted_hierarchy_keeps_its_labels(hierarchy, data):
    size = len(hierarchy.leaves)
    codes = np.array(sorted(data.draw(st.sets(st.integers(0, size - 1)))), dtype=np.int64)
    rest, before = hierarchy.restricted(codes).frame(), hierarchy.frame()
    assert rest.iloc[:, 0].tolist() == before.iloc[codes, 0].tolist()
    if len(codes):
        assert rest.to_numpy().tolist() == before.iloc[codes].to_numpy().tolist()


def test_label_used_for_two_runs_is_kept():
    assert WORK.label(2, 2) == "Private"
    assert WORK.label(2, 3) == "Private"


def test_shown_counts_leaves_and_records():
    shown = WORK.shown(np.array([5, 10, 80, 5]))
    assert shown.columns.tolist() == ["level", "value", "from", "to", "leaves", "records"]
    assert shown.to_numpy().tolist()[:3] == [
        ["level 2", "*", "Federal", "Own", 4, 100],
        ["level 1", "Government", "Federal", "Local", 2, 15],
        ["level 1", "Private", "Private", "Own", 2, 85],
    ]
    assert shown[shown["level"] == "leaf"]["records"].tolist() == [5, 10, 80, 5]
    assert "records" not in WORK.shown()


def test_the_frame_has_one_row_per_leaf():
    assert WORK.frame().to_numpy().tolist()[1] == ["Local", "Government", "*"]
    assert WORK.frame().columns.tolist() == ["leaf", "level 1", "level 2"]


def test_the_spec_is_plain_and_distinguishes_hierarchies():
    assert WORK.spec()["levels"][0] == {"starts": [0, 2], "labels": ["Government", "Private"]}
    assert WORK.spec() != WORK.restricted(np.array([0, 1, 2])).spec()


def test_nested_levels_bring_their_leaves_together():
    leaves = ["Masters", "10th", "Doctorate", "Preschool", "9th"]
    fine = ["Graduate", "High", "Graduate", "Primary", "High"]
    coarse = ["Higher", "School", "Higher", "School", "School"]
    hierarchy = Hierarchy.from_assignment(leaves, [fine, coarse])
    assert hierarchy.leaves == ("Masters", "Doctorate", "10th", "9th", "Preschool")
    assert hierarchy.levels[0].labels == ("Graduate", "High", "Primary")
    assert hierarchy.nested


def test_order_that_already_has_runs_stays_even_if_levels_cross():
    hierarchy = Hierarchy.from_assignment(["a", "b", "c"], [["x", "x", "y"], ["p", "q", "q"]])
    assert hierarchy.leaves == ("a", "b", "c")
    assert not hierarchy.nested


def test_a_level_that_is_not_a_partition_is_refused():
    with pytest.raises(BadInput) as error:
        Hierarchy.from_assignment(["1", "2", "3"], [["odd", "even", "odd"]], ordered=True, where="column 'n'")
    assert str(error.value) == (
        "column 'n': level 1 is not a partition into neighbors: 'odd' contains '1' and '3', "
        "but '2' between them is in 'even'; "
        "the order of the values is fixed: label the parts differently, or the values between them identically"
    )


def test_levels_without_a_common_order_are_refused():
    levels = [["x", "y", "x", "y"], ["p", "p", "q", "q"]]
    with pytest.raises(BadInput, match=r"level 1 is not a partition.*'x' contains 'a' and 'c'.*are not nested"):
        Hierarchy.from_assignment(["a", "b", "c", "d"], levels)


def test_duplicate_leaves_are_named():
    with pytest.raises(BadInput, match="duplicate leaves 'a', 'b'; list each value once"):
        Hierarchy(("a", "b", "a", "b", "c"))


@pytest.mark.parametrize(
    ("starts", "labels"),
    [([1], ["x"]), ([0, 2, 1], "xyz"), ([0, 3], "xy"), ([0, 1], ["x"]), ([0, 1], ["x", "x"]), ([], [])],
)
def test_unsound_level_is_refused(starts, labels):
    with pytest.raises(BadInput, match="level 1 is not a partition"):
        Hierarchy(("a", "b", "c"), (level(starts, labels),))


def test_level_of_the_wrong_length_is_refused():
    with pytest.raises(BadInput, match="level 1 needs 2 labels, one per leaf, and has 1"):
        Hierarchy.from_assignment(["a", "b"], [["x"]])


def test_a_hierarchy_may_have_no_leaves():
    empty = Hierarchy.from_assignment([], [[], []])
    assert empty.runs().shape == (0, 2)
    assert empty.nested
    assert len(empty.shown()) == 0
