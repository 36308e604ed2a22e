"""A synthetic file with values that the original lacks, compared with naive counts over both files."""

import math
from collections import Counter

import numpy as np
import pandas as pd
import pytest

from tests.releases.test_own_files import people, table
from workbench.base.errors import BadInput, Undefined
from workbench.base.variants import catalog
from workbench.disclosure.audit import audit_release
from workbench.measures import Measure, PrivacyLoss, ReidentificationRisk
from workbench.measures.privacy.attribute_inference import AttributeInference
from workbench.measures.privacy.linkability import Linkability
from workbench.measures.privacy.singling_out import SinglingOut
from workbench.models import BetaLikeness, DeltaDisclosure, DistinctLDiversity
from workbench.releases.foreign import foreign

QUASI = ["age", "town", "job"]


def synthetic():
    found = people(seed=9)[[*QUASI, "ill"]]
    found.loc[:9, "town"] = "atlantis"
    found.loc[10:14, "age"] = [5, 130, 61, 200, 99]
    found.loc[20:25, "ill"] = "plague"
    found.loc[30:32, "job"] = "zz"
    return found


def js(one, other):
    """Jensen-Shannon divergence, natural logarithm, of two mappings."""
    total = 0.0
    for value in {*one, *other}:
        p, q = one.get(value, 0), other.get(value, 0)
        total += sum(x / 2 * math.log(2 * x / (p + q)) for x in (p, q) if x)
    return total


def shares(values):
    return {value: count / len(values) for value, count in Counter(values).items()}


def test_unseen_values_are_values_like_any_other():
    given, rows = table(), synthetic()
    release = foreign(rows, original=given)
    for name in (*QUASI, "ill"):
        assert any(note.startswith(f"{name}: ") and "not in the original" in note for note in release.notes)
    groups = [part["ill"].tolist() for _, part in rows.groupby(QUASI)]
    prior = shares(people()["ill"])
    assert len(release.classes) == len(groups)
    assert PrivacyLoss()(release).value == pytest.approx(max(js(shares(part), prior) for part in groups))
    assert DistinctLDiversity().score(release.classes).min() == min(len({*part}) for part in groups)
    assert ReidentificationRisk("average")(release).value == pytest.approx(len(groups) / len(rows))
    assert math.isinf(BetaLikeness().achieved(release.classes)) and math.isinf(
        DeltaDisclosure().achieved(release.classes)
    )
    assert np.isfinite(BetaLikeness().score(release.classes)).any()


def test_unseen_values_match_nobody():
    given, rows = table(), synthetic()
    release = foreign(rows, original=given)
    of = Counter(map(tuple, people()[QUASI].itertuples(index=False)))
    alone = [of[row] == 1 for row in map(tuple, rows[QUASI].itertuples(index=False))]
    assert SinglingOut().attack_results(release).attack.mean() == pytest.approx(np.mean(alone))
    for attack in (Linkability(), AttributeInference()):
        assert 0 <= attack(release).value <= 1


def test_unseen_numbers_have_their_distances():
    given = table()
    near, far = (synthetic().assign(age=age, town="north", job="a1") for age in (61, 1000))
    for rows in (near, far):
        rows.loc[0, "age"] = 20
    release = foreign(far, original=given)
    axis = release.table.columns["age"]
    assert axis.labels[-1] == "1000" and axis.counts[-1] == 0
    assert AttributeInference()(foreign(near, original=given)).value <= 1


def test_every_measure_has_a_value_or_a_reason():
    release = foreign(synthetic(), original=table())
    for kind in catalog("workbench.measures", Measure).values():
        try:
            assert not math.isnan(kind()(release).value), kind.name
        except Undefined as reason:
            assert len(str(reason)) > 20
    found = audit_release(release)
    assert all(one["value"] is not None or one["reason"] for one in found["measures"] + found["achieved"])


def test_groups_of_an_unknown_hierarchy_are_not_values():
    rows = people()[[*QUASI, "ill"]]
    with pytest.raises(BadInput, match="if it is a group"):
        foreign(rows.assign(town=rows["town"].map(lambda town: "mid" if town == "mid" else "coast")), original=table())
    with pytest.raises(BadInput, match="not a value of the original"):
        foreign(rows.assign(ill="infection"), original=table())


def test_dates_that_the_original_lacks_are_values():
    frame = pd.DataFrame({"born": pd.to_datetime(["2000-01-01", "2001-01-01"] * 3), "ill": list("xxyyxy")})
    given = table().from_frame(frame, ["born"], "ill")
    read = foreign(frame.assign(born=["2000-01-01", "1999-05-05"] * 3), original=given)
    assert sorted(read.class_labels("born")) == ["1999-05-05", "2000-01-01"]
