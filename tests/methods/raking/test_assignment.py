import numpy as np
import pandas as pd

from tests.methods.raking.tables import table
from workbench.data.hierarchies.builders import Intervals
from workbench.data.table import Table
from workbench.methods import RakedBuckets
from workbench.methods.raking.assignment import Records, assign_records
from workbench.methods.raking.atoms import Atoms
from workbench.methods.raking.polish import error_of


def test_records_fill_their_buckets_and_are_more_informative_than_random_ones():
    data, rng = table(), np.random.default_rng(0)
    atoms, cells = Atoms.from_table(data, 0.05), data.cells()
    cell = np.repeat(np.arange(len(cells)), cells.weight)
    atom, value = atoms.of_cell[cell], cells.others["illness"][cell]
    common = np.bincount(atom, value == 3, len(atoms)) / atoms.records
    bucket = np.searchsorted(np.quantile(common, [0.2, 0.4, 0.6, 0.8]), common)
    records = Records(atom, value, bucket[atom])
    counts = np.bincount(records.bucket * 4 + records.value, minlength=20).reshape(5, 4)
    seats = counts.copy()
    for _ in range(200):  # other seats, with the same sums
        (a, b), (u, v) = rng.choice(5, 2, replace=False), rng.choice(4, 2, replace=False)
        if seats[a, u] and seats[b, v]:
            seats[[a, b, a, b], [u, v, v, u]] += [-1, -1, 1, 1]
    found = assign_records(records, seats, atoms, atoms.truth["illness"], rng)
    assert (np.bincount(found * 4 + records.value, minlength=20).reshape(5, 4) == seats).all()

    def off(bucket):
        told = (seats / seats.sum(axis=1, keepdims=True))[bucket]
        of_atom = np.stack([np.bincount(records.atom, one, len(atoms)) for one in told.T], axis=1)
        return error_of(atoms.sums(of_atom) / atoms.held, atoms.truth["illness"])[0]

    chance = np.empty_like(found)
    for value in range(4):
        here = np.flatnonzero(records.value == value)
        chance[here] = rng.permutation(np.repeat(np.arange(5), seats[:, value]))
    assert off(found) < 0.5 * off(chance)


def test_records_with_unique_values_cannot_be_swapped():
    frame = pd.DataFrame({"age": range(90), "ill": [f"illness {i}" for i in range(90)]})
    data = Table.from_frame(frame, ["age"], "ill", hierarchies={"age": Intervals(widths=(30,))})
    release = RakedBuckets(publish="dealt", smallest=30)(data)
    assert release.classes.sizes.min() >= 30
    assert (release.classes.histograms["ill"].sum(axis=0) == 1).all()
