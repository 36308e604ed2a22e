"""Builders: their levels, the way to CSV and back, and invalid parameters."""

import dataclasses
import json
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.data.hierarchies.columns import BUILT, DAYS, WORK, ZIPS, dates, labels, numbers, texts
from workbench.base.errors import BadInput
from workbench.data.hierarchies.builders import Columns, Dates, Groups, Intervals, Nested, Prefixes, from_dict, read_csv
from workbench.data.hierarchies.proposal import recover
from workbench.releases.labels import CoveredRun, Labels


@pytest.mark.parametrize("case", BUILT)
def test_hierarchies_survive_a_round_trip_through_csv(case, tmp_path):
    builder, column = BUILT[case]
    built = builder(column)
    built.to_csv(tmp_path / "hierarchy.csv")
    assert read_csv(tmp_path / "hierarchy.csv")(column).spec() == built.spec()


@pytest.mark.parametrize("case", BUILT)
def test_hierarchies_survive_a_round_trip_through_plain_data(case):
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


# Groups, nested mappings, tables


def test_values_outside_groups_stay_single():
    hierarchy = Groups(({"gov": ["Local-gov", "Federal-gov"]},))(texts(WORK))
    assert hierarchy.leaves == ("Local-gov", "Federal-gov", "Private", "Self-emp")
    assert labels(hierarchy) == ["gov", "Private", "Self-emp"]


def test_groups_keep_a_given_order():
    order = ["Preschool", "10th", "11th", "Masters"]
    hierarchy = Groups(({"high": ["10th", "11th"]},), order=order)(texts(order))
    assert list(hierarchy.leaves) == order


def test_groups_refuse_a_value_in_two_groups():
    with pytest.raises(BadInput, match="level 1 is not a partition: 'b' listed more than once"):
        Groups(({"x": ["a", "b"], "y": ["b"]},))


def test_groups_refuse_a_group_named_like_a_value_outside_it():
    with pytest.raises(BadInput, match="level 1: 'Private' is a group and a value outside it"):
        Groups(({"Private": ["Local-gov", "Self-emp"]},))(texts(WORK))


def test_groups_refuse_values_missing_from_the_order():
    with pytest.raises(BadInput, match="'c' missing from the order"):
        Groups(({"x": ["a", "c"]},), order=["a", "b"])(texts(["a", "b"]))


def test_groups_refuse_text_in_place_of_a_list():
    with pytest.raises(BadInput, match="'x' holds 'abc'; use a list"):
        Groups(({"x": "abc"},))


def test_nested_leaf_stays_itself_up_to_its_group():
    tree = {"gov": {"central": ["Federal-gov"], "Local-gov": None}, "Private": [], "own": ["Self-emp"]}
    hierarchy = Nested(tree)(texts(WORK))
    assert labels(hierarchy) == ["central", "Local-gov", "Private", "Self-emp"]
    assert labels(hierarchy, 1) == ["gov", "Private", "own"]
    assert hierarchy.nested


def test_nested_refuses_one_name_for_two_groups():
    with pytest.raises(BadInput, match="two groups of one level have the name 'other'"):
        Nested({"A": {"x": ["1"], "other": ["2"]}, "B": {"other": ["3"], "y": ["4"]}})


def test_nested_refuses_data_that_are_not_a_tree():
    with pytest.raises(BadInput, match="gov holds 'Federal-gov'; use a mapping or a list"):
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


@pytest.mark.parametrize("case", BUILT)
def test_a_hierarchy_binds_again_through_its_frame(case):
    builder, column = BUILT[case]
    built = builder(column)
    assert Columns(built.frame())(column).spec() == built.spec()


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


def test_prefixes_of_different_lengths_stay_distinct():
    assert labels(Prefixes(2)(texts(["1", "12", "123", "2"]))) == ["1", "12*", "2"]


@given(st.sets(st.text("01 *", max_size=4), min_size=1), st.integers(0, 4), st.none() | st.integers(0, 6))
def test_prefixes_group_exactly_the_values_with_a_common_prefix(values, keep, pad):
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
        (lambda: Prefixes()(numbers([-5, 3])), "prefixes need numbers of at least 0, and some are negative"),
        (lambda: Dates(("month", "fortnight")), "no level is called 'fortnight'; choose from day, month"),
        (lambda: Dates()(texts(WORK)), "column 'work' contains text: dates need a column of dates"),
    ],
)
def test_prefixes_and_dates_refuse_invalid_parameters(make, message):
    with pytest.raises(BadInput, match=message):
        make()


# Files


def test_plain_data_without_a_known_builder_are_refused():
    with pytest.raises(BadInput, match="there is no hierarchy builder 'magic'; use one of intervals"):
        from_dict({"builder": "magic"})
    with pytest.raises(BadInput, match="a hierarchy needs a builder; use one of intervals"):
        from_dict({"widths": [5]})
    with pytest.raises(BadInput, match="dates has no setting 'level'; it has levels"):
        from_dict({"builder": "dates", "level": []})
    with pytest.raises(BadInput, match="nested needs tree"):
        from_dict({"builder": "nested"})


# Proposals


# Intervals of numbers: equal widths, cuts and quantiles; calendar units.


def test_widths_are_aligned_at_the_origin():
    hierarchy = Intervals(widths=(5, 20))(numbers([-3, 0, 4, 17, 19, 20, 39]))
    assert labels(hierarchy) == ["[-5 to -1]", "[0-4]", "[15-19]", "[20-24]", "[35-39]"]
    assert labels(hierarchy, 1) == ["[-20 to -1]", "[0-19]", "[20-39]"]
    assert labels(Intervals(widths=5, origin=2)(numbers([1, 2, 6, 7]))) == ["[-3 to 1]", "[2-6]", "[7-11]"]
    assert labels(Intervals(widths=1)(numbers([4, 6]))) == ["4", "6"]


def test_float_intervals_exclude_their_upper_end():
    hierarchy = Intervals(widths=(0.1, 1.5))(numbers([0.1, 0.3, 0.7, 1.5, 1.59]))
    assert labels(hierarchy) == ["[0.1-0.2[", "[0.3-0.4[", "[0.7-0.8[", "[1.5-1.6["]
    assert labels(hierarchy, 1) == ["[0-1.5[", "[1.5-3["]


@given(
    st.sets(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=20),
    st.integers(1, 2**61),
    st.integers(-(10**6), 10**6),
)
def test_integer_widths_are_exact_over_all_integers(values, width, origin):
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


def test_values_beyond_top_and_bottom_are_one_node_on_every_level():
    column = numbers([3, 19, 20, 39, 40, 79, 80, 101])
    hierarchy = Intervals(widths=(25, 50), bottom=20, top=80)(column)
    assert labels(hierarchy) == ["under 20", "[20-24]", "[25-49]", "[75-79]", "80 and over"]
    assert labels(hierarchy, 1) == ["under 20", "[20-49]", "[50-79]", "80 and over"]
    cut = Intervals(cuts=(30, 65), bottom=20, top=80)(column)
    assert labels(cut) == ["under 20", "[20-29]", "[30-64]", "[65-79]", "80 and over"]
    assert labels(Intervals(top=80)(column)) == ["3", "19", "20", "39", "40", "79", "80 and over"]
    assert labels(Intervals(widths=1.5, top=2.2)(numbers([0.1, 1.7, 2.2]))) == ["[0-1.5[", "[1.5-2.2[", "2.2 and over"]
    assert labels(Intervals(top=2, bottom=1)(numbers([2, 3]))) == ["2 and over"]


WAYS = st.sampled_from([{}, {"widths": (3, 12)}, {"widths": 2.5}, {"cuts": ((0, 5), (0,))}, {"quantiles": (4, 2)}])


@given(
    st.sets(st.integers(-60, 60), min_size=1, max_size=40),
    st.sampled_from([1, 4]),
    WAYS,
    st.none() | st.integers(-40, -3) | st.just(-2.5),
    st.none() | st.integers(6, 30) | st.just(5.75),
)
def test_top_and_bottom_are_a_partition_whose_labels_are_read_back(values, parts, way, bottom, top):
    assume(way or (bottom, top) != (None, None))
    column = numbers([value / parts if parts > 1 else value for value in values])
    builder = Intervals(**way, bottom=bottom, top=top)
    hierarchy = builder(column)
    for i, level in enumerate(hierarchy.levels):
        node, reading = hierarchy.node(i), Labels(column, level.labels)  # the column has no hierarchy: words alone
        for value, number in zip(column.values, node, strict=True):
            low = bottom is not None and value < bottom
            assert low == level.labels[number].startswith("under ")
            assert (top is not None and value >= top) == level.labels[number].endswith(" and over")
        for label, (first, last) in zip(level.labels, hierarchy.bounds(i).tolist(), strict=True):
            assert reading.meaning(label) == CoveredRun(first, last)
    made = recover(replace(column, hierarchy=hierarchy))
    assert made(column).spec() == hierarchy.spec() == from_dict(builder.to_dict())(column).spec()


def test_quantiles_follow_the_records():
    column = numbers([0, 1, 2, 3, 4, 5], counts=[60, 10, 10, 10, 10, 20])
    hierarchy = Intervals(quantiles=2)(column)
    assert labels(hierarchy) == ["0", "[1-5]"]
    assert hierarchy.shown(column.counts)["records"].tolist()[:2] == [60, 60]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"top": 5, "bottom": 5}, "bottom 5 must be below top 5"),
        ({"top": (5, 6)}, "top holds 2 numbers; use one"),
        ({"widths": 5, "top": "x"}, "top hold 'x'; use finite numbers"),
        ({"cuts": (5, 80), "top": 80}, "every cut must be between bottom and top"),
        ({}, "exactly one of widths, cuts and quantiles"),
        ({"widths": 5, "cuts": (1,)}, "exactly one of widths, cuts and quantiles"),
        ({"widths": (5, -1)}, "width -1 must be above 0"),
        ({"widths": (float("nan"),)}, "widths hold nan; use finite numbers"),
        ({"widths": "5"}, "widths hold '5'; use finite numbers"),
        ({"cuts": (3, 3)}, r"cuts \(3, 3\) must be ascending"),
        ({"cuts": [(1,), ()]}, r"cuts \(\) must be ascending"),
        ({"quantiles": (1,)}, "whole numbers of groups, 2 or more"),
        ({"quantiles": (2.5,)}, "whole numbers of groups, 2 or more"),
    ],
)
def test_invalid_intervals_are_refused(wrong, message):
    with pytest.raises(BadInput, match=message):
        Intervals(**wrong)


def test_intervals_need_numbers():
    with pytest.raises(BadInput, match="column 'work' contains text: intervals need numbers"):
        Intervals(widths=5)(texts(WORK))


def test_width_too_small_for_the_values_is_refused():
    with pytest.raises(BadInput, match="column 'age': width 1e-10 is too small"):
        Intervals(widths=1e-10)(numbers([0.5, 1e9]))


@pytest.mark.parametrize("unit", ["D", "s", "us", "ns"])
def test_dates_follow_the_calendar(unit):
    hierarchy = Dates(("decade", "day", "month", "quarter", "year"))(dates(DAYS, unit=unit))
    assert labels(hierarchy, 0) == DAYS
    assert labels(hierarchy, 1) == ["1969-12", "2008-01", "2008-02", "2008-05", "2010-05"]
    assert labels(hierarchy, 2) == ["1969-Q4", "2008-Q1", "2008-Q2", "2010-Q2"]
    assert labels(hierarchy, 3) == ["1969", "2008", "2010"]
    assert labels(hierarchy, 4) == ["1960s", "2000s", "2010s"]
    assert hierarchy.nested
