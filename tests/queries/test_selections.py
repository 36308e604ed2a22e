"""Selections from a release, compared with a look at each record."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.queries.queried import RELEASES, Naive, queries, table
from workbench.base.errors import Undefined
from workbench.queries.selections import select_records

seeds = st.integers(0, 40)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [kind for kind in RELEASES if kind != "foreign"])
@examples(10)
@given(seed=seeds, asked=seeds, weighted=st.booleans(), level=st.sampled_from([0, 1]))
def test_records_are_selected_from_a_probability_of_one_half(kind, seed, asked, weighted, level):
    release = RELEASES[kind](table(seed, weighted, level))
    workload, naive = queries(release.table, asked, count=6, sums=False), Naive(release)
    found = select_records(release, workload)
    for q in range(len(workload)):
        met = {name: workload.condition(q, name) for name in workload.columns}
        met = {name: codes for name, codes in met.items() if codes is not None}
        chances = [np.prod([naive.one(i, name, codes, False) for name, codes in met.items()]) for i in naive.records]
        if any(abs(chance - 0.5) < 1e-9 for chance in chances):
            continue  # a computer's half may be less
        returned = [i for i in naive.records if chances[i] > 0.5 and naive.group[i] < len(release.classes)]
        right = [i for i in returned if all(codes[release.table.codes[name][i]] for name, codes in met.items())]
        assert found.returned[q] == pytest.approx(sum(naive.weights[i] for i in returned))
        assert found.right[q] == pytest.approx(sum(naive.weights[i] for i in right))


def test_selections_from_a_file_cannot_be_checked():
    with pytest.raises(Undefined, match="records of this release cannot be matched"):
        select_records(RELEASES["foreign"](table(0)), queries(table(0), 1, sums=False))
