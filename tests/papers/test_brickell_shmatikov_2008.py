"""Brickell & Shmatikov 2008 on the bundled Adult data: Tables 2 and 3, figures 1 to 4, section 7's table.

What miners predict of every release was recorded by scripts/record_brickell_shmatikov.py; a part is predicted again.
"""

import importlib.util
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from workbench import Table, Unsatisfiable
from workbench.data.datasets import adult
from workbench.measures import AccuracyGain, KnowledgeGain, PrivacyLoss, WorkloadUtility
from workbench.methods import Keep, Mondrian, Remove
from workbench.models import DeltaDisclosure, KAnonymity, RecursiveLDiversity, TCloseness

pytestmark = pytest.mark.slow

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
    """Return five attributes from three fair coins, each outcome once."""
    rows = [
        {"a1": r1, "a2": r2, "a3": f"{r2}{r3}", "a4": r1 ^ r3, "a5": r1 ^ r2}
        for r1, r2, r3 in product((0, 1), repeat=3)
    ]
    return Table.from_frame(pd.DataFrame(rows), quasi=["a1", "a2"], sensitive="a3")


def test_section_7_removing_a2_alone_gives_perfect_privacy():
    assert PrivacyLoss()(Remove(columns=["a2"])(section_7())).value == 0
    assert PrivacyLoss()(Keep()(section_7())).value > 0
    assert PrivacyLoss()(Remove(columns=["a1"])(section_7())).value > 0


def tossed() -> Table:
    """Return the five attributes of 2,000 records with random coins, enough to learn from."""
    r1, r2, r3 = np.random.default_rng(0).integers(0, 2, (3, 2000))
    a3 = [f"{a}{b}" for a, b in zip(r2, r3, strict=True)]
    frame = pd.DataFrame({"a1": r1, "a2": r2, "a3": a3, "a4": r1 ^ r3, "a5": r1 ^ r2})
    return Table.from_frame(frame, quasi=["a1", "a2"], sensitive="a3")


@pytest.mark.parametrize(
    ("target", "without_quasi", "without_sensitive"),
    [("a3", 0.5, 0.25), ("a4", 1, 0.5), ("a5", 1, 1)],  # printed of a4: nothing, nothing; of a5: nothing, half
)
def test_section_7_everything_is_learned_without_a2(target, without_quasi, without_sensitive):
    found = WorkloadUtility(target)(Remove(columns=["a2"])(tossed())).detail
    assert found["U_san"] == found["U_max"] == 1
    assert found["without quasi-identifiers"] == pytest.approx(without_quasi, abs=0.05)
    assert found["without sensitive columns"] == pytest.approx(without_sensitive, abs=0.05)


@pytest.fixture(scope="module")
def script():
    path = Path(__file__).resolve().parents[2] / "scripts" / "record_brickell_shmatikov.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def recorded(script) -> pd.DataFrame:
    return pd.read_csv(script.RECORD)


def per_cent(recorded: pd.DataFrame, dataset: str, release: str, target: str, miner: str = "decision tree") -> float:
    """Return the recorded accuracy on the original or on a trivial sanitization."""
    asked = {"dataset": dataset, "release": release, "target": target, "miner": miner}
    (found,) = recorded[(recorded[[*asked]] == pd.Series(asked)).all(axis=1) & recorded.cuts.isna()].accuracy
    return 100 * found


TABLE_2 = {  # intact and without age, sex and race, as printed
    "workclass": (74.8618, 74.6672),
    "education": (41.6899, 41.1658),
    "marital_status": (69.3623, 58.5777),
    "occupation": (32.2387, 30.0363),
    "native_country": (91.7960, 91.6147),
    "salary": (82.7916, 82.4311),
}


def test_table_2(recorded):
    drops = {}
    for target, printed in TABLE_2.items():
        both = [per_cent(recorded, "Occupation", name, target) for name in ("original", "without quasi-identifiers")]
        assert both == pytest.approx(printed, abs=0.75)
        drops[target] = both[0] - both[1]
    assert drops.pop("marital_status") > 10 and max(drops.values()) < 3  # one drops much, as the paper says


@pytest.mark.parametrize(
    ("figure", "dataset", "release", "target", "miner", "printed"),
    [
        (1, "Marital", "without quasi-identifiers", "marital_status", "decision tree", 58.30),
        (2, "Occupation", "without quasi-identifiers", "occupation", "decision tree", 30.18),
        (3, "Marital", "without sensitive columns", "salary", "decision tree", 80.73),
        (3, "Marital", "without sensitive columns", "salary", "random forest", 77.12),
        (3, "Marital", "without sensitive columns", "salary", "naive bayes", 79.45),
        (4, "Occupation", "original", "marital_status", "decision tree", 69.52),
        (4, "Occupation", "without sensitive columns", "marital_status", "decision tree", 69.30),
    ],
)
def test_the_baselines_of_figures_1_to_4(recorded, figure, dataset, release, target, miner, printed):
    assert per_cent(recorded, dataset, release, target, miner) == pytest.approx(printed, abs=1)


def gains_of(recorded: pd.DataFrame) -> pd.DataFrame:
    """Return the researcher's gain over the better trivial sanitization for every miner and release."""
    plain = recorded[recorded.cuts.isna() & (recorded.release != "original")]
    base = plain.groupby(["dataset", "target"]).accuracy.max()
    found = recorded[recorded.cuts.notna()]
    return found.assign(gain=found.accuracy - base.loc[list(zip(found.dataset, found.target, strict=True))].to_numpy())


def test_the_adversary_gains_more_than_the_researcher_but_for_two_points(recorded):
    """The paper: for every sanitisation. Its parameters for marital status are not known; these are Table 3's."""
    found = gains_of(recorded)
    found = found[found.classes > 1]
    less = found[found.A_acc <= found.gain]
    assert found.groupby("cuts").size().to_dict() == {"all": 80, "best": 72}
    assert set(zip(less.cuts, less.dataset, less.release, less.target, strict=True)) == {
        ("all", "Marital", "l=3", "marital_status"),
        ("all", "Marital", "t=0.2", "marital_status"),
    }
    assert less.A_acc.max() < 0.02
    level = less[less.release != "l=3"]
    assert (level.gain - level.A_acc).max() < 0.003


def test_in_figure_4_sanitised_tables_are_no_better_than_one_without_occupations(recorded):
    found = gains_of(recorded)
    assert found[(found.dataset == "Occupation") & (found.target == "marital_status")].gain.max() < 0.001


def test_the_record_has_everything_that_the_script_requests(recorded, script):
    asked = {
        (name, cuts, label, target, miner)
        for name, one in script.EXPERIMENTS.items()
        for cuts, label, (target, miner) in product(("all", "best"), one.models(), one.tasks())
    }
    columns = ["dataset", "cuts", "release", "target", "miner"]
    there = list(recorded[recorded.cuts.notna()][columns].itertuples(index=False, name=None))
    assert len(there) == len(asked) and set(there) == asked


@pytest.mark.parametrize(("dataset", "name", "cuts"), [("Marital", "k=1000", "best"), ("Occupation", "t=0.2", "all")])
def test_a_part_of_the_record_is_predicted_again(recorded, script, dataset, name, cuts):
    one = script.EXPERIMENTS[dataset]
    release = one.release(name, cuts)
    found = WorkloadUtility(one.workload, "naive bayes")(release).detail
    for trivial in script.TRIVIAL[1:]:
        told = per_cent(recorded, dataset, trivial, one.workload, "naive bayes")
        assert 100 * found[trivial] == pytest.approx(told, abs=0.1)
    row = recorded.query("dataset == @dataset and cuts == @cuts and release == @name and miner == 'naive bayes'").iloc[
        0
    ]
    assert (row.classes, row.A_acc) == (len(release.classes), pytest.approx(found["A_acc"], abs=1e-5))
    assert found["U_san"] == pytest.approx(row.accuracy, abs=0.001)


def test_a_trees_accuracy_is_predicted_again(recorded, script):
    table = script.EXPERIMENTS["Occupation"].table()
    found = script.accuracy(Keep()(table), "marital_status", "decision tree")
    assert 100 * found == pytest.approx(per_cent(recorded, "Occupation", "original", "marital_status"), abs=0.5)


@pytest.mark.exhaustive
@pytest.mark.parametrize("dataset", ["Marital", "Occupation"])
def test_all_of_the_record_is_predicted_again(recorded, script, dataset):
    again = [*script.plain(dataset), *script.sanitised(dataset, "all"), *script.sanitised(dataset, "best")]
    told, found = recorded[recorded.dataset == dataset], pd.DataFrame(again)
    both = found.merge(told, on=["dataset", "cuts", "release", "target", "miner"], suffixes=("", "_told"))
    assert len(both) == len(told) == len(found)
    assert (both.accuracy - both.accuracy_told).abs().max() < 0.005
