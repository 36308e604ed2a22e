"""Published distributions of original and release: coarse, without rare values and cells of cross tables."""

import numpy as np
import pandas as pd
import pytest

from workbench.base.errors import Undefined
from workbench.data.hierarchies.builders import Intervals
from workbench.data.published_counts import published_total
from workbench.data.table import Table
from workbench.methods import Keep, Mondrian, Remove
from workbench.models import KAnonymity
from workbench.publication.distributions import REST, distributions

RARE = "Markeritis"


def table(records=900, rare=4, richest=987_654, smallest_town=0):
    rng = np.random.default_rng(4)
    ill = rng.choice(["flu", "gout", "cold"], records, p=[0.6, 0.3, 0.1]).astype(object)
    ill[:rare] = RARE
    town = rng.choice(["Ash", "Elm"], records)
    town[records - smallest_town :] = "Fir"
    wage = rng.integers(1000, 9000, records)
    wage[0] = richest
    frame = pd.DataFrame({"age": rng.integers(20, 70, records), "town": town, "wage": wage, "ill": ill})
    return Table.from_frame(frame, ["age", "town", "wage"], "ill", hierarchies={"age": Intervals(widths=(5, 10))})


def test_numbers_are_coarse_and_rare_values_are_merged():
    found = distributions(Mondrian()(table(), KAnonymity(20)), 10)
    assert [one["column"] for one in found["columns"]] == ["age", "town", "ill"]
    for one in found["columns"]:
        for row in one["rows"]:
            assert row["before"] % 10 == row["after"] % 10 == 0 and RARE not in row["label"]
            assert row["before"] >= 20 or row["label"] == REST
        assert sum(row["before"] for row in one["rows"]) == published_total(table(), 10), "the parts add up"
    ill = {row["label"]: row for row in found["columns"][-1]["rows"]}
    seen = table().sensitive["ill"]
    published = dict(zip(seen.labels, seen.published(10).tolist(), strict=True))
    assert ill["flu"]["before"] == published["flu"]
    assert ill.get(REST, {"before": 0})["before"] == published[RARE] in (0, 10)


def test_the_maximum_value_does_not_affect_the_published_distribution():
    """Bins of equal width would begin and end at single people's values: such a column is not published."""
    told = [distributions(Keep()(table(richest=rich)), 10)["columns"] for rich in (9_500, 987_654)]
    assert told[0] == told[1] and "wage" not in {one["column"] for one in told[0]}


def test_one_step_of_a_cross_table_is_published():
    found = distributions(Mondrian()(table(), KAnonymity(60)), 10)
    assert found["pairs"] and all(set(one) == {"columns", "moved"} for one in found["pairs"])
    assert {tuple(one["columns"]) for one in found["pairs"]} >= {("age", "ill"), ("town", "ill"), ("age", "town")}
    assert all(0 <= one["moved"] <= 1 for one in found["pairs"])
    assert [one["moved"] for one in found["pairs"]] == sorted((one["moved"] for one in found["pairs"]), reverse=True)
    kept = distributions(Keep()(table()), 10)["pairs"]
    assert {one["moved"] for one in kept} == {0.0}


def test_no_count_of_the_original_is_published_for_a_release_with_suppressed_records():
    release = Mondrian()(table(), KAnonymity(60)).without(np.array([0]))
    with pytest.raises(Undefined, match="suppressed"):
        distributions(release, 10)


def test_no_distributions_are_published_of_few_people_or_removed_columns():
    with pytest.raises(Undefined, match="so few"):
        distributions(Keep()(table(500)), 10)
    assert [one["column"] for one in distributions(Remove()(table()), 10)["columns"]] == ["ill"]
