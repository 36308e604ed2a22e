"""The order of nodes, and that remaining records can always be released."""

import numpy as np

from tests.methods.full_domain.lattices import table_of
from workbench.measures import GeometricLoss
from workbench.methods.full_domain.full_domain import release_at
from workbench.methods.full_domain.lattice import Lattice
from workbench.methods.full_domain.local_recoding import nodes_by_loss, releasable_classes
from workbench.models import KAnonymity


def test_nodes_are_ordered_from_no_loss_to_full_loss():
    table = table_of(4)[0]
    order = nodes_by_loss(Lattice.from_table(table, False))
    losses = [GeometricLoss()(release_at(table, levels)).value for levels in order]
    assert losses[0] == 0 and losses[-1] == max(losses)
    assert np.corrcoef(losses, np.arange(len(losses)))[0, 1] > 0.8


def test_no_class_is_released_if_too_few_records_would_remain():
    table = table_of(6)[0]
    lattice = Lattice.from_table(table, False)
    for levels in lattice.levels:
        for k in (2, 4):
            group = releasable_classes(lattice, KAnonymity(k), lattice.cells, levels, 0)
            rest = int(lattice.cells.counts[group < 0].sum())
            assert rest == 0 or rest >= k
            spared = releasable_classes(lattice, KAnonymity(k), lattice.cells, levels, table.records)
            assert (spared >= 0).sum() >= (group >= 0).sum()
