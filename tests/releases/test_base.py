"""Answers of every kind of release, or reasons for their absence."""

import re
from pathlib import Path

import numpy as np
import pytest

from tests.releases.columns import PUBLISHED, QUASI
from workbench.base.errors import BadInput
from workbench.methods import Keep, Mondrian, Remove
from workbench.models import KAnonymity
from workbench.queries.populations import large_populations


@pytest.mark.parametrize("publish", PUBLISHED)
def test_the_posterior_is_each_classes_distribution(table, publish):
    release = Mondrian(publish=publish)(table, KAnonymity(10))
    sizes, beliefs = release.posterior("s")
    frame = release.frame()
    of = ["class"] if publish == "bucketized" else QUASI
    if publish == "bucketized":
        frame["class"] = release.frame()["class"]
    assert sorted(sizes) == sorted(frame.groupby(of).size())
    assert beliefs.sum(axis=1) == pytest.approx(np.ones(len(sizes)))
    assert (sizes[:, None] * beliefs).sum(axis=0) == pytest.approx(table.sensitive["s"].totals)


def test_the_posterior_is_the_prior_without_the_sensitive_column(table):
    release = Remove("s")(table)
    assert release.posterior("s").beliefs == pytest.approx(table.sensitive["s"].prior[None, :])
    assert release.posterior("s").sizes.tolist() == [200]
    assert "s" not in release.frame() and "s" not in release.classes.histograms


def test_only_sensitive_columns_have_posteriors(table):
    release, wrong = Keep()(table), "'word' is not a sensitive column; choose from s, s2"
    with pytest.raises(BadInput, match=wrong):
        release.posterior("word")
    with pytest.raises(BadInput, match=wrong):
        release.estimate(large_populations(table, 0.1), "word")


def test_an_audit_lists_the_classes_that_violate_a_model(table):
    release = Mondrian()(table, KAnonymity(4))
    audit = release.audit(KAnonymity(8))
    assert audit.violating.tolist() == np.flatnonzero(release.classes.sizes < 8).tolist()
    assert audit.records == release.classes.sizes[release.classes.sizes < 8].sum()
    assert release.audit(KAnonymity(4)).holds


def test_no_other_room_checks_the_type_of_a_release():
    asks = re.compile(
        r"isinstance\([^()]*,\s*\(?[^()]*\b(Release|Partition|Bucketized|Foreign)\b|(get|has)attr\(release\b"
    )
    root = Path(__file__).parents[2]
    files = [file for room in ("workbench", "widgets") for file in (root / room).rglob("*.py")]
    found = [file.name for file in files if file.parent.name != "releases" and asks.search(file.read_text("utf-8"))]
    own = root / "workbench" / "releases" / "base.py"
    assert found == [] and asks.search(own.read_text("utf-8"))
