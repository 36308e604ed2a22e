"""Reasons for the exposure of a class: the nearest limit, shares of the risk, plain sentences."""

import math
import re

import numpy as np
import pandas as pd
import pytest

from tests.disclosure.releases import made
from workbench import BadInput, Table, disclosure_table
from workbench.base.errors import Undefined
from workbench.disclosure.exposure import assess_exposure, used_share
from workbench.measures import PrivacyLoss
from workbench.methods import Keep, Mondrian, Remove
from workbench.models import DeltaDisclosure, DistinctLDiversity, KAnonymity, TCloseness

MODEL = KAnonymity(4) & DistinctLDiversity(2) & TCloseness(0.45) & DeltaDisclosure(3, absent="allowed")


def naive_score(part, values, table_values):
    """Return a model's score of one class by a naive count."""
    shares, whole = values.value_counts(normalize=True), table_values.value_counts(normalize=True)
    if isinstance(part, KAnonymity):
        return len(values)
    if isinstance(part, DistinctLDiversity):
        return values.nunique()
    if isinstance(part, TCloseness):
        return shares.sub(whole, fill_value=0).abs().sum() / 2
    return max(abs(math.log(shares[v] / whole[v])) for v in shares.index)


@pytest.mark.parametrize("seed", [0, 2, 4])
def test_the_nearest_limit_is_the_one_most_used(small, seed):
    table = small(seed)
    release = Mondrian()(table, KAnonymity(4))  # so that some limits are broken
    shown = disclosure_table(release, model=MODEL)
    for row, values in release.table.frame.disease.groupby(release.group_of_record):
        used = {}
        for part in MODEL.parts:
            score = naive_score(part, values, table.frame.disease)
            used[str(part)] = part.limit / score if part.at_least else score / part.limit
        assert shown.loc[row, "limit used"] == pytest.approx(max(used.values()))
        assert used[shown.loc[row, "nearest limit"]] == pytest.approx(max(used.values()))
    nearest = assess_exposure(release, model=MODEL).nearest
    assert set(np.flatnonzero(nearest.broken)) == set(release.audit(MODEL).violating)


def test_the_used_share_of_a_limit_at_its_ends():
    at_most, at_least = TCloseness(0), KAnonymity(5)
    assert used_share(at_most, np.array([0.0, 0.1])).tolist() == [1, np.inf]
    assert used_share(TCloseness(0.5), np.array([0.0, 0.25, np.inf])).tolist() == [0, 0.5, np.inf]
    assert used_share(at_least, np.array([5.0, 10.0, 0.0, np.inf])).tolist() == [1, 0.5, np.inf, 0]


def mean_loss(labels, values):
    """Return the mean loss over records from the frames only."""
    whole = values.value_counts(normalize=True)

    def one(of_class):
        shares = of_class.value_counts(normalize=True)
        both = [(shares.get(v, 0.0), whole[v], (shares.get(v, 0.0) + whole[v]) / 2) for v in whole.index]
        return sum((p * math.log(p / m) if p else 0) + q * math.log(q / m) for p, q, m in both) / 2

    return sum(len(g) * one(g) for _, g in values.groupby(labels)) / len(values)


@pytest.mark.parametrize("seed", [0, 2, 4, 6])
def test_a_share_of_the_risk_is_the_decrease_of_the_mean_loss_without_a_column(small, seed):
    release = Mondrian()(small(seed), KAnonymity(3))
    frame, quasi = release.frame(), list(release.table.quasi)
    shares = assess_exposure(release).risk_shares

    def without(names):
        return mean_loss(frame[names].agg("|".join, axis=1), frame.disease)

    assert shares.names == tuple(quasi) and shares.mean == pytest.approx(without(quasi))
    falls = [shares.mean - without([q for q in quasi if q != name]) for name in quasi]
    assert shares.without == pytest.approx([shares.mean - fall for fall in falls])
    assert shares.share == pytest.approx([fall / sum(falls) for fall in falls], abs=1e-9)
    assert min(falls) > -1e-12 and shares.share.sum() == pytest.approx(1)


def test_there_are_no_shares_of_the_risk_without_a_difference():
    shares = assess_exposure(Remove()(made())).risk_shares
    assert shares.share.tolist() == [0] and shares.mean == pytest.approx(0)


@pytest.mark.parametrize("seed", [0, 1])
def test_the_reason_for_exposure_states_the_counts(small, seed):
    table = small(seed)
    release = Mondrian()(table, MODEL if seed == 0 else KAnonymity(3))
    seen, frame = assess_exposure(release, model=MODEL), table.frame
    diseases = frame.disease.fillna("missing")
    for row, values in diseases.groupby(release.group_of_record):
        moved = (values.value_counts(normalize=True).sub(diseases.value_counts(normalize=True), fill_value=0)).max()
        said = (
            r"(?:In this class of|All) (\d+) people (?:in this class have|(\d+) ha(?:ve|s)) the disease (\w+) \((.*?)\)"
        )
        people, count, value, shares = re.match(said, seen.why(row)).groups()
        count = count or people
        share = int(count) / int(people) - (diseases == value).mean()
        assert int(people) == len(values) and int(count) == (values == value).sum()
        assert share == pytest.approx(moved)
        assert f"{100 * (diseases == value).mean():.3g} % in the whole table" in shares
        assert ("Nobody in it has" in seen.why(row)) == (1 < values.nunique() < diseases.nunique())


def test_the_reason_for_exposure_in_special_cases():
    kept = assess_exposure(
        Keep()(Table.from_frame(pd.DataFrame({"age": [1, 2, 2], "ill": list("abb")}), ["age"], "ill"))
    )
    assert kept.why(0).startswith(
        "This class is one person, who has the ill a (33.3 % in the whole table): an attacker who knows"
    )
    assert "All 2 people in this class have the ill b" in kept.why(1)
    assert "an attacker who knows only that a person is in the table learns nothing" in assess_exposure(
        Remove()(made())
    ).why(0)
    bucket = assess_exposure(Mondrian(publish="bucketized")(made(), KAnonymity(3)))
    assert "by the quasi-identifiers learns that" in bucket.why(0)
    with pytest.raises(Undefined, match="no quasi-identifier has a share"):
        _ = bucket.risk_shares
    hidden = assess_exposure(Remove("ill")(made()), model=MODEL)
    assert "one of 6 people. This release does not publish 'ill'" in hidden.why(0)
    assert "nearest limit is that of k-anonymity: k = 6, where at least 4 is required" in hidden.why(0)
    with pytest.raises(Undefined, match="does not publish 'ill'"):
        _ = hidden.risk_shares
    with pytest.raises(BadInput, match="there is no class 9; the release has 2"):
        bucket.why(9)
    with pytest.raises(BadInput, match="'k' is not a model"):
        assess_exposure(Keep()(made()), model="k")


# The table of classes: its content, the records at risk, and conflicting column names.


def test_each_class_has_its_size_values_worst_value_and_histogram():
    table = made()
    shown = disclosure_table(Mondrian()(table, KAnonymity(3)))
    assert shown["size"].sum() == table.records == 12
    assert set(shown["age"]) == {"20", "50"}
    for _, row in shown.iterrows():
        of_class = table.frame[table.frame.age == int(row["age"])].ill.value_counts()
        shares = (of_class / of_class.sum()).sub(table.frame.ill.value_counts(normalize=True), fill_value=0)
        assert row["worst value"] == shares.idxmax()
        assert row["posterior"] == pytest.approx(of_class[row["worst value"]] / of_class.sum())
        assert (row["ill: flu"], row["ill: cold"]) == (of_class["flu"], of_class["cold"])
    assert shown["loss"].is_monotonic_decreasing


def test_records_at_risk_are_those_of_classes_that_lose_the_threshold():
    release = Mondrian()(made(), KAnonymity(3))
    loss = PrivacyLoss()(release).value
    assert disclosure_table(release, at_risk=loss)["records at risk"].sum() > 0
    assert disclosure_table(release, at_risk=loss * 1.01)["records at risk"].sum() == 0


@pytest.mark.parametrize("name", ["size", "loss", "prior", "posterior", "worst value", "records at risk"])
def test_a_column_named_like_a_figure_is_renamed(name):
    shown = disclosure_table(Mondrian()(made(name), KAnonymity(3)))
    assert set(shown[f"{name}_"]) == {"20", "50"}
    assert shown["size"].sum() == 12


def test_the_text_missing_and_a_missing_value_are_two_values():
    shown = disclosure_table(Remove()(made(values=("missing", None, "flu", "flu"))))
    counts = shown[[column for column in shown if column.startswith("ill: ")]]
    assert counts.shape[1] == 3 and counts.to_numpy().sum() == 12


def test_the_table_has_sizes_and_values_without_a_sensitive_column():
    table = Table.from_frame(pd.DataFrame({"age": [1, 1, 2, 2]}), quasi=["age"])
    assert list(disclosure_table(Mondrian()(table, KAnonymity(2)))) == ["size", "age"]


def test_unavailable_figures_are_reported():
    release = Mondrian()(made(), KAnonymity(3))
    with pytest.raises(BadInput, match="'age' is not a sensitive column; choose from ill"):
        disclosure_table(release, "age")
    with pytest.raises(Undefined, match="does not publish 'ill'"):
        disclosure_table(Remove("ill")(made()))
    with pytest.raises(BadInput, match="a Table is not a release"):
        disclosure_table(made())


def test_the_classes_that_violate_a_model_can_be_looked_up():
    release = Mondrian()(made(), KAnonymity(3))
    audit = release.audit(KAnonymity(7))
    assert (disclosure_table(release).loc[audit.violating, "size"] < 7).all() and len(audit.violating) == 2
    assert np.isclose(audit.records, 12)
