"""The worked example of each model's paper."""

from math import exp, log

import pandas as pd
import pytest

from workbench.data.hierarchies.builders import Groups
from workbench.data.table import Table
from workbench.methods import Keep
from workbench.models import (
    AlphaK,
    BetaLikeness,
    DeltaDisclosure,
    DistinctLDiversity,
    EntropyLDiversity,
    KAnonymity,
    ProbabilisticLDiversity,
    RecursiveLDiversity,
    TCloseness,
)


def published(sensitive, *groups, hierarchies=None):
    """Return the classes of a published table: one group of sensitive values per class."""
    rows = [{"class": f"class {i}", **value} for i, group in enumerate(groups) for value in group]
    table = Table.from_frame(pd.DataFrame(rows), ["class"], sensitive, hierarchies=hierarchies or {})
    return Keep()(table).classes


def diseases(*groups):
    return published("disease", *([{"disease": name} for name in group] for group in groups))


@pytest.fixture(scope="module")
def four_anonymous():
    """Machanavajjhala et al. 2006: the inpatient microdata of figure 2."""
    return diseases(["Heart", "Heart", "Viral", "Viral"], ["Cancer", "Heart", "Viral", "Viral"], ["Cancer"] * 4)


@pytest.fixture(scope="module")
def three_diverse():
    """Machanavajjhala et al. 2006: the table of figure 3."""
    mixed = ["Heart", "Viral", "Cancer", "Cancer"]
    return diseases(mixed, ["Cancer", "Heart", "Viral", "Viral"], mixed)


def test_the_homogeneity_attack_succeeds_on_4_anonymous_inpatients(four_anonymous):
    assert KAnonymity(4).holds(four_anonymous).all()
    assert not KAnonymity(5).holds(four_anonymous).any()
    assert sorted(DistinctLDiversity(2).score(four_anonymous)) == [1, 2, 3]
    audit = DistinctLDiversity(2).audit(four_anonymous)
    assert (audit.achieved, audit.records, len(audit.violating)) == ((("l", 1),), 4, 1)


def test_the_3_diverse_inpatients_are_3_diverse_and_no_more(three_diverse):
    assert DistinctLDiversity(3).audit(three_diverse).holds
    assert not DistinctLDiversity(4).audit(three_diverse).holds
    assert EntropyLDiversity().achieved(three_diverse) == pytest.approx(exp(1.5 * log(2)))  # of a half and two quarters
    assert not EntropyLDiversity(3).audit(three_diverse).holds
    assert ProbabilisticLDiversity(2).audit(three_diverse).holds
    assert RecursiveLDiversity(c=2, l=2).audit(three_diverse).holds  # 2 < 2 (1 + 1)
    assert not RecursiveLDiversity(c=1, l=2).audit(three_diverse).holds  # 2 < 1 (1 + 1) fails
    assert not RecursiveLDiversity(c=2, l=3).audit(three_diverse).holds  # 2 < 2 (1) fails


# Li, Li & Venkatasubramanian 2007: salaries in thousands and diseases of nine patients, tables 4 and 5
PATIENTS = [
    (3, "gastric ulcer"), (4, "gastritis"), (5, "stomach cancer"),
    (6, "gastritis"), (11, "flu"), (8, "bronchitis"),
    (7, "bronchitis"), (9, "pneumonia"), (10, "stomach cancer"),
]  # fmt: skip
LUNG, STOMACH = ("flu", "pneumonia", "bronchitis"), ("gastric ulcer", "stomach cancer", "gastritis")
SYSTEMS = Groups(({"infection": LUNG, "stomach": STOMACH}, {"respiratory": LUNG, "digestive": STOMACH}))


def patients(*groups):
    chosen = [[{"salary": PATIENTS[i][0], "disease": PATIENTS[i][1]} for i in group] for group in groups]
    return published(["salary", "disease"], *chosen, hierarchies={"disease": SYSTEMS})


@pytest.fixture(scope="module")
def table_4():
    return patients([0, 1, 2], [3, 4, 5], [6, 7, 8])


@pytest.fixture(scope="module")
def table_5():
    return patients([0, 2, 7], [3, 4, 5], [1, 6, 8])


def only(classes, name):
    """Return the classes with one sensitive column."""
    return type(classes)(classes.sizes, {name: classes.histograms[name]}, {name: classes.sensitive[name]})


def test_salaries_of_3_to_5_thousand_are_0_375_away_and_those_of_6_8_11_are_0_167(table_4):
    distances = TCloseness(distance="ordered").score(only(table_4, "salary"))
    assert distances[:2] == pytest.approx([0.375, 1 / 6])


def test_the_second_grouping_is_0_167_close_in_salary(table_5):
    assert TCloseness(0.167, "ordered").audit(only(table_5, "salary")).holds
    assert not TCloseness(0.166, "ordered").audit(only(table_5, "salary")).holds


def test_three_stomach_diseases_are_0_5_away_and_a_mixture_0_278_where_six_diseases_are_equally_common(classes_of):
    """Both figures are printed for such a Q."""
    levels = [[0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 1]]
    ulcer_gastritis_cancer, ulcer_cancer_pneumonia = [1, 1, 1, 0, 0, 0], [1, 0, 1, 0, 0, 1]
    classes = classes_of(ulcer_gastritis_cancer, ulcer_cancer_pneumonia, whole=[1] * 6, levels=levels)
    assert TCloseness(distance="hierarchical").score(classes) == pytest.approx([0.5, 5 / 18])


def test_with_the_prior_of_the_table_the_distances_are_4_9_and_7_27(table_4, table_5):
    assert TCloseness(distance="hierarchical").score(only(table_4, "disease"))[0] == pytest.approx(4 / 9)
    assert TCloseness(distance="hierarchical").score(only(table_5, "disease"))[0] == pytest.approx(7 / 27)


def test_the_worst_sensitive_column_counts(table_4):
    both = TCloseness(distance="ordered").score(table_4)
    each = [TCloseness(distance="ordered").score(only(table_4, name)) for name in ("salary", "disease")]
    assert both.tolist() == [max(pair) for pair in zip(*each, strict=True)]


def test_two_patients_with_hiv_alone_are_2_anonymous_but_not_half_2_anonymous():
    """Wong et al. 2006: in (alpha,k)-anonymity no more than alpha of a class may have HIV; ours bounds every value."""
    alone = diseases(["HIV", "HIV"], ["flu", "fever"], ["flu", "fever"])
    dealt = diseases(["HIV", "flu"], ["HIV", "fever"], ["flu", "fever"])
    assert KAnonymity(2).audit(alone).holds
    assert AlphaK(0.5, 2).audit(alone).records == 2
    assert AlphaK(0.5, 2).audit(dealt).holds
    assert not AlphaK(0.49, 2).audit(dealt).holds
    assert not AlphaK(0.5, 3).audit(dealt).holds


def test_beta_likeness_limits_relative_gains_but_no_losses(classes_of):
    """Cao & Karras 2012, by hand: with beta 1, 1 % may become 2 %; enhanced, 40 % at most 76.7 %."""
    whole = [1, 40, 59]
    rare, common, lost = [2, 40, 58], [1, 80, 19], [0, 41, 59]
    classes = classes_of(rare, common, lost, whole=whole)
    assert BetaLikeness().score(classes) == pytest.approx([1, 1, 1 / 40])
    assert BetaLikeness(1).holds(classes).tolist() == [True, True, True]
    assert BetaLikeness(0.99).holds(classes).tolist() == [False, False, True]
    assert -log(0.4) == pytest.approx(0.916, abs=1e-3)
    assert BetaLikeness(1, enhanced=True).holds(classes).tolist() == [True, False, True]
    assert BetaLikeness(100, enhanced=True).holds(classes).tolist() == [True, False, True]


def test_delta_disclosure_limits_gains_and_losses(classes_of):
    """Brickell & Shmatikov 2008, definition 1, by hand: twice as likely and half as likely are both log 2."""
    doubled, halved, lost = [4, 6], [1, 9], [0, 10]
    classes = classes_of(doubled, halved, lost, whole=[2, 8])
    assert DeltaDisclosure().score(classes) == pytest.approx([log(2), log(2), float("inf")])
    assert DeltaDisclosure(log(2)).holds(classes).tolist() == [False, False, False]  # strictly below
    assert DeltaDisclosure(0.7).holds(classes).tolist() == [True, True, False]
    assert DeltaDisclosure(0.7, absent="allowed").holds(classes).tolist() == [True, True, True]
