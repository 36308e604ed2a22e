"""Miners: what researchers and adversaries learn from what a release shows; one file a miner."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from workbench.base.variants import Variant, from_package
from workbench.miners.encoding import Form

if TYPE_CHECKING:  # what type checkers and editors see; the same names as at run time
    from workbench.miners.decision_tree import DecisionTree as DecisionTree
    from workbench.miners.majority import Majority as Majority
    from workbench.miners.naive_bayes import NaiveBayes as NaiveBayes
    from workbench.miners.random_forest import RandomForest as RandomForest


class Miner(Variant):
    """A learner of one column from others: a scikit-learn estimator, or one that follows its interface."""

    predicts: ClassVar[Literal["values", "numbers"]] = "values"
    form: ClassVar[Form] = "ends"  # how the columns are encoded for it

    @abstractmethod
    def learner(self, nominal: Sequence[int], seed: int) -> Any:
        """The estimator; `nominal` says how many things a column of the form "values" may show, 0 of a number."""


def __getattr__(name: str) -> Any:
    """The catalog's miners, found when first asked for: `from workbench.miners import DecisionTree`."""
    return from_package(__name__, Miner, name)
