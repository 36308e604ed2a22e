"""What is selected from a release, beside a look at its records one by one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.releases.queried import RELEASES, Naive, queries, table
from workbench.base.errors import Undefined
from workbench.releases.selections import selected

seeds = st.integers(0, 40)


@pytest.mark.parametrize("kind", [kind for kind in RELEASES if kind != "foreign"])
@settings(max_examples=10, deadline=None)
@given(seed=seeds, asked=seeds, weighted=st.booleans(), level=st.sampled_from([0, 1]))
def test_a_record_is_returned_that_meets_the_conditions_by_half_a_chance(kind, seed, asked, weighted, level):
    release = RELEASES[kind](table(seed, weighted, level))
    workload, naive = queries(release.table, asked, count=6, sums=False), Naive(release)
    found = selected(release, workload)
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


def test_of_a_file_it_is_not_known_which_records_are_right():
    with pytest.raises(Undefined, match="no record of this release is known"):
        selected(RELEASES["foreign"](table(0)), queries(table(0), 1, sums=False))
