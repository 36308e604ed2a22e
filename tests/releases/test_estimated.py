"""Estimates from perturbed values: their bias, and a comparison with naive computations."""

import numpy as np
import pytest

from tests.methods.noise.tables import table
from workbench.base.errors import Undefined
from workbench.methods import Keep, Laplace, RandomizedResponse
from workbench.queries.populations import large_populations

DRAWS = 400


def populations(given):
    """Return the whole population and two groups."""
    last = [given.columns[name].size - 1 for name in given.quasi]
    return np.array([[[0, last[0]], [0, last[1]]], [[0, 9], [0, last[1]]], [[5, last[0]], [0, 0]]], np.int32)


def truth(given, runs):
    return Keep()(given).estimate(runs, "ill")


@pytest.mark.parametrize("columns", [("ill",), ("ill", "city")])
@pytest.mark.parametrize("others", ["table", "uniform"])
def test_the_unbiased_estimate_is_correct_on_average(columns, others):
    given = table(300)
    runs, method = populations(given), RandomizedResponse(0.5, columns, others)
    drawn = np.array([method(given).unbiased(runs, "ill") for _ in range(DRAWS)])
    error = drawn.std(axis=0, ddof=1) / np.sqrt(DRAWS)
    assert (np.abs(drawn.mean(axis=0) - truth(given, runs)) <= 6 * error + 1e-9).all()
    everybody = np.array([method(given).unbiased(runs) for _ in range(3)])
    assert everybody[:, 0] == pytest.approx(given.records)


def test_the_likeliest_estimate_is_the_unbiased_one_unless_that_is_negative():
    given = table(600)
    release, runs = RandomizedResponse(0.3)(given), populations(given)
    likely, plain = release.estimate(runs, "ill"), release.unbiased(runs, "ill")
    fine = (plain >= 0).all(axis=1)
    assert likely[fine] == pytest.approx(plain[fine]) and (likely >= 0).all()
    assert likely.sum(axis=1) == pytest.approx(plain.sum(axis=1))


def test_the_bias_of_the_most_likely_estimate_vanishes_in_large_populations():
    given = table(20_000)
    release, runs = RandomizedResponse(0.5)(given), populations(given)
    assert release.estimate(runs, "ill")[0] == pytest.approx(truth(given, runs)[0], abs=6 * np.sqrt(20_000))


def test_unchanged_columns_are_counted_exactly():
    given = table(400)
    release, runs = Laplace(1, bounds={"wage": (0, 50)})(given), populations(given)
    assert release.estimate(runs, "ill") == pytest.approx(truth(given, runs))
    assert release.estimate(runs).ravel() == pytest.approx(truth(given, runs).sum(axis=1))


def test_a_changed_quasi_identifier_is_inverted_like_a_naive_sum():
    given = table(300)
    release = RandomizedResponse(0.6, ("city",))(given)
    runs, drawn = populations(given), release.drawn["city"]
    likely = drawn.posterior(drawn.likeliest)[drawn.codes]
    age, ill = given.codes["age"], given.sensitive_codes("ill")
    for p, (ages, cities) in enumerate(runs.tolist()):
        inside = (age >= ages[0]) & (age <= ages[1])
        counts = np.bincount(ill, inside * likely[:, cities[0] : cities[1] + 1].sum(axis=1), 4)
        assert release.estimate(runs, "ill")[p] == pytest.approx(counts)


def test_estimates_of_many_populations_agree_with_those_of_each_alone():
    given = table(300)
    release = Laplace(10, bounds={"age": (17, 90)})(given)
    many = large_populations(given, 0.1)
    together = release.estimate(many, "ill")
    for p in range(0, len(many), max(1, len(many) // 7)):
        assert release.estimate(many.runs[p : p + 1], "ill")[0] == pytest.approx(together[p])


def test_noise_has_no_unbiased_counts():
    release = Laplace(1, bounds={"age": (17, 90)})(table())
    with pytest.raises(Undefined, match="age: there is no unbiased estimate"):
        release.unbiased(populations(release.table), "ill")


def test_weights_count_people():
    import pandas as pd

    from tests.methods.noise.tables import people
    from workbench.data.table import Table

    frame = people(300).assign(w=np.arange(300) % 4)
    weighted = Table.from_frame(frame, ["age", "city"], "ill", weight="w")
    repeated = Table.from_frame(
        pd.DataFrame(frame.loc[frame.index.repeat(frame["w"])]).drop(columns="w"), ["age", "city"], "ill"
    )
    release, plain = RandomizedResponse(1.0)(weighted), Keep()(repeated)
    runs = np.array([[[0, 30], [0, 2]], [[0, 30], [1, 1]]], np.int32)
    assert release.estimate(runs, "ill") == pytest.approx(plain.estimate(runs, "ill"))
