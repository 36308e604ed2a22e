"""The report is one file about one release: it opens from disk, asks for nothing, and was made without the data."""

import json
import re

import pytest

from tests.planted import PLACE, RARE_DISEASE, planted
from workbench import BadInput
from workbench.published import Published
from workbench.publishing import publish
from workbench.report import report


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
        read.learnt(best)["sentence"].replace("'", "&#x27;"),
        read.cost(best)["sentence"],
        "loses the least accuracy",
        "a bit safer",
        "a bit more accurate",
        "fewer than 10 people",
        "600 people",
    ):
        assert said in page
    for measure in read.results["measures"]:
        assert measure["key"] in page


def test_the_chart_rings_the_release_and_draws_the_limit(read, page):
    spec = json.loads(re.search(r"const spec = (\{.*\});", page)[1])
    best = read.points[read.choices(0.2)["recommended"]]["values"]
    assert spec["datasets"]["chosen"] == [{"x": best["P_loss"], "y": best["U_loss"]}]
    assert spec["datasets"]["cap_x"][0]["x"] == 0.2 < spec["datasets"]["cap_x"][0]["x2"]


def test_names_cannot_write_into_the_page(page):
    assert "Ill &lt;b&gt;people&lt;/b&gt; &amp; their age" in page and "<b>people</b>" not in own_words(page)


def test_no_marker_is_in_it(page):
    assert not any(marker in page for marker in ("planted-", PLACE, RARE_DISEASE))


def test_another_than_the_recommended_is_called_so_and_one_that_was_not_published_is_refused(read):
    other = read.choices(0.2)["simplest"]
    assert "instead of the one that is recommended" in report(read, other, 0.2)
    with pytest.raises(BadInput, match="was not published"):
        report(read, len(read.points) - 1)
