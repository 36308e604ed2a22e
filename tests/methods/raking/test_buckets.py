import numpy as np

from tests.methods.raking.tables import table
from workbench.methods.raking.atoms import Atoms
from workbench.methods.raking.buckets import buckets
from workbench.models import KAnonymity, TCloseness
from workbench.models.distances import jensen_shannon


def test_buckets_have_a_seat_for_every_record_within_the_model_and_as_large_as_it_asks():
    data, model = table(4, ("illness", "wage")), TCloseness(0.03, distance="js") & KAnonymity(90)
    atoms = Atoms.of(data, 0.05)
    group, seats = buckets(data, model, atoms, most=12, smallest=20, seed=0)
    sizes = np.bincount(group, atoms.records)
    assert 1 < len(sizes) <= 12 and sizes.min() >= 90
    for name, counts in seats.items():
        assert counts.sum(axis=1).tolist() == sizes.tolist()
        assert counts.sum(axis=0).tolist() == data.sensitive[name].totals.tolist()
        assert jensen_shannon(counts / sizes[:, None], data.sensitive[name].prior).max() <= 0.03
