"""Values of a population that the table lacks, and the labels that cover them."""

import numpy as np
import pandas as pd
import pytest

from tests.data.register import ROWS
from workbench.base.errors import BadInput
from workbench.data.absent_values import OF_VALUES, AbsentValues, with_values
from workbench.data.hierarchies.builders import Columns, Dates, Intervals, Nested, Prefixes
from workbench.data.table import Table
from workbench.measures import PrivacyLoss, UtilityLoss
from workbench.methods import Mondrian
from workbench.models import KAnonymity


def absent(sample, people, builder=None):
    hierarchies = {"x": builder} if builder else {}
    table = Table.from_frame(pd.DataFrame({"x": sample}), ["x"], hierarchies=hierarchies)
    found = AbsentValues.from_tables(
        table.with_settings(population=pd.DataFrame({"x": people})).origin.population, table
    )
    return found[0]


def test_absent_numbers_are_covered_by_ranges_and_intervals():
    found = absent([10, 12, 25, 31], [8, 11, 13, 29, 31, 39, 50], Intervals(widths=(10,)))
    assert found.places.tolist() == [-1, -2, -3, -4, 3, -5, -6]
    assert found.covered(0, 2, OF_VALUES).tolist() == [False, True, True, False, False, False]  # [10-25]
    assert found.covered(0, 1, OF_VALUES).tolist() == [False, True, True, False, False, False]  # the node [10-19]
    assert found.covered(3, 3, OF_VALUES).tolist() == [False] * 6  # 31
    assert found.covered(3, 3, 1).tolist() == [False, False, False, False, True, False]  # the node [30-39]
    assert found.covered(0, 3, 2).all()  # *


@pytest.mark.parametrize(
    "builder", [Columns(ROWS), Nested({"AB": {"A": ["a1", "a2"], "B": ["b1", "b2"]}, "CD": ["c1"]})]
)
def test_absent_text_is_covered_by_the_nodes_of_its_hierarchy(builder):
    found = absent(["a1", "b1", "c1"], ["a2", "b2", "unlisted", "a1"], builder)
    values = ["a2", "b2", "unlisted"]
    assert dict(zip(values, found.covered(0, 0, 1), strict=True)) == {"a2": True, "b2": False, "unlisted": False}
    assert dict(zip(values, found.covered(0, 1, 1), strict=True)) == {"a2": True, "b2": True, "unlisted": False}
    assert not found.covered(0, 0, OF_VALUES).any() and not found.covered(1, 2, OF_VALUES).any()


def test_a_star_of_the_hierarchy_covers_values_that_it_does_not_list():
    found = absent(["a", "b"], ["c", "d"], Columns([("a", "*"), ("b", "*"), ("c", "*")]))
    assert found.covered(0, 1, OF_VALUES).tolist() == [True, True]
    other = absent(["a", "b"], ["c", "d"], Columns([("a", "all"), ("b", "all"), ("c", "all")]))
    assert other.covered(0, 1, OF_VALUES).tolist() == [True, False]


def test_prefixes_and_dates_are_built_over_both():
    codes = absent(["60601", "60702"], ["60699", "60801"], Prefixes(3))
    assert codes.covered(0, 0, 1).tolist() == [True, False]
    days = absent(
        pd.to_datetime(["2024-01-05", "2024-02-01"]), pd.to_datetime(["2024-01-31", "2023-12-31"]), Dates("month")
    )
    assert days.covered(0, 0, 1).tolist() == [False, True]


def test_a_missing_value_is_covered_only_by_a_star():
    found = absent([1, 2, 3], [1, 2, None])
    assert len(found) == 1 and not found.covered(0, 2, OF_VALUES).any() and found.covered(0, 2, 1).all()
    table = absent([1, 3, None], [2, None])
    assert table.places.tolist() == [-1, 2]
    assert table.covered(0, 2, OF_VALUES).tolist() == [True] and table.covered(2, 2, OF_VALUES).tolist() == [False]


def test_a_range_covers_absent_numbers_up_to_its_printed_ends():
    ages = [*[20] * 12, *range(31, 52, 2), *[60] * 12, 83]
    table = Table.read(pd.DataFrame({"age": ages, "s": ["x", "y"] * (len(ages) // 2)}), ["age"], "s", regions={})
    people = Table.without_roles(pd.DataFrame({"age": [*ages, 10, 25, 53, 59, 61, 95]}))
    column = table.columns["age"]
    absent = AbsentValues.from_columns(people.columns["age"], column)
    shown = {column.ends.text(column, *run): run for run in ((0, 12), (1, 11), (12, 13))}
    assert set(shown) == {"[20-60]", "(20..60)", "60 and over"}
    covered = {text: absent.covered(*run, OF_VALUES).tolist() for text, run in shown.items()}
    assert covered["[20-60]"] == covered["(20..60)"] == [False, True, True, True, False, False]
    assert covered["60 and over"] == [False, False, False, False, True, True], "an open range covers all above"


# Values without records, added to a table's columns.

FRAME = pd.DataFrame(
    {
        "age": [20, 21, 35, 35, 50, 52, 20, 35] * 3,
        "job": ["a1", "b1", "c1", "a1", "b1", "c1", "a1", "b1"] * 3,
        "born": pd.to_datetime(["2000-01-05", "2001-03-04"] * 12),
        "ill": ["flu", "cold", "flu", "flu", "cold", "hiv", "flu", "cold"] * 3,
    }
)
QUASI = ["age", "job", "born"]


def made():
    hierarchies = {"age": Intervals(widths=(10,)), "job": Columns(ROWS)}
    return Table.from_frame(FRAME, QUASI, "ill", hierarchies=hierarchies)


def test_records_keep_their_values():
    table = made()
    more = {"age": ["5", "30", "99.5"], "job": ["a2", "zz"], "born": ["2000-06-01"], "ill": ["ague"]}
    wider = with_values(table, more)
    pd.testing.assert_frame_equal(wider.frame, table.frame, check_dtype=False)
    assert wider.columns["age"].values.tolist() == [5, 20, 21, 30, 35, 50, 52, 99.5]
    assert wider.columns["age"].counts.tolist() == [0, 6, 3, 0, 9, 3, 3, 0]
    assert wider.columns["born"].labels == ("2000-01-05", "2000-06-01", "2001-03-04")
    assert wider.sensitive["ill"].prior[wider.sensitive["ill"].labels.index("ague")] == 0
    levels = wider.columns["job"].hierarchy.levels
    job = wider.columns["job"]
    node = dict(zip(job.labels, np.array(levels[0].labels)[job.hierarchy.node(0)].tolist(), strict=True))
    assert node == {"a1": "A", "a2": "A", "b1": "B", "c1": "C", "zz": "zz"}


def test_figures_of_a_release_are_unchanged():
    table = made()
    wider = with_values(table, {"ill": ["ague"]})
    for measure in (PrivacyLoss(), UtilityLoss(0.1)):
        one, other = (measure(Mondrian()(each, KAnonymity(4))).value for each in (table, wider))
        assert other == pytest.approx(one)


def test_a_number_that_its_hierarchy_does_not_list_is_refused():
    rows = Columns([(str(age), "young" if age < 30 else "old") for age in (20, 21, 35, 50, 52)])
    table = Table.from_frame(FRAME, ["age"], "ill", hierarchies={"age": rows})
    with pytest.raises(BadInput, match="are missing from the hierarchy"):
        with_values(table, {"age": ["30"]})
