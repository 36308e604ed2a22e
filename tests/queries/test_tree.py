"""A tree of records has a node for each beginning of a row that occurs."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from workbench.queries.tree import Tree


@examples(60)
@given(st.integers(0, 10_000), st.integers(1, 4), st.integers(1, 40))
def test_every_prefix_of_a_row_is_a_node_with_its_total(seed, columns, rows):
    rng = np.random.default_rng(seed)
    codes, amount = rng.integers(0, 3, (columns, rows)), rng.integers(1, 5, rows)
    tree = Tree.from_columns(list(codes), amount)
    begin = ()
    paths = {(): [*range(tree.first[1])]}
    for level in range(columns):
        found = {}
        for begin, nodes in paths.items():
            for node in nodes:
                here = (*begin, int(tree.codes[tree.first[level] + node]))
                below = tree.first[level] + level + node
                found[here] = [] if level == columns - 1 else [*range(tree.child[below], tree.child[below + 1])]
                alike = (codes[: level + 1] == np.array(here)[:, None]).all(axis=0)
                assert tree.total[tree.first[level] + node] == amount[alike].sum() > 0
        assert len(found) == tree.first[level + 1] - tree.first[level]
        assert set(found) == {tuple(row[: level + 1]) for row in codes.T.tolist()}
        paths = found


def test_without_columns_or_rows_there_is_one_level():
    assert Tree.from_columns([], np.array([2, 3])).total.tolist() == [5]
    assert Tree.from_columns([np.zeros(0, np.int32)], np.zeros(0)).total.tolist() == []
