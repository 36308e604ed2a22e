import numpy as np
import pytest

from tests.methods.raking.tables import table
from workbench.data import weights
from workbench.methods.raking import atoms
from workbench.methods.raking.atoms import Atoms


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
