"""Selections: the records of a release that a user takes to meet conditions, beside those that do."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from workbench.releases.regions import Regions
from workbench.releases.told import Branch, Told, asked_of
from workbench.workloads import together
from workbench.workloads.exact import coded
from workbench.workloads.together import Coded, Tabled
from workbench.workloads.tree import Tree
from workbench.workloads.workload import Workload

if TYPE_CHECKING:
    from workbench.releases.base import Release


class Selected(NamedTuple):
    """Of each query how many records are returned, or people that they stand for, and how many of them meet it."""

    returned: np.ndarray
    right: np.ndarray


def selected(release: Release, workload: Workload) -> Selected:
    """What a user selects: each record that by what is told of it meets the conditions with a chance of a half or more.

    The chance is that of a count: the share of its region, or of its bucket. Nobody selects who is left out.
    """
    told = Told(release, asked_of(release, workload))
    found = Selected(*np.zeros((2, len(workload))))
    for places, branch in told.branches(np.arange(len(workload)), original=True):
        found.returned[places], found.right[places] = _counted(told, branch)
    return found


def _counted(told: Told, branch: Branch) -> tuple[np.ndarray, np.ndarray]:
    """Those of queries that ask about the same columns."""
    which, none, one = branch.which, np.full(len(branch.which), -1), np.zeros(len(branch.people), np.int32)
    all_ask = np.zeros(len(which), np.int64)
    hidden = Tabled(1, all_ask, lambda some: told.of_anybody(told.hidden, which[some], none[some])[None])
    chances = [*(told.asked(level, which, none, Regions.shares) for level in branch.levels), hidden]
    codes, end = [*(level.codes for level in branch.levels), one], Coded(1, all_ask, np.ones(1, np.uint64))
    met = [coded(told.workload, name, which, none) for name in branch.codes]
    right = Tree.of([*codes, *branch.codes.values(), one], branch.people)
    returned, cut = Tree.of([*codes, one], branch.people), len(chances)
    return (
        together.sums(returned, [*chances, end], len(which), cut),
        together.sums(right, [*chances, *met, end], len(which), cut),
    )
