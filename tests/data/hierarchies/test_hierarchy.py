"""Hierarchies: every level is a partition into runs; anything else is refused."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.data.hierarchies.columns import BUILT, dates, labels, numbers, texts
from tests.data.hierarchies.columns import WORK as MATCHING_WORK
from workbench.base.errors import BadInput
from workbench.data.hierarchies.builders import Columns, read_csv
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


# Matching of a hierarchy's leaves and a column's values.

ARX = Path(__file__).parents[4] / "shared" / "data" / "arx"


def test_values_missing_from_a_hierarchy_are_listed_with_the_nearest_spelling():
    rows = [("Federal-gov", "gov"), ("local-gov", "gov"), ("Self-emp", "rest")]
    with pytest.raises(BadInput) as error:
        Columns(rows, source="work.csv")(texts(MATCHING_WORK))
    assert str(error.value) == (
        "column 'work', hierarchy work.csv: 2 of its 4 values are missing from the hierarchy: "
        "'Local-gov' (did you mean 'local-gov'?), 'Private'; add them, or correct the spelling"
    )


def test_at_most_ten_missing_values_are_listed():
    with pytest.raises(BadInput, match=r"13 of its 14 values .*'19', \.\.\. and 3 more; add them"):
        Columns([("9", "x")])(numbers(range(9, 23)))


def test_numbers_are_not_suggested_as_misspellings():
    with pytest.raises(BadInput, match=r"'40' \(did you mean '4O'\?\), '57'; add"):
        Columns([("39", "x"), ("4O", "x")])(numbers([39, 40, 57]))


def test_duplicate_leaves_of_numbers_are_found_as_numbers():
    with pytest.raises(BadInput, match="column 'age': duplicate leaves '39'; list each value once"):
        Columns([("39", "x"), ("39.0", "x")])(numbers([39]))


def test_a_level_that_is_not_a_partition_of_numbers_is_refused():
    rows = [("1", "odd"), ("3", "odd"), ("2", "even")]
    with pytest.raises(BadInput, match=r"column 'age': level 1 is no.*'odd' contains '1' and '3', but '2'"):
        Columns(rows)(numbers([1, 2, 3]))


def test_leaves_match_as_numbers_and_dates():
    rows = [("40.0", "old"), (" 9", "young"), ("?", "*"), ("39", "old")]
    hierarchy = Columns(rows)(numbers([9, 39, 40]))
    assert hierarchy.leaves == ("9", "39", "40")
    assert labels(hierarchy) == ["young", "old"]
    days = Columns([("2008-01-02 00:00:00", "b"), ("2008-01-01", "a")])(dates(["2008-01-01", "2008-01-02"], unit="us"))
    assert labels(days) == ["a", "b"]


@given(st.sets(st.sampled_from(MATCHING_WORK), min_size=1))
def test_leaves_that_the_data_lack_leave_no_empty_run(present):
    hierarchy = BUILT["nested"][0](texts(sorted(present)))
    assert set(hierarchy.leaves) == present
    for i in range(len(hierarchy.levels)):
        assert (np.diff(hierarchy.bounds(i), axis=1) >= 0).all()
    assert hierarchy.nested


@pytest.mark.skipif(not ARX.exists(), reason=f"ARX's example hierarchies are not at {ARX}")
@pytest.mark.parametrize("path", sorted(ARX.glob("*.csv")), ids=lambda path: path.stem)
def test_arx_files_are_read(path):
    rows = [line.split(";") for line in path.read_text().splitlines()]
    leaves = [row[0] for row in rows]
    number = all(leaf.isdigit() for leaf in leaves)
    column = numbers(list(map(int, leaves))) if number else texts(leaves)
    hierarchy = read_csv(path)(column)
    assert hierarchy.nested
    assert len(hierarchy.levels) == len(rows[0]) - 1
    assert labels(hierarchy, -1) == ["*"]
    assert sorted(hierarchy.frame().to_numpy().tolist()) == sorted(rows)


@pytest.mark.parametrize(
    "text",
    ["a;x\nb;x\n", "\ufeffa\tx\r\n\r\nb\tx\r\n", "a,x\nb,x", "leaf,group\na,x\nb,x\n", 'leaf;level 1\n"a";"x"\nb;x\n'],
)
def test_forms_of_files(tmp_path, text):
    (tmp_path / "h.csv").write_bytes(text.encode())
    assert labels(read_csv(tmp_path / "h.csv")(texts(["a", "b"]))) == ["x"]


def test_delimiter_and_header_can_be_given(tmp_path):
    (tmp_path / "h.csv").write_text("value|group\nleaf|x\n")
    assert labels(read_csv(tmp_path / "h.csv", delimiter="|", header=True)(texts(["leaf"]))) == ["x"]
    (tmp_path / "h.csv").write_text("leaf;tree\n")
    assert labels(read_csv(tmp_path / "h.csv", header=False)(texts(["leaf"]))) == ["tree"]


def test_a_leaf_named_leaf_and_a_hierarchy_without_levels_survive_a_round_trip(tmp_path):
    column = texts(["leaf", "a,b", "a;b"])
    Hierarchy(column.labels).to_csv(tmp_path / "h.csv")
    assert read_csv(tmp_path / "h.csv")(column).leaves == column.labels


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "h.csv does not exist; check the path"),
        (b"", "hierarchy h.csv is empty"),
        (b"leaf;level 1\n", "hierarchy h.csv is empty"),
        (b"a;x\n\nb;x;*\n", "hierarchy h.csv: line 3 has 3 cells and line 1 has 2"),
        (b"a;\xff\n", r"not UTF-8 text \(byte 2\); save it as UTF-8"),
        (b"a;\0\n", "is binary"),
        (b'a;x\nb;"x\n', "hierarchy h.csv: line 2: .*check the quotes"),
    ],
)
def test_read_csv_refuses_invalid_files(tmp_path, content, message):
    if content is not None:
        (tmp_path / "h.csv").write_bytes(content)
    with pytest.raises(BadInput, match=message):
        read_csv(tmp_path / "h.csv")
