"""Mondrian on nodes and ranges in one release gives the cuts of a naive search."""

import numpy as np
import pandas as pd
import pytest

from tests.examples import seeds
from tests.methods import oracle
from tests.methods.tables import HIERARCHIES, random_frame
from workbench.data.table import Table
from workbench.methods import Mondrian
from workbench.methods.mondrian.node_kernels import FEW_CHILDREN
from workbench.methods.mondrian.per_column import WidestPerColumn, columns_of_nodes
from workbench.methods.mondrian.splits import Nodes
from workbench.models import KAnonymity
from workbench.queries.workload import Workload


def table_of(frame: pd.DataFrame, quasi: list[str], **regions: str) -> Table:
    hierarchies = {name: one for name, one in HIERARCHIES.items() if name in quasi}
    chosen = {"whole": "exact", "real": "exact", **regions}
    return Table.read(frame, quasi, "s", hierarchies=hierarchies, regions={n: chosen[n] for n in quasi if n in chosen})


def naive(table: Table, k: int) -> set[frozenset[int]]:
    """Return the classes of a naive search: the widest axis first, ranges cut at the median, nodes between children."""
    columns = [table.columns[name] for name in table.quasi]
    codes = [table.codes[name].tolist() for name in table.quasi]

    def width(a: int, part: list[int]) -> float:
        at = columns[a].positions
        mine = [at[codes[a][i]] for i in part]
        return (max(mine) - min(mine)) / ((at[-1] - at[0]) or 1.0)

    def halves(a: int, part: list[int]) -> tuple[list[int], list[int]] | None:
        many = False
        if not columns[a].shows_nodes:
            mine = sorted(codes[a][i] for i in part)
            median = mine[(len(mine) + 1) // 2 - 1]
            if median == mine[-1]:
                median = max((code for code in mine if code < median), default=-1)
            cuts = [median]
        else:
            levels = [node.tolist() for node in columns[a].released_at]
            above = next(j for j, node in enumerate(levels) if len({node[codes[a][i]] for i in part}) == 1)
            if above == 0:
                return None
            child = levels[above - 1]
            there = [codes[a][i] for i in part]
            many = len(set(child[min(there) : max(there) + 1])) > FEW_CHILDREN
            ends = sorted({child[codes[a][i]] for i in part})[:-1]
            cuts = [max(c for c in range(columns[a].size) if child[c] == end) for end in ends]
        found = []
        for cut in cuts:
            left = [i for i in part if codes[a][i] <= cut]
            right = [i for i in part if codes[a][i] > cut]
            found.append((abs(len(left) - len(right)), cut, left, right))
        found = [cut for cut in found if cut[2] and cut[3]]
        if columns[a].shows_nodes and found and many:  # the larger end, if both sides have enough
            ends = [(-len(found[0][2]), 0, *found[0][2:]), (-len(found[-1][3]), 1, *found[-1][2:])]
            enough = [cut for cut in ends if min(len(cut[2]), len(cut[3])) >= k]
            found = [min(enough)] if enough else found
        _, _, left, right = min(found, default=(0, 0, [], []))
        return (left, right) if min(len(left), len(right)) >= k else None

    done, opened = set(), [list(range(table.records))]
    while opened:
        part = opened.pop()
        for a in sorted(range(len(columns)), key=lambda a, part=part: (-width(a, part), a)):
            both = halves(a, part) if width(a, part) > 0 else None
            if both:
                opened += both
                break
        else:
            done.add(frozenset(part))
    return done


def merged(table: Table, parts: set[frozenset[int]]) -> set[frozenset[int]]:
    """Merge parts with equal published regions into classes."""
    found: dict[tuple, set[int]] = {}
    for part in parts:
        shown = []
        for name in table.quasi:
            column, mine = table.columns[name], sorted({int(table.codes[name][i]) for i in part})
            low, high = mine[0], mine[-1]
            if column.shows_nodes:
                node = next(node for node in column.released_at if node[low] == node[high])
                inside = np.flatnonzero(node == node[low])
                low, high = int(inside[0]), int(inside[-1])
            shown.append((low, high))
        found.setdefault(tuple(shown), set()).update(part)
    return {frozenset(part) for part in found.values()}


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(25, fast=5))
def test_the_classes_are_those_of_a_naive_search(seed):
    frame = random_frame(seed, 40 + 7 * seed, missing=0.1 * (seed % 2))
    quasi = [["word", "real"], ["whole", "word"], ["word", "real", "plain"], ["word"]][seed % 4]
    table = table_of(frame, quasi, **({"whole": "nodes"} if seed % 3 == 0 and "whole" in quasi else {}))
    k = 2 + seed % 5
    release = Mondrian()(table, KAnonymity(k))
    assert oracle.as_sets(release.group_of_record) == merged(table, naive(table, k))


def test_columns_of_nodes_are_those_with_a_hierarchy_and_nodes():
    table = table_of(random_frame(0, 50), ["whole", "word", "plain"])
    assert columns_of_nodes(table).tolist() == [False, True, False], "text without a hierarchy shows ranges"


def test_a_cut_between_children_is_allowed_if_one_child_is_small():
    frame = pd.DataFrame({"word": ["w1"] * 3 + ["w3"] * 40 + ["w5"] * 40, "s": ["a", "b", "c"] * 27 + ["a", "b"]})
    table = table_of(frame, ["word"])
    release = Mondrian()(table, KAnonymity(10))
    labels = dict(zip(map(str, release.class_labels("word")), release.classes.sizes.tolist(), strict=True))
    assert labels == {"PQ": 43, "R": 40} or labels == {"PQ": 43, "w5": 40}


def test_cuts_that_serve_a_workload_follow_both_kinds_of_columns():
    frame = random_frame(3, 300)
    table = table_of(frame, ["word", "real"])
    workload = Workload.from_texts(table, ["word = 'w1'", "real >= 1", "word = 'w5' and real >= 0.5"])
    release = Mondrian("workload", workload=workload)(table, KAnonymity(10))
    assert release.audit(KAnonymity(10)).holds and len(release.classes) > 3
    found = WidestPerColumn(table, table.cells(), KAnonymity(10))
    split = found.split(Nodes.root(table, table.cells()), lambda parts: np.ones(len(parts), bool), 10)
    assert len(split.node) == 1 and split.sizes.sum() == 300
