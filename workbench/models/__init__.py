"""Privacy models: each says what is safe, as a score per class and a limit; one file a model."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from workbench.base.errors import BadInput, Undefined, said
from workbench.base.figures import figures
from workbench.base.variants import Variant, from_package, meaning
from workbench.data.sensitive import Sensitive
from workbench.models.classes import Classes

if TYPE_CHECKING:  # what type checkers and editors see; the same names as at run time
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

TOLERANCE = 1e-9  # a class of six with counts 2, 2, 2 is 3-diverse, whatever the rounding


@dataclass(frozen=True)
class Audit:
    """A model's verdict on a finished release; `disclosure_table(release).loc[audit.breaking]` shows the classes."""

    model: Model
    achieved: tuple[tuple[str, float], ...]  # each part's figure
    breaking: np.ndarray  # the classes beyond the limit
    records: int  # the records in them

    @property
    def holds(self) -> bool:
        return len(self.breaking) == 0

    def __str__(self) -> str:
        found = "; ".join(
            f"{figure} = {figures(value, part.better)}"
            for (figure, value), part in zip(self.achieved, self.model.parts, strict=True)
        )
        if self.holds:
            return f"{self.model} holds: {found}"
        return f"{self.model} is broken by {len(self.breaking):,} classes with {self.records:,} records ({found})"


class Model(Variant):
    """A score per class, and whether it must reach the limit or stay under it."""

    figure: ClassVar[str]  # what the score is called: k, l, t...
    at_least: ClassVar[bool] = False  # the score must reach the limit (k), else stay within it (t)
    strict: ClassVar[bool] = False  # equality breaks the model
    needs_sensitive: ClassVar[bool] = True
    needs_population: ClassVar[bool] = False  # it counts who of the population fits what a class shows

    @property
    def monotone(self) -> bool:
        """Whether classes that keep the model still keep it when they merge."""
        return True

    @property
    def promise(self) -> str:
        """What it asks of every class, in words; its parameters stand there by their names."""
        return meaning(type(self))

    @property
    def better(self) -> str:
        """Which scores keep more."""
        return "higher" if self.at_least else "lower"

    @property
    def floor(self) -> int:
        """The fewest records of a class that can keep the model, whatever they hold: smaller ones are not looked at."""
        return 1

    @property
    @abstractmethod
    def limit(self) -> float:
        """What the score is held against."""

    @abstractmethod
    def score_one(self, histogram: np.ndarray, sensitive: Sensitive) -> np.ndarray:
        """The score of each class on one sensitive column; `histogram` is classes x values."""

    def score(self, classes: Classes) -> np.ndarray:
        """The score of each class: the worst over the sensitive columns."""
        if not classes.sensitive:
            raise Undefined(
                f"{self.name} judges a sensitive column, and none is published here; use a model of class sizes"
            )
        scores = [self.score_one(classes.histograms[name], seen) for name, seen in classes.sensitive.items()]
        return np.min(scores, axis=0) if self.at_least else np.max(scores, axis=0)

    def holds(self, classes: Classes) -> np.ndarray:
        """Whether each class is within the limit."""
        score, slack = self.score(classes), TOLERANCE * max(1.0, abs(self.limit))
        slack = -slack if self.strict else slack
        return score >= self.limit - slack if self.at_least else score <= self.limit + slack

    def achieved(self, classes: Classes) -> float:
        """The worst score: the strictest limit that the release would still keep."""
        scores = self.score(classes)
        return float(scores.min() if self.at_least else scores.max())

    @classmethod
    def bare(cls) -> Model:
        """The model that measures its figure alone, with every other requirement at its loosest."""
        return cls()

    def audit(self, classes: Classes) -> Audit:
        """The verdict on a finished release, with the classes that break the model."""
        breaking = np.flatnonzero(~self.holds(classes))
        achieved = tuple((part.figure, part.achieved(classes)) for part in self.parts)
        return Audit(self, achieved, breaking, int(classes.sizes[breaking].sum()))

    def impossible(self, sensitive: Sensitive | None, records: int) -> str | None:
        """Why no release of the table can keep the model, where that can be said in plain words."""
        return None

    @property
    def far(self) -> tuple[str, float] | None:
        """How far a class may be from the whole table, and by which distance, where the model is about that."""
        return None

    @property
    def most(self) -> float:
        """The largest share of a class that one value may have, whichever it is."""
        return 1.0

    @property
    def parts(self) -> tuple[Model, ...]:
        """The models that this one is made of."""
        return (self,)

    def __and__(self, other: Model) -> And:
        if not isinstance(other, Model):
            raise BadInput(
                f"{self} & {said(other)}: the right side is not a model; "
                "write, for example, KAnonymity(5) & TCloseness(0.2)"
            )
        return And((*self.parts, *other.parts))


@dataclass(frozen=True)
class And(Model):
    """Several models at once."""

    models: tuple[Model, ...]
    figure = ""

    def __post_init__(self) -> None:
        parts = tuple(dict.fromkeys(part for model in self.models for part in model.parts))
        if not parts:
            raise BadInput("and: no model was given; write, for example, KAnonymity(5) & TCloseness(0.2)")
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
    def floor(self) -> int:
        return max(model.floor for model in self.models)

    @property
    def limit(self) -> float:
        return 0.0

    @property
    def parts(self) -> tuple[Model, ...]:
        return self.models

    def score_one(self, histogram: np.ndarray, sensitive: Sensitive) -> np.ndarray:
        raise Undefined("several models have no score in common; ask each of `parts`")

    def holds(self, classes: Classes) -> np.ndarray:
        return np.logical_and.reduce([model.holds(classes) for model in self.models])

    def to_dict(self) -> dict[str, Any]:
        return {"name": "and", "models": [model.to_dict() for model in self.models]}

    @property
    def line(self) -> str:
        return " & ".join(model.line for model in self.models)

    def __str__(self) -> str:
        return " & ".join(map(str, self.models))


def entropy(counts: np.ndarray) -> np.ndarray:
    """Shannon entropy (natural logarithm) along the last axis of a histogram; an empty one has none."""
    counts = np.asarray(counts, float)
    total = counts.sum(axis=-1)
    logs = np.log(counts, out=np.zeros_like(counts), where=counts > 0)
    spread = (counts * logs).sum(axis=-1)
    safe = np.where(total > 0, total, 1)
    return np.where(total > 0, np.maximum(np.log(safe) - spread / safe, 0.0), 0.0)


def share(histogram: np.ndarray) -> np.ndarray:
    """Each class's distribution over the values."""
    return histogram / histogram.sum(axis=1, keepdims=True)


def __getattr__(name: str) -> Any:
    """The catalog's models, found when first asked for: `from workbench.models import KAnonymity`."""
    return from_package(__name__, Model, name)
