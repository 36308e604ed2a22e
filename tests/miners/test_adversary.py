"""The learning attacker: what it learns, and that it learns nothing if there is nothing to learn."""

import threading
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from tests.methods.raking.tables import table
from workbench.base.convergence import collect_fits
from workbench.base.errors import Undefined
from workbench.base.progress import Cancelled, cancellable
from workbench.data.table import Table
from workbench.measures import AccuracyGain, KnowledgeGain, PrivacyLoss, UtilityLoss
from workbench.methods import Laplace, Mondrian, RakedBuckets, RandomizedResponse
from workbench.miners.adversary import ADVERSARY_MODELS, AdversaryBeliefs, Bayes, count_right_guesses, learned_beliefs
from workbench.models import KAnonymity, TCloseness
from workbench.models.distribution_distances import jensen_shannon
from workbench.releases.partition import Bucketized

BUCKETIZED = [0.276, 0.227, 0.108, 0.42, 0.312]  # what a logistic model learns of median Mondrian at t = .1


def js(t):
    return TCloseness(t, distance="js")


def figures(release, adult, learner="logistic"):
    """Return the largest loss, the 99.9 % quantile, the mean; nats; the share of right guesses of the learning
    attacker."""
    found, prior = learned_beliefs(release, "occupation", learner), adult.sensitive["occupation"].prior
    loss = np.repeat(jensen_shannon(found.learning, prior), found.posterior.sizes)
    return [
        loss.max(),
        np.quantile(loss, 0.999),
        loss.mean(),
        found.mean_log_gain(found.learning, prior),
        found.right(found.learning) / adult.records,
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("t", "expected"),
    [(0.1, BUCKETIZED), (0.15, [0.361, 0.288, 0.132, 0.52, 0.340])],
)
def test_learning_from_bucketized_adult_equals_an_independent_computation(adult, t, expected):
    release = Mondrian(publish="bucketized")(adult, js(t))
    assert figures(release, adult) == pytest.approx(expected, rel=0.1)
    found, prior = learned_beliefs(release, "occupation"), adult.sensitive["occupation"].prior
    loss = jensen_shannon(found.population.beliefs, prior)
    assert loss[found.population.true.any(axis=1)].max() == pytest.approx(0.451, rel=0.1)
    assert found.population.right / adult.records == pytest.approx(0.337, rel=0.02)


@pytest.mark.slow
def test_learning_from_information_gain_splits(adult):
    """Splits by the sensitive column. The largest loss (.391 in the study) is that of one kind of people."""
    gains = Mondrian("information_gain", "occupation", "binary", publish="bucketized")
    losses = [UtilityLoss()(gains(adult, js(t))).value for t in (0.075, 0.1, 0.15, 0.2)]
    assert losses == pytest.approx([0.0107, 0.0039, 0.0014, 0.0004], rel=0.05, abs=0.00005)
    largest, *others = figures(gains(adult, js(0.1)), adult)
    assert others == pytest.approx([0.277, 0.119, 0.39, 0.303], rel=0.1) and 0.3 < largest < 0.4


@pytest.mark.slow
def test_swapped_buckets_teach_more_and_the_largest_loss_depends_on_the_seed(adult):
    """The largest loss of the study's one seed was .460: that of one kind of people."""
    drawn = [figures(RakedBuckets(publish="dealt")(adult, js(0.1), seed=seed), adult) for seed in range(3)]
    for _, *others in drawn:
        assert others == pytest.approx([0.327, 0.114, 0.45, 0.328], rel=0.15)
        assert others[1:] == pytest.approx([0.114, 0.45, 0.328], rel=0.1)
    largest = [one[0] for one in drawn]
    assert max(largest) == pytest.approx(0.46, rel=0.1) and max(largest) > 1.2 * min(largest)


@pytest.mark.slow
def test_raked_buckets_increase_certainty_but_not_accuracy(adult):
    release = RakedBuckets()(adult, js(0.1))
    assert figures(release, adult) == pytest.approx([0.335, 0.274, 0.101, 0.41, 0.322], rel=0.1)
    found, prior = learned_beliefs(release, "occupation"), adult.sensitive["occupation"].prior
    assert found.mean_log_gain(found.learning, prior) <= found.mean_log_gain(found.own, prior)


def test_naive_bayes_is_certain_and_wrong(adult):
    """The largest loss is about .6 for every release, as computed independently; a logistic model is more accurate."""
    largest, _, mean, nats, right = figures(Mondrian(publish="bucketized")(adult, js(0.1)), adult, "naive bayes")
    assert largest == pytest.approx(0.6, rel=0.1)
    assert mean > 1.2 * BUCKETIZED[2] and nats < 0.8 * BUCKETIZED[3] and right < 0.95 * BUCKETIZED[4]


def in_buckets(ill: Callable[[pd.DataFrame, np.random.Generator], np.ndarray]) -> Bucketized:
    """Return buckets with more or fewer men, independent of town and age, in which nobody knows who is ill."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"sex": rng.choice(["f", "m"], 4000), "town": rng.choice(list("abcd"), 4000)})
    frame["age"] = rng.integers(20, 60, 4000)
    frame["ill"] = ill(frame, rng)
    data = Table.from_frame(frame, quasi=["sex", "town", "age"], sensitive=["ill"])
    kinds, of_cell = np.unique(data.cells().quasi.T, axis=0, return_inverse=True)
    men, chances = kinds[:, 0] == 1, np.array([0.1, 0.15, 0.2, 0.25, 0.3])
    bucket = np.where(men, rng.choice(5, len(kinds), p=chances), rng.choice(5, len(kinds), p=chances[::-1]))
    return Bucketized(data, data.cells(), bucket[of_cell.reshape(-1)].astype(np.int32))


@pytest.mark.parametrize(("learner", "share"), [("logistic", 0.8), ("naive bayes", 0.75)])
def test_a_rule_that_no_class_shows_is_learned(learner, share):
    """Exactly the men are ill, and each bucket mixes men and women."""
    release = in_buckets(lambda frame, rng: np.where(frame["sex"] == "m", "yes", "no"))
    found = learned_beliefs(release, "ill", learner)
    assert PrivacyLoss()(release).value < 0.07
    assert found.right(found.own) < 0.7 * 4000
    assert found.right(found.learning) > share * 4000


@pytest.mark.parametrize("learner", ADVERSARY_MODELS)
def test_nothing_is_learned_if_there_is_nothing_to_learn(learner):
    release = in_buckets(lambda frame, rng: rng.choice(["yes", "no"], 4000, p=[0.3, 0.7]))
    found, prior = learned_beliefs(release, "ill", learner), release.table.sensitive["ill"].prior
    assert found.mean_log_gain(found.learning, prior) < 0.01
    loss = jensen_shannon(found.learning, prior)
    assert np.average(loss, weights=found.posterior.sizes) < 0.01
    with pytest.raises(Undefined, match="not published"):
        learned_beliefs(replace(release, unpublished_columns=frozenset(["ill"])), "ill", learner)


@pytest.mark.parametrize("learner", ADVERSARY_MODELS)
def test_the_population_is_not_memorized(learner):
    """Nearly everybody has unique quasi-identifiers, and values do not depend on them."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"age": rng.integers(20, 70, 300), "zip": rng.integers(1, 60, 300).astype(str)})
    frame["ill"] = rng.choice(list("abcdef"), 300)
    release = Mondrian(publish="bucketized")(Table.from_frame(frame, ["age", "zip"], "ill"), js(0.05))
    found, prior = learned_beliefs(release, "ill", learner), release.table.sensitive["ill"].prior
    assert found.population.true.sum(axis=0) == pytest.approx(300 * prior)
    assert found.population.right / 300 < 0.25 and found.population.mean_log_gain(prior) < 0.02


def test_beliefs_add_up_to_what_each_class_publishes():
    release = Mondrian()(table(1, missing=0.05), KAnonymity(50))
    found = learned_beliefs(release, "illness")
    sizes, beliefs = found.posterior
    quasi = np.stack([release.table.codes[name] for name in release.table.quasi]).T
    of = {tuple(row): group for row, group in zip(quasi.tolist(), release.group_of_record.tolist(), strict=True)}
    told = np.zeros(release.classes.histograms["illness"].shape)
    np.add.at(told, [of[tuple(unit)] for unit in found.quasi.T.tolist()], beliefs * sizes[:, None])
    assert len(of) == len(sizes) and sizes.sum() == 1500
    assert beliefs.sum(axis=1) == pytest.approx(np.ones(len(sizes)))
    assert told == pytest.approx(release.classes.histograms["illness"], abs=0.5)  # within half a person


def test_the_three_measures_support_the_learning_attacker():
    data = table(2)
    for release in (Mondrian()(data, js(0.05)), RakedBuckets()(data, js(0.05))):
        plain, learning = (PrivacyLoss(adversary=who)(release) for who in ("own class", "learning"))
        assert plain.value <= 0.05 < learning.value and "by a model of the population" in learning.sentence
        assert KnowledgeGain(adversary="learning")(release).value > 0
        right = learned_beliefs(release, "illness").right(learned_beliefs(release, "illness").learning) / data.records
        gain = AccuracyGain(adversary="learning")(release).value
        assert gain == pytest.approx(right - data.sensitive["illness"].prior.max())
        bayes = learned_beliefs(release, "illness", "naive bayes").posterior
        loss = jensen_shannon(bayes.beliefs, data.sensitive["illness"].prior)
        assert PrivacyLoss(adversary="learning by naive bayes")(release).value == loss.max() != learning.value


def test_fitting_can_be_cancelled():
    class Stops(threading.Event):
        looks = 0

        def is_set(self):
            self.looks += 1
            return self.looks > 20

    stop, release = Stops(), Mondrian()(table(3), js(0.05))
    with cancellable(stop), pytest.raises(Cancelled):
        learned_beliefs(release, "illness")
    assert stop.looks == 21, "in the first rounds, since each step of a fit checks for cancellation"


def test_too_many_people_and_values_are_refused(monkeypatch):
    monkeypatch.setattr("workbench.miners.adversary.MEMORY", 1000)
    with pytest.raises(Undefined, match="do not fit in 1e-06 GB of memory; declare a level for illness"):
        learned_beliefs(Mondrian()(table(4), js(0.05)), "illness")


def test_the_largest_loss_of_a_learning_attacker_is_not_published():
    measure, release = PrivacyLoss(adversary="learning"), Mondrian()(table(2), js(0.05))
    assert measure.publish(measure(release), release, 10)[0] is None
    assert measure.guaranteed_bound(release, js(0.05), 10) is None


def many(likely):
    """Return eight thousand women and men; the given share of women and a tenth of the men have flu."""
    rng = np.random.default_rng(3)
    sex = rng.choice(["f", "m"], 8000)
    flu = rng.random(8000) < np.where(sex == "f", likely, 0.1)
    return Table.from_frame(
        pd.DataFrame({"sex": sex, "ill": np.where(flu, "flu", "none")}), quasi=["sex"], sensitive="ill"
    )


def test_rows_with_noise_teach_what_is_true_of_identical_people():
    """Bayes' rule learns little from one row if few values are kept, but much from four thousand identical people."""
    given = many(0.7)
    release = RandomizedResponse(0.5)(given)
    found, flu = learned_beliefs(release, "ill"), list(given.sensitive["ill"].labels).index("flu")
    women = int(found.true[:, flu].argmax())
    assert found.learning[women, flu] == pytest.approx(0.7, abs=0.1)
    assert found.learning[1 - women, flu] == pytest.approx(0.1, abs=0.1)
    own = release.posterior("ill")
    assert found.own[women, flu] < 0.6 and sorted(found.own[:, flu]) == pytest.approx(sorted(own.beliefs[:, flu]))
    assert PrivacyLoss(adversary="learning")(release).value > 1.5 * PrivacyLoss()(release).value


def test_rows_with_noise_teach_nothing_about_identical_people():
    release = RandomizedResponse(0.3)(many(0.1))
    assert PrivacyLoss(adversary="learning")(release).value < 0.005


def test_learning_is_undefined_with_noise_on_quasi_identifiers():
    noisy = Laplace(epsilon=1, columns=["age"], bounds="age: 18..80")(table())
    with pytest.raises(Undefined, match="with noise on age no model of its rows can be learned"):
        PrivacyLoss(adversary="learning")(noisy)


def test_fits_of_learning_report_their_residuals_at_each_use():
    frame = pd.DataFrame({"age": np.arange(60) % 12, "ill": np.where(np.arange(60) % 12 > 7, "yes", "no")})
    release = Mondrian(publish="bucketized")(Table.from_frame(frame, ["age"], "ill"), KAnonymity(10))
    for _ in range(2):
        with collect_fits() as fits:
            learned_beliefs(release, "ill")
        assert [(fit.name, fit.rounds > 0, fit.residual >= 0) for fit in fits] == [
            ("expectation maximization of the learning attacker", True, True),
            ("Sinkhorn scaling of the learning attacker", True, True),
            ("logistic regression (L-BFGS) of the population", True, True),
        ]
    assert fits[1].converged and fits[1].residual < 1e-6


def test_beliefs_that_differ_by_rounding_share_the_success():
    true = np.array([[6, 2, 0], [1, 1, 8]])
    for shift in (-1e-16, 0, 1e-16):
        beliefs = np.array([[0.4 + shift, 0.4, 0.2], [0.1, 0.3, 0.6]])
        assert count_right_guesses(beliefs, true).tolist() == [4, 8]
        assert AdversaryBeliefs(beliefs, true).right == 12


def test_the_accuracy_of_a_learning_attacker_does_not_depend_on_the_order_of_records():
    """Two values are equally common everywhere, so only rounding could decide between them."""
    rng, gains = np.random.default_rng(0), []
    frame = pd.DataFrame({"age": np.repeat(np.arange(30), 10), "town": np.tile(["a", "b"], 150)})
    frame["ill"] = np.tile(["no", "no", "no", "no", "flu", "flu", "flu", "flu", "cold", "none"], 30)
    for _ in range(4):
        shuffled = frame.iloc[rng.permutation(300)].reset_index(drop=True)
        release = Mondrian(publish="bucketized")(Table.from_frame(shuffled, ["age", "town"], "ill"), KAnonymity(20))
        gains.append(AccuracyGain(adversary="learning")(release).value)
    assert gains == pytest.approx([0.0] * 4, abs=1e-9)


@pytest.fixture(scope="module")
def data():
    return table(5, records=300).with_roles(["town", "sex"], ["illness"])


def kinds(data):
    """Return the combination of town and sex of each record, as a number."""
    return data.codes["town"] * 2 + data.codes["sex"]


def test_naive_bayes_multiplies_the_shares_of_each_column(data):
    """Compute by hand: each value is weighted by its share, and by the shares of the town and the sex among people with
    the value, smoothed by one person distributed like the population."""
    kind, illness = np.unique(kinds(data), return_inverse=True)[1], data.model_view.codes["illness"]
    counts = np.zeros((kind.max() + 1, 4))
    np.add.at(counts, (kind, illness), 1)
    model = Bayes.from_table(data, kind, 4)
    model.fit(counts, 1)
    for number in (0, kind.max()):
        town, sex = (data.codes[name][kind == number][0] for name in ("town", "sex"))
        likely = []
        for value in range(4):
            has = illness == value
            share = has.mean()
            for name, code in (("town", town), ("sex", sex)):
                alike = data.codes[name] == code
                share *= ((alike & has).sum() + alike.mean()) / (has.sum() + 1)
            likely.append(share)
        assert model.beliefs()[number] == pytest.approx(np.array(likely) / sum(likely))


@pytest.mark.parametrize("learner", ADVERSARY_MODELS)
def test_a_deciding_column_is_learned_and_an_irrelevant_one_changes_nothing(data, learner):
    kind = np.unique(kinds(data), return_inverse=True)[1]
    sex = np.array([data.codes["sex"][kind == number][0] for number in range(kind.max() + 1)])
    people = np.bincount(kind)
    model = ADVERSARY_MODELS[learner].from_table(data, kind, 2)
    assert model.beliefs() == pytest.approx(np.full((model.kinds, 2), 0.5))
    model.fit(np.eye(2)[sex] * people[:, None], 50)
    assert model.beliefs()[np.arange(len(sex)), sex].min() > 0.9
    model.fit(np.full((model.kinds, 2), [0.2, 0.8]) * people[:, None], 50)
    assert model.beliefs() == pytest.approx(np.full((model.kinds, 2), [0.2, 0.8]), abs=0.02)
