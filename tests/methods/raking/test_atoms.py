""""""

import numpy as np
import pytest

from tests.methods.raking.tables import table
from workbench.data import weights
from workbench.methods.raking import atoms
from workbench.methods.raking.atoms import Atoms, Limit, error_of, find_members, polish, rake_beliefs, rake_once
from workbench.models import TCloseness
from workbench.models.distribution_distances import jensen_shannon
from workbench.queries.populations import shared_prefix


@pytest.mark.slow
@pytest.mark.parametrize("weighted", [False, True])
def test_atoms_are_distinguished_by_the_populations_that_contain_them(weighted):
    data = table(weights=weighted)
    found, cells = Atoms.from_table(data, 0.05), data.cells()
    inside = [((run[:, :1] <= cells.quasi) & (cells.quasi <= run[:, 1:])).all(axis=0) for run in found.populations.runs]
    pattern = np.unique(np.array(inside).T, axis=0, return_inverse=True)[1]
    assert len(np.unique(np.stack([found.of_cell, pattern], axis=1), axis=0)) == len(found)  # one pattern an atom
    people = weights.people(data)
    for p, held in enumerate(inside):
        here = found.members[found.start[p] : found.start[p + 1]]
        assert sorted(here) == sorted(set(found.of_cell[held]))
        assert found.sums(found.people)[p] == pytest.approx(people[held].sum()) == found.populations.support[p]
    assert found.records.sum() == data.records


def test_shares_are_of_the_people_of_each_population():
    data = table()
    found = Atoms.from_table(data, 0.1)
    group = np.arange(len(found)) % 3
    shares, cells = found.shares(group), data.cells()
    run = found.populations.runs[7]
    held = ((run[:, :1] <= cells.quasi) & (cells.quasi <= run[:, 1:])).all(axis=0)
    counted = np.bincount(group[found.of_cell[held]], cells.weight[held], 3)
    assert shares[7] == pytest.approx(counted / counted.sum())
    assert found.truth["illness"][7] == pytest.approx(
        np.bincount(cells.others["illness"][held], cells.weight[held], 4) / counted.sum()
    )


def test_a_reproducible_sample_of_very_many_populations_is_used(monkeypatch):
    monkeypatch.setattr(atoms, "MEMBERS", 500)
    first, second = (Atoms.from_table(table(), 0.05) for _ in range(2))
    assert 0 < len(first.populations) < first.populations.every
    assert (first.populations.runs == second.populations.runs).all()
    assert len(first.truth["illness"]) == len(first.populations) == len(first.start) - 1


def off(atoms, beliefs):
    """Return the distance of the beliefs about populations from the truth."""
    told = atoms.sums(beliefs * atoms.people[:, None]) / atoms.held
    return jensen_shannon(told, atoms.truth["illness"]).mean()


def test_beliefs_approach_the_true_distributions_of_populations():
    data = table()
    atoms, seen = Atoms.from_table(data, 0.05), data.sensitive["illness"]
    everybody = np.repeat(seen.prior[None], len(atoms), axis=0)
    assert off(atoms, rake_beliefs(atoms, Limit(None, seen))) < 0.02 * off(atoms, everybody)


def test_beliefs_satisfy_the_model():
    data = table()
    atoms, seen = Atoms.from_table(data, 0.05), data.sensitive["illness"]
    found = rake_beliefs(atoms, Limit(TCloseness(0.02, distance="js"), seen))
    assert np.allclose(found.sum(axis=1), 1)
    assert jensen_shannon(found, seen.prior).max() <= 0.02 + 1e-9


@pytest.fixture
def problem():
    rng = np.random.default_rng(0)
    shares, sizes = rng.dirichlet(np.ones(8), 60), rng.integers(50, 400, 8)
    wanted = rng.dirichlet([4, 2, 1], 8)
    return shares, sizes, shares @ wanted, wanted


def limit(sizes, wanted, t):
    from workbench.data.sensitive import Sensitive

    totals = np.round(sizes @ wanted).astype(np.int64)
    totals[0] += sizes.sum() - totals.sum()
    return Limit(TCloseness(t, distance="js"), Sensitive("s", ("a", "b", "c"), totals))


def test_exact_histograms_are_found_if_they_exist(problem):
    shares, sizes, truth, wanted = problem
    held = limit(sizes, wanted, 0.69)
    start = np.repeat(held.sensitive.prior[None], 8, axis=0)
    found = polish(start, shares, truth, sizes, held)
    assert error_of(shares @ found, truth)[0] < 0.1 * error_of(shares @ start, truth)[0]


def test_histograms_satisfy_the_model_with_a_margin_for_rounding(problem):
    shares, sizes, truth, wanted = problem
    held = limit(sizes, wanted, 0.02)
    found = polish(wanted, shares, truth, sizes, held)
    assert jensen_shannon(found, held.sensitive.prior).max() < 0.02
    assert sizes @ found == pytest.approx(held.sensitive.totals, rel=0.05)
    assert found.sum(axis=1) == pytest.approx(np.ones(8))


def test_the_gradient_is_that_of_the_error():
    rng = np.random.default_rng(3)
    told, truth = rng.dirichlet(np.ones(4), 5), rng.dirichlet(np.ones(4), 5)
    error, slope = error_of(told, truth)
    assert error == pytest.approx(jensen_shannon(told, truth).mean(), rel=0.5)  # to second order
    moved = told.copy()
    moved[2, 1] += 1e-7
    weight = 1 / (4 * np.maximum(truth + told, 0.002)) / 5  # held fixed, as the slope has it
    assert slope[2, 1] == pytest.approx(((weight * (moved - truth) ** 2).sum() - error) / 1e-7, rel=1e-4)


@pytest.fixture
def runs():
    rng = np.random.default_rng(0)
    ends = np.sort(rng.integers(0, 6, (40, 3, 2)), axis=2).astype(np.int32)
    return ends[np.lexsort(ends.reshape(40, -1).T[::-1])]


def test_members_are_the_atoms_inside_all_runs(runs):
    codes = np.random.default_rng(1).integers(0, 6, (3, 50)).astype(np.int32)
    start = np.zeros(len(runs) + 1, np.int64)
    find_members(runs, shared_prefix(runs), codes, start, np.empty(0, np.int32))
    found = np.empty(start[-1], np.int32)
    find_members(runs, shared_prefix(runs), codes, start, found)
    for p, (low, high) in enumerate(np.moveaxis(runs, 2, 1)):
        inside = ((low[:, None] <= codes) & (codes <= high[:, None])).all(axis=0)
        assert found[start[p] : start[p + 1]].tolist() == np.flatnonzero(inside).tolist()


def test_raking_multiplies_beliefs_by_the_root_of_the_missing_share():
    beliefs, weight = np.array([[0.5, 0.5], [0.8, 0.2], [0.3, 0.7]]), np.array([1.0, 3.0, 2.0])
    truth = np.array([[0.9, 0.1]])
    now = (1 * beliefs[0] + 3 * beliefs[1]) / 4
    factor = np.sqrt((truth[0] + 1e-5) / (now + 1e-5))
    expected = beliefs[:2] * factor / (beliefs[:2] * factor).sum(axis=1, keepdims=True)
    rake_once(beliefs, weight, np.array([0, 2]), np.array([0, 1], np.int32), truth)
    assert beliefs[:2] == pytest.approx(expected)
    assert beliefs[2].tolist() == [0.3, 0.7]  # in no population
