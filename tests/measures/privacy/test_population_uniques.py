"""Estimates of population uniques: formulas compared with sums over all outcomes, intervals by simulation."""

import math
from collections import Counter

import numpy as np
import pandas as pd
import pytest

from workbench.base.convergence import collect_fits
from workbench.base.errors import Undefined
from workbench.data.table import Table
from workbench.measures import PopulationUniques
from workbench.measures.privacy.population_uniques import (
    Estimate,
    Sizes,
    _pitman,
    _predicted_by_pitman,
    _predicted_by_sliding,
    _ratio,
    _sliding,
    estimate_without_uniques,
    pitman,
    zayatz,
)
from workbench.methods import Keep

FEW = Sizes.from_classes(np.array([1, 1, 1, 2, 2, 5]))


def test_sizes_are_counted():
    assert (FEW.records, FEW.every, FEW.unique) == (12, 6, 3)
    assert FEW.size.tolist() == [1, 2, 5] and FEW.classes.tolist() == [3, 2, 1]


@pytest.mark.parametrize(("theta", "alpha"), [(2.0, 0.3), (0.5, 0.9), (-0.2, 0.5)])
def test_the_likelihood_of_pitman_is_a_product_over_people(theta, alpha):
    chance, view, n = 0.0, [], 0
    for k, size in enumerate([1, 1, 1, 2, 2, 5]):
        for have in range(size):
            if n:
                chance += math.log((theta + alpha * k if have == 0 else have - alpha) / (theta + n))
            n += 1
        view.append(size)
    assert _pitman(FEW, theta, alpha) == pytest.approx(chance)


@pytest.mark.parametrize(("theta", "alpha"), [(2.0, 0.3), (0.5, 0.9)])
def test_predictions_of_pitman_are_mean_and_variance_over_all_continuations(theta, alpha):
    n, states = FEW.records, {(FEW.unique, FEW.every): 1.0}
    for m in range(n, 20):
        after = Counter()
        for (unique, every), p in states.items():
            new, hit = (theta + alpha * every) / (theta + m), unique * (1 - alpha) / (theta + m)
            after[unique + 1, every + 1] += p * new
            after[unique - 1, every] += p * hit
            after[unique, every] += p * (1 - new - hit)
        states = after
    mean = sum(p * unique for (unique, _), p in states.items())
    variance = sum(p * (unique - mean) ** 2 for (unique, _), p in states.items())
    assert _predicted_by_pitman(FEW, 20, theta, alpha) == pytest.approx((mean, variance))


def sliding(size, shape, chance):
    """Return the probability of each class size in the population."""
    ways = math.exp(math.lgamma(shape + size - 1) - math.lgamma(shape) - math.lgamma(size))
    return ways * chance**shape * (1 - chance) ** (size - 1)


@pytest.mark.parametrize(("shape", "chance", "fraction"), [(0.7, 0.3, 0.2), (2.0, 0.6, 0.7)])
def test_the_slide_negative_binomial_sums_over_the_sizes_in_the_population(shape, chance, fraction):
    def drawn(f):
        return sum(
            sliding(size, shape, chance) * math.comb(size, f) * fraction**f * (1 - fraction) ** (size - f)
            for size in range(max(f, 1), 200)
        )

    found = sum(c * math.log(drawn(f) / (1 - drawn(0))) for f, c in [(1, 3), (2, 2), (5, 1)])
    assert _sliding(FEW, fraction, shape, chance) == pytest.approx(found)
    alone = sliding(1, shape, chance)
    mean = 3 * fraction * alone / drawn(1) + 6 * (1 - fraction) * alone / (1 - drawn(0))
    assert _predicted_by_sliding(FEW, fraction, shape, chance)[0] == pytest.approx(mean)


def test_zayatz_assumes_the_sizes_of_the_sample_in_the_population():
    fraction = 0.25
    one = {
        size: size * fraction * (1 - fraction) ** (size - 1) for size in (1, 2, 5)
    }  # expected sample uniques from classes of that size
    chance = 3 * one[1] / (3 * one[1] + 2 * one[2] + one[5])
    assert zayatz(FEW, fraction) is None, "12 records exclude nothing"
    assert zayatz(FEW._replace(classes=20 * FEW.classes), fraction).share == pytest.approx(3 * chance / 12)


def test_ratios_of_gamma_functions_are_exact_for_large_arguments():
    assert _ratio(9_999.0, -0.7) == pytest.approx(_ratio(10_000.0, -0.7), rel=1e-4)
    assert _ratio(20_000.0, -1.4) == pytest.approx(math.lgamma(19_998.6) - math.lgamma(20_000.0), rel=1e-9)


def test_models_that_do_not_fit_give_none_and_no_unique_gives_a_bound():
    alone = Sizes.from_classes(np.ones(50, int))
    assert pitman(alone, 0.05) is None
    assert estimate_without_uniques(Sizes.from_classes(np.full(10, 30))) == Estimate(
        0.0, 0.0, pytest.approx(0.01222, abs=1e-5)
    )
    found = Estimate.around(90.0, 400.0, 100.0)
    assert found.low < found.share == 0.9 < found.high == 1.0


@pytest.mark.parametrize("estimator", ["best", "slnb"])
@pytest.mark.parametrize("fraction", [0.01, 0.05, 0.1, 0.5])
def test_an_estimate_that_excludes_nothing_is_undefined_with_a_reason(estimator, fraction):
    """Classes of 1, 2, 4 and 5 records: the interval overflowed, or covered less than one person to everybody."""
    name, found = PopulationUniques(fraction, estimator)._estimated(Sizes.from_classes(np.array([1, 2, 4, 5])))
    assert found is None and name == estimator
    frame = pd.DataFrame({"town": list("abbccccddddd"), "ill": ["no", "yes"] * 6})
    with pytest.raises(Undefined, match=f"the estimator {estimator} does not fit the sizes of the classes"):
        PopulationUniques(fraction, estimator)(Keep()(Table.from_frame(frame, ["town"], "ill")))


def test_estimators_report_their_fit():
    with collect_fits() as fits:
        PopulationUniques(0.5, "slnb")._estimated(Sizes.from_classes(np.repeat([1, 2, 3, 4], [40, 20, 9, 3])))
    (fit,) = fits
    assert fit.converged and fit.rounds > 1 and 0 <= fit.residual < 1e-6


# --- do the intervals cover the truth?


def of_pitman(rng, people, theta, alpha):
    """Seat each guest with somebody present, except with a class's founder, who mostly sends them away, or alone."""
    number, founder, classes = [0], [True], 1
    chances, draws = rng.random(people), rng.random((people, 40))
    for m in range(1, people):
        if chances[m] * (theta + m) < theta + alpha * classes:
            number.append(classes)
            founder.append(True)
            classes += 1
            continue
        for i in range(0, 40, 2):
            k = int(draws[m, i] * m)
            if not founder[k] or draws[m, i + 1] > alpha:
                break
        number.append(number[k])
        founder.append(False)
    return np.array(number)


def of_sliding(rng, classes, shape, chance):
    return np.repeat(np.arange(classes), 1 + rng.negative_binomial(shape, chance, classes))


def covered(population, measure, samples, seed):
    """Return the share of samples, each from its own population, whose interval contains the share of uniques."""
    rng, found = np.random.default_rng(seed), []
    for _ in range(samples):
        people = population(rng)
        truth = (np.bincount(people) == 1).sum() / len(people)
        sample = rng.choice(people, round(measure.fraction * len(people)), replace=False)
        sizes = np.bincount(sample)
        _, estimate = measure._estimated(Sizes.from_classes(sizes[sizes > 0]))
        if estimate is not None:
            found.append(estimate.low <= truth <= estimate.high)
    assert len(found) >= 0.9 * samples
    return np.mean(found)


CASES = [
    *[(lambda rng: of_pitman(rng, 4000, 100, 0.5), 0.1, name) for name in ("pitman", "best")],
    *[(lambda rng: of_sliding(rng, 2000, 1.0, 0.3), 0.2, name) for name in ("slnb", "best")],
    (lambda rng: of_sliding(rng, 2000, 2.0, 0.5), 0.5, "best"),
]
MORE = [
    (lambda rng: of_pitman(rng, 10_000, 20, 0.7), 0.02, "best"),
    (lambda rng: of_pitman(rng, 10_000, 50, 0.3), 0.1, "best"),
    (lambda rng: of_pitman(rng, 10_000, 300, 0.5), 0.3, "pitman"),
    (lambda rng: of_sliding(rng, 4000, 0.5, 0.1), 0.2, "best"),
    (lambda rng: of_sliding(rng, 4000, 0.2, 0.05), 0.5, "slnb"),
    (lambda rng: of_sliding(rng, 4000, 1.0, 0.3), 0.8, "best"),
]


@pytest.mark.slow
@pytest.mark.parametrize("case", range(len(CASES)))
def test_intervals_cover_the_truth_if_the_model_holds(case):
    population, fraction, name = CASES[case]
    assert 0.9 <= covered(population, PopulationUniques(fraction, name), 100, seed=2) <= 0.99


@pytest.mark.exhaustive
@pytest.mark.parametrize("case", range(len(CASES) + len(MORE)))
def test_the_coverage_of_many_intervals_is_as_stated(case):
    population, fraction, name = [*CASES, *MORE][case]
    assert 0.9 <= covered(population, PopulationUniques(fraction, name), 500, seed=3) <= 0.98
