"""Privacy models: each scores every class and has a limit for the score. One file per model."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from workbench.base.errors import BadInput, Undefined, safe_repr
from workbench.base.figures import figures_next_to
from workbench.base.variants import Variant, from_package
from workbench.data.sensitive import Sensitive
from workbench.models.classes import Classes

if TYPE_CHECKING:  # for type checkers and editors; the same names as at run time
    from workbench.models.alpha_k import AlphaK as AlphaK
    from workbench.models.beta_likeness import BetaLikeness as BetaLikeness
    from workbench.models.delta_disclosure import DeltaDisclosure as DeltaDisclosure
    from workbench.models.delta_presence import DeltaPresence as DeltaPresence
    from workbench.models.distinct_l_diversity import DistinctLDiversity as DistinctLDiversity
    from workbench.models.entropy_l_diversity import EntropyLDiversity as EntropyLDiversity
    from workbench.models.k_anonymity import KAnonymity as KAnonymity
    from workbench.models.k_map import KMap as KMap
    from workbench.models.probabilistic_l_diversity import ProbabilisticLDiversity as ProbabilisticLDiversity
    from workbench.models.recursive_l_diversity import RecursiveLDiversity as RecursiveLDiversity
    from workbench.models.t_closeness import TCloseness as TCloseness

TOLERANCE = 1e-9  # a class of six with counts 2, 2, 2 is 3-diverse in spite of rounding errors


@dataclass(frozen=True)
class Audit:
    """The result of checking a model on a release; `disclosure_table(release).loc[audit.violating]` lists classes."""

    model: Model
    achieved: tuple[tuple[str, float], ...]  # the figure of each part
    violating: np.ndarray  # indices of the classes beyond the limit
    records: int  # the records in them
    uncovered: int = 0  # people of the population whom the model protects but no class covers

    @property
    def holds(self) -> bool:
        return len(self.violating) == 0 and not self.uncovered

    def __str__(self) -> str:
        found = "; ".join(
            f"{figure} = {figures_next_to(value, part.limit)}"
            for (figure, value), part in zip(self.achieved, self.model.parts, strict=True)
        )
        if self.holds:
            return f"{self.model} holds: {found}"
        found_in = [f"by {len(self.violating):,} classes with {self.records:,} records"] if len(self.violating) else []
        found_in += [f"by {self.uncovered:,} people of the population whom no class covers"] if self.uncovered else []
        return f"{self.model} is violated {' and '.join(found_in)} ({found})"


class Model(Variant):
    """A score per class, and whether it must reach the limit or stay within it."""

    figure: ClassVar[str]  # name of the score: k, l, t, ...
    at_least: ClassVar[bool] = False  # the score must reach the limit (k), else stay within it (t)
    strict: ClassVar[bool] = False  # equality violates the model
    needs_sensitive: ClassVar[bool] = True
    needs_population: ClassVar[bool] = False  # it counts the people of the population who match a class

    @property
    def monotone(self) -> bool:
        """True if a union of classes that satisfy the model satisfies it."""
        return True

    @property
    def promise(self) -> str:
        """The requirement on every class, in words with the names of parameters."""
        return self.summary

    @property
    def better(self) -> str:
        """The direction of scores that protect more: higher or lower."""
        return "higher" if self.at_least else "lower"

    @property
    def min_class_size(self) -> int:
        """The smallest size of a class that can satisfy the model, whatever its values."""
        return 1

    @property
    @abstractmethod
    def limit(self) -> float:
        """The limit of the score."""

    @abstractmethod
    def score_column(self, histogram: np.ndarray, sensitive: Sensitive) -> np.ndarray:
        """Return the score of each class on one sensitive column; `histogram` is classes x values."""

    def score(self, classes: Classes) -> np.ndarray:
        """Return the score of each class: the worst over the sensitive columns."""
        if not classes.sensitive:
            raise Undefined(f"{self.name} needs a sensitive column, and none is published here; use k-anonymity")
        scores = [self.score_column(classes.histograms[name], seen) for name, seen in classes.sensitive.items()]
        return np.min(scores, axis=0) if self.at_least else np.max(scores, axis=0)

    def holds(self, classes: Classes) -> np.ndarray:
        """Return for each class whether it is within the limit."""
        score, slack = self.score(classes), TOLERANCE * max(1.0, abs(self.limit))
        slack = -slack if self.strict else slack
        return score >= self.limit - slack if self.at_least else score <= self.limit + slack

    def achieved(self, classes: Classes) -> float:
        """Return the worst score: the strictest limit that the release satisfies."""
        scores = self.score(classes)
        return float(scores.min() if self.at_least else scores.max())

    @classmethod
    def with_loosest_parameters(cls) -> Model:
        """Return the model that only measures its figure, with every other requirement at its loosest."""
        return cls()

    def audit(self, classes: Classes) -> Audit:
        """Check the model on the classes of a finished release."""
        violating = np.flatnonzero(~self.holds(classes))
        achieved = tuple((part.figure, part.achieved(classes)) for part in self.parts)
        return Audit(self, achieved, violating, int(classes.sizes[violating].sum()), self.uncovered(classes))

    def uncovered(self, classes: Classes) -> int:
        """Return how many people of the population violate the model because no class of the release covers them."""
        return 0

    def explain_impossible(self, sensitive: Sensitive | None, records: int) -> str | None:
        """Return why no release of the table can satisfy the model, if there is a simple reason."""
        return None

    @property
    def max_distance_from_prior(self) -> tuple[str, float] | None:
        """The kind of distance and its limit, if the model limits the distance of classes from the whole table."""
        return None

    @property
    def max_value_share(self) -> float:
        """The largest share of a class that any value may have."""
        return 1.0

    @property
    def parts(self) -> tuple[Model, ...]:
        """The models that this one combines."""
        return (self,)

    def __and__(self, other: Model) -> And:
        if not isinstance(other, Model):
            raise BadInput(
                f"{self} & {safe_repr(other)}: the right side is not a model; "
                "write, for example, KAnonymity(5) & TCloseness(0.2)"
            )
        return And((*self.parts, *other.parts))


@dataclass(frozen=True)
class And(Model):
    """Several models, all required."""

    models: tuple[Model, ...]
    figure = ""

    def __post_init__(self) -> None:
        parts = tuple(dict.fromkeys(part for model in self.models for part in model.parts))
        if not parts:
            raise BadInput("and: no model given; write, for example, KAnonymity(5) & TCloseness(0.2)")
        object.__setattr__(self, "models", parts)

    @property
    def name(self) -> str:  # type: ignore[override]
        return " & ".join(model.name for model in self.models)

    @property
    def needs_sensitive(self) -> bool:  # type: ignore[override]
        return any(model.needs_sensitive for model in self.models)

    @property
    def needs_population(self) -> bool:  # type: ignore[override]
        return any(model.needs_population for model in self.models)

    @property
    def monotone(self) -> bool:
        return all(model.monotone for model in self.models)

    @property
    def min_class_size(self) -> int:
        return max(model.min_class_size for model in self.models)

    @property
    def limit(self) -> float:
        return 0.0

    @property
    def parts(self) -> tuple[Model, ...]:
        return self.models

    def score_column(self, histogram: np.ndarray, sensitive: Sensitive) -> np.ndarray:
        raise Undefined("a combination of models has no single score; use the score of each of `parts`")

    def holds(self, classes: Classes) -> np.ndarray:
        return np.logical_and.reduce([model.holds(classes) for model in self.models])

    def uncovered(self, classes: Classes) -> int:
        return max(model.uncovered(classes) for model in self.models)

    def to_dict(self) -> dict[str, Any]:
        return {"name": "and", "models": [model.to_dict() for model in self.models]}

    @property
    def line(self) -> str:
        return " & ".join(model.line for model in self.models)

    def __str__(self) -> str:
        return " & ".join(map(str, self.models))


def entropy(counts: np.ndarray) -> np.ndarray:
    """Return the Shannon entropy (natural logarithm) along the last axis of a histogram; 0 if it is empty."""
    counts = np.asarray(counts, float)
    total = counts.sum(axis=-1)
    logs = np.log(counts, out=np.zeros_like(counts), where=counts > 0)
    spread = (counts * logs).sum(axis=-1)
    safe = np.where(total > 0, total, 1)
    return np.where(total > 0, np.maximum(np.log(safe) - spread / safe, 0.0), 0.0)


def class_shares(histogram: np.ndarray) -> np.ndarray:
    """Return the distribution of the values in each class."""
    return histogram / histogram.sum(axis=1, keepdims=True)


def quotient(shares: np.ndarray, prior: np.ndarray) -> np.ndarray:
    """Return shares divided by the prior: infinite for a value not in the table, 1 for one in neither."""
    absent = np.where(shares > 0, np.inf, 1.0)
    return np.divide(shares, prior, out=absent, where=np.broadcast_to(prior > 0, shares.shape))


def __getattr__(name: str) -> Any:
    """Return a model of the catalog by class name, imported on first use: `from workbench.models import KAnonymity`."""
    return from_package(__name__, Model, name)
