"""Selections: the records of a release that a user would select for a query, compared with those that meet it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from workbench.queries import batch_sums
from workbench.queries.batch_sums import CodeLevel, RegionLevel
from workbench.queries.evaluator import QueryEvaluator, QueryGroup, require_workload
from workbench.queries.exact import coded
from workbench.queries.regions import Regions
from workbench.queries.tree import Tree
from workbench.queries.workload import Workload

if TYPE_CHECKING:
    from workbench.releases.base import Release


class Selected(NamedTuple):
    """For each query, the number of selected records (or people), and how many of them meet the query."""

    returned: np.ndarray
    right: np.ndarray


def select_records(release: Release, workload: Workload) -> Selected:
    """Return what a user selects: each record that meets the conditions with a probability of at least one half.

    The probability is that of a count: the share of the record's region, or of its bucket. Suppressed records are never
    selected.
    """
    evaluator = QueryEvaluator(release, require_workload(release, workload))
    found = Selected(*np.zeros((2, len(workload))))
    for places, branch in evaluator.branches(np.arange(len(workload)), original=True):
        found.returned[places], found.right[places] = _counted(evaluator, branch)
    return found


def _counted(evaluator: QueryEvaluator, branch: QueryGroup) -> tuple[np.ndarray, np.ndarray]:
    """Return the counts for queries about the same columns."""
    which, none, one = branch.which, np.full(len(branch.which), -1), np.zeros(len(branch.people), np.int32)
    all_ask = np.zeros(len(which), np.int64)
    hidden = RegionLevel(1, all_ask, lambda some: evaluator.of_anybody(evaluator.hidden, which[some], none[some])[None])
    chances = [*(evaluator.prepare_level(level, which, none, Regions.shares) for level in branch.levels), hidden]
    codes, end = [*(level.codes for level in branch.levels), one], CodeLevel(1, all_ask, np.ones(1, np.uint64))
    met = [coded(evaluator.workload, name, which, none) for name in branch.codes]
    right = Tree.from_columns([*codes, *branch.codes.values(), one], branch.people)
    returned, cut = Tree.from_columns([*codes, one], branch.people), len(chances)
    return (
        batch_sums.sums(returned, [*chances, end], len(which), cut),
        batch_sums.sums(right, [*chances, *met, end], len(which), cut),
    )
