"""Miners: models that researchers and attackers train on a release; one file per miner."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from workbench.base.variants import Variant, from_package
from workbench.miners.features import Form

if TYPE_CHECKING:  # for type checkers and editors; the same names as at run time
    from workbench.miners.decision_stump import DecisionStump as DecisionStump
    from workbench.miners.decision_tree import DecisionTree as DecisionTree
    from workbench.miners.gradient_boosting import GradientBoosting as GradientBoosting
    from workbench.miners.linear_regression import LinearRegression as LinearRegression
    from workbench.miners.linear_svm import LinearSVM as LinearSVM
    from workbench.miners.locally_weighted import LocallyWeighted as LocallyWeighted
    from workbench.miners.logistic_regression import LogisticRegression as LogisticRegression
    from workbench.miners.majority import Majority as Majority
    from workbench.miners.mean import Mean as Mean
    from workbench.miners.model_tree import ModelTree as ModelTree
    from workbench.miners.naive_bayes import NaiveBayes as NaiveBayes
    from workbench.miners.nearest_centroid import NearestCentroid as NearestCentroid
    from workbench.miners.nearest_neighbours import NearestNeighbours as NearestNeighbours
    from workbench.miners.neighbour_regression import NeighbourRegression as NeighbourRegression
    from workbench.miners.one_rule import OneRule as OneRule
    from workbench.miners.radial_basis import RadialBasis as RadialBasis
    from workbench.miners.random_forest import RandomForest as RandomForest
    from workbench.miners.regression_forest import RegressionForest as RegressionForest
    from workbench.miners.regression_stump import RegressionStump as RegressionStump
    from workbench.miners.regression_tree import RegressionTree as RegressionTree
    from workbench.miners.rule_list import RuleList as RuleList


class Miner(Variant):
    """A predictor of one column from others: a scikit-learn estimator, or one with its interface."""

    predicts: ClassVar[Literal["values", "numbers"]] = "values"
    form: ClassVar[Form] = "ends"  # the encoding of the columns for it

    @abstractmethod
    def learner(self, nominal: Sequence[int], seed: int) -> Any:
        """Return the estimator; `nominal` has the number of items of each column of form "values", 0 for numbers."""


def __getattr__(name: str) -> Any:
    """Return a miner by class name, imported on first use: `from workbench.miners import DecisionTree`."""
    return from_package(__name__, Miner, name)
