"""The report is one file about one release: it opens from disk, asks for nothing, and was made without the data."""

import json
import re
from html import unescape

import pytest

from tests.planted import PLACE, RARE_DISEASE, planted
from workbench import BadInput
from workbench.publication import statements
from workbench.publication.publish import publish
from workbench.publication.reader import Published
from workbench.publication.report.page import report


@pytest.fixture(scope="module")
def read(tmp_path_factory) -> Published:
    folder = tmp_path_factory.mktemp("study")
    return Published(publish(planted(folder, study="Ill <b>people</b> & their age"), folder / "out"))


@pytest.fixture(scope="module")
def page(read) -> str:
    return report(read, read.choices(0.2)["recommended"], 0.2)


def own_words(page: str) -> str:
    """The page without the library that draws its chart."""
    return page[: page.rindex("<script>")]


def test_it_is_one_file_that_asks_for_nothing(page):
    assert page.count("<!doctype html>") == 1 and "default-src 'none'" in page
    assert not re.search(r"""(src|href)=["']?(https?:)?//""", own_words(page))
    assert page.count("data:image/svg+xml;base64,") == 1


def test_it_says_what_is_proposed_and_what_that_costs(read, page):
    best = read.choices(0.2)["recommended"]
    for said in (
        read.points[best]["recipe"],
        statements.cost(read, best)["sentence"],
        statements.example(read, best),
        statements.alone(read, best),
        "loses the least accuracy",
        "a bit safer",
        "a bit more accurate",
        "fewer than 15 people",
        "about 600 people",
        "every group's mix of disease stays close to that of everybody: for example, at most ",
        "Published as they are: wage.",
        statements.learnt(read, best)["sentence"],
        statements.most_exposed(read, best)["sentence"],
        statements.cost(read, best)["worst"],
    ):
        assert said.replace(" %", "\u00a0%") in unescape(page)
    for measure in read.results["measures"]:
        assert measure["key"] in page


def test_the_chart_rings_the_release_and_draws_the_limit(read, page):
    spec = json.loads(re.search(r"const spec = (\{.*\});", page)[1])
    best = read.points[read.choices(0.2)["recommended"]]["values"]
    assert spec["datasets"]["chosen"] == [{"x": best["P_loss"], "y": best["U_loss"]}]
    assert spec["datasets"]["cap_x"][0]["label"] == "" and "The line is the limit, at most 0.2." in page
    assert spec["datasets"]["cap_x"][0]["x"] == 0.2 < spec["datasets"]["cap_x"][0]["x2"]


def test_it_is_in_plain_words_and_has_its_date(page):
    words = re.sub(r"<script>.*?</script>|<style>.*?</style>|<[^>]+>", " ", own_words(page), flags=re.DOTALL)
    assert not re.search(r"\{\"|\bjs'|True|False|None|nan\b|\d%", words)
    assert words.count("Efficient:") == 0 and "Made by mondrian (" in words and "seed 0" in words
    assert re.search(r"As of \d{1,2} [A-Z][a-z]+ 20\d\d\.", words)


def test_a_release_beyond_the_limit_says_so(read):
    beyond = read.choices(0.11)["useful"]
    assert "The limit is exceeded" in report(read, beyond, 0.11)
    assert "The limit is exceeded" not in report(read, read.choices(0.11)["recommended"], 0.11)
    assert "(over the limit)" in report(read, read.choices(0.11)["recommended"], 0.11)


def test_where_nobody_has_set_a_limit_nothing_is_over_it(read):
    opens = read.results["cap"]
    page = report(read, read.choices(opens)["useful"], opens)
    assert not read.set_by_hand(opens) and "The limit is exceeded" not in page and "(over the limit)" not in page


def test_a_limit_of_the_study_that_nothing_keeps_is_said(tmp_path):
    read = Published(publish(planted(tmp_path, caps={"P_loss": 0.001}), tmp_path / "out"))
    said = report(read, read.choices(read.results["cap"])["recommended"], read.results["cap"])
    assert "No release keeps to the study's own limit of at most 0.001 on privacy loss" in unescape(said)


def test_names_cannot_write_into_the_page(page):
    assert "Ill &lt;b&gt;people&lt;/b&gt; &amp; their age" in page and "<b>people</b>" not in own_words(page)


def test_no_marker_is_in_it(page):
    assert not any(marker in page for marker in ("planted-", PLACE, RARE_DISEASE))


def test_another_than_the_recommended_is_called_so_and_one_that_was_not_published_is_refused(read):
    other = read.choices(0.2)["simplest"]
    assert "instead of the one that is recommended" in report(read, other, 0.2)
    with pytest.raises(BadInput, match="was not published"):
        report(read, len(read.points) - 1)
