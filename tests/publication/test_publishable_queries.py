"""Rules for publishing queries: each hides a query that violates it alone, independently of the releases."""

import json

import numpy as np
import pandas as pd
import pytest

from tests.planted import planted
from workbench.base.errors import BadInput, Undefined
from workbench.data.hierarchies.builders import Groups
from workbench.data.table import Table
from workbench.methods import Mondrian, Remove
from workbench.models import KAnonymity
from workbench.publication.publish import publish
from workbench.publication.publishable_queries import (
    MOST,
    how_many,
    one_figure,
    publishable_queries,
    query_answers,
    without_comments,
)
from workbench.publication.published_folder import Published
from workbench.publication.report.page import report
from workbench.queries.workload import Workload
from workbench.redaction.controlled_rounding import round_count
from workbench.studies.study import Study

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
    return found.with_settings(workloads=workloads)


GROUPS = Groups(levels=[{"sick": ["flu", "gout", "rare"], "well": ["none"]}])


def published_queries(*texts):
    return [one.text for one in publishable_queries(table(mine=[*texts]), SMALLEST)]


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
    given = Table.from_frame(data, ["age", "town", "sex", "wage"], "ill").with_settings(
        workloads={"mine": ["wage > 45", "wage > 45.6", "wage <= 45.6", "wage > 45.2", "avg(age) where wage > 45"]}
    )
    assert [one.text for one in publishable_queries(given, SMALLEST)] == ["wage > 45", "avg(age) where wage > 45"]


def test_queries_are_as_fine_as_the_released_values():
    grouped = table(mine=["ill = 'flu'", "ill within 'sick'"]).with_roles(["age", "town", "sex"], "ill", {"ill": 1})
    assert [one.text for one in publishable_queries(grouped, SMALLEST)] == ["ill within 'sick'"]


def test_no_queries_are_published_for_few_people_or_weighted_data():
    with pytest.raises(Undefined, match="so few people"):
        publishable_queries(table(500, mine=["age >= 40"]), SMALLEST)
    weighed = table(mine=["age >= 40"]).with_roles(["age", "town", "sex"], "ill", weight="wage")
    with pytest.raises(Undefined, match="different numbers of people"):
        publishable_queries(weighed, SMALLEST)


def test_at_most_twenty_queries_are_published():
    asked = table(many={"random": {"count": 5, "dimension": 1}}, a=["age >= 40"] * 15, b=["sex = 'F'"] * 10)
    assert len(publishable_queries(asked, SMALLEST)) == MOST and how_many(asked) == 25
    assert [(one.workload, one.number) for one in publishable_queries(asked, SMALLEST)][14:16] == [("a", 14), ("b", 0)]


def test_comments_are_removed_from_the_text_of_a_query():
    assert without_comments("age  >= 40 -- as Mrs Miller asked\n and /* x */ avg(x)") == "age >= 40 and avg(x)"


# --- published answers to the queries of a study: true and estimated answers with equal rounding, each in a sentence


def published_rows(release, smallest=SMALLEST):
    return {row["query"]: row for row in query_answers(release, smallest)["rows"]}


def test_the_true_and_the_estimated_count_are_published():
    asked = "age >= 40 and sex = 'M'"
    release = Mondrian()(table(mine=[asked, "town = 'Fir'"]), KAnonymity(30))
    found, data = query_answers(release, SMALLEST), frame()
    truth = int(((data["age"] >= 40) & (data["sex"] == "M")).sum())
    expected = float(release.count(Workload.from_texts(release.table, [asked]))[0])
    (row,) = found["rows"]
    assert row["sentence"] == (
        f"A user of the released data would count about {round_count(expected, 10):,}; "
        f"in truth about {round_count(truth, 10):,} (rounded to multiples of 10)."
    )
    assert (row["workload"], row["query"], found["hidden"]) == ("mine", asked, 1)


def test_an_estimated_count_below_the_threshold_is_hidden_too():
    release = Remove()(table(mine=["town = 'Gap'"]))
    assert published_rows(release)["town = 'Gap'"]["truth"] == "about 40"
    narrow = Mondrian()(table(mine=["ill = 'gout' and age between 20 and 21 and sex = 'F'"]), KAnonymity(300))
    assert all(row["told"].startswith(("about", "fewer than 15")) for row in published_rows(narrow).values())


def test_averages_and_sums_are_published_with_two_digits():
    asked = ["avg(wage) where sex = 'F'", "sum(wage)", "avg(wage) where age between 20 and 25"]
    found, data = published_rows(Remove()(table(mine=asked))), frame()
    mean = data["wage"][data["sex"] == "F"].mean()
    assert found[asked[0]]["truth"] == f"about {round(mean / 2) * 2}" and asked[2] not in found
    assert found[asked[1]]["truth"] == f"about {round(data['wage'].sum() / 2000) * 2000:,}"
    assert "would find an average of about" in found[asked[0]]["sentence"]
    assert [one_figure(step) for step in (0.0011, 0.9, 1.0, 21, np.inf, 0)] == [0.002, 0.9, 1.0, 30.0, 0.0, 0.0]


def test_the_maximum_value_cannot_be_derived_from_an_average():
    """The step of rounding grows with a wage of a million, so the average that it changes is not published."""
    data = frame()
    for top, hidden in ((89, False), (1_000_000, True)):
        data.loc[7, "wage"] = top
        asked = table(mine=["avg(wage)"])
        asked = (
            type(asked).from_frame(data, ["age", "town", "sex"], "ill").with_settings(workloads={"mine": ["avg(wage)"]})
        )
        assert (published_rows(Remove()(asked)) == {}) == hidden


def test_without_a_threshold_answers_are_exact():
    row = published_rows(Remove()(table(mine=["age >= 40"])), 0)["age >= 40"]
    assert row["truth"] == f"{int((frame()['age'] >= 40).sum()):,}" and "rounded" not in row["sentence"]


def test_no_answers_are_published_for_a_file_with_suppressed_records():
    release = Mondrian()(table(mine=["age >= 40"]), KAnonymity(30)).without(np.array([0]))
    with pytest.raises(Undefined, match="suppressed"):
        query_answers(release, SMALLEST)
    assert query_answers(Mondrian()(table(), KAnonymity(30)), SMALLEST) == {"rows": [], "hidden": 0}


@pytest.fixture(scope="module")
def read(tmp_path_factory):
    place = tmp_path_factory.mktemp("asked")
    workloads = {
        "hand": ["age >= 45 and sex = 'F' -- Mrs Planted", "town = 'Markerville'", "avg(age)", "age > '<b>'"][:3],
        "told": ["sex = 'M'"],
        "random ones": {"random": {"count": 50, "dimension": 2}},
        "log": {"file": "secret-place-of-the-data/log.sql"},
    }
    study = planted(place, workloads=workloads)
    (place / "secret-place-of-the-data" / "log.sql").write_text("age > 30 and town = 'Markerville'\n")
    return Published(publish(study, place / "out", releases=False, warn=lambda text: None))


def test_the_folder_does_not_contain_hidden_queries(read):
    everything = "\n".join(
        path.read_text("utf-8") for path in read.folder.rglob("*") if path.suffix in (".json", ".yaml")
    )
    for text in ("Markerville", "Mrs Planted", "secret-place", "log.sql"):
        assert text not in everything
    kept = Study.open(read.folder / "study.yaml")
    assert kept.workloads["told"] == ["sex = 'M'"] and kept.workloads["hand"] == {"file": "not published"}
    assert kept.workloads["random ones"] == {"random": {"count": 50, "dimension": 2}}


def test_the_report_has_a_section_with_each_answer(read):
    index = read.opens(read.results["cap"])
    found = read.opened(index)["queries"]
    page = report(read, index)
    assert "What users of the data would find" in page and len(found["rows"]) == 3 and found["hidden"] == 1
    assert "A user of the released data would count" in page and "1 more query is not published" in page
    assert json.dumps(found)  # plain data
    for row in found["rows"]:
        assert row["query"].replace("'", "&#39;").replace(">", "&gt;") in page


def test_queries_of_a_measure_are_not_published(tmp_path):
    study = planted(tmp_path)
    asked = {"name": "query error", "workload": ["town = 'Markerville'"]}
    with pytest.raises(BadInput, match="name the queries in workloads"):
        publish(study.with_(measures=(*study.measures, asked)), tmp_path / "out")
