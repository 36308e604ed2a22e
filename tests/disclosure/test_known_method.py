"""Who knows the method: beliefs that are worked out by hand, and which methods tell no more than they show."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from workbench.base.errors import BadInput, Undefined
from workbench.data.hierarchies.builders import Intervals
from workbench.data.table import Table
from workbench.disclosure.known_method import known_method
from workbench.measures import PrivacyLoss
from workbench.methods import (
    FullDomain,
    Keep,
    KMember,
    LocalRecoding,
    Microaggregation,
    Mondrian,
    RakedBuckets,
    RandomizedResponse,
    Remove,
    ThresholdClustering,
)
from workbench.models import DistinctLDiversity, KAnonymity, TCloseness

ROOT = Path(__file__).parents[2]
TOLD = re.search(
    r"### What a method gives away by itself\n(.*?)\n##", (ROOT / "docs/architecture.md").read_text(), re.S
)
TWO = DistinctLDiversity(2)


def people(seed, records=6):
    rng = np.random.default_rng(seed)
    ill = rng.permutation((["none"] * 3 + ["flu"] * 2 + ["rare"])[:records])
    frame = pd.DataFrame({"age": 20 + 10 * rng.integers(0, 3, records), "sex": rng.choice(["f", "m"], records)})
    hierarchies = {"age": Intervals(widths=[20])}
    return Table.from_frame(frame.assign(ill=ill), quasi=["age", "sex"], sensitive="ill", hierarchies=hierarchies)


def halves(ill):
    """Two young people and four old ones, whom 2-diversity parts where one of the young has flu, and one has not."""
    ages = [20, 20, 60, 60, 60, 60]
    return Table.from_frame(pd.DataFrame({"age": ages, "ill": ill}), quasi=["age"], sensitive="ill")


def test_a_cut_that_was_not_made_tells_why():
    """Of 15 tables 8 would be cut; of the 7 others one has two young people with flu, six have two old ones."""
    given = halves(["none", "none", "flu", "flu", "none", "none"])
    assert PrivacyLoss()(Mondrian()(given, TWO)).value == 0
    found = known_method(given, Mondrian(), TWO)
    assert (found.tables, found.tried) == (7, 15)
    flu = list(given.sensitive["ill"].labels).index("flu")
    assert found.beliefs["ill"][:, flu] == pytest.approx([1 / 7, 1 / 7, *[12 / 28] * 4])
    middle = (1 / 7 + 1 / 3) / 2
    of = [(1 / 7, 1 / 3, middle), (6 / 7, 2 / 3, 1 - middle)]
    assert found.loss == pytest.approx(sum((p * np.log(p / m) + q * np.log(q / m)) / 2 for p, q, m in of))


def test_a_cut_that_was_made_tells_what_it_shows():
    given = halves(["flu", "none", "flu", "none", "none", "none"])
    found = known_method(given, Mondrian(), TWO)
    assert found.tables == 8 and found.loss == pytest.approx(PrivacyLoss()(Mondrian()(given, TWO)).value)


SHOWN = [
    Mondrian(),
    Mondrian(publish="bucketized"),
    Mondrian(split="information_gain", target="sex"),
    FullDomain(suppress=0),
    LocalRecoding(),
]


@pytest.mark.parametrize("method", SHOWN, ids=str)
def test_under_k_anonymity_these_give_away_what_they_show_and_no_more(method):
    for seed in range(8):
        given, model = people(seed), KAnonymity(2)
        own = PrivacyLoss()(method(given, model)).value
        assert known_method(given, method, model).loss == pytest.approx(own, abs=1e-9)


@pytest.mark.parametrize("method", [Keep(), Remove()])
def test_so_do_the_baselines(method):
    found = known_method(people(0), method)
    assert found.loss == pytest.approx(PrivacyLoss()(method(people(0))).value)


MORE = [
    (Mondrian(), TWO, "model"),
    (Mondrian(), TCloseness(0.1, distance="js"), "model"),
    (FullDomain(suppress=0), TWO, "model"),
    (LocalRecoding(), TWO, "model"),
    (FullDomain(suppress=0.4), KAnonymity(2), "left out"),
    (Mondrian(split="information_gain", target="ill"), KAnonymity(2), "sensitive column"),
    (Mondrian(strict=False), KAnonymity(2), "digest"),
    (KMember(), KAnonymity(2), "digest"),
    (Microaggregation(), KAnonymity(2), "digest"),
    (ThresholdClustering(delta=0.9), KAnonymity(2), "digest"),
    (RakedBuckets(smallest=1), KAnonymity(2), "raked"),
]


@pytest.mark.parametrize(("method", "model", "why"), MORE, ids=str)
def test_these_give_away_more_and_the_documentation_says_so(method, model, why):
    assert TOLD is not None and why in TOLD[1]
    for seed in range(60):
        given = people(seed)
        own = PrivacyLoss()(method(given, model)).value
        if known_method(given, method, model).loss > own + 0.01:
            return
    pytest.fail("in 60 tables it gave away no more than it shows")


def test_what_cannot_be_told_is_refused():
    with pytest.raises(Undefined, match="draws at random"):
        known_method(people(0), RandomizedResponse(0.5))
    frame = pd.DataFrame({"age": range(9), "ill": [*"abcdefghi"]})
    with pytest.raises(Undefined, match=r"362,880 tables have the same people and totals, and at most 20,000"):
        known_method(Table.from_frame(frame, quasi=["age"], sensitive="ill"), Mondrian())
    for given in (("mondrian", None), (Mondrian, None)):
        with pytest.raises(BadInput, match=r"call known_method\(table, Mondrian\(\), KAnonymity\(2\)\)"):
            known_method(people(0), *given)
    with pytest.raises(BadInput, match="no sensitive column"):
        known_method(people(0).with_roles(["age"]), Mondrian())
