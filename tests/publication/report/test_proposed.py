"""The release that is proposed, and what speaks against it."""

from html import unescape

import pytest

from tests.planted import planted
from workbench import BadInput
from workbench.publication.publish import publish
from workbench.publication.reader import Published
from workbench.publication.report.page import report


def test_where_nobody_has_set_a_limit_nothing_is_over_it(read):
    opens = read.results["cap"]
    page = report(read, read.choices(opens)["useful"], opens)
    assert not read.set_by_hand(opens) and "The limit is exceeded" not in page and "(over the limit)" not in page


def test_a_limit_of_the_study_that_nothing_keeps_is_said(tmp_path):
    read = Published(publish(planted(tmp_path, caps={"P_loss": 0.001}), tmp_path / "out"))
    said = report(read, read.choices(read.results["cap"])["recommended"], read.results["cap"])
    assert "No release keeps to the study's own limit of at most 0.001 on privacy loss" in unescape(said)


def test_another_than_the_recommended_is_called_so_and_one_that_was_not_published_is_refused(read):
    other = read.choices(0.2)["simplest"]
    assert "instead of the one that is recommended" in report(read, other, 0.2)
    with pytest.raises(BadInput, match="was not published"):
        report(read, len(read.points) - 1)
