"""Statements about the groups of a release."""

import pytest

from tests.planted import BUCKETIZED, planted
from tests.publication.published import included_files
from workbench.publication import groups, statements
from workbench.publication.publish import publish
from workbench.publication.published_folder import Published
from workbench.publication.report import page as proposed
from workbench.publication.report.page import report


@pytest.fixture(scope="module")
def buckets(tmp_path_factory) -> Published:
    folder = tmp_path_factory.mktemp("buckets")
    raked = {
        "method": {"name": "raked buckets", "publish": "exchanged"},
        "model": {"name": "t-closeness", "t": 0.2, "distance": "js"},
    }
    study = planted(folder, recipes=[BUCKETIZED, raked])
    return Published(publish(study, folder / "out", releases=False, warn=lambda text: None))


def test_groups_are_counted_and_their_order_is_stated(read):
    for index in included_files(read):
        count = read.opened(index)["classes"]
        assert groups.counted(read, index).startswith(f"{count} group")
        assert groups.order(read, index).startswith(("The most exposed first", "All are groups of fewer than"))


def test_the_people_of_a_bucket_are_distinguished_but_not_their_values(buckets, read):
    """Membership in a bucket is not defined by a range of ages: each record has the number of its bucket."""
    together = "of people whose sensitive values are published together"
    shown = [i for i, point in enumerate(buckets.points) if point["opened"] and not point["baseline"]]
    assert any("raked" in buckets.points[i]["recipe"] for i in shown)
    for index in shown:
        page = report(buckets, index, None)
        assert f"groups {together}, about" in groups.counted(buckets, index) and f"groups {together}. The" in page
        assert groups.who(buckets, index) == "All are within" and "all are within</th>" in page
        assert groups.order(buckets, index).endswith("each record states its group.")
        assert not any(said in page for said in ("tell apart", "told apart", "people alike", "who they are"))
        whom = statements.most_exposed(buckets, index)["sentence"]
        assert ", all within " in whom or not whom.startswith("About")
        _, rows = buckets.exposures(index, most=1000)
        assert {row["who"] for row in rows if not any(row["labels"])} <= {"any values"}
    index = read.efficient[0]
    assert "groups of people that cannot be distinguished, about" in groups.counted(read, index)
    assert "groups of people that cannot be distinguished. The" in proposed.classes(read, index, None)
    assert groups.who(read, index) == "Who they are" and ", all within " not in str(
        statements.most_exposed(read, index)
    )


def test_the_actual_steps_of_shares_are_stated(read):
    """Regression: 17 % of 140 people were "20 %", and the page mentioned quarters and halves only."""
    said = groups.rounding(read)
    assert said == (
        "Numbers of people are rounded to multiples of 10, shares of a group to 1 % in groups of 1,000 people or "
        "more, 5 % in groups of 200 people or more or 10 % in groups of 100 people or more; shares of smaller groups "
        "are ranges."
    )
    index = read.efficient[0]
    assert said in str(proposed.classes(read, index, None)).replace("\u00a0", " ")
    for row in read.exposures(index, most=1000)[1]:
        step = next((0.01 * 100 / n for n in (100, 20, 10) if (row["people"] or 0) >= 10 * n), None)
        posterior = row["posterior"]
        assert (
            posterior is None or (step and abs(posterior / step - round(posterior / step)) < 1e-6) or posterior > 0.99
        )
