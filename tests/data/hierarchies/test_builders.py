"""Builders: each one's levels, there and back through CSV, and what each refuses."""

import dataclasses
import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from workbench.base.errors import BadInput
from workbench.data.column import Column
from workbench.data.hierarchies.builders import Columns, Dates, Groups, Intervals, Nested, Prefixes, from_dict, read_csv
from workbench.data.hierarchies.hierarchy import Hierarchy
from workbench.data.hierarchies.proposal import propose

ARX = Path(__file__).parents[4] / "shared" / "data" / "arx"


def numbers(values, counts=None, name="age"):
    array = np.array(sorted(values), dtype=None if len(values) else np.int64)
    labels = tuple(map(str, array.tolist()))
    return Column(name, "number", array, labels, np.ones(len(array), np.int64) if counts is None else np.array(counts))


def texts(values, name="work", counts=None):
    labels = tuple(sorted(values))
    counts = np.ones(len(labels), np.int64) if counts is None else np.array(counts)
    return Column(name, "text", np.array(labels, dtype=object), labels, counts)


def dates(values, unit="D", name="visit"):
    array = np.array(sorted(values), dtype=f"datetime64[{unit}]")
    return Column(name, "date", array, tuple(map(str, array)), np.ones(len(array), np.int64))


WORK = ["Federal-gov", "Local-gov", "Private", "Self-emp"]
ZIPS = ["12099", "12345", "12346", "12390", "13000", "98101"]
DAYS = ["1969-12-31", "2008-01-31", "2008-02-01", "2008-05-09", "2010-05-09"]
TREE = {"gov": {"central": ["Federal-gov"], "near": ["Local-gov"]}, "Private": None, "own": ["Self-emp"]}
BUILT = {
    "widths": (Intervals(widths=(5, 20)), numbers([17, 19, 20, 25, 39, 40, 90])),
    "widths that do not nest": (Intervals(widths=(20, 50)), numbers([10, 45, 55, 99])),
    "float widths": (Intervals(widths=(0.1, 0.5)), numbers([-0.2, 0.1, 0.3, 0.7, 1.25])),
    "cuts": (Intervals(cuts=[(18, 30, 65), (30,)]), numbers([3, 18, 29, 30, 64, 65])),
    "quantiles": (Intervals(quantiles=(4, 2)), numbers(range(-4, 16))),
    "groups": (Groups(({"gov": ["Local-gov", "Federal-gov"]},), order=WORK), texts(WORK)),
    "groups of numbers": (Groups(({"low": [1, 2]}, {"all": [1, 2, 9]})), numbers([1, 2, 9])),
    "prefixes": (Prefixes((4, 3, 2)), texts(ZIPS)),
    "prefixes of numbers": (Prefixes((3, 1), pad=5), numbers([501, 544, 6390, 98101], name="zip")),
    "dates": (Dates(("day", "month", "quarter", "year", "decade")), dates(DAYS)),
    "nested": (Nested(TREE), texts(WORK)),
    "columns": (Columns([(work, "gov" if "gov" in work else "rest") for work in reversed(WORK)]), texts(WORK)),
}


def labels(hierarchy, level=0):
    return list(hierarchy.levels[level].labels)


@pytest.mark.parametrize("case", BUILT)
def test_there_and_back_through_csv(case, tmp_path):
    builder, column = BUILT[case]
    built = builder(column)
    built.to_csv(tmp_path / "hierarchy.csv")
    assert read_csv(tmp_path / "hierarchy.csv")(column).spec() == built.spec()


@pytest.mark.parametrize("case", BUILT)
def test_there_and_back_through_plain_data(case):
    builder, column = BUILT[case]
    plain = json.loads(json.dumps(builder.to_dict()))
    assert from_dict(plain) == builder or isinstance(builder, Nested | Groups)
    assert from_dict(plain)(column).spec() == builder(column).spec()


@pytest.mark.parametrize("case", BUILT)
def test_hierarchy_fits_its_column(case):
    builder, column = BUILT[case]
    hierarchy = builder(column)
    arranged, _ = column.arranged(hierarchy)
    assert arranged.labels == hierarchy.leaves
    if column.kind != "text":
        assert hierarchy.leaves == column.labels


texts_of = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=4)


@given(st.lists(st.tuples(texts_of, texts_of, texts_of), min_size=1, max_size=8, unique_by=lambda row: row[0]))
def test_any_text_survives_csv(tmp_path_factory, rows):
    column = texts([row[0] for row in rows])
    try:
        built = Columns(rows)(column)
    except BadInput:  # random levels need not be partitions
        return
    path = tmp_path_factory.mktemp("csv") / "hierarchy.csv"
    built.to_csv(path)
    assert read_csv(path)(column).spec() == built.spec()


# Intervals


def test_widths_are_aligned_at_the_origin():
    hierarchy = Intervals(widths=(5, 20))(numbers([-3, 0, 4, 17, 19, 20, 39]))
    assert labels(hierarchy) == ["[-5 to -1]", "[0-4]", "[15-19]", "[20-24]", "[35-39]"]
    assert labels(hierarchy, 1) == ["[-20 to -1]", "[0-19]", "[20-39]"]
    assert labels(Intervals(widths=5, origin=2)(numbers([1, 2, 6, 7]))) == ["[-3 to 1]", "[2-6]", "[7-11]"]
    assert labels(Intervals(widths=1)(numbers([4, 6]))) == ["4", "6"]


def test_float_intervals_leave_out_their_upper_end():
    hierarchy = Intervals(widths=(0.1, 1.5))(numbers([0.1, 0.3, 0.7, 1.5, 1.59]))
    assert labels(hierarchy) == ["[0.1-0.2[", "[0.3-0.4[", "[0.7-0.8[", "[1.5-1.6["]
    assert labels(hierarchy, 1) == ["[0-1.5[", "[1.5-3["]


@given(
    st.sets(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=20),
    st.integers(1, 2**61),
    st.integers(-(10**6), 10**6),
)
def test_whole_widths_are_exact_over_all_integers(values, width, origin):
    column = numbers(np.array(sorted(values), dtype=np.int64))
    hierarchy = Intervals(widths=width, origin=origin)(column)
    expected = [(value - origin) // width for value in column.values.tolist()]
    same = np.diff(hierarchy.node(0)) == 0
    assert same.tolist() == [a == b for a, b in pairwise(expected)]


@given(st.sets(st.integers(-500, 500), min_size=1, max_size=30), st.sampled_from([0.1, 0.2, 0.25, 0.7, 3.0]))
def test_decimal_widths_are_exact(tenths, width):
    column = numbers([t / 10 for t in tenths])
    hierarchy = Intervals(widths=width)(column)
    unit = round(width * 100)
    expected = [t * 10 // unit for t in sorted(tenths)]
    same = np.diff(hierarchy.node(0)) == 0
    assert same.tolist() == [a == b for a, b in pairwise(expected)]


def test_cuts_are_open_at_both_ends():
    hierarchy = Intervals(cuts=(18, 30, 31, 65))(numbers([3, 17, 18, 29, 30, 64, 65, 80]))
    assert labels(hierarchy) == ["<18", "[18-29]", "30", "[31-64]", ">=65"]
    assert labels(Intervals(cuts=(0.5, 2))(numbers([0.1, 0.5, 2.5]))) == ["<0.5", "[0.5-2[", ">=2"]


def test_quantiles_follow_the_records():
    column = numbers([0, 1, 2, 3, 4, 5], counts=[60, 10, 10, 10, 10, 20])
    hierarchy = Intervals(quantiles=2)(column)
    assert labels(hierarchy) == ["0", "[1-5]"]
    assert hierarchy.shown(column.counts)["records"].tolist()[:2] == [60, 60]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({}, "exactly one of widths, cuts and quantiles"),
        ({"widths": 5, "cuts": (1,)}, "exactly one of widths, cuts and quantiles"),
        ({"widths": (5, -1)}, "width -1 must be above 0"),
        ({"widths": (float("nan"),)}, "widths hold nan; give finite numbers"),
        ({"widths": "5"}, "widths hold '5'; give finite numbers"),
        ({"cuts": (3, 3)}, r"cuts \(3, 3\) must ascend"),
        ({"cuts": [(1,), ()]}, r"cuts \(\) must ascend"),
        ({"quantiles": (1,)}, "whole numbers of groups, 2 or more"),
        ({"quantiles": (2.5,)}, "whole numbers of groups, 2 or more"),
    ],
)
def test_intervals_refuse(wrong, message):
    with pytest.raises(BadInput, match=message):
        Intervals(**wrong)


def test_intervals_need_numbers():
    with pytest.raises(BadInput, match="column 'work' holds text: intervals need numbers"):
        Intervals(widths=5)(texts(WORK))


def test_width_too_small_for_the_values_is_refused():
    with pytest.raises(BadInput, match="column 'age': width 1e-10 is too small"):
        Intervals(widths=1e-10)(numbers([0.5, 1e9]))


# Groups, nested mappings, tables


def test_groups_leave_other_values_on_their_own():
    hierarchy = Groups(({"gov": ["Local-gov", "Federal-gov"]},))(texts(WORK))
    assert hierarchy.leaves == ("Local-gov", "Federal-gov", "Private", "Self-emp")
    assert labels(hierarchy) == ["gov", "Private", "Self-emp"]


def test_groups_keep_a_given_order():
    order = ["Preschool", "10th", "11th", "Masters"]
    hierarchy = Groups(({"high": ["10th", "11th"]},), order=order)(texts(order))
    assert list(hierarchy.leaves) == order


def test_groups_refuse_a_value_in_two_groups():
    with pytest.raises(BadInput, match="level 1 is no partition: 'b' listed more than once"):
        Groups(({"x": ["a", "b"], "y": ["b"]},))


def test_groups_refuse_a_group_named_like_a_value_outside_it():
    with pytest.raises(BadInput, match="level 1: 'Private' is a group and a value outside it"):
        Groups(({"Private": ["Local-gov", "Self-emp"]},))(texts(WORK))


def test_groups_refuse_what_the_order_leaves_out():
    with pytest.raises(BadInput, match="the order leaves out 'c'"):
        Groups(({"x": ["a", "c"]},), order=["a", "b"])(texts(["a", "b"]))


def test_groups_refuse_a_text_for_a_list():
    with pytest.raises(BadInput, match="'x' holds 'abc'; give a list"):
        Groups(({"x": "abc"},))


def test_nested_leaf_stays_itself_up_to_its_group():
    tree = {"gov": {"central": ["Federal-gov"], "Local-gov": None}, "Private": [], "own": ["Self-emp"]}
    hierarchy = Nested(tree)(texts(WORK))
    assert labels(hierarchy) == ["central", "Local-gov", "Private", "Self-emp"]
    assert labels(hierarchy, 1) == ["gov", "Private", "own"]
    assert hierarchy.nested


def test_nested_refuses_one_name_for_two_groups():
    with pytest.raises(BadInput, match="'other' names two groups"):
        Nested({"A": {"x": ["1"], "other": ["2"]}, "B": {"other": ["3"], "y": ["4"]}})


def test_nested_refuses_what_is_no_tree():
    with pytest.raises(BadInput, match="gov holds 'Federal-gov'; give a mapping or a list"):
        Nested({"gov": "Federal-gov"})


def test_columns_take_a_frame():
    frame = pd.DataFrame({"leaf": [1, 2, 3], "band": ["low", "low", "high"]})
    assert labels(Columns(frame)(numbers([1, 3]))) == ["low", "high"]
    frame.loc[1, "band"] = None
    with pytest.raises(BadInput, match="row 2 has an empty cell"):
        Columns(frame)


def test_columns_refuse_ragged_and_no_rows():
    with pytest.raises(BadInput, match="row 2 has 1 cells, the first has 2"):
        Columns([("a", "x"), ("b",)])
    with pytest.raises(BadInput, match="no rows"):
        Columns([])


# Binding to a column


def test_values_missing_from_a_hierarchy_are_listed_with_the_nearest_spelling():
    rows = [("Federal-gov", "gov"), ("local-gov", "gov"), ("Self-emp", "rest")]
    with pytest.raises(BadInput) as error:
        Columns(rows, source="work.csv")(texts(WORK))
    assert str(error.value) == (
        "column 'work', hierarchy work.csv: 2 of its 4 values are missing from the hierarchy: "
        "'Local-gov' (did you mean 'local-gov'?), 'Private'; list them too, or correct the spelling"
    )


def test_at_most_ten_missing_values_are_listed():
    with pytest.raises(BadInput, match=r"13 of its 14 values .*'19', \.\.\. and 3 more; list them"):
        Columns([("9", "x")])(numbers(range(9, 23)))


def test_numbers_are_no_misspellings_of_each_other():
    with pytest.raises(BadInput, match=r"'40' \(did you mean '4O'\?\), '57'; list"):
        Columns([("39", "x"), ("4O", "x")])(numbers([39, 40, 57]))


def test_duplicate_leaves_of_numbers_are_found_as_numbers():
    with pytest.raises(BadInput, match="column 'age': duplicate leaves '39'; list each value once"):
        Columns([("39", "x"), ("39.0", "x")])(numbers([39]))


def test_level_that_is_no_partition_of_numbers_is_refused():
    rows = [("1", "odd"), ("3", "odd"), ("2", "even")]
    with pytest.raises(BadInput, match=r"column 'age': level 1 is no partition.*'odd' holds '1' and '3', but '2'"):
        Columns(rows)(numbers([1, 2, 3]))


def test_leaves_match_as_numbers_and_dates():
    rows = [("40.0", "old"), (" 9", "young"), ("?", "*"), ("39", "old")]
    hierarchy = Columns(rows)(numbers([9, 39, 40]))
    assert hierarchy.leaves == ("9", "39", "40")
    assert labels(hierarchy) == ["young", "old"]
    days = Columns([("2008-01-02 00:00:00", "b"), ("2008-01-01", "a")])(dates(["2008-01-01", "2008-01-02"], unit="us"))
    assert labels(days) == ["a", "b"]


@pytest.mark.parametrize("case", BUILT)
def test_a_hierarchy_binds_again_through_its_frame(case):
    builder, column = BUILT[case]
    built = builder(column)
    assert Columns(built.frame())(column).spec() == built.spec()


@given(st.sets(st.sampled_from(WORK), min_size=1))
def test_leaves_that_the_data_lack_leave_no_empty_run(present):
    hierarchy = BUILT["nested"][0](texts(sorted(present)))
    assert set(hierarchy.leaves) == present
    for i in range(len(hierarchy.levels)):
        assert (np.diff(hierarchy.bounds(i), axis=1) >= 0).all()
    assert hierarchy.nested


@pytest.mark.parametrize("case", BUILT)
def test_a_column_without_values_has_a_hierarchy_without_leaves(case):
    builder, column = BUILT[case]
    empty = dataclasses.replace(column, values=column.values[:0], labels=(), counts=column.counts[:0])
    if isinstance(builder, Intervals | Dates | Prefixes | Nested | Columns):
        assert builder(empty).leaves == ()


# Prefixes and dates


def test_prefixes_hide_the_end():
    hierarchy = Prefixes((2, 4))(texts(ZIPS))
    assert labels(hierarchy) == ["1209*", "1234*", "1239*", "1300*", "9810*"]
    assert labels(hierarchy, 1) == ["12***", "13***", "98***"]


def test_prefixes_pad_numbers():
    hierarchy = Prefixes(3)(numbers([501, 544, 6390, 98101], name="zip"))
    assert labels(hierarchy) == ["005**", "063**", "981**"]


def test_prefixes_of_different_lengths_stay_apart():
    assert labels(Prefixes(2)(texts(["1", "12", "123", "2"]))) == ["1", "12*", "2"]


@given(st.sets(st.text("01 *", max_size=4), min_size=1), st.integers(0, 4), st.none() | st.integers(0, 6))
def test_prefixes_group_exactly_what_starts_alike(values, keep, pad):
    assume(keep < max(pad or 0, *map(len, values), 0))
    hierarchy = Prefixes(keep, pad=pad)(texts(values))
    heads = [leaf.rjust(pad or 0, "0")[:keep] for leaf in hierarchy.leaves]
    node = hierarchy.node(0)
    assert all((a == b) == (m == n) for a, m in zip(heads, node, strict=True) for b, n in zip(heads, node, strict=True))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Prefixes(()), "must be whole numbers of characters"),
        (lambda: Prefixes((9, 5))(texts(ZIPS)), r"keep = \[9, 5\] hides nothing, since its values have at most 5"),
        (lambda: Prefixes((2, -1)), "must be whole numbers of characters"),
        (lambda: Prefixes()(numbers([1.5])), "column 'age': prefixes need text or whole numbers"),
        (lambda: Prefixes()(numbers([-5, 3])), "prefixes need numbers from 0 on, and some are below"),
        (lambda: Dates(("month", "fortnight")), "no level is called 'fortnight'; there are day, month"),
        (lambda: Dates()(texts(WORK)), "column 'work' holds text: dates need a column of dates"),
    ],
)
def test_prefixes_and_dates_refuse(make, message):
    with pytest.raises(BadInput, match=message):
        make()


@pytest.mark.parametrize("unit", ["D", "s", "us", "ns"])
def test_dates_follow_the_calendar(unit):
    hierarchy = Dates(("decade", "day", "month", "quarter", "year"))(dates(DAYS, unit=unit))
    assert labels(hierarchy, 0) == DAYS
    assert labels(hierarchy, 1) == ["1969-12", "2008-01", "2008-02", "2008-05", "2010-05"]
    assert labels(hierarchy, 2) == ["1969-Q4", "2008-Q1", "2008-Q2", "2010-Q2"]
    assert labels(hierarchy, 3) == ["1969", "2008", "2010"]
    assert labels(hierarchy, 4) == ["1960s", "2000s", "2010s"]
    assert hierarchy.nested


# Files


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


def test_delimiter_and_header_can_be_said(tmp_path):
    (tmp_path / "h.csv").write_text("value|group\nleaf|x\n")
    assert labels(read_csv(tmp_path / "h.csv", delimiter="|", header=True)(texts(["leaf"]))) == ["x"]
    (tmp_path / "h.csv").write_text("leaf;tree\n")
    assert labels(read_csv(tmp_path / "h.csv", header=False)(texts(["leaf"]))) == ["tree"]


def test_leaf_called_leaf_and_a_hierarchy_without_levels_come_back(tmp_path):
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
def test_read_csv_refuses(tmp_path, content, message):
    if content is not None:
        (tmp_path / "h.csv").write_bytes(content)
    with pytest.raises(BadInput, match=message):
        read_csv(tmp_path / "h.csv")


def test_plain_data_of_no_builder_is_refused():
    with pytest.raises(BadInput, match="no hierarchy builder is called 'magic'; there are intervals"):
        from_dict({"builder": "magic"})
    with pytest.raises(BadInput, match="dates has no setting 'level'; it has levels"):
        from_dict({"builder": "dates", "level": []})
    with pytest.raises(BadInput, match="nested needs tree"):
        from_dict({"builder": "nested"})


# Proposals

ICD = {f"{head}-*": [f"{head}-{i}" for i in range(9)] for head in ("heart", "lung", "skin")}
HALF_YEAR = [f"2008-0{month}-1{day}" for month in range(1, 7) for day in range(5)]


@pytest.mark.parametrize(
    ("column", "expected", "reason"),
    [
        (numbers(range(17, 91)), Intervals(widths=(5, 10, 20)), "values from 17 to 90 spread well"),
        (numbers([i / 100 for i in range(300)]), Intervals(widths=(0.05, 0.1, 0.5, 1)), "round intervals"),
        (numbers(range(0, 1000, 10), [900] + [1] * 99), Intervals(quantiles=(16, 8, 4)), "equally filled"),
        (numbers(range(12_285, 1_490_401, 1_000)), Intervals(widths=(50_000, 100_000, 500_000)), "12,285 to 1,490,285"),
        (numbers(range(5)), None, "5 values are few enough"),
        (texts([f"{12000 + 37 * i}" for i in range(60)]), Prefixes((3, 2)), "codes of 5 digits"),
        (texts(value for group in ICD.values() for value in group), Groups((ICD,)), "27 of 27"),
        (texts([f"v{i}" for i in range(40)]), None, "without an order or common parts"),
        (texts([f"v{i}" for i in range(15)]), None, "in no known order"),
        (dates(HALF_YEAR), Dates(("month", "quarter")), "several of each: month, quarter"),
    ],
)
def test_proposals_say_why(column, expected, reason):
    builder, why = propose(column)
    assert builder == expected
    assert reason in why
    if builder is not None:
        assert len(builder(column).leaves) == len(column.labels)


@given(st.sets(st.floats(allow_nan=False, allow_infinity=False) | st.integers(-50, 50), min_size=1, max_size=40))
def test_a_proposal_always_fits(values):
    column = numbers([float(v) for v in values])
    builder, _ = propose(column)
    if builder is not None:
        assert len(builder(column).leaves) == len(column.labels)
