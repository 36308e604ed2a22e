"""Anti-utility: by hand, compared with a loop over people, and the identity of section 3 with A_know."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from workbench import Table
from workbench.base.errors import BadInput, Undefined
from workbench.data.hierarchies.builders import Groups
from workbench.measures import AccuracyGain, AntiUtility, KnowledgeGain
from workbench.measures.privacy.anti_utility import NONE, distance, gains, is_closer, protected_hits
from workbench.methods import Laplace, Mondrian, Remove
from workbench.methods.keep import Keep
from workbench.miners import DecisionTree, Majority, Mean, NaiveBayes
from workbench.miners.cross_fitting import cross_fit
from workbench.miners.sets import display_name, resolve_miners
from workbench.models import KAnonymity
from workbench.models.distribution_distances import variation
from workbench.queries.evaluator import Regions
from workbench.releases.partition import Partition
from workbench.releases.shown import Shown


@pytest.fixture(scope="module")
def table():
    """The neutral grade reveals about an age what overlapping intervals do not."""
    rng = np.random.default_rng(3)
    age = rng.integers(20, 80, 400)
    grade = np.where(rng.random(400) < 0.9, age // 10, rng.integers(2, 8, 400))
    frame = pd.DataFrame({"age": age, "sex": rng.choice(["f", "m"], 400, p=[0.3, 0.7])})
    frame["grade"] = grade.astype(str)
    frame["ill"] = np.where(age + rng.integers(0, 30, 400) > 70, "gout", np.where(rng.random(400) < 0.2, "flu", "none"))
    return Table.from_frame(frame, ["age", "sex"], "ill")


@pytest.fixture(scope="module")
def release(table):
    """Approximate neighbors by age: their intervals have different lengths, and overlap."""
    cells, rng = table.cells(), np.random.default_rng(1)
    order = np.argsort(cells.quasi[0] + rng.normal(0, 6, len(cells)))
    group = np.empty(len(cells), np.int32)
    group[order] = np.arange(len(cells)) // 9
    return Partition(table, cells, group)


def loop(release, miner, c=0, weight=lambda person: 1):
    """Return definition 2.4 for an age, person by person."""
    shown, found = release.shown("age"), cross_fit(release, "age", miner).by_miner(miner)
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
def test_the_figure_equals_a_loop_over_people(release, c):
    for miner in (DecisionTree(), NaiveBayes(), Majority()):
        assert AntiUtility("age", miner, c=c)(release).value == pytest.approx(loop(release, miner, c))
    assert AntiUtility("age", DecisionTree())(release).value > 0.1


def test_the_worst_and_the_average_of_a_set(release):
    each = [AntiUtility("age", miner)(release).value for miner in ("naive bayes", "decision tree", "random forest")]
    assert AntiUtility("age", "three")(release).value == max(each)
    found = AntiUtility("age", "three", of="average")(release)
    assert found.value == pytest.approx(np.mean(each))
    assert found.detail["miner"] == display_name(resolve_miners("three")[int(np.argmax(each))])
    assert "three" not in found.sentence and "more closely than it is published" in found.sentence


def test_only_protected_people_count(table, release):
    sex = table.columns["sex"].labels[0]
    protected = table.codes["sex"] == 0
    weights = {f"sex = '{sex}'": 2, "others": 0}
    found = AntiUtility("age", DecisionTree(), weights=weights)(release).value
    assert found == pytest.approx(loop(release, DecisionTree(), weight=lambda person: 2.0 * protected[person]))
    with pytest.raises(Undefined, match="there is nobody to protect"):
        AntiUtility("age", DecisionTree(), weights={"age >= 20": 0})(release)


def test_the_key_is_easy_to_type():
    """Axes and caps of a study repeat the key."""
    given = AntiUtility(target=["age", "sex"], miners=["one rule", {"name": "naive bayes"}], c=50)
    assert given.key == "U_bad(target=age+sex, miners=one rule+naive bayes, c=50.0)"
    assert given == AntiUtility(("age", "sex"), ["one rule", NaiveBayes()], 50.0)
    assert AntiUtility(miners={"name": "naive bayes"}).key == "U_bad(miners=naive bayes)"


def test_one_closer_column_is_enough(release):
    both = AntiUtility(["age", "sex"], DecisionTree())(release).value
    assert both >= max(AntiUtility(name, DecisionTree())(release).value for name in ("age", "sex"))


def test_unchanged_columns_count_and_unpublished_ones_do_not(table):
    assert AntiUtility("age", DecisionTree())(Keep()(table)).value == 1
    assert AntiUtility("age", DecisionTree())(Remove()(table)).value == 0


def test_the_mean_predicts_noisy_numbers_more_closely(table):
    release = Laplace(epsilon=0.01, columns=["age"], bounds="age: 17..90")(table)
    found = AntiUtility("age")(release)
    assert set(found.detail["miners"]) == {"mean", "linear regression", "regression tree"}
    assert found.detail["miners"]["mean"] > 0.7  # over 400 draws; the mean is not exact either
    with pytest.raises(Undefined, match="noisy numbers"):
        AntiUtility("age", "three")(release)


def test_each_miner_predicts_the_columns_that_it_can(table):
    release = Laplace(epsilon=0.01, columns=["age"], bounds="age: 17..90")(table)
    found = AntiUtility(["age", "sex"])(release)
    assert set(found.detail["miners"]) == {display_name(miner) for miner in resolve_miners("common")}
    assert found.value == 1, "sex is published unchanged"


def test_no_gain_decreases_in_the_completed_release(release):
    completed = AntiUtility("age")(release).detail["completed"]["ill"]
    assert completed.accuracy[1] >= completed.accuracy[0]
    assert completed.knowledge[1] > completed.knowledge[0]
    assert completed.knowledge[0] == pytest.approx(KnowledgeGain()(release).value)


def test_the_theoretical_miner_of_section_3_gains_a_know(table, release):
    """U_bad with v = 1, the miner that returns the distance of its class from Q, and E* = that / |DB|."""
    posterior, prior = release.posterior("ill"), table.sensitive["ill"].prior
    predicted = variation(posterior.beliefs, prior)[release.group_of_record]
    assert sum(predicted / table.records) == pytest.approx(KnowledgeGain()(release).value)


@pytest.mark.parametrize(
    "wrong, match",
    [({"target": "grade"}, "not a quasi-identifier"), ({"target": "agee"}, "agee"), ({"miners": "weka"}, "weka")],
)
def test_bad_parameters_are_reported(release, wrong, match):
    with pytest.raises(BadInput, match=match):
        AntiUtility(**wrong)(release)


# The people a miner hits: one of several columns is enough, and predictions are distinguished.


@pytest.fixture(scope="module")
def hits_release():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.integers(20, 60, 200), "pay": rng.integers(0, 30, 200)})
    frame["ill"] = rng.choice(["x", "y"], 200, p=[0.8, 0.2])
    table = Table.from_frame(frame, ["age", "pay"], "ill")
    cells = table.cells()
    group = (rng.permutation(len(cells)) // 8).astype(np.int32)
    return Partition(table, cells, group)


def test_one_column_is_enough_and_predictions_are_distinguished(hits_release):
    miner = Majority()
    age, pay, both = (
        protected_hits(hits_release, names, [miner], 0)[miner] for names in (["age"], ["pay"], ["age", "pay"])
    )
    assert age.hit.any() and pay.hit.any()
    assert (both.hit == (age.hit | pay.hit)).all()
    pairs = set(zip(age.predicted.tolist(), pay.predicted.tolist(), strict=True))
    assert len(set(both.predicted.tolist())) == len(pairs)
    shown = hits_release.shown("age")
    alone = (shown.regions.low == shown.regions.high)[shown.group]
    assert ((age.predicted == NONE) == (~age.hit | alone)).all()


def test_miners_that_cannot_predict_a_column_do_not_take_part(hits_release):
    assert list(protected_hits(hits_release, ["age"], [Majority(), Mean()], 0)) == [Majority()]
    noisy = Laplace(epsilon=1, columns=["age"], bounds="age: 20..60")(hits_release.table)
    assert list(protected_hits(noisy, ["age"], [Majority(), Mean()], 0)) == [Mean()]
    with pytest.raises(Undefined, match=r"noisy numbers of .age., which none of the miners predicts"):
        protected_hits(noisy, ["age"], [Majority()], 0)


# Closer predictions compared with the definition in loops over intervals, sets, values and numbers.

JOBS = {"Office": ["clerk", "typist"], "Craft": ["baker", "cook", "smith"]}


@pytest.fixture(scope="module")
def columns():
    frame = pd.DataFrame(
        {
            "age": [20, 25, 26, 30, 40, 41, 60, 61],
            "job": ["clerk", "typist", "baker", "cook", "smith", "cook", "baker", "clerk"],
            "town": list("abcdabcd"),
            "ill": list("xyxyxyxy"),
        }
    )
    table = Table.from_frame(frame, ["age", "job", "town"], "ill", hierarchies={"job": Groups(levels=[JOBS])})
    return table.columns


def regions(column, *runs, of, held=None):
    low, high = np.array(runs).T
    bits = None if held is None else np.array(held, bool)
    found, number = Regions.distinct(column, low, high, bits)
    return Shown(column, group=number[np.array(of)], regions=found)


def test_the_distance_of_an_interval_is_its_width_if_it_contains_the_truth(columns):
    age = columns["age"]  # codes 0..7
    shown = regions(age, (0, 3), (4, 7), of=[0, 0, 1])
    assert distance(shown, np.array([1, 4, 5])).tolist() == [10, np.inf, 21]


def test_the_distance_of_a_set_is_its_number_of_other_values(columns):
    job = columns["job"]
    run = regions(job, (0, 1), (0, len(job.values) - 1), of=[0, 1])
    assert distance(run, np.array([1, 1])).tolist() == [1, 4]
    town = regions(columns["town"], (0, 3), (1, 2), of=[0, 1, 1], held=[[1, 0, 0, 1], [0, 1, 1, 0]])
    assert distance(town, np.array([3, 1, 0])).tolist() == [1, 1, np.inf]


def test_the_distance_of_text_is_the_number_of_other_leaves_of_the_common_node(columns):
    job = columns["job"]
    code = {label: at for at, label in enumerate(job.labels)}
    pairs = [("clerk", "clerk", 0), ("clerk", "typist", 1), ("baker", "smith", 2), ("cook", "typist", 4)]
    shown = Shown(job, codes=np.array([code[one] for one, _, _ in pairs]))
    assert distance(shown, np.array([code[other] for _, other, _ in pairs])).tolist() == [far for *_, far in pairs]


def test_the_distance_of_numbers_is_the_error_and_missing_is_at_infinity(columns):
    age = columns["age"]
    shown = Shown(age, numbers=np.array([22.5, 20.0, np.nan]))
    assert distance(shown, np.array([1, 0, 0])).tolist() == [2.5, 0, np.inf]


@pytest.mark.parametrize(
    "c, expected",
    [(0, [True, True, False, False]), (60, [True, False, False, False]), (100, [False, False, False, False])],
)
def test_a_prediction_is_closer_by_at_least_c(columns, c, expected):
    age = columns["age"]
    shown = regions(age, (0, 3), of=[0, 0, 0, 0])  # 20 to 30; one of the people is 25 years old
    runs = [(1, 2), (1, 3), (0, 3), (2, 3)]
    told = regions(age, *runs, of=[0, 1, 2, 3])
    true = np.array([1, 1, 1, 1])
    found = is_closer(told, shown, true, c)
    assert found.tolist() == [naive(age, run, (0, 3), 1, c) for run in runs] == expected


def naive(column, predicted, shown, true, c):
    """Return section 2.4, word by word."""
    if not predicted[0] <= true <= predicted[1]:
        return False
    long, short = (column.values[high] - column.values[low] for low, high in (shown, predicted))
    return bool(short < long if c == 0 else short <= (100 - c) / 100 * long)


def test_integers_are_rounded_to_be_exact_and_exact_values_cannot_be_predicted_more_closely(columns):
    age = columns["age"]
    told = Shown(age, numbers=np.array([25.4, 25.6, 25.0]))
    shown = Shown(age, numbers=np.array([80.0, 80.0, 25.0]))
    true = np.array([1, 1, 1])
    assert is_closer(told, shown, true, 100).tolist() == [True, False, False]
    assert is_closer(told, shown, true, 0).tolist() == [True, True, False]


def test_a_node_with_one_value_in_the_data_is_not_exact(columns):
    age = columns["age"]
    shown, told = regions(age, (0, 3), of=[0]), regions(age, (1, 1), of=[0])
    true = np.array([1])
    assert is_closer(told, shown, true, 100).all() and not is_closer(told, shown, true, 100, nodes=True).any()
    assert is_closer(told, shown, true, 0, nodes=True).all()
    assert distance(told, true, nodes=True)[0] > 0


# The completed release: gains computed by hand, and predictions never lower them.


def table_of(ages, ill):
    return Table.from_frame(pd.DataFrame({"age": ages, "ill": ill}), ["age"], "ill")


def test_gains_counted_by_hand():
    table = table_of([20, 30, 20, 30], list("xyxy"))
    release = Remove()(table)
    found = gains(release, "ill", np.array([0, 1, 0, 1]))
    assert found.accuracy == pytest.approx((0, 0.5))  # with the predictions, everybody's value is certain
    assert found.knowledge == pytest.approx((0, 0.5))
    nothing = gains(release, "ill", np.array([0, 0, 1, 1]))
    assert nothing.accuracy == nothing.knowledge == (0, 0)


def test_without_predictions_the_gains_are_those_of_the_release():
    rng = np.random.default_rng(0)
    ages = rng.integers(20, 60, 300)
    table = table_of(ages, np.where(ages + rng.integers(0, 30, 300) > 55, "x", np.where(ages % 2, "y", "z")))
    release = Mondrian()(table, KAnonymity(7))
    found = gains(release, "ill", np.full(300, -1))
    assert found.accuracy == pytest.approx([AccuracyGain()(release).value] * 2)
    assert found.knowledge == pytest.approx([KnowledgeGain()(release).value] * 2)


@examples(40)
@given(st.lists(st.tuples(st.integers(0, 9), st.sampled_from("xyz"), st.integers(-1, 3)), min_size=2, max_size=60))
def test_gains_never_decrease(rows):
    ages, ill, predicted = zip((1, "x", 0), (2, "y", 0), *rows, strict=True)  # two values at least
    release = Mondrian()(table_of(ages, ill), KAnonymity(2))
    found = gains(release, "ill", np.array(predicted))
    assert found.accuracy[1] >= found.accuracy[0] - 1e-12
    assert found.knowledge[1] >= found.knowledge[0] - 1e-12


def test_buckets_publish_quasi_identifiers_unchanged_and_have_no_completed_release():
    release = Mondrian(publish="bucketized")(table_of([20, 30, 40, 50], list("xyxy")), KAnonymity(2))
    with pytest.raises(Undefined, match="regions alone"):
        gains(release, "ill", np.zeros(4, int))
    assert Keep()(table_of([1, 2], list("xy"))).classes
