import numpy as np

from tests.methods.raking.tables import table
from workbench.methods.raking.atoms import Atoms
from workbench.methods.raking.beliefs import Limit, rake_beliefs
from workbench.models import TCloseness
from workbench.models.distances import jensen_shannon


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
