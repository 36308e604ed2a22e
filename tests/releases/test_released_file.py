"""A file of another tool, as text in roles."""

import math
import random
import time
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.releases.test_own_files import people, table
from workbench.base.errors import BadInput, Undefined
from workbench.base.variants import catalog
from workbench.data.table import Table
from workbench.disclosure.audit import audit_release
from workbench.disclosure.exposure import assess_exposure, disclosure_table
from workbench.measures import Measure, PrivacyLoss, ReidentificationRisk, UtilityLoss
from workbench.measures.privacy.achieved import Achieved
from workbench.measures.privacy.attacks import AttributeInference, Linkability, SinglingOut
from workbench.models import (
    BetaLikeness,
    DeltaDisclosure,
    DistinctLDiversity,
    KAnonymity,
    ProbabilisticLDiversity,
    TCloseness,
)
from workbench.queries.workload import Workload
from workbench.releases.foreign import foreign
from workbench.releases.released_file import ANYTHING, read

FRAME = pd.DataFrame({"age": ["[20, 30)", "*", "NA"], "town": ["Ayr", "*", "*"], "ill": ["flu", "cold", "flu"]})


def test_values_are_text_and_suppressed_ones_are_anything():
    file = read(FRAME, ("age", "town"), ("ill",), None, {})
    assert file.table.columns["age"].kind == "text" and file.quasi == ("age", "town")
    assert (file.codes(file.starred(None) | True, None) < 0).tolist() == [[False, False], [True, True], [True, True]]
    assert file.starred(None).tolist() == [False, True, True]
    assert file.without(file.starred(None)).table.records == 1


def test_an_absent_column_is_reported():
    original = Table.from_frame(pd.DataFrame({"age": [1, 2], "zip": [3, 4], "ill": ["a", "b"]}), ["age", "zip"], "ill")
    assert "zip: not published" in read(FRAME, original.quasi, ("ill",), original, {}).notes
    elsewhere = original.with_roles(["zip"], "ill")
    with pytest.raises(BadInput, match="none of the quasi-identifiers"):
        read(FRAME, elsewhere.quasi, ("ill",), elsewhere, {})


def test_words_for_suppression_count_as_stars_with_an_original():
    original = Table.from_frame(
        pd.DataFrame({"age": [20, 30, 40], "town": ["Ayr", "any", "Ayr"], "ill": ["flu", "cold", "flu"]}),
        ["age", "town"],
        "ill",
    )
    shown = FRAME.assign(age=["unknown", " Suppressed ", "20"], town=["*", "Ayr", "any"])
    for release, sizes in (("itself", [1, 1, 1]), ("everything", [3, 2, 2])):
        found = foreign(shown, original=original, missing_fits=release)
        of_label = dict(zip(map(tuple, (found.codes < 0).tolist()), found.classes.sizes.tolist(), strict=True))
        assert of_label == dict(zip([(True, True), (True, False), (False, False)], sizes, strict=True))
    assert foreign(shown, original=original, suppressed="out").starred == 1


# Missing values that match every value: counted pair by pair, as sdcMicro defines it.

QUASI = ["age", "sex", "town"]
PEOPLE = pd.DataFrame(
    {
        "age": ["20-29", None, "20-29", "30-39", "30-39", "*"],
        "sex": ["F", "F", "F", "M", None, "*"],
        "town": ["A", "A", "B", "A", "A", "*"],
        "disease": ["flu", "HIV", "flu", "ulcer", "ulcer", "HIV"],
    }
)


def matching(one, other):
    """Return whether two records agree in every quasi-identifier that neither lacks."""
    return all(a is None or b is None or a == b for a, b in zip(one, other, strict=True))


def naive(frame):
    """Return for each record the sensitive values of all records that match it."""
    rows = [[None if pd.isna(v) or v == "*" else v for v in row] for row in frame[QUASI].values.tolist()]
    values = frame["disease"].tolist()
    return [[values[j] for j, other in enumerate(rows) if matching(one, other)] for one in rows]


def figures(frame):
    """k, distinct and probabilistic l, t, the loss and re-identification, record by record."""
    crowds, values = naive(frame), frame["disease"]
    prior = values.value_counts(normalize=True)
    shares = [pd.Series(crowd).value_counts(normalize=True).reindex(prior.index, fill_value=0) for crowd in crowds]
    sizes = [len(crowd) for crowd in crowds]
    return {
        "k": min(sizes),
        "distinct l": min(len({*crowd}) for crowd in crowds),
        "l": 1 / max(share.max() for share in shares),
        "t": max((share - prior).abs().sum() / 2 for share in shares),
        "R_id": 1 / min(sizes),
        "average": sum(1 / size for size in sizes) / len(sizes),
        "unique": sum(size == 1 for size in sizes) / len(sizes),
        "moved": max(js(share, prior) for share in shares),
    }


def js(p, q):
    """The Jensen-Shannon divergence, natural logarithm."""
    m = (p + q) / 2
    return sum(x * np.log(x / y) for a in (p, q) for x, y in zip(a, m, strict=True) if x > 0) / 2


def found(release):
    """Return the figures of a release."""
    models = [KAnonymity(1), DistinctLDiversity(1), ProbabilisticLDiversity(1), TCloseness(1)]
    k, distinct, l, t = (release.audit(model).achieved[0][1] for model in models)
    risk = {one: ReidentificationRisk(statistic=one)(release).value for one in ("largest", "average", "unique")}
    every = {"k": k, "distinct l": distinct, "l": l, "t": t, "R_id": risk.pop("largest"), **risk}
    return every | {"moved": PrivacyLoss()(release).value}


def test_the_example_by_hand():
    """The size of a class is sdcMicro's fk: the NA of record 2 fits record 1 and the other way round."""
    release = foreign(PEOPLE, QUASI, "disease", missing_fits="everything")
    sizes = [len(crowd) for crowd in naive(PEOPLE)]
    assert sizes == [3, 4, 2, 3, 4, 6]
    labels = dict(zip(map(tuple, release.codes.tolist()), release.classes.sizes.tolist(), strict=True))
    assert sorted(labels.values()) == sorted(sizes) and labels[(ANYTHING,) * 3] == 6
    assert found(release) == pytest.approx(figures(PEOPLE))
    assert foreign(PEOPLE, QUASI, "disease").classes.sizes.tolist() == [1] * 6


@st.composite
def released(draw):
    """20 to 60 people of few values, of which some are missing or suppressed; and what they were."""
    rng = random.Random(draw(st.integers(0, 2**32)))
    lacking = draw(st.sampled_from([0, 0.1, 0.4, 1]))
    truth = pd.DataFrame(
        [[rng.choice(values) for values in ("abcd", "FM", "xyz", "ppqr")] for _ in range(rng.randint(20, 60))],
        columns=[*QUASI, "disease"],
    )
    truth.loc[:1, "disease"] = ["p", "q"]
    shown = truth.copy()
    for name in QUASI:
        gone = [rng.random() < lacking for _ in range(len(truth))]
        shown.loc[gone, name] = [rng.choice([None, "*", "NA", ""]) for one in gone if one]
    return truth, shown


@pytest.mark.slow
@examples(60)
@given(released(), st.booleans())
def test_every_figure_is_that_of_a_count_pair_by_pair(tables, against):
    truth, shown = tables
    if shown[QUASI].isin([None, "", "NA"]).all().any():  # a column with only missing values has no role
        shown.loc[0] = truth.loc[0]
    roles = ((), None, Table.from_frame(truth, QUASI, "disease")) if against else (QUASI, "disease")
    release = foreign(shown, *roles, missing_fits="everything")
    plain = shown.replace({"NA": None, "": None})
    assert found(release) == pytest.approx(figures(plain), rel=1e-9)
    crowds = naive(plain)
    verdict = release.audit(KAnonymity(4))
    assert verdict.records == sum(len(crowd) < 4 for crowd in crowds)
    at_risk = disclosure_table(release, at_risk=0.05)["records at risk"].sum()
    prior = plain["disease"].value_counts(normalize=True)
    shares = [pd.Series(one).value_counts(normalize=True).reindex(prior.index, fill_value=0) for one in crowds]
    assert at_risk == sum(js(share, prior) >= 0.05 for share in shares)
    assert release.records == audit_release(release)["records"] == len(shown)


def test_both_counts_are_equal_if_nothing_is_missing():
    frame = PEOPLE.fillna("x").replace("*", "y")
    both = [foreign(frame, QUASI, "disease", missing_fits=fits) for fits in ("itself", "everything")]
    assert found(both[0]) == found(both[1])
    assert not any("have a missing or suppressed quasi-identifier" in note for note in both[1].notes)


def test_figures_of_disjoint_classes_are_refused_with_a_reason():
    truth = PEOPLE.assign(age=["20-29"] * 3 + ["30-39"] * 3, sex=[*"FFFMMM"], town=[*"AABAAA"])
    table = Table.from_frame(truth, QUASI, "disease")
    release, by_itself = (foreign(PEOPLE, original=table, missing_fits=fits) for fits in ("everything", "itself"))
    told = {one["measure"]: one for one in audit_release(release)["measures"]}
    other = {one["measure"]: one["value"] for one in audit_release(by_itself)["measures"]}
    refused = {key for key, one in told.items() if one["value"] is None and other[key] is not None}
    assert refused == {"(c,l)", "A_acc", "C_avg", "DM", "Gain", "R_pop", "S-div", "UM", "classes"}
    assert {told[key]["reason"] for key in refused} == {
        "missing values match every value, so a record is in several classes, and this measure needs it in one"
    }
    lost = {key: one["value"] for key, one in told.items() if one["side"] == "utility" and key not in refused}
    assert lost and lost == {key: other[key] for key in lost}  # what is lost is in the labels
    assert UtilityLoss()(release).value > 0
    with pytest.raises(Undefined, match="match every value"):
        _ = assess_exposure(release).risk_shares


def test_dropped_records_match_nobody():
    release = foreign(PEOPLE, QUASI, "disease", suppressed="out", missing_fits="everything")
    assert release.records == 5 and found(release) == pytest.approx(figures(PEOPLE[:5]))


def test_invalid_options():
    with pytest.raises(BadInput, match="missing_fits = 'nothing' is not one of 'itself', 'everything'"):
        foreign(PEOPLE, QUASI, "disease", missing_fits="nothing")


@pytest.mark.slow
def test_many_records_take_seconds():
    """45,000 records, nearly all with labels of their own: two thousand million pairs."""
    rng = np.random.default_rng(1)
    sizes = (80, 40, 16, 12, 7)
    frame = pd.DataFrame({f"q{i}": rng.integers(0, size, 45_000).astype(str) for i, size in enumerate(sizes)})
    for name in frame:
        frame.loc[rng.random(45_000) < 0.1, name] = None
    frame["disease"] = rng.choice(["a", "b", "c"], 45_000, p=[0.7, 0.2, 0.1])
    began = time.process_time()
    release = foreign(frame, [f"q{i}" for i in range(5)], "disease", missing_fits="everything")
    k = Achieved()(release).value
    assert time.process_time() - began < 60  # about 2
    codes, rows = release.codes, np.random.default_rng(2).integers(0, len(release.classes), 20)
    for row in rows.tolist():
        fits = ((codes == codes[row]) | (codes == ANYTHING) | (codes[row] == ANYTHING)).all(axis=1)
        assert release.classes.sizes[row] == release.own_classes.sizes[fits].sum()
    assert k == release.classes.sizes.min()


@pytest.mark.parametrize("seed", range(6))
def test_bounds_contain_the_truth_for_any_missing_values(seed):
    rng = np.random.default_rng(seed)
    truth = pd.DataFrame(
        {"age": rng.integers(20, 60, 80), "sex": rng.choice(["F", "M"], 80), "ill": rng.choice(["a", "b"], 80)}
    ).astype({"age": object})
    truth.loc[rng.random(80) < 0.1, "age"], truth.loc[rng.random(80) < 0.1, "sex"] = None, None
    table = Table.from_frame(truth, ["age", "sex"], "ill", types={"age": "number"})
    shown = truth[["ill", "sex", "age"]].copy()
    shown.loc[rng.random(80) < 0.3, "age"], shown.loc[rng.random(80) < 0.3, "sex"] = None, "*"
    asked = [
        "sex = 'F'",
        "sex is missing",
        "age < 40 and ill = 'a'",
        "sum(age) where sex = 'M'",
        "avg(age)",
        "age > 30",
    ]
    workload, release = Workload.from_texts(table, asked), foreign(shown, original=table, missing_fits="everything")
    (least, most), told = release.bounds(workload), release.count(workload)
    assert (least <= workload.truth).all() and (workload.truth <= most).all()
    assert (least <= told + 1e-9).all() and (told <= most + 1e-9).all()
    known = shown["age"].notna()
    assert least[5] == (known & (shown["age"] > 30)).sum() and most[5] == least[5] + (~known).sum()


# A synthetic file with values that the original lacks, compared with naive counts over both files.

HOMES = ["age", "town", "job"]


def synthetic():
    found = people(seed=9)[[*HOMES, "ill"]]
    found.loc[:9, "town"] = "atlantis"
    found.loc[10:14, "age"] = [5, 130, 61, 200, 99]
    found.loc[20:25, "ill"] = "plague"
    found.loc[30:32, "job"] = "zz"
    return found


def distance(one, other):
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
    for name in (*HOMES, "ill"):
        assert any(note.startswith(f"{name}: ") and "not in the original" in note for note in release.notes)
    groups = [part["ill"].tolist() for _, part in rows.groupby(HOMES)]
    prior = shares(people()["ill"])
    assert len(release.classes) == len(groups)
    assert PrivacyLoss()(release).value == pytest.approx(max(distance(shares(part), prior) for part in groups))
    assert DistinctLDiversity().score(release.classes).min() == min(len({*part}) for part in groups)
    assert ReidentificationRisk("average")(release).value == pytest.approx(len(groups) / len(rows))
    assert math.isinf(BetaLikeness().achieved(release.classes)) and math.isinf(
        DeltaDisclosure().achieved(release.classes)
    )
    assert np.isfinite(BetaLikeness().score(release.classes)).any()


def test_unseen_values_match_nobody():
    given, rows = table(), synthetic()
    release = foreign(rows, original=given)
    of = Counter(map(tuple, people()[HOMES].itertuples(index=False)))
    alone = [of[row] == 1 for row in map(tuple, rows[HOMES].itertuples(index=False))]
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
    rows = people()[[*HOMES, "ill"]]
    with pytest.raises(BadInput, match="if it is a group"):
        foreign(rows.assign(town=rows["town"].map(lambda town: "mid" if town == "mid" else "coast")), original=table())
    with pytest.raises(BadInput, match="not a value of the original"):
        foreign(rows.assign(ill="infection"), original=table())


def test_dates_that_the_original_lacks_are_values():
    frame = pd.DataFrame({"born": pd.to_datetime(["2000-01-01", "2001-01-01"] * 3), "ill": list("xxyyxy")})
    given = table().from_frame(frame, ["born"], "ill")
    read = foreign(frame.assign(born=["2000-01-01", "1999-05-05"] * 3), original=given)
    assert sorted(read.class_labels("born")) == ["1999-05-05", "2000-01-01"]
