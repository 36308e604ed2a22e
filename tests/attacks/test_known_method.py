"""Test inference from a known method: beliefs computed by hand, and which methods disclose more than they show."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.attacks.known_method import infer_from_known_method
from workbench.base.errors import BadInput, Undefined
from workbench.data.hierarchies.builders import Intervals
from workbench.data.table import Table
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
METHODS = (ROOT / "docs" / "reference" / "methods.md").read_text("utf-8")
DOCUMENTED = METHODS.split("## What a method discloses by itself")[1]
TWO = DistinctLDiversity(2)


def people(seed, records=6):
    rng = np.random.default_rng(seed)
    ill = rng.permutation((["none"] * 3 + ["flu"] * 2 + ["rare"])[:records])
    frame = pd.DataFrame({"age": 20 + 10 * rng.integers(0, 3, records), "sex": rng.choice(["f", "m"], records)})
    hierarchies = {"age": Intervals(widths=[20])}
    return Table.from_frame(frame.assign(ill=ill), quasi=["age", "sex"], sensitive="ill", hierarchies=hierarchies)


def halves(ill):
    """Two young and four old people; 2-diversity separates them if exactly one of the young has flu."""
    ages = [20, 20, 60, 60, 60, 60]
    return Table.from_frame(pd.DataFrame({"age": ages, "ill": ill}), quasi=["age"], sensitive="ill")


def test_a_missing_split_discloses_its_reason():
    """8 of the 15 tables would be split; one of the other 7 has two young people with flu, six have two old ones."""
    given = halves(["none", "none", "flu", "flu", "none", "none"])
    assert PrivacyLoss()(Mondrian()(given, TWO)).value == 0
    found = infer_from_known_method(given, Mondrian(), TWO)
    assert (found.tables, found.tried) == (7, 15)
    flu = list(given.sensitive["ill"].labels).index("flu")
    assert found.beliefs["ill"][:, flu] == pytest.approx([1 / 7, 1 / 7, *[12 / 28] * 4])
    middle = (1 / 7 + 1 / 3) / 2
    of = [(1 / 7, 1 / 3, middle), (6 / 7, 2 / 3, 1 - middle)]
    assert found.loss == pytest.approx(sum((p * np.log(p / m) + q * np.log(q / m)) / 2 for p, q, m in of))


def test_a_split_discloses_only_what_it_shows():
    given = halves(["flu", "none", "flu", "none", "none", "none"])
    found = infer_from_known_method(given, Mondrian(), TWO)
    assert found.tables == 8 and found.loss == pytest.approx(PrivacyLoss()(Mondrian()(given, TWO)).value)


SHOWN = [
    Mondrian(),
    Mondrian(publish="bucketized"),
    Mondrian(split="information_gain", target="sex"),
    FullDomain(suppress=0),
    LocalRecoding(),
]


@pytest.mark.parametrize("method", SHOWN, ids=str)
def test_these_methods_disclose_only_what_they_show_under_k_anonymity(method):
    for seed in range(8):
        given, model = people(seed), KAnonymity(2)
        own = PrivacyLoss()(method(given, model)).value
        assert infer_from_known_method(given, method, model).loss == pytest.approx(own, abs=1e-9)


@pytest.mark.parametrize("method", [Keep(), Remove()])
def test_the_baselines_disclose_only_what_they_show(method):
    found = infer_from_known_method(people(0), method)
    assert found.loss == pytest.approx(PrivacyLoss()(method(people(0))).value)


MORE = [
    (Mondrian(), TWO, "model"),
    (Mondrian(), TCloseness(0.1, distance="js"), "model"),
    (FullDomain(suppress=0), TWO, "model"),
    (LocalRecoding(), TWO, "model"),
    (FullDomain(suppress=0.4), KAnonymity(2), "suppress"),
    (Mondrian(split="information_gain", target="ill"), KAnonymity(2), "sensitive column"),
    (Mondrian(strict=False), KAnonymity(2), "digest"),
    pytest.param(KMember(), KAnonymity(2), "digest", marks=pytest.mark.slow),
    pytest.param(Microaggregation(), KAnonymity(2), "digest", marks=pytest.mark.slow),
    pytest.param(ThresholdClustering(delta=0.9), KAnonymity(2), "digest", marks=pytest.mark.slow),
    (RakedBuckets(smallest=1), KAnonymity(2), "raked"),
]


@pytest.mark.parametrize(("method", "model", "why"), MORE, ids=str)
def test_these_methods_disclose_more_than_they_show_as_documented(method, model, why):
    assert why in DOCUMENTED
    for seed in range(60):
        given = people(seed)
        own = PrivacyLoss()(method(given, model)).value
        if infer_from_known_method(given, method, model).loss > own + 0.01:
            return
    pytest.fail("in 60 tables it disclosed only what it shows")


def test_unsupported_input_is_refused():
    with pytest.raises(Undefined, match="is random"):
        infer_from_known_method(people(0), RandomizedResponse(0.5))
    frame = pd.DataFrame({"age": range(9), "ill": [*"abcdefghi"]})
    with pytest.raises(Undefined, match=r"362,880 tables have the same people and totals, the limit is 20,000"):
        infer_from_known_method(Table.from_frame(frame, quasi=["age"], sensitive="ill"), Mondrian())
    for given in (("mondrian", None), (Mondrian, None)):
        with pytest.raises(BadInput, match=r"call infer_from_known_method\(table, Mondrian\(\), KAnonymity\(2\)\)"):
            infer_from_known_method(people(0), *given)
    with pytest.raises(BadInput, match="no sensitive column"):
        infer_from_known_method(people(0).with_roles(["age"]), Mondrian())
