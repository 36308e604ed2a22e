"""Rules for publishing queries: each hides a query that violates it alone, independently of the releases."""

import numpy as np
import pandas as pd
import pytest

from workbench.base.errors import Undefined
from workbench.data.hierarchies.builders import Groups
from workbench.data.table import Table
from workbench.publication.tellable_queries import MOST, how_many, tellable, without_comments

SMALLEST, RECORDS = 10, 2000


def frame(records=RECORDS):
    """Return people: 8 in Fir, 40 (6 men) in Gap; all old people of Elm are ill; ages up to 69, and one of 93."""
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


def published_queries(*texts):
    return [one.text for one in tellable(table(mine=[*texts]), SMALLEST)]


@pytest.mark.parametrize(
    "text",
    [
        "age >= 40", "age >= 40 and sex = 'M'", "town = 'Gap'", "ill = 'gout' and age >= 40",
        "avg(age) where sex = 'F'", "sum(wage)", "count", "town in ('Ash', 'Gap')",
        "ill within 'sick'", "not (sex = 'M')",
    ],
)  # fmt: skip
def test_a_query_about_many_people_is_published(text):
    assert published_queries(text) == [text]


@pytest.mark.parametrize(
    "text",
    [
        "town = 'Fir'",  # few
        "age > 100",  # nobody
        "age < 93",  # all but one
        "town = 'Gap' and sex = 'M'",  # few
        "town = 'Gap' and sex = 'F'",  # all of Gap but few
        "sex = 'M' and age < 93",  # all men but few
        "age >= 20",  # everyone, which discloses that nobody is younger
        "town != 'Hull' and sex = 'F'",  # the same of a town
        "ill != 'rare'",  # it names a rare value, and nearly everyone matches it
        "ill in ('flu', 'rare')",
        "town in ('Ash', 'Fir')",
        "town in ('Ash', 'Ashford')",  # of nobody
        "age in (30, 31, 32, 93)",
        "ill = 'gout' and town = 'Gap'",  # a share of too few
        "ill = 'flu' and town = 'Elm' and age > 45",  # nearly all of them
        "ill = 'gout' and town = 'Elm' and age > 45",  # therefore nobody
        "avg(age) where town = 'Gap'",  # of too few
    ],
)
def test_a_query_that_discloses_a_small_count_is_hidden(text):
    assert published_queries(text) == []


def test_equal_and_complementary_queries_are_published():
    same = ["sex = 'F'", "avg(age) where sex = 'F'", "SEX = 'F'", "sex = 'M'", "count where sex = 'F'"]
    assert published_queries(*same) == same
    assert published_queries("count", "avg(age)", "sum(wage)") == ["count", "avg(age)", "sum(wage)"]
    assert published_queries("age >= 40", "age < 40") == ["age >= 40"], (
        "together they disclose that there is no age between"
    )


def test_only_one_of_two_queries_that_differ_in_few_people_is_published():
    """Three people between two queries would be disclosed, and so would their absence."""
    data = frame()
    data["wage"] = np.where(np.arange(RECORDS) < 3, 45.5, data["wage"])
    given = Table.from_frame(data, ["age", "town", "sex", "wage"], "ill").with_workloads(
        {"mine": ["wage > 45", "wage > 45.6", "wage <= 45.6", "wage > 45.2", "avg(age) where wage > 45"]}
    )
    assert [one.text for one in tellable(given, SMALLEST)] == ["wage > 45", "avg(age) where wage > 45"]


def test_queries_are_as_fine_as_the_released_values():
    grouped = table(mine=["ill = 'flu'", "ill within 'sick'"]).with_roles(["age", "town", "sex"], "ill", {"ill": 1})
    assert [one.text for one in tellable(grouped, SMALLEST)] == ["ill within 'sick'"]


def test_no_queries_are_published_for_few_people_or_weighted_data():
    with pytest.raises(Undefined, match="so few people"):
        tellable(table(500, mine=["age >= 40"]), SMALLEST)
    weighed = table(mine=["age >= 40"]).with_roles(["age", "town", "sex"], "ill", weight="wage")
    with pytest.raises(Undefined, match="different numbers of people"):
        tellable(weighed, SMALLEST)


def test_at_most_twenty_queries_are_published():
    asked = table(many={"random": {"count": 5, "dimension": 1}}, a=["age >= 40"] * 15, b=["sex = 'F'"] * 10)
    assert len(tellable(asked, SMALLEST)) == MOST and how_many(asked) == 25
    assert [(one.workload, one.number) for one in tellable(asked, SMALLEST)][14:16] == [("a", 14), ("b", 0)]


def test_comments_are_removed_from_the_text_of_a_query():
    assert without_comments("age  >= 40 -- as Mrs Miller asked\n and /* x */ avg(x)") == "age >= 40 and avg(x)"
