"""Several releases combined: an attacker with all files may be certain although one with a single file is not."""

import numpy as np
import pandas as pd

from workbench import Table
from workbench.data.hierarchies.builders import Intervals
from workbench.disclosure.recommendable import reasons_not_to_recommend
from workbench.disclosure.several_releases import count_certain
from workbench.methods import FullDomain, Keep, Remove
from workbench.models import DistinctLDiversity, KAnonymity
from workbench.releases.exchanged import Exchanged
from workbench.releases.partition import Bucketized, Partition


def table_of(**more):
    frame = pd.DataFrame({"age": [1, 1, 2, 2] * 3, "town": list("abab") * 3, "ill": ["x", "y", "y", "x"] * 3, **more})
    return Table.from_frame(frame, quasi=["age", "town"], sensitive="ill")


def test_two_files_together_disclose_what_neither_does():
    table = table_of()
    by_age, by_town = Remove("town")(table), Remove("age")(table)
    both = Keep()(table)
    assert count_certain(table, [by_age]) == (0, 0, False)
    assert count_certain(table, [both]).alone == 12
    assert count_certain(table, [by_age, by_town]).together == 0, "each class has both values"


def test_neutral_columns_join_the_files():
    table = table_of(row=[i % 4 for i in range(12)])
    found = count_certain(table, [Remove("town")(table), Remove("age")(table)])
    assert found.joined and (found.together, found.alone) == (12, 0)


def test_swapped_values_exclude_nothing_in_combination():
    """Two files disclose x or y, and x or z, for people of 1 in town a: x. The third has y and z of other people."""
    frame = pd.DataFrame({"age": [1, 1, 2, 2] * 3, "town": list("abab") * 3, "ill": ["x", "y", "z", "y"] * 3})
    table = Table.from_frame(frame, ["age", "town"], "ill")
    by_age, by_town = Remove("town")(table), Remove("age")(table)
    group = (table.cells().quasi.sum(axis=0) > 0).astype(np.int32)
    exchanged = Exchanged.from_cells(table, group, {"ill": np.array([[0, 2, 1], [3, 4, 2]])})
    assert count_certain(table, [by_age, by_town]).together == 12
    assert count_certain(table, [by_age, by_town, exchanged]).together == 12
    assert count_certain(table, [exchanged]).together == count_certain(table, [exchanged, exchanged]).together == 0


def test_neutral_columns_link_values_with_the_exact_quasi_identifiers_of_another_file():
    """Four people are indistinguishable in one file and have distinct rows in the other, by the neutral column."""
    frame = pd.DataFrame({"age": [1, 2, 3, 4] * 3, "night": [0, 1, 0, 1] * 3, "ill": ["x", "y", "z", "y"] * 3})
    table = Table.from_frame(frame, ["age"], "ill")
    cells, group = table.cells(), np.zeros(len(table.cells()), np.int32)
    values, bucket = Partition(table, cells, group), Bucketized(table, cells, group)
    assert count_certain(table, [values]).together == count_certain(table, [bucket, bucket]).together == 0
    assert count_certain(table, [values, bucket]) == (12, 0, True)


def test_an_attacker_who_knows_all_people_subtracts_one_file_from_another():
    """One of the two people of 1 in town b at most is ill, so the person of 1 in town a is ill."""
    rows = [(1, "a", "ill"), (1, "b", "ill"), (1, "b", "well"), (2, "a", "ill"), (2, "a", "well"), (2, "b", "well")]
    table = Table.from_frame(pd.DataFrame(rows, columns=["age", "town", "state"]), ["age", "town"], "state")
    by_age, by_town = Remove("town")(table), Remove("age")(table)
    assert count_certain(table, [by_age, by_town]) == (2, 0, False)
    assert count_certain(table, [by_age, by_age]).together == 0


def test_the_difference_to_a_file_with_suppressed_records_is_certain():
    """The last person alone is left out of one file: the values of the other file, less those of this one, are hers."""
    frame = pd.DataFrame({"age": [age for age in range(20, 30) for _ in range(30)] + [31]})
    frame["ill"] = ["flu", "cold", "hiv"] * 100 + ["hiv"]
    table = Table.from_frame(frame, ["age"], "ill", hierarchies={"age": Intervals(widths=(5, 10, 20))})
    model = KAnonymity(5) & DistinctLDiversity(2)
    every, some = FullDomain(suppress=0)(table, model), FullDomain(suppress=0.01)(table, model)
    assert (every.suppressed, some.suppressed) == (0, 1)
    assert count_certain(table, [every, some]).together == 1
    assert count_certain(table, [some]).together == count_certain(table, [every, every]).together == 0
    assert any("totals" in reason for reason in reasons_not_to_recommend(some, 10)) and not reasons_not_to_recommend(
        every, 10
    )
