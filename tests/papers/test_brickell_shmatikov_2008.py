"""Brickell & Shmatikov 2008 on the bundled Adult data: Table 3, the adversary's baselines and section 7's table."""

from functools import cache
from itertools import product

import pandas as pd
import pytest

from workbench import Table, Unsatisfiable
from workbench.data.datasets import adult
from workbench.measures import AccuracyGain, KnowledgeGain, PrivacyLoss
from workbench.methods import Keep, Mondrian, Remove
from workbench.models import DeltaDisclosure, KAnonymity, RecursiveLDiversity, TCloseness

TABLE_3 = [  # model, A_acc, A_know as printed, tolerance of A_know
    (KAnonymity(10), 0.0957, 0.2331, 0.01),
    (KAnonymity(100), 0.0909, 0.2236, 0.01),
    (KAnonymity(1000), 0.0885, 0.2131, 0.01),
    (RecursiveLDiversity(3, 2), 0.0966, 0.2353, 0.015),
    (RecursiveLDiversity(3, 5), 0.0940, 0.2316, 0.01),
    (RecursiveLDiversity(3, 10), 0.0400, 0.1217, 0.01),
    (TCloseness(0.4), 0.0924, 0.2264, 0.01),
    (TCloseness(0.3), 0.0861, 0.2131, 0.01),
    (TCloseness(0.2), 0.0396, 0.1213, 0.01),
    (DeltaDisclosure(1.2), 0.0328, 0.0944, 0.01),
    (DeltaDisclosure(1.0), 0.0327, 0.0937, 0.01),
    (DeltaDisclosure(0.8), 0.0327, 0.0915, 0.01),
]
SPLIT = {"split": "information_gain", "target": "marital_status"}


@cache
def occupation() -> Table:
    return adult(quasi=["age", "sex", "race"], sensitive="occupation")


def gains(release):
    return AccuracyGain()(release).value, KnowledgeGain()(release).value


def test_table_3_intact():
    accuracy, knowledge = gains(Keep()(occupation()))
    assert (round(accuracy, 4), round(knowledge, 4)) == (0.1034, 0.2492)


@pytest.mark.parametrize(("model", "accuracy", "knowledge", "within"), TABLE_3, ids=lambda v: str(v))
def test_table_3(model, accuracy, knowledge, within):
    ours = gains(Mondrian(**SPLIT)(occupation(), model))
    assert ours[0] == pytest.approx(accuracy, abs=0.01)
    assert ours[1] == pytest.approx(knowledge, abs=within)


def test_table_3_suppressed_row():
    assert gains(Remove()(occupation())) == pytest.approx((0, 0))


def test_table_3_no_release_can_have_l_15_with_14_values():
    with pytest.raises(Unsatisfiable, match="14 values"):
        Mondrian(**SPLIT)(occupation(), RecursiveLDiversity(3, 15))


@pytest.mark.parametrize(
    ("model", "knowledge", "within"),
    [(TCloseness(t), k, 0.0022) for t, k in ((0.4, 0.2264), (0.3, 0.2131), (0.2, 0.1213))]
    + [(DeltaDisclosure(d), k, 0.0009) for d, k in ((1.2, 0.0944), (1.0, 0.0937))]
    + [(RecursiveLDiversity(3, 10), 0.1217, 0.0144)],
    ids=str,
)
def test_table_3_with_each_attributes_best_cut_only(model, knowledge, within):
    ours = KnowledgeGain()(Mondrian(**SPLIT, cuts="best")(occupation(), model)).value
    assert ours == pytest.approx(knowledge, abs=within)


@pytest.mark.parametrize(
    ("quasi", "sensitive", "printed"),
    [(["age", "sex", "race"], "occupation", 13.31), (["age", "occupation", "education"], "marital_status", 46.56)],
)
def test_the_adversarys_baseline(quasi, sensitive, printed):
    prior = adult(quasi=quasi, sensitive=sensitive).sensitive[sensitive].prior
    assert round(100 * prior.max(), 2) == printed


def section_7() -> Table:
    """Five attributes from three fair coins, each outcome once."""
    rows = [
        {"a1": r1, "a2": r2, "a3": f"{r2}{r3}", "a4": r1 ^ r3, "a5": r1 ^ r2}
        for r1, r2, r3 in product((0, 1), repeat=3)
    ]
    return Table.from_frame(pd.DataFrame(rows), quasi=["a1", "a2"], sensitive="a3")


def test_section_7_removing_a2_alone_gives_perfect_privacy():
    assert PrivacyLoss()(Remove(columns=["a2"])(section_7())).value == 0
    assert PrivacyLoss()(Keep()(section_7())).value > 0
    assert PrivacyLoss()(Remove(columns=["a1"])(section_7())).value > 0
