"""The proposed release and the objections to it."""

from html import unescape

import pytest

from tests.planted import planted
from workbench import BadInput
from workbench.base.figures import format_number
from workbench.publication import groups
from workbench.publication.publish import publish
from workbench.publication.reader import Published
from workbench.publication.report.page import report


def test_nothing_exceeds_the_limit_if_none_is_set(read):
    opens = read.results["cap"]
    page = report(read, read.choices(opens)["useful"], opens)
    assert not read.set_by_hand(opens) and "exceeds the limit" not in page and "(over the limit)" not in page


def test_a_limit_that_no_release_satisfies_is_reported(tmp_path):
    read = Published(publish(planted(tmp_path, caps={"P_loss": 0.001}), tmp_path / "out"))
    said = report(read, read.opens(0.001), read.results["cap"])
    assert "No candidate satisfies the limit of at most 0.001 on privacy loss. The nearest is number 5" in unescape(
        said
    )
    assert "It is the nearest candidate, and is not recommended." in said and "Proposed" not in said


def test_a_release_that_is_not_recommended_is_marked_and_an_unpublished_one_refused(read):
    other = read.choices(0.2)["simplest"]
    assert f"instead of number {read.opens(0.2) + 1}, which is recommended." in report(read, other, 0.2)
    with pytest.raises(BadInput, match="was not published"):
        report(read, len(read.points) - 1)


def test_measures_of_utility_have_figures_and_not_only_definitions(page, read):
    """Regression: a row of the report had the definition of a measure and no figure."""
    point, text = read.points[read.choices(0.2)["recommended"]], unescape(page)
    shown = [one for one in read.results["measures"] if one["side"] == "utility" and one["key"] in point["values"]]
    assert shown
    for one in shown:
        assert f"{one['name'].capitalize()}: {format_number(point['values'][one['key']], one['better'])}" in text


@pytest.fixture(scope="module")
def bare(tmp_path_factory) -> Published:
    """Return the page of a study of the same people without a sensitive column."""
    folder = tmp_path_factory.mktemp("bare")
    study = planted(
        folder,
        roles={"quasi": ["age", "town", "sex"], "identifiers": ["name", "disease"]},
        recipes=[{"method": {"name": "mondrian"}, "model": {"name": "k-anonymity", "k": [12, 200]}}],
        measures=[{"name": "re-identification risk"}, {"name": "information loss"}, {"name": "average class size"}],
        axes=["R_id", "NCP"],
    )
    return Published(publish(study, folder / "out"))


def test_the_page_mentions_no_beliefs_or_attacks_without_a_sensitive_column(bare):
    """Regression: the page ordered groups by belief and had an empty table of attackers."""
    index = next(i for i, one in enumerate(bare.points) if "k = 200" in one["recipe"])
    page = unescape(report(bare, index))
    assert "what may be learned about people is not examined" in page and "nothing sensitive" not in page
    for word in ("belief", "believed", "attacked", "certain of", "may be certain"):
        assert word not in page, word
    assert "Average class size: " in page and "(records)" in page and "times k" not in page


def test_the_probability_of_re_identification_is_rounded_up(bare):
    """Regression: 1 of 200 was "0 %"."""
    index = next(i for i, one in enumerate(bare.points) if "k = 200" in one["recipe"])
    _, rows = bare.exposures(index)
    assert all(0 < 1 / row["people"] <= row["share"] and groups.how_exposed(row) == "0 to 1 %" for row in rows)


def test_the_promises_of_a_recommended_release_depend_on_the_study(bare, page):
    """Regression: the page mentioned nearly certain values of tables without any and did not define them."""
    without = unescape(report(bare, bare.opens(None)))
    assert "put nobody in a group of fewer than 5" in without and "Nearly certain" not in without
    text = unescape(page).replace("\u00a0", " ")
    assert "make no value certain or nearly so" in text
    assert "Nearly certain: 95 % or more of a group may have the value, and at least 20 percentage points more" in text


def test_weighted_shares_are_marked(tmp_path, page):
    """Regression: the page showed weighted and unweighted shares of one group without a label."""
    roles = {"quasi": ["age", "sex"], "sensitive": ["disease"], "identifiers": ["name", "town"], "weight": "wage"}
    recipes = [{"method": {"name": "mondrian"}, "model": {"name": "k-anonymity", "k": [100, 400]}}]
    study = planted(tmp_path, roles=roles, recipes=recipes, smallest=5)
    read = Published(publish(study, tmp_path / "out", releases=False))
    index = next(i for i, one in enumerate(read.points) if one["opened"] and read.populations(i))
    text = unescape(report(read, index)).replace("\u00a0", " ")
    for said in ("represents several by a survey weight", "on weighted average", "everybody, weighted.",
                 "all shares weighted", "in truth, weighted", " (weighted)."):  # fmt: skip
        assert said in text, said
    assert "weighted" not in unescape(page) and "survey weight" not in unescape(page)
