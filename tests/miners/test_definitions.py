"""Each miner compared with its definition: a naive version, a worked example, or the estimator that it wraps."""

import math

import numpy as np
import pytest

from workbench.miners import (
    DecisionStump,
    DecisionTree,
    GradientBoosting,
    LinearRegression,
    LinearSVM,
    LocallyWeighted,
    LogisticRegression,
    Majority,
    Mean,
    ModelTree,
    NaiveBayes,
    NearestCentroid,
    NearestNeighbours,
    NeighbourRegression,
    OneRule,
    RadialBasis,
    RandomForest,
    RegressionForest,
    RegressionStump,
    RegressionTree,
    RuleList,
)
from workbench.miners.decision_tree import Pruned, kept_leaf, limits
from workbench.miners.one_rule import intervals
from workbench.miners.radial_basis import distances


def skewed(seed: int, records: int = 300):
    """Return three columns of codes and a target that depends on two of them, with noise."""
    rng = np.random.default_rng(seed)
    rows = np.stack([rng.geometric(0.4, records) % 5, rng.integers(0, 3, records), rng.integers(0, 2, records)], axis=1)
    labels = (rows[:, 0] + 2 * rows[:, 1] + (rng.random(records) < 0.2)) % 4 + 10
    return rows.astype(np.float32), labels.astype(np.int32)


# --- majority


def test_majority_predicts_the_commonest_value():
    learner = Majority().learner([], 0).fit(np.zeros((5, 1)), np.array([3, 7, 7, 1, 7]))
    assert learner.predict(np.ones((2, 1))).tolist() == [7, 7]


# --- naive Bayes


def by_hand(rows, labels, nominal, smoothing, record):
    """Return the most likely value, by multiplying shares."""
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


def test_naive_bayes_on_the_textbook_weather_data():
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


def test_limits_equal_those_printed_by_quinlan():
    """U25%(0, 6) = .206, U25%(0, 9) = .143, U25%(0, 1) = .750; at most these errors have a probability of 25 %."""
    errors, records = np.array([0.0, 0, 0, 1, 3]), np.array([6, 9, 1, 16, 40])
    found = limits(errors, records, Pruned(2, 0.25, 0)) / records
    assert found[:3] == pytest.approx([0.206, 0.143, 0.750], abs=6e-4)
    for rate, most, n in zip(found, errors, records, strict=True):
        chances = (math.comb(n, e) * rate**e * (1 - rate) ** (n - e) for e in range(int(most) + 1))
        assert sum(chances) == pytest.approx(0.25)


def test_a_subtree_is_pruned_if_a_leaf_has_no_more_errors():
    """Node 0 has children 1 and 4, node 1 has 2 and 3; node 1 has fewer errors than nodes 2 and 3 together."""
    left, right = np.array([1, 2, -1, -1, -1]), np.array([4, 3, -1, -1, -1])
    assert kept_leaf(left, right, np.array([9.0, 2.0, 1.5, 1.5, 3.0])).tolist() == [0, 1, 1, 1, 4]
    assert kept_leaf(left, right, np.array([9.0, 4.0, 1.5, 1.5, 3.0])).tolist() == [0, 1, 2, 3, 4]
    assert kept_leaf(left, right, np.array([4.0, 4.0, 1.5, 1.5, 3.0])).tolist() == [0, 0, 0, 0, 0]


@pytest.mark.parametrize("seed", range(3))
def test_an_unpruned_tree_equals_scikit_learns(seed):
    from sklearn.tree import DecisionTreeClassifier

    rows, labels = skewed(seed)
    other = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2, random_state=5).fit(rows, labels)
    ours = DecisionTree(leaf=2, confidence=1).learner([], 5).fit(rows, labels)
    assert (ours.predict(rows) == other.predict(rows)).all()


def test_pruning_reduces_noise_to_one_leaf():
    rng = np.random.default_rng(2)
    rows, labels = rng.random((400, 3)), (rng.random(400) < 0.2).astype(np.int32)
    learner = DecisionTree(confidence=1e-6).learner([], 0).fit(rows, labels)
    assert (learner.predict(rows) == 0).all()
    assert (DecisionTree(confidence=1).learner([], 0).fit(rows, labels).predict(rows) == 1).any()


# --- random forest


def test_a_forest_learns_a_dependence_on_two_columns():
    rows, labels = skewed(4, 2000)
    one, two = (RandomForest(trees=20).learner([], seed).fit(rows[:1500], labels[:1500]) for seed in (1, 1))
    assert (one.predict(rows) == two.predict(rows)).all()
    assert (
        one.predict(rows[1500:]) == labels[1500:]
    ).mean() > 0.7  # .8 of the target depends on the columns; .25 by chance


# --- decision stump


def uncertain(labels) -> float:
    _, counts = np.unique(labels, return_counts=True)
    return -sum(n / len(labels) * math.log(n / len(labels)) for n in counts.tolist()) * len(labels)


@pytest.mark.parametrize("seed", range(3))
def test_a_stump_minimizes_the_remaining_entropy(seed):
    rows, labels = skewed(seed)
    cuts = [(a, end) for a in range(3) for end in np.unique(rows[:, a])[:-1]]
    left = {(a, end): [labels[rows[:, a] <= end], labels[rows[:, a] > end]] for a, end in cuts}
    a, end = min(cuts, key=lambda cut: sum(map(uncertain, left[cut])))
    answer = [np.bincount(part).argmax() for part in left[a, end]]
    expected = np.where(rows[:, a] <= end, *answer)
    assert (DecisionStump().learner([], 0).fit(rows, labels).predict(rows) == expected).all()


# --- one-rule


def test_the_intervals_of_the_textbook():
    """Witten & Frank: play up to temperature 77.5, not above."""
    temperature = np.array([64.0, 65, 68, 69, 70, 71, 72, 72, 75, 75, 80, 81, 83, 85])
    play = np.array(list("ynyyynnyyynyyn"))
    assert intervals(temperature, (play == "y").astype(int), 3).tolist() == [77.5]


@pytest.mark.parametrize("seed", range(3))
def test_one_rule_uses_the_column_with_the_fewest_errors(seed):
    rows, labels = skewed(seed)
    rules = [{v: np.bincount(labels[rows[:, a] == v]).argmax() for v in set(rows[:, a].tolist())} for a in range(3)]
    told = [np.array([rules[a][v] for v in rows[:, a].tolist()]) for a in range(3)]
    best = max(range(3), key=lambda a: (told[a] == labels).sum())
    assert (OneRule().learner([5, 3, 2], 0).fit(rows, labels).predict(rows) == told[best]).all()


def test_one_rule_with_missing_numbers():
    rows = np.array([[1.0], [2], [3], [10], [11], [12], [np.nan], [np.nan]], np.float32)
    labels = np.array([0, 0, 0, 1, 1, 1, 2, 2])
    learner = OneRule(bucket=2).learner([0], 0).fit(rows, labels)
    assert learner.predict(np.array([[2.5], [9.0], [np.nan]])).tolist() == [0, 1, 2]


# --- rule list


def test_rules_learn_a_conjunction_and_apply_in_order():
    rng = np.random.default_rng(3)
    rows = rng.integers(0, 2, (400, 5)).astype(np.float32)
    labels = np.where(rows[:, 0] * rows[:, 2] * rows[:, 4] > 0, 8, np.where(rows[:, 1] > 0, 5, 6))
    learner = RuleList(rules=30, depth=3).learner([], 0).fit(rows, labels)
    assert (learner.predict(rows) == labels).all()
    for row, found in zip(rows[:40], learner.predict(rows[:40]), strict=True):
        met = (answer for tree, leaf, answer in learner.rules if tree.apply(row[None])[0] == leaf)
        assert found == next(met, learner.otherwise)


def test_a_rule_is_the_largest_leaf_of_the_remaining_records():
    rows, labels = skewed(5)
    one = RuleList(rules=1, depth=1).learner([], 0).fit(rows, labels)
    ((tree, leaf, answer),) = one.rules
    sides = [labels[tree.apply(rows) == side] for side in (1, 2)]
    assert leaf == 1 + (len(sides[1]) > len(sides[0])) and answer == np.bincount(sides[leaf - 1]).argmax()
    assert one.otherwise == np.bincount(sides[2 - leaf]).argmax()


# --- by distances


def points_with_distinct_distances(seed: int, records: int = 150):
    """Return points with distinct distances from each other, and a target that depends on them."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(0, 1, (records, 4)).astype(np.float32)
    labels = ((rows[:, 0] ** 2 + rows[:, 1] > 1) + 2 * (rng.random(records) < 0.2)).astype(np.int32)
    return rows[:100], labels[:100], rows[100:], labels[100:]


def nearest(rows, one, count):
    return sorted(range(len(rows)), key=lambda i: math.dist(rows[i], one))[:count]


@pytest.mark.parametrize("seed", range(2))
def test_nearest_neighbors_vote_and_are_averaged(seed):
    rows, labels, asked, _ = points_with_distinct_distances(seed)
    voting = NearestNeighbours(7).learner([], 0).fit(rows, labels).predict(asked)
    averaged = NeighbourRegression(7).learner([], 0).fit(rows, labels.astype(float)).predict(asked)
    for one, vote, mean in zip(asked, voting, averaged, strict=True):
        near = labels[nearest(rows, one, 7)]
        assert vote == np.bincount(near).argmax() and mean == pytest.approx(near.mean())


def test_locally_weighted_learning_weights_its_neighbors():
    rows, labels, asked, _ = points_with_distinct_distances(3)
    found = LocallyWeighted(20).learner([], 0).fit(rows, labels).predict(asked)
    for one, value in zip(asked, found, strict=True):
        near = nearest(rows, one, 20)
        weight = [1 - math.dist(rows[i], one) / math.dist(rows[near[-1]], one) for i in near]
        weight = [w * 20 / sum(weight) for w in weight]
        chance = {}
        for v in sorted(set(labels.tolist())):
            its = [(w, rows[i]) for w, i in zip(weight, near, strict=True) if labels[i] == v]
            total = sum(w for w, _ in its)
            chance[v] = math.log((total + 1) / (20 + len(set(labels.tolist()))))
            for a in range(4):
                same = sum(w for w, row in its if abs(row[a] - one[a]) < 0.5)
                chance[v] += math.log((same + 1) / (total + 2))
        assert value == max(chance, key=chance.get)


def test_nearest_centroid():
    rows, labels, asked, _ = points_with_distinct_distances(4)
    found = NearestCentroid().learner([], 0).fit(rows, labels).predict(asked)
    means = {v: rows[labels == v].mean(axis=0) for v in set(labels.tolist())}
    assert found.tolist() == [min(means, key=lambda v: math.dist(means[v], one)) for one in asked]


def test_a_radial_basis_network_learns_a_ring():
    rng = np.random.default_rng(1)
    rows = rng.normal(0, 1, (600, 2)).astype(np.float32)
    labels = ((rows**2).sum(axis=1) > 1.4).astype(np.int32)
    learner = RadialBasis(centres=20).learner([], 0).fit(rows[:400], labels[:400])
    assert (learner.predict(rows[400:]) == labels[400:]).mean() > 0.85
    bells = learner.bells(rows[:3])
    for i, j in ((0, 0), (2, 7)):
        square = math.dist(rows[i], learner.centres[j]) ** 2
        assert distances(rows, learner.centres)[i, j] == pytest.approx(square, rel=1e-3, abs=1e-5)
        assert bells[i, j] == pytest.approx(math.exp(-square / (2 * learner.spread[j])), rel=1e-3)


# --- scikit-learn's own


@pytest.mark.parametrize("miner", [LogisticRegression(), LinearSVM(), GradientBoosting()], ids=str)
def test_linear_miners_learn_linearly_separable_values(miner):
    rng = np.random.default_rng(2)
    rows = rng.normal(0, 1, (500, 3)).astype(np.float32)
    labels = np.where(rows[:, 0] - 2 * rows[:, 1] > 0.3, 4, 9)
    learner = miner.learner([0, 0, 0], 1).fit(rows[:400], labels[:400])
    assert (learner.predict(rows[400:]) == labels[400:]).mean() > 0.9


# --- of numbers


def line(seed: int = 0):
    rng = np.random.default_rng(seed)
    rows = rng.normal(0, 1, (600, 3)).astype(np.float32)
    return rows, 2.0 * rows[:, 0] - rows[:, 1] + 5


def test_mean_and_linear_regression():
    rows, numbers = line()
    assert Mean().learner([], 0).fit(rows, numbers).predict(rows[:2]) == pytest.approx([numbers.mean()] * 2)
    assert LinearRegression().learner([], 0).fit(rows, numbers).predict(rows) == pytest.approx(numbers, abs=0.05)


def test_a_regression_stump_has_the_fewest_squares():
    rows, numbers = line(2)
    rows = np.round(rows, 1)

    def squares(part):
        return ((part - part.mean()) ** 2).sum()

    cuts = [(a, end) for a in range(3) for end in np.unique(rows[:, a])[:-1]]
    a, end = min(cuts, key=lambda c: sum(squares(numbers[s]) for s in (rows[:, c[0]] <= c[1], rows[:, c[0]] > c[1])))
    low = rows[:, a] <= end
    expected = np.where(low, numbers[low].mean(), numbers[~low].mean())
    assert RegressionStump().learner([], 0).fit(rows, numbers).predict(rows) == pytest.approx(expected)


@pytest.mark.parametrize("miner", [RegressionTree(), RegressionForest()], ids=str)
def test_trees_of_numbers_approximate_a_function(miner):
    rows, numbers = line(3)
    found = miner.learner([], 0).fit(rows[:500], numbers[:500]).predict(rows[500:])
    assert np.abs(found - numbers[500:]).mean() < 0.5 * np.abs(numbers - numbers.mean()).mean()


def test_a_model_tree_has_a_linear_model_in_each_leaf():
    rng = np.random.default_rng(4)
    rows = rng.uniform(-1, 1, (800, 2)).astype(np.float32)
    numbers = np.where(rows[:, 0] < 0, 3 * rows[:, 1], 20 - 2 * rows[:, 1])
    learner = ModelTree(leaf=300).learner([], 0).fit(rows, numbers)
    assert learner.predict(rows) == pytest.approx(numbers, abs=0.1)
    assert len(learner.models) == 2
    assert learner.predict(np.array([[-0.5, 100.0]])) <= numbers.max()
