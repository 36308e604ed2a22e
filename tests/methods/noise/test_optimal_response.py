"""Optimal response stays within its cap, and loses less than uniform responses with the same P_loss."""

import numpy as np
import pandas as pd
import pytest
from scipy import optimize

from tests.methods.noise.neighbours import PAIRS, distinguishing_events, each_value
from tests.methods.noise.tables import halves, table
from workbench.base.errors import BadInput
from workbench.base.figures import format_guarantee
from workbench.data.table import Table
from workbench.measures import PrivacyLoss, UtilityLoss
from workbench.methods import OptimalResponse, RandomizedResponse
from workbench.methods.noise.optimal_response import least_change, max_distance_from_prior
from workbench.models.distribution_distances import jensen_shannon

CAPS = (0.05, 0.1, 0.2, 0.3)


@pytest.mark.parametrize("cap", CAPS)
def test_no_posterior_differs_from_the_prior_by_more_than_the_cap(cap):
    given = table(missing=0.1)
    release = OptimalResponse(cap, ("ill", "city"))(given)
    assert PrivacyLoss()(release).value <= cap
    guarantee = release.about.guarantee
    assert f"by more than {cap:g} (js)" in guarantee and "not protected: age and wage" in guarantee
    told = release.drawn["city"].response.chances
    assert max_distance_from_prior(told, given.columns["city"].totals / given.records) <= cap


@pytest.mark.slow
@pytest.mark.parametrize("cap", CAPS)
def test_the_loss_on_adult_is_below_that_of_uniform_responses_with_equal_privacy_loss(adult, cap):
    prior = adult.sensitive["occupation"].prior
    ours = OptimalResponse(cap)(adult)
    loss, lost = PrivacyLoss()(ours).value, UtilityLoss()(ours).value
    assert loss <= cap
    for others in ("uniform", "table"):
        q = np.full(len(prior), 1 / len(prior)) if others == "uniform" else prior
        low, high = 0.0, 1.0
        for _ in range(40):  # the uniform response with this privacy loss, and no less
            keep = (low + high) / 2
            within = max_distance_from_prior(keep * np.eye(len(prior)) + (1 - keep) * q, prior) <= cap
            low, high = (keep, high) if within else (low, keep)
        theirs = RandomizedResponse(low, others=others)(adult)
        chances = [one.drawn["occupation"].response.chances for one in (ours, theirs)]
        assert max_distance_from_prior(chances[1], prior) == pytest.approx(cap, rel=1e-6)
        # the largest is met where the rarest value is released of somebody who is alone: by chance of nobody
        assert 0.75 * cap < PrivacyLoss()(theirs).value <= cap + 1e-9
        assert lost < 0.75 * UtilityLoss()(theirs).value
        assert prior @ np.diag(chances[0]) > prior @ np.diag(chances[1]), "fewer values are changed, too"


def test_neighboring_tables_are_not_distinguishable_beyond_the_epsilon_of_the_matrix():
    given = halves("a", "b", PAIRS, others=["c"] * 5000)
    release = OptimalResponse(0.05, ("x",))(given)
    released, promised = release.drawn["x"].released, release.drawn["x"].response.epsilon
    assert np.isfinite(promised) and f"epsilon {format_guarantee(promised)}" in release.about.guarantee
    assert distinguishing_events(released[:PAIRS], released[PAIRS : 2 * PAIRS], each_value(3), promised) == []
    assert distinguishing_events(released[:PAIRS], released[PAIRS : 2 * PAIRS], each_value(3), promised / 3)


def test_the_codebook_lists_all_transition_probabilities():
    release = OptimalResponse(0.1)(table())
    book = [entry for entry in release.codebook() if entry.label.startswith("true: ")]
    assert [entry.label for entry in book] == [f"true: {label}" for label in release.table.sensitive["ill"].labels]
    for entry, row in zip(book, release.drawn["ill"].response.chances, strict=True):
        said = dict(one.rsplit(": ", 1) for one in entry.values)
        assert sum(map(float, said.values())) == pytest.approx(1, abs=1e-5) and len(said) == (row > 0).sum()


def test_a_column_with_too_many_values_is_refused():
    with pytest.raises(BadInput, match="'x' has 303 values, more than 200; set a model level for it"):
        OptimalResponse(0.1, ("x",))(halves(1, 2, 300, others=range(3, 304)))


def test_the_matrix_depends_only_on_published_counts():
    """The codebook prints probabilities in six digits: exact ones would disclose a hidden count of 7."""
    found = {}
    for rare in range(1, 20):
        ill = ["flu"] * 300 + ["cold"] * 190 + ["gout"] * rare
        given = Table.from_frame(pd.DataFrame({"age": np.arange(len(ill)) % 9, "ill": ill}), ["age"], "ill")
        published = tuple(given.sensitive["ill"].published(10).tolist())
        response = OptimalResponse(0.1).response(given, "ill")
        found.setdefault(published, []).append((rare, response.chances))
    assert {published[-1] for published in found} <= {0, 10, 20} and max(map(len, found.values())) >= 4
    for alike in found.values():
        for _, chances in alike:
            np.testing.assert_array_equal(chances, alike[0][1])


# The matrix under a cap: no worse than simple matrices, another solver, or an equation for two values.

PRIORS = {
    "skewed": np.array([0.6, 0.25, 0.1, 0.04, 0.01]),
    "alike": np.full(4, 0.25),
    "with nobody": np.array([0.5, 0.0, 0.3, 0.2]),
}


def kept_share(chances, prior):
    return float(np.sqrt(prior) @ np.diag(chances))


def simple_matrix(keep, other, size):
    return keep * np.eye(size) + (1 - keep) * other


def largest(make, prior, cap):
    """Return the simple matrix that keeps most values within the cap."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if max_distance_from_prior(make(middle), prior) <= cap else (low, middle)
    return make(low)


@pytest.mark.parametrize("cap", [0.01, 0.1, 0.3, 0.6])
@pytest.mark.parametrize("name", PRIORS)
def test_the_matrix_satisfies_the_cap_and_keeps_more_than_simple_ones(name, cap):
    prior = PRIORS[name]
    found = least_change(prior, cap)
    assert np.allclose(found.sum(axis=1), 1) and (found >= 0).all()
    assert max_distance_from_prior(found, prior) <= cap
    for other in (prior, np.full(len(prior), 1 / len(prior))):
        if (other[prior == 0] == 0).all():
            simple = largest(lambda keep, other=other: simple_matrix(keep, other, len(prior)), prior, cap)
            assert kept_share(found, prior) >= kept_share(simple, prior) * 0.997


def test_the_identity_is_returned_if_the_cap_allows_it():
    prior = np.array([0.5, 0.3, 0.2])
    assert least_change(prior, 0.69) == pytest.approx(np.eye(3), abs=1e-6)


def test_two_equally_frequent_values_satisfy_an_equation():
    """The belief after a value is (keep, 1 - keep): at the cap, or a better matrix would exist."""
    prior, cap = np.array([0.5, 0.5]), 0.1
    keep = optimize.brentq(lambda k: jensen_shannon(np.array([[k, 1 - k]]), prior)[0] - cap, 0.5, 1)
    assert np.diag(least_change(prior, cap)) == pytest.approx([keep, keep], rel=0.005)


def test_no_other_solver_finds_a_matrix_that_keeps_more():
    prior, cap = np.array([0.6, 0.3, 0.1]), 0.05
    rows = [{"type": "eq", "fun": lambda m, r=r: m.reshape(3, 3)[r].sum() - 1} for r in range(3)]

    def room(m):
        joint = prior[:, None] * m.reshape(3, 3)
        return cap - jensen_shannon((joint / np.maximum(joint.sum(axis=0), 1e-12)).T, prior)

    best = 0.0
    for start in (0.1, 0.3):
        begin = simple_matrix(start, prior, 3).ravel()
        found = optimize.minimize(
            lambda m: -kept_share(m.reshape(3, 3), prior), begin, bounds=[(0, 1)] * 9, method="SLSQP",
            constraints=[*rows, {"type": "ineq", "fun": room}],
        )  # fmt: skip
        best = max(best, -found.fun if found.success else 0.0)
    ours = kept_share(least_change(prior, cap), prior)
    assert best > 0 and best * 0.996 <= ours <= best * 1.02
