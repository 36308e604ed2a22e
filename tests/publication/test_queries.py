"""Published answers to the queries of a study: true and estimated answers with equal rounding, each in a sentence."""

import json

import numpy as np
import pytest

from tests.planted import planted
from tests.publication.test_tellable_queries import SMALLEST, frame, table
from workbench.base.errors import BadInput, Undefined
from workbench.base.small_counts import round_count
from workbench.methods import Mondrian, Remove
from workbench.models import KAnonymity
from workbench.publication.publish import publish
from workbench.publication.queries import one_figure, queries
from workbench.publication.reader import Published
from workbench.publication.report.page import report
from workbench.queries.workload import Workload
from workbench.studies.study import Study


def published_rows(release, smallest=SMALLEST):
    return {row["query"]: row for row in queries(release, smallest)["rows"]}


def test_the_true_and_the_estimated_count_are_published():
    asked = "age >= 40 and sex = 'M'"
    release = Mondrian()(table(mine=[asked, "town = 'Fir'"]), KAnonymity(30))
    found, data = queries(release, SMALLEST), frame()
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
        asked = type(asked).from_frame(data, ["age", "town", "sex"], "ill").with_workloads({"mine": ["avg(wage)"]})
        assert (published_rows(Remove()(asked)) == {}) == hidden


def test_without_a_threshold_answers_are_exact():
    row = published_rows(Remove()(table(mine=["age >= 40"])), 0)["age >= 40"]
    assert row["truth"] == f"{int((frame()['age'] >= 40).sum()):,}" and "rounded" not in row["sentence"]


def test_no_answers_are_published_for_a_file_with_suppressed_records():
    release = Mondrian()(table(mine=["age >= 40"]), KAnonymity(30)).without(np.array([0]))
    with pytest.raises(Undefined, match="suppressed"):
        queries(release, SMALLEST)
    assert queries(Mondrian()(table(), KAnonymity(30)), SMALLEST) == {"rows": [], "hidden": 0}


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
    with pytest.raises(BadInput, match="give the queries a name in workloads"):
        publish(study.with_(measures=(*study.measures, asked)), tmp_path / "out")
