"""Certificates, compared with grid searches for the same convex programs."""

import numpy as np
import pytest

from tests.methods.raking.tables import table
from workbench.frontier.certificates import bound_jointly, bound_per_population
from workbench.methods.raking.atoms import Atoms
from workbench.models.distribution_distances import jensen_shannon


def simplex(parts):
    first, second = np.meshgrid(np.arange(parts + 1), np.arange(parts + 1))
    inside = first + second <= parts
    return np.column_stack([first[inside], second[inside], parts - first[inside] - second[inside]]) / parts


@pytest.mark.parametrize("t", [0.005, 0.02, 0.05, 0.1])
def test_the_bound_per_population_equals_that_of_a_grid_search(t):
    data = table(1, ("wage",))
    seen, truth = data.sensitive["wage"], Atoms.from_table(data, 0.05).truth["wage"]
    every = simplex(300)
    inside = every[jensen_shannon(every, seen.prior) <= t]
    searched = np.mean([jensen_shannon(inside, one).min() for one in truth])
    found = bound_per_population(truth, seen, t).value_at(t)
    assert found <= searched
    assert searched == pytest.approx(found, rel=0.02, abs=2e-5)  # the grid is coarse if the truth is in the ball


@pytest.mark.parametrize("t", [0.01, 0.03, 0.08])
def test_the_joint_bound_is_above_the_separate_bounds_and_below_any_release(t):
    data = table(2, ("illness",))
    atoms, seen = Atoms.from_table(data, 0.05), data.sensitive["illness"]
    line = bound_jointly(atoms, seen, t)
    assert bound_per_population(atoms.truth["illness"], seen, t).value_at(t) <= line.value_at(t) * 1.05
    rng, loss = np.random.default_rng(0), []
    for _ in range(50):
        beliefs = rng.dirichlet(np.ones(len(seen)), len(atoms))
        far = jensen_shannon(beliefs, seen.prior)[:, None]
        beliefs = seen.prior + (beliefs - seen.prior) * np.minimum(1, t / far)  # the divergence is convex
        assert (jensen_shannon(beliefs, seen.prior) <= t + 1e-12).all()
        shares = atoms.sums(atoms.people[:, None] * beliefs) / atoms.held
        loss.append(jensen_shannon(atoms.truth["illness"], shares).mean())
    assert line.value_at(t) <= min(loss)


def test_a_line_is_a_lower_bound_for_every_t():
    data = table(3, ("illness",))
    atoms, seen = Atoms.from_table(data, 0.05), data.sensitive["illness"]
    for of_t in (
        lambda t: bound_jointly(atoms, seen, t),
        lambda t: bound_per_population(atoms.truth["illness"], seen, t),
    ):
        lines = {t: of_t(t) for t in (0.01, 0.03, 0.06)}
        for t, best in lines.items():
            assert all(other.value_at(t) <= best.value_at(t) * 1.05 + 1e-6 for other in lines.values())


def test_the_bound_is_0_if_the_truth_satisfies_the_limit():
    data = table(0, ("illness",))
    atoms = Atoms.from_table(data, 0.05)
    assert bound_per_population(atoms.truth["illness"], data.sensitive["illness"], 0.69).value_at(0.69) == 0
    assert bound_jointly(atoms, data.sensitive["illness"], 0.69).value_at(0.69) == pytest.approx(0, abs=1e-6)
