"""Rule list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.base.parameters import parameter
from workbench.miners import Miner


@dataclass(frozen=True)
class RuleList(Miner):
    rules: int = parameter(30, "maximum number of rules", low=1, high=1000)
    depth: int = parameter(3, "maximum number of conditions per rule", low=1, high=20)
    name = "rule list"
    title = "Rule list"
    summary = "ordered rules, each the largest leaf of a small tree on remaining records (Frank & Witten 1998, PART)"

    def learner(self, nominal: Sequence[int], seed: int) -> Any:
        return Rules(self.rules, self.depth, seed)


class Rules:
    """Ordered rules: the first one that a record meets predicts; without one, the commonest value."""

    def __init__(self, most: int, depth: int, seed: int) -> None:
        self.most, self.depth, self.seed = most, depth, seed

    def fit(self, rows: np.ndarray, labels: np.ndarray) -> Rules:
        from sklearn.tree import DecisionTreeClassifier

        self.rules = list[tuple[Any, int, Any]]()
        while len(self.rules) < self.most and len(rows) and (labels != labels[0]).any():
            tree = DecisionTreeClassifier(
                criterion="entropy", max_depth=self.depth, min_samples_leaf=2, random_state=self.seed
            ).fit(rows, labels)
            leaf_of = tree.apply(rows)
            leaf = np.bincount(leaf_of).argmax()
            self.rules.append((tree, int(leaf), _commonest(labels[leaf_of == leaf])))
            rows, labels, before = rows[leaf_of != leaf], labels[leaf_of != leaf], labels
        self.otherwise = _commonest(labels if len(labels) else before)
        return self

    def predict(self, rows: np.ndarray) -> np.ndarray:
        """Return the prediction of the first rule that each record meets."""
        found = np.full(len(rows), self.otherwise)
        left = np.arange(len(rows))
        for tree, leaf, answer in self.rules:
            met = tree.apply(rows[left]) == leaf if len(left) else np.zeros(0, bool)
            found[left[met]] = answer
            left = left[~met]
        return found


def _commonest(labels: np.ndarray) -> Any:
    values, counts = np.unique(labels, return_counts=True)
    return values[counts.argmax()]
