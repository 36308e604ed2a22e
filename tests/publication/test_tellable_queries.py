"""Which queries of a study are told of: each rule hides one that breaks it alone, and no release has a say."""

import numpy as np
import pandas as pd
import pytest

from workbench.base.errors import Undefined
from workbench.data.hierarchies.builders import Groups
from workbench.data.table import Table
from workbench.publication.tellable_queries import MOST, how_many, tellable, without_comments

SMALLEST, RECORDS = 10, 2000


def frame(records=RECORDS):
    """Town Fir has 8 people, Gap 40, of whom 6 are men; all old people of Elm are ill; ages go to 69 and one 93."""
    rng = np.random.default_rng(3)
    town = rng.choice(["Ash", "Birch", "Elm"], records, p=[0.4, 0.3, 0.3]).astype(object)
    town[:8], town[8:48] = "Fir", "Gap"
    age = rng.integers(20, 70, records)
    age[100] = 93
    sex = rng.choice(["F", "M"], records)
    sex[8:48] = ["M"] * 6 + ["F"] * 34
    ill = rng.choice(["flu", "gout", "none"], records, p=[0.3, 0.2, 0.5]).astype(object)
    ill[(town == "Elm") & (age > 45)] = "flu"
    ill[:5] = "rare"
    return pd.DataFrame({"age": age, "town": town, "sex": sex, "ill": ill, "wage": rng.integers(10, 90, records)})


def table(records=RECORDS, **workloads):
    found = Table.from_frame(frame(records), ["age", "town", "sex"], "ill", hierarchies={"ill": GROUPS})
    return found.with_workloads(workloads)


GROUPS = Groups(levels=[{"sick": ["flu", "gout", "rare"], "well": ["none"]}])


def told(*texts):
    return [one.text for one in tellable(table(mine=[*texts]), SMALLEST)]


@pytest.mark.parametrize(
    "text",
    [
        "age >= 40", "age >= 40 and sex = 'M'", "town = 'Gap'", "ill = 'gout' and age >= 40",
        "avg(age) where sex = 'F'", "sum(wage)", "count", "town in ('Ash', 'Gap')",
        "ill within 'sick'", "not (sex = 'M')",
    ],
)  # fmt: skip
def test_a_query_about_many_is_told_of(text):
    assert told(text) == [text]


@pytest.mark.parametrize(
    "text",
    [
        "town = 'Fir'",  # few
        "age > 100",  # nobody
        "age < 93",  # all but one
        "town = 'Gap' and sex = 'M'",  # few
        "town = 'Gap' and sex = 'F'",  # all of Gap but few
        "sex = 'M' and age < 93",  # all men but few
        "age >= 20",  # everybody, which says that nobody is younger
        "town != 'Hull' and sex = 'F'",  # the same of a town
        "ill != 'rare'",  # it names a value of few, and all but few meet it
        "ill in ('flu', 'rare')",
        "town in ('Ash', 'Fir')",
        "town in ('Ash', 'Ashford')",  # of nobody
        "age in (30, 31, 32, 93)",
        "ill = 'gout' and town = 'Gap'",  # a share of too few
        "ill = 'flu' and town = 'Elm' and age > 45",  # nearly all of them
        "ill = 'gout' and town = 'Elm' and age > 45",  # and so nobody
        "avg(age) where town = 'Gap'",  # of too few
    ],
)
def test_a_query_that_few_would_show_in_is_not(text):
    assert told(text) == []


def test_the_same_people_may_be_asked_about_twice_and_the_rest_of_a_column_too():
    same = ["sex = 'F'", "avg(age) where sex = 'F'", "SEX = 'F'", "sex = 'M'", "count where sex = 'F'"]
    assert told(*same) == same
    assert told("count", "avg(age)", "sum(wage)") == ["count", "avg(age)", "sum(wage)"]
    assert told("age >= 40", "age < 40") == ["age >= 40"], "unless it says that no age is between"


def test_two_queries_that_differ_in_few_people_are_not_both_told_of():
    """With three people between them they would show; where nobody is, that would be told."""
    data = frame()
    data["wage"] = np.where(np.arange(RECORDS) < 3, 45.5, data["wage"])
    asked = Table.from_frame(data, ["age", "town", "sex", "wage"], "ill").with_workloads(
        {"mine": ["wage > 45", "wage > 45.6", "wage <= 45.6", "wage > 45.2", "avg(age) where wage > 45"]}
    )
    assert [one.text for one in tellable(asked, SMALLEST)] == ["wage > 45", "avg(age) where wage > 45"]


def test_values_are_asked_for_as_finely_as_they_are_released():
    grouped = table(mine=["ill = 'flu'", "ill within 'sick'"]).with_roles(["age", "town", "sex"], "ill", {"ill": 1})
    assert [one.text for one in tellable(grouped, SMALLEST)] == ["ill within 'sick'"]


def test_of_few_people_and_of_weights_nothing_is_told():
    with pytest.raises(Undefined, match="so few people"):
        tellable(table(500, mine=["age >= 40"]), SMALLEST)
    weighed = table(mine=["age >= 40"]).with_roles(["age", "town", "sex"], "ill", weight="wage")
    with pytest.raises(Undefined, match="different numbers of people"):
        tellable(weighed, SMALLEST)


def test_twenty_of_those_that_are_written():
    asked = table(many={"random": {"count": 5, "dimension": 1}}, a=["age >= 40"] * 15, b=["sex = 'F'"] * 10)
    assert len(tellable(asked, SMALLEST)) == MOST and how_many(asked) == 25
    assert [(one.workload, one.number) for one in tellable(asked, SMALLEST)][14:16] == [("a", 14), ("b", 0)]


def test_a_text_has_no_comment():
    assert without_comments("age  >= 40 -- as Mrs Miller asked\n and /* x */ avg(x)") == "age >= 40 and avg(x)"
