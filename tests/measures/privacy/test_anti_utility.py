"""Anti-utility: by hand, beside a loop over people, and the identity of section 3 with A_know."""

import numpy as np
import pandas as pd
import pytest

from workbench import Table
from workbench.base.errors import BadInput, Undefined
from workbench.measures import AntiUtility, KnowledgeGain
from workbench.methods import Laplace, Remove
from workbench.methods.keep import Keep
from workbench.miners import DecisionTree, Majority, NaiveBayes
from workbench.miners.cross_fitting import cross_fitted
from workbench.miners.sets import called, chosen
from workbench.models.distances import variation
from workbench.releases.partition import Partition


@pytest.fixture(scope="module")
def table():
    """The neutral grade tells about an age what intervals that overlap do not."""
    rng = np.random.default_rng(3)
    age = rng.integers(20, 80, 400)
    grade = np.where(rng.random(400) < 0.9, age // 10, rng.integers(2, 8, 400))
    frame = pd.DataFrame({"age": age, "sex": rng.choice(["f", "m"], 400, p=[0.3, 0.7])})
    frame["grade"] = grade.astype(str)
    frame["ill"] = np.where(age + rng.integers(0, 30, 400) > 70, "gout", np.where(rng.random(400) < 0.2, "flu", "none"))
    return Table.from_frame(frame, ["age", "sex"], "ill")


@pytest.fixture(scope="module")
def release(table):
    """Neighbours by age, roughly: their intervals are of many lengths, and overlap."""
    cells, rng = table.cells(), np.random.default_rng(1)
    order = np.argsort(cells.quasi[0] + rng.normal(0, 6, len(cells)))
    group = np.empty(len(cells), np.int32)
    group[order] = np.arange(len(cells)) // 9
    return Partition(table, cells, group)


def loop(release, miner, c=0, weight=lambda person: 1):
    """Definition 2.4 for an age, person by person."""
    shown, found = release.shown("age"), cross_fitted(release, "age", miner).of(miner)
    ages, reached, total = release.table.columns["age"].values, 0, 0
    for person, code in enumerate(release.table.codes["age"].tolist()):
        low, high = (ages[end[shown.group[person]]] for end in (shown.regions.low, shown.regions.high))
        first, last = (ages[end[found.group[person]]] for end in (found.regions.low, found.regions.high))
        inside = first <= ages[code] <= last
        short = last - first < high - low if c == 0 else last - first <= (100 - c) / 100 * (high - low)
        reached += weight(person) * ((inside and short and low < high) or low == high)
        total += weight(person)
    return reached / total


@pytest.mark.parametrize("c", [0, 30, 100])
def test_it_is_a_loop_over_people(release, c):
    for miner in (DecisionTree(), NaiveBayes(), Majority()):
        assert AntiUtility("age", miner, c=c)(release).value == pytest.approx(loop(release, miner, c))
    assert AntiUtility("age", DecisionTree())(release).value > 0.1


def test_the_worst_and_the_average_of_a_set(release):
    each = [AntiUtility("age", miner)(release).value for miner in ("naive bayes", "decision tree", "random forest")]
    assert AntiUtility("age", "three")(release).value == max(each)
    found = AntiUtility("age", "three", of="average")(release)
    assert found.value == pytest.approx(np.mean(each))
    assert found.detail["miner"] == called(chosen("three")[int(np.argmax(each))])
    assert "three" not in found.sentence and "nearer than it is published" in found.sentence


def test_protected_people_alone_count(table, release):
    sex = table.columns["sex"].labels[0]
    protected = table.codes["sex"] == 0
    weights = {f"sex = '{sex}'": 2, "others": 0}
    found = AntiUtility("age", DecisionTree(), weights=weights)(release).value
    assert found == pytest.approx(loop(release, DecisionTree(), weight=lambda person: 2.0 * protected[person]))
    with pytest.raises(Undefined, match="nobody is to be protected"):
        AntiUtility("age", DecisionTree(), weights={"age >= 20": 0})(release)


def test_its_name_is_as_people_type_it():
    """Axes and caps of a study repeat it."""
    given = AntiUtility(target=["age", "sex"], miners=["one rule", {"name": "naive bayes"}], c=50)
    assert given.key == "U_bad(target=age+sex, miners=one rule+naive bayes, c=50.0)"
    assert given == AntiUtility(("age", "sex"), ["one rule", NaiveBayes()], 50.0)
    assert AntiUtility(miners={"name": "naive bayes"}).key == "U_bad(miners=naive bayes)"


def test_several_columns_are_reached_if_one_is(release):
    both = AntiUtility(["age", "sex"], DecisionTree())(release).value
    assert both >= max(AntiUtility(name, DecisionTree())(release).value for name in ("age", "sex"))


def test_nobody_needs_a_miner_for_what_is_published_as_it_is_and_none_learns_what_is_not_published(table):
    assert AntiUtility("age", DecisionTree())(Keep()(table)).value == 1
    assert AntiUtility("age", DecisionTree())(Remove()(table)).value == 0


def test_noise_is_predicted_nearer_by_who_knows_the_mean(table):
    release = Laplace(epsilon=0.01, columns=["age"], bounds="age: 17..90")(table)
    found = AntiUtility("age")(release)
    assert set(found.detail["miners"]) == {"mean", "linear regression", "regression tree"}
    assert found.detail["miners"]["mean"] > 0.7  # of 400 draws: the mean of the noise is off it, too
    with pytest.raises(Undefined, match="noisy numbers"):
        AntiUtility("age", "three")(release)


def test_of_noisy_numbers_and_values_each_miner_predicts_what_it_can(table):
    release = Laplace(epsilon=0.01, columns=["age"], bounds="age: 17..90")(table)
    found = AntiUtility(["age", "sex"])(release)
    assert set(found.detail["miners"]) == {called(miner) for miner in chosen("common")}
    assert found.value == 1, "sex is published unchanged"


def test_completed_with_the_worst_predictions_no_gain_falls(release):
    completed = AntiUtility("age")(release).detail["completed"]["ill"]
    assert completed.accuracy[1] >= completed.accuracy[0]
    assert completed.knowledge[1] > completed.knowledge[0]
    assert completed.knowledge[0] == pytest.approx(KnowledgeGain()(release).value)


def test_the_theoretical_miner_of_section_3_gains_what_a_know_says(table, release):
    """U_bad with v = 1, the miner that returns how far its class's distribution lies from Q, and E* = that / |DB|."""
    posterior, prior = release.posterior("ill"), table.sensitive["ill"].prior
    predicted = variation(posterior.beliefs, prior)[release.group_of_record]
    assert sum(predicted / table.records) == pytest.approx(KnowledgeGain()(release).value)


@pytest.mark.parametrize(
    "wrong, match",
    [({"target": "grade"}, "not a quasi-identifier"), ({"target": "agee"}, "agee"), ({"miners": "weka"}, "weka")],
)
def test_what_cannot_be_asked_is_said(release, wrong, match):
    with pytest.raises(BadInput, match=match):
        AntiUtility(**wrong)(release)
