"""The measures for complete and for empty releases (Li & Li 2009, section 4.3)."""

from dataclasses import replace
from math import inf

import numpy as np
import pandas as pd
import pytest

from tests.releases.toys import Perturb
from widgets import ReleaseCard
from workbench.base.errors import Undefined, Unsatisfiable
from workbench.base.variants import catalog
from workbench.data.hierarchies.builders import Groups
from workbench.data.table import Table
from workbench.disclosure.audit import audit_release
from workbench.measures import (
    AccuracyGain,
    Achieved,
    AntiUtility,
    AverageClassSize,
    Discernibility,
    GeneralizationSteps,
    GeometricLoss,
    GoodUtility,
    GroupUtility,
    InformationGain,
    InformationLoss,
    KLDivergence,
    KnowledgeGain,
    LargestQuotient,
    Linkability,
    Measure,
    NumberOfClasses,
    PopulationUniques,
    PrivacyLoss,
    QueryError,
    ReidentificationRisk,
    SinglingOut,
    UtilityLoss,
    WorkloadUtility,
    default_measures,
)
from workbench.methods import Keep, Mondrian, Remove
from workbench.models import KAnonymity, TCloseness

MEASURES = [kind() for kind in catalog("workbench.measures", Measure).values()]
LEARNERS = (GoodUtility, WorkloadUtility)  # by chance, a miner may do better with less
NOMINAL = pd.DataFrame({"age": [1, 1, 2, 2], "ill": ["flu", "cough", "flu", "ulcer"]})


@pytest.mark.parametrize("measure", [PrivacyLoss(distance="ordered"), UtilityLoss(0.2, distance="ordered")])
def test_text_without_an_order_has_no_ordered_distance(measure):
    """The alphabet does not define how far flu is from ulcer."""
    nominal = Table.from_frame(NOMINAL, ["age"], "ill")
    why = "distance = 'ordered' needs ordered values, and 'ill' is text without an order"
    with pytest.raises(Undefined, match=why):
        measure(Keep()(nominal))
    with pytest.raises(Unsatisfiable, match=why):
        Mondrian()(nominal, TCloseness(0.2, "ordered"))
    declared = Groups([{"lungs": ["cough", "flu"], "stomach": ["ulcer"]}], order=["cough", "flu", "ulcer"])
    ordered = nominal.with_hierarchies({"ill": declared})
    assert measure(Remove()(ordered)).value >= 0 and len(Mondrian()(ordered, TCloseness(0.9, "ordered")).classes)


DISTANCES = ["js", "variation", "ordered", "hierarchical"]
LEARNT = [*map(PrivacyLoss, DISTANCES), KnowledgeGain(), AccuracyGain(), LargestQuotient(), InformationGain()]
LOST = [*(UtilityLoss(distance=d) for d in DISTANCES), KLDivergence(), InformationLoss(), GeneralizationSteps()]
LOST.append(GeometricLoss())
keys = {"ids": lambda measure: measure.key}


@pytest.fixture(scope="module", params=[0, 1, 2, "adult"])
def table(request, small):
    return request.getfixturevalue("adult") if request.param == "adult" else small(request.param)


@pytest.mark.parametrize("measure", LEARNT, **keys)
def test_nothing_is_learned_if_all_quasi_identifiers_are_removed(table, measure):
    assert measure(Remove()(table)).value == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("measure", LEARNT, **keys)
def test_nothing_is_learned_if_the_sensitive_column_is_removed(table, measure):
    assert measure(Remove(tuple(table.sensitive))(table)).value == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("measure", LOST, **keys)
def test_nothing_is_lost_if_everything_is_published(table, measure):
    assert measure(Keep()(table)).value == pytest.approx(0, abs=1e-9)


def test_bucketization_loses_no_quasi_identifier(table):
    release = Mondrian(publish="bucketized")(table, KAnonymity(10))
    assert (
        InformationLoss()(release).value == GeneralizationSteps()(release).value == GeometricLoss()(release).value == 0
    )
    assert ReidentificationRisk()(release).value == ReidentificationRisk()(Keep()(table)).value


def test_removing_everything_generalizes_to_the_root(table):
    release = Remove()(table)
    levels = [len(table.columns[n].hierarchy.levels) if table.columns[n].hierarchy else 0 for n in table.quasi]
    assert InformationLoss()(release).value == GeometricLoss()(release).value == pytest.approx(1)
    assert GeneralizationSteps()(release).value == pytest.approx(np.mean(levels) + 1)
    assert NumberOfClasses()(release).value == 1
    assert Discernibility()(release).value == table.records**2
    assert AverageClassSize()(release).value == table.records
    assert ReidentificationRisk()(release).value == pytest.approx(1 / table.records)


def test_removing_the_sensitive_column_or_the_quasi_identifiers_is_equal_for_a_researcher(adult):
    without = UtilityLoss()(Remove("occupation")(adult)).value
    assert without == pytest.approx(UtilityLoss()(Remove()(adult)).value, abs=1e-9)


@pytest.mark.parametrize("measure", [m for m in MEASURES if not isinstance(m, LEARNERS)], **keys)
def test_the_baselines_bound_every_measure(table, measure):
    """Removing everything has the maximum privacy, and publishing everything the maximum utility."""
    if not measure.by_default and table.records > 1000:
        measure = replace(measure, miners="one rule")  # the others take minutes
    keep, remove = measure(Keep()(table)).value, measure(Remove()(table)).value
    between = measure(Mondrian()(table, KAnonymity(10))).value
    best, worst = (remove, keep) if measure.side == "privacy" else (keep, remove)
    if measure.better == "higher":
        best, worst = -best, -worst
        between = -between
    assert best - 1e-9 <= between
    assert best < worst
    if not isinstance(measure, QueryError):  # wrong columns may reveal more about a query that nobody meets than none
        assert between <= worst + 1e-9


def test_no_default_measure_trains_miners(small):
    """A release card and an audit use all the others."""
    asking = {m.key for m in MEASURES if {"miner", "miners"} & set(m.parameters())}
    assert asking == {"U_good", "U_gain", "U_bad"}
    by_default = {measure.key for measure in default_measures()}
    assert by_default == {measure.key for measure in MEASURES} - asking
    assert {measure.key for measure in ReleaseCard().measures} == by_default
    table = small(0)
    taken = {one["measure"] for one in audit_release(Mondrian()(table, KAnonymity(5)))["measures"]}
    assert taken == by_default - {Achieved().key} | {"R_id(statistic=average)"}


@pytest.mark.parametrize("measure", MEASURES, **keys)
def test_a_value_has_a_sentence(small, measure):
    for seed in (0, 1):
        for release in (Keep()(small(seed)), Remove()(small(seed)), Mondrian()(small(seed), KAnonymity(4))):
            measured = measure(release)
            assert isinstance(measured.value, float) and measured.value == measured.value
            assert measured.sentence.endswith(".") and "nan" not in measured.sentence
            assert " 1 classes" not in measured.sentence


@pytest.mark.parametrize("measure", MEASURES, **keys)
def test_a_table_without_sensitive_columns_has_size_and_shape_or_a_reason(small, measure):
    release = Mondrian()(small(0).with_roles(["age", "work", "sex"]), KAnonymity(4))
    widths = (InformationLoss, GeneralizationSteps, GeometricLoss, GroupUtility)
    others = (AntiUtility, KLDivergence, QueryError)  # also defined for quasi-identifiers only, with another figure
    sizes = (ReidentificationRisk, PopulationUniques, SinglingOut, Linkability, Achieved, *others, *widths)
    if isinstance(measure, (*sizes, Discernibility, AverageClassSize, NumberOfClasses)):
        with_column = Mondrian()(small(0), KAnonymity(4))
        assert isinstance(measure, others) or measure(release).value == measure(with_column).value
    else:
        with pytest.raises(Undefined, match=r"no (sensitive column|column is declared sensitive)"):
            measure(release)


def test_kl_divergence_of_quasi_identifiers_is_0_for_complete_releases_only(small):
    table = small(0).with_roles(["age", "work", "sex"])
    assert KLDivergence()(Keep()(table)).value == pytest.approx(0, abs=1e-12)
    assert KLDivergence()(Remove()(table)).value > 0.1


def test_the_largest_loss_of_several_sensitive_columns_counts(small):
    both = Mondrian()(small(2, ("disease", "wage")), KAnonymity(4))
    for measure in (*LEARNT, UtilityLoss(), KLDivergence()):
        alone = [measure(Mondrian()(small(2, (name,)), KAnonymity(4))).value for name in ("disease", "wage")]
        assert measure(both).value == pytest.approx(max(alone)), measure


@pytest.mark.parametrize(
    "measure", [m for m in MEASURES if not isinstance(m, (UtilityLoss, KLDivergence, *LEARNERS))], **keys
)
def test_a_release_without_classes_gives_a_reason(small, measure):
    nothing = Perturb()(small(0))
    if measure.side == "utility" or isinstance(measure, (Achieved, ReidentificationRisk)):
        with pytest.raises(Undefined, match="no classes"):
            measure(nothing)


@pytest.mark.parametrize("measure", [GoodUtility("disease"), WorkloadUtility("disease")], **keys)
def test_miners_learn_from_a_release_without_classes(small, measure):
    assert np.isfinite(measure(Perturb()(small(0))).value)


def test_without_large_populations_there_is_a_reason(small):
    with pytest.raises(Undefined, match="no population has 100 % of the records; lower min_support"):
        UtilityLoss(1.0)(Keep()(small(0)))


def test_a_person_alone_in_a_class_is_disclosed_even_with_the_commonest_value():
    frame = pd.DataFrame({"q": list("abcd"), "s": list("xxxy")})
    measured = PrivacyLoss()(Keep()(Table.from_frame(frame, ["q"], "s")))
    assert "; 4 records lose at least" in measured.sentence
    assert measured.detail["possible_from"] == pytest.approx(min(measured.detail["loss"]))


def test_the_quotient_is_finite_if_no_class_lacks_a_value():
    frame = pd.DataFrame({"q": ["a"] * 4 + ["b"] * 4, "s": list("xxxyxyyy")})
    table = Table.from_frame(frame, ["q"], "s")
    kept = LargestQuotient()(Keep()(table))
    assert kept.value == pytest.approx(np.log(2)) and InformationGain()(Keep()(table)).value < kept.value
    lacking = Table.from_frame(frame.replace({"s": {"y": "x"}}).assign(s=[*"xxxxxyyy"]), ["q"], "s")
    assert LargestQuotient()(Keep()(lacking)).value == inf
    assert "can be ruled out." in LargestQuotient()(Keep()(lacking)).sentence


def test_measures_of_size_agree():
    frame = pd.DataFrame({"q": list("aaab"), "s": list("xyxy")})
    release = Keep()(Table.from_frame(frame, ["q"], "s"))
    assert Discernibility()(release).value == 10
    assert AverageClassSize(2)(release).value == 1
    assert Achieved("k-anonymity")(release).value == 1
    assert ReidentificationRisk("average")(release).value == 0.5
    assert ReidentificationRisk("unique")(release).value == 0.25
