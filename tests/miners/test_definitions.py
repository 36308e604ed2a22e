"""Each miner beside its definition: a naive version, a worked example, or the estimator that it stands for."""

import math

import numpy as np
import pytest

from workbench.miners import DecisionTree, Majority, NaiveBayes, RandomForest
from workbench.miners.decision_tree import Pruned, kept_leaf, limits


def skewed(seed: int, records: int = 300):
    """Three columns of codes and a target that follows two of them, with noise."""
    rng = np.random.default_rng(seed)
    rows = np.stack([rng.geometric(0.4, records) % 5, rng.integers(0, 3, records), rng.integers(0, 2, records)], axis=1)
    labels = (rows[:, 0] + 2 * rows[:, 1] + (rng.random(records) < 0.2)) % 4 + 10
    return rows.astype(np.float32), labels.astype(np.int32)


# --- majority


def test_majority_says_what_most_have():
    learner = Majority().learner([], 0).fit(np.zeros((5, 1)), np.array([3, 7, 7, 1, 7]))
    assert learner.predict(np.ones((2, 1))).tolist() == [7, 7]


# --- naive Bayes


def by_hand(rows, labels, nominal, smoothing, record):
    """The likeliest value, by multiplying shares."""
    found = {}
    for value in sorted(set(labels.tolist())):
        its = rows[labels == value]
        chance = len(its) / len(rows)
        for a, things in enumerate(nominal):
            if things:
                same = sum(1 for row in its if row[a] == record[a])
                chance *= (same + smoothing) / (len(its) + smoothing * things)
            elif not math.isnan(record[a]):
                known = [row[a] for row in its if not math.isnan(row[a])]
                whole = [row[a] for row in rows if not math.isnan(row[a])]
                mean = sum(known) / len(known)
                variance = sum((one - mean) ** 2 for one in known) / len(known)
                centre = sum(whole) / len(whole)
                variance = max(variance, 1e-3 * sum((one - centre) ** 2 for one in whole) / len(whole))
                chance *= math.exp(-((record[a] - mean) ** 2) / (2 * variance)) / math.sqrt(2 * math.pi * variance)
        found[value] = chance
    return max(found, key=found.get)


@pytest.mark.parametrize("seed", range(3))
def test_naive_bayes_multiplies_shares_and_densities(seed):
    rows, labels = skewed(seed)
    rng = np.random.default_rng(seed)
    numbers = (labels + rng.normal(0, 1, len(labels))).astype(np.float32)
    numbers[rng.random(len(labels)) < 0.1] = np.nan
    rows, nominal = np.column_stack([rows, numbers]), [5, 3, 2, 0]
    learner = NaiveBayes(smoothing=0.5).learner(nominal, 0).fit(rows[:200], labels[:200])
    expected = [by_hand(rows[:200], labels[:200], nominal, 0.5, row) for row in rows[200:]]
    assert learner.predict(rows[200:]).tolist() == expected


def test_naive_bayes_on_the_weather_of_textbooks():
    """Outlook sunny, temperature cool, humidity high, windy: play has .0053 before scaling, no play .0206."""
    play = "sunny hot high f n;sunny hot high t n;overcast hot high f y;rainy mild high f y;rainy cool normal f y;"
    play += "rainy cool normal t n;overcast cool normal t y;sunny mild high f n;sunny cool normal f y;"
    play += "rainy mild normal f y;sunny mild normal t y;overcast mild high t y;overcast hot normal f y;"
    play += "rainy mild high t n"
    rows = np.array([one.split() for one in play.split(";")])
    codes = np.stack([np.unique(column, return_inverse=True)[1] for column in rows.T], axis=1)
    learner = NaiveBayes(smoothing=1e-9).learner([3, 3, 2, 2], 0).fit(codes[:, :4].astype(np.float32), codes[:, 4])
    order = [sorted(set(column)) for column in rows.T]
    asked = [[order[a].index(word) for a, word in enumerate(("sunny", "cool", "high", "t"))]]
    assert np.exp(learner.log_joint(np.array(asked, np.float32)))[0] == pytest.approx([0.0206, 0.0053], abs=5e-5)


# --- decision tree


def test_limits_are_those_that_quinlan_prints():
    """U25%(0, 6) = .206, U25%(0, 9) = .143, U25%(0, 1) = .750; with errors so few or fewer have a chance of 25 %."""
    errors, records = np.array([0.0, 0, 0, 1, 3]), np.array([6, 9, 1, 16, 40])
    found = limits(errors, records, Pruned(2, 0.25, 0)) / records
    assert found[:3] == pytest.approx([0.206, 0.143, 0.750], abs=6e-4)
    for rate, most, n in zip(found, errors, records, strict=True):
        chances = (math.comb(n, e) * rate**e * (1 - rate) ** (n - e) for e in range(int(most) + 1))
        assert sum(chances) == pytest.approx(0.25)


def test_a_subtree_is_cut_where_a_leaf_has_no_more_errors():
    """Node 0 has children 1 and 4, node 1 has 2 and 3; errors of 1 alone are fewer than of 2 and 3 together."""
    left, right = np.array([1, 2, -1, -1, -1]), np.array([4, 3, -1, -1, -1])
    assert kept_leaf(left, right, np.array([9.0, 2.0, 1.5, 1.5, 3.0])).tolist() == [0, 1, 1, 1, 4]
    assert kept_leaf(left, right, np.array([9.0, 4.0, 1.5, 1.5, 3.0])).tolist() == [0, 1, 2, 3, 4]
    assert kept_leaf(left, right, np.array([4.0, 4.0, 1.5, 1.5, 3.0])).tolist() == [0, 0, 0, 0, 0]


@pytest.mark.parametrize("seed", range(3))
def test_a_tree_that_is_not_pruned_is_scikit_learns(seed):
    from sklearn.tree import DecisionTreeClassifier

    rows, labels = skewed(seed)
    other = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2, random_state=5).fit(rows, labels)
    ours = DecisionTree(leaf=2, confidence=1).learner([], 5).fit(rows, labels)
    assert (ours.predict(rows) == other.predict(rows)).all()


def test_what_follows_from_nothing_is_pruned_to_one_leaf():
    rng = np.random.default_rng(2)
    rows, labels = rng.random((400, 3)), (rng.random(400) < 0.2).astype(np.int32)
    learner = DecisionTree(confidence=1e-6).learner([], 0).fit(rows, labels)
    assert (learner.predict(rows) == 0).all()
    assert (DecisionTree(confidence=1).learner([], 0).fit(rows, labels).predict(rows) == 1).any()


# --- random forest


def test_a_forest_finds_what_follows_from_two_columns():
    rows, labels = skewed(4, 2000)
    one, two = (RandomForest(trees=20).learner([], seed).fit(rows[:1500], labels[:1500]) for seed in (1, 1))
    assert (one.predict(rows) == two.predict(rows)).all()
    assert (one.predict(rows[1500:]) == labels[1500:]).mean() > 0.7  # .8 of the target follows; by chance .25
