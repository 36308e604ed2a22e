"""Builders: their levels, the way to CSV and back, and invalid parameters."""

import dataclasses
import json

import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.data.hierarchies.columns import BUILT, WORK, ZIPS, labels, numbers, texts
from workbench.base.errors import BadInput
from workbench.data.hierarchies.builders import Columns, Dates, Groups, Intervals, Nested, Prefixes, from_dict, read_csv


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
