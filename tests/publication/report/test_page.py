"""The report is one self-contained file about one release, made without the data."""

import re
from html import unescape

from tests.planted import PLACE, RARE_DISEASE
from workbench.publication import cost, statements


def own_words(page: str) -> str:
    """Return the page without the library that draws its chart."""
    return page[: page.rindex("<script>")]


def test_the_page_is_one_file_without_external_resources(page):
    assert page.count("<!doctype html>") == 1 and "default-src 'none'" in page
    assert not re.search(r"""(src|href)=["']?(https?:)?//""", own_words(page))
    assert page.count("data:image/svg+xml;base64,") == 1


def test_the_page_states_the_proposal_and_its_cost(read, page):
    best = read.choices(0.2)["recommended"]
    for said in (
        read.points[best]["recipe"],
        cost.cost(read, best)["sentence"],
        cost.example(read, best),
        statements.alone(read, best, 0.2),
        "loses the least accuracy",
        "a bit safer",
        "a bit more accurate",
        "fewer than 20 people",
        "about 600 people",
        "every group's mix of disease is within 0.1 of that of everybody (Jensen-Shannon distance): for example, at ",
        "Neutral (published unchanged): wage.",
        statements.learnt(read, best)["sentence"],
        statements.most_exposed(read, best)["sentence"],
        cost.cost(read, best)["worst"],
    ):
        assert said.replace(" %", "\u00a0%") in unescape(page)
    for measure in read.results["measures"]:
        assert measure["key"] in page


def test_the_page_is_in_plain_words_and_has_a_date(page):
    words = re.sub(r"<script>.*?</script>|<style>.*?</style>|<[^>]+>", " ", own_words(page), flags=re.DOTALL)
    assert not re.search(r"\{\"|\bjs'|True|False|None|nan\b|\d%", words)
    assert words.count("Efficient:") == 0 and "Made by mondrian (" in words and "seed 0" in words
    assert re.search(r"As of \d{1,2} [A-Z][a-z]+ 20\d\d\.", words)


def test_names_are_escaped_in_the_page(page):
    assert "Ill &lt;b&gt;people&lt;/b&gt; &amp; their age" in page and "<b>people</b>" not in own_words(page)


def test_the_page_contains_no_marker(page):
    assert not any(marker in page for marker in ("planted-", PLACE, RARE_DISEASE))
