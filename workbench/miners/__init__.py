"""Miners: what researchers and adversaries learn from what a release shows; one file a miner."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from workbench.base.variants import Variant, from_package
from workbench.miners.encoding import Form

if TYPE_CHECKING:  # what type checkers and editors see; the same names as at run time
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
    """A learner of one column from others: a scikit-learn estimator, or one that follows its interface."""

    predicts: ClassVar[Literal["values", "numbers"]] = "values"
    form: ClassVar[Form] = "ends"  # how the columns are encoded for it

    @abstractmethod
    def learner(self, nominal: Sequence[int], seed: int) -> Any:
        """The estimator; `nominal` says how many things a column of the form "values" may show, 0 of a number."""


def __getattr__(name: str) -> Any:
    """The catalog's miners, found when first asked for: `from workbench.miners import DecisionTree`."""
    return from_package(__name__, Miner, name)
