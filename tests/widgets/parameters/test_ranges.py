"""The values of a parameter: typed, written back, proposed."""

import pytest

from widgets.parameters import ranges
from workbench.base.errors import BadInput
from workbench.base.variants import catalog
from workbench.measures import Measure
from workbench.methods import ThresholdClustering
from workbench.models import Model
from workbench.models.beta_likeness import BetaLikeness
from workbench.models.k_anonymity import KAnonymity
from workbench.models.t_closeness import TCloseness
from workbench.studies.study import MOST


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("10, 20, 50", [10, 20, 50]),
        ("10 20;50", [10, 20, 50]),
        ("5..25 step 5", [5, 10, 15, 20, 25]),
        ("2..512 x2", [2, 4, 8, 16, 32, 64, 128, 256, 512]),
        ("2 to 20 by 9, 3", [2, 3, 11, 20]),
        ("50, 10, 10", [10, 50]),
        ("10..100 x1.5", [10, 15, 22, 34, 51, 76]),
        ("7", [7]),
    ],
)
def test_lists_and_ranges_of_whole_numbers(text, found):
    assert ranges.values(text, KAnonymity, "k") == found
    assert all(type(value) is int for value in ranges.values(text, KAnonymity, "k"))


def test_decimal_ranges_are_exact():
    assert ranges.values("0.05..0.35 step 0.05", TCloseness, "t") == [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no values"),
        ("ten", "'ten' is not a number"),
        ("10, 2o", "'2o' is not a number"),
        ("5..100", "needs a step"),
        ("100..5 step 5", "is descending"),
        ("5..100 step 0", "step must be above 0"),
        ("5..100 x1", "factor above 1"),
        ("0..10 x2", "start above 0"),
        ("1..1000000000 step 1", f"more than {MOST:,} values"),
        ("1..2 x1.0000000000000000000000000000000001", "more than"),
        ("1..9e300 x1.0000001", f"more than {MOST:,} values"),
        ("2.5", "must be a whole number"),
        ("0", "must be at least 1"),
        ("-3", "must be at least 1"),
        ("1e999", "too large"),
        ("nan", "not a number"),
    ],
)
def test_what_is_typed_wrong_is_explained(text, says):
    with pytest.raises(BadInput, match=says):
        ranges.values(text, KAnonymity, "k")


def test_bounds_of_the_table_count(small):
    table = small(0)
    with pytest.raises(BadInput, match=f"k = 1000000 must be at most {table.records}"):
        ranges.values("5, 1000000", KAnonymity, "k", table)


@pytest.mark.parametrize(
    "kind", [*catalog("workbench.models", Model).values(), *catalog("workbench.measures", Measure).values()]
)
def test_every_declared_number_has_an_axis_a_slider_and_reads_back(kind, small):
    table = small(0)
    for name in kind.parameters():
        if ranges.is_number(kind, name):
            found = ranges.proposed(kind, name, table)
            assert found == sorted(set(found))
            assert ranges.values(ranges.written(found, kind, name), kind, name, table) == found
            ends = ranges.ends(kind, name, table, ranges.default(kind, name))
            assert ends.low < ends.high
            assert ends.step > 0


def test_axes_follow_the_declaration(adult):
    assert ranges.proposed(KAnonymity, "k", adult) == [2, 5, 10, 20, 50, 100, 200]
    assert ranges.proposed(TCloseness, "t", adult) == [0.05, 0.1, 0.15, 0.2, 0.25, 0.3]
    assert ranges.proposed(BetaLikeness, "beta", adult) == [0.5, 1, 2, 4, 8]  # no upper end
    assert ranges.ends(KAnonymity, "k", adult, 10) == (1, 45_222, 1, True)
    assert ranges.ends(BetaLikeness, "beta", adult, 2).high == 8
    assert ranges.ends(BetaLikeness, "beta", adult, 50).high == 100


def test_ranges_are_written_shortly():
    assert ranges.written([2, 4, 8, 16, 32, 64], KAnonymity, "k") == "2..64 x2"
    assert ranges.written([0.1, 0.15, 0.2, 0.25, 0.3, 0.35], TCloseness, "t") == "0.1..0.35 step 0.05"
    assert ranges.written([5, 10, 50, 100, 200, 500], KAnonymity, "k") == "5, 10, 50, 100, 200, 500"


def test_a_factor_next_to_one_ends():
    assert ranges.values("1..1 x1.0000000000000000000000000000000001", KAnonymity, "k") == [1]


def test_none_is_a_value_where_it_is_the_default():
    kind = ThresholdClustering
    assert ranges.values("none", kind, "delta") == [None] and ranges.one("None", kind, "size") is None
    assert ranges.values("0.3, none, 0.1", kind, "delta") == [None, 0.1, 0.3]
    assert ranges.written([None, 0.1, 0.3], kind, "delta") == "none, 0.1, 0.3"
    assert ranges.is_number(kind, "delta") and ranges.is_whole(kind, "size") and not ranges.is_whole(kind, "delta")
    assert ranges.ends(kind, "delta", None, None)[:2] == (0, 1) and ranges.ends(kind, "size", None, None).low == 1
    with pytest.raises(BadInput, match="'none' is not a number"):
        ranges.values("none", KAnonymity, "k")
