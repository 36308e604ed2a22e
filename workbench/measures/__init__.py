"""Measures: each scores the privacy or the utility of a release. One file per measure."""

from __future__ import annotations

import hashlib
import math
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from workbench.base.convergence import Fit, collect_fits, warning_about
from workbench.base.errors import Undefined
from workbench.base.parameters import Choice, Data, Plain, parameter
from workbench.base.variants import Variant, catalog, from_package
from workbench.data.settings import weights_of_quasi
from workbench.data.table import Table
from workbench.models import Model
from workbench.models.classes import Classes
from workbench.redaction.controlled_rounding import round_average
from workbench.releases.base import ADVERSARIES, OWN_CLASS, Release, refuse_other
from workbench.releases.foreign import has_overlapping_classes
from workbench.releases.published_classes import Scale

LEARNING, LEARNING_BAYES = LEARNERS = ("learning", "learning by naive bayes")
LEARNED = "learned"  # the estimator of a learning researcher
# weight of a person in the end of an interval: in 100 bootstrap samples hardly one of a million people is drawn more
# than 10 times, and intervals are wider than their scatter by the square root of 2
DRAWN = 15

if TYPE_CHECKING:  # for type checkers and editors; the same names as at run time
    from workbench.measures.privacy.accuracy_gain import AccuracyGain as AccuracyGain
    from workbench.measures.privacy.achieved import Achieved as Achieved
    from workbench.measures.privacy.anti_utility import AntiUtility as AntiUtility
    from workbench.measures.privacy.attacks import AttributeInference as AttributeInference
    from workbench.measures.privacy.attacks import Linkability as Linkability
    from workbench.measures.privacy.attacks import SinglingOut as SinglingOut
    from workbench.measures.privacy.group_protection import GroupProtection as GroupProtection
    from workbench.measures.privacy.information_gain import InformationGain as InformationGain
    from workbench.measures.privacy.knowledge_gain import KnowledgeGain as KnowledgeGain
    from workbench.measures.privacy.largest_quotient import LargestQuotient as LargestQuotient
    from workbench.measures.privacy.measured_diversity import MeasuredDiversity as MeasuredDiversity
    from workbench.measures.privacy.population_uniques import PopulationUniques as PopulationUniques
    from workbench.measures.privacy.privacy_loss import PrivacyLoss as PrivacyLoss
    from workbench.measures.privacy.reidentification_risk import ReidentificationRisk as ReidentificationRisk
    from workbench.measures.utility.average_class_size import AverageClassSize as AverageClassSize
    from workbench.measures.utility.discernibility import Discernibility as Discernibility
    from workbench.measures.utility.generalization_steps import GeneralizationSteps as GeneralizationSteps
    from workbench.measures.utility.geometric_loss import GeometricLoss as GeometricLoss
    from workbench.measures.utility.good_utility import GoodUtility as GoodUtility
    from workbench.measures.utility.group_utility import GroupUtility as GroupUtility
    from workbench.measures.utility.information_loss import InformationLoss as InformationLoss
    from workbench.measures.utility.kl_divergence import KLDivergence as KLDivergence
    from workbench.measures.utility.number_of_classes import NumberOfClasses as NumberOfClasses
    from workbench.measures.utility.query_error import QueryError as QueryError
    from workbench.measures.utility.utility_loss import UtilityLoss as UtilityLoss
    from workbench.measures.utility.workload_utility import WorkloadUtility as WorkloadUtility


@dataclass(frozen=True)
class Measured:
    """A value, a sentence about it, and its details (arrays per class, per population, ...).

    `interval` is the 95 % interval of an estimated value, and None for an exact one.
    """

    value: float
    sentence: str
    detail: Mapping[str, Any] = field(default_factory=dict)
    interval: tuple[float, float] | None = None
    fits: tuple[Fit, ...] = ()  # the iterative fits in the computation


class Publication(Enum):
    """The way in which the figure of a measure is published, unless its `publish` decides."""

    HIDDEN = "hidden"
    AVERAGE = "average"  # rounded until a few people cannot change it


class Measure(Variant):
    """A figure of a release: `measure(release)` returns a `Measured`, or raises Undefined with the reason."""

    symbol: ClassVar[str]  # short name in charts and tables: P_loss
    side: ClassVar[Literal["privacy", "utility"]]
    unit: ClassVar[str]
    better: ClassVar[Literal["lower", "higher"]] = "lower"
    best: ClassVar[float] = 0.0
    published_as: ClassVar[Publication] = Publication.HIDDEN  # or override `publish`
    worst_case: bool = False  # an extreme value over classes, whose intervals need subsamples
    needs_sensitive: ClassVar[bool] = False  # undefined without a sensitive column
    by_default: ClassVar[bool] = True  # used if no measures are chosen; not for measures that train miners for minutes

    @property
    def key(self) -> str:
        """The symbol with the settings that differ from the defaults: the column name in tables of points."""
        changed = {n: v for n, v in self.settings().items() if v != type(self).__dataclass_fields__[n].default}  # type: ignore[attr-defined]
        declared = self.parameters()
        settings = (f"{n}={_digest(v) if type(declared[n]) is Data else _join_names(v)}" for n, v in changed.items())
        return self.symbol + (f"({', '.join(settings)})" if changed else "")

    def __call__(self, release: Release) -> Measured:
        refuse_other(release, self.name)
        self.check(release.table)
        with collect_fits() as fits:
            found = self.measure(release)
        sentence = " ".join(filter(None, (found.sentence, warning_about(fits))))
        return replace(found, sentence=sentence, fits=tuple(fits))

    @abstractmethod
    def measure(self, release: Release) -> Measured:
        """Score the release; the parameters were checked by `__call__`."""

    def publish(self, measured: Measured, release: Release, smallest: int) -> tuple[float | None, str]:
        """Return the figure and a sentence for publication, where counts of people below `smallest` are not allowed.

        Without a declaration nothing is published. Only the value of `measured` is certain to be present.
        """
        if self.published_as is not Publication.AVERAGE:
            return None, f"{self.name[:1].upper()}{self.name[1:]}: not published."
        return round_average(
            measured.value, self.rounding_step(release, smallest), self.better, size_in_thresholds(release, smallest)
        ), self.description

    def rounding_step(self, release: Release, smallest: int) -> float:
        """Return the rounding step of a published average, wide enough to hide `smallest` people."""
        return 2 * smallest / release.table.records if self.side == "privacy" else 0.0

    def publish_interval(
        self, interval: tuple[float, float], release: Release, smallest: int
    ) -> tuple[float, float] | None:
        """Return the interval of an average over samples or random seeds for publication; None hides it.

        A person occurs in such a sample up to `DRAWN` times, so the rounding steps of the ends are multiplied by that:
        a few people are hidden as well as in the figure itself.
        """
        if self.published_as is not Publication.AVERAGE:
            return None
        step, people = DRAWN * self.rounding_step(release, smallest), size_in_thresholds(release, smallest) / DRAWN
        low, high = (
            round_average(end, step, way, people) for end, way in zip(interval, ("higher", "lower"), strict=True)
        )
        return low, high

    def figures_by_class(self, classes: Classes, table: Table) -> np.ndarray | None:
        """Return the figure of each class, if that of a release is their maximum, and 0 if suppressed; else None."""
        return None

    def guaranteed_bound(self, release: Release, model: Model, smallest: int) -> float | None:
        """Return the bound that a model guarantees for the figure whatever the data, which is safe to publish."""
        return None

    def scale(self, table: Table, smallest: int) -> Scale | None:
        """Return an example of what a figure allows, if there is one."""
        return None

    @property
    def learning(self) -> Measure | None:
        """The measure for a learning attacker or researcher; None if it has no such parameter."""
        for name, who in (("adversary", LEARNING), ("estimator", LEARNED)):
            declared = self.parameters().get(name)
            if isinstance(declared, Choice) and who in declared.choices:
                return replace(self, **{name: who})  # type: ignore[type-var]
        return None

    @property
    def description(self) -> str:
        """The summary as a sentence."""
        return f"{self.summary[:1].upper()}{self.summary[1:]}."


def default_measures() -> list[Measure]:
    """Return the measures that are used if none are chosen, with default settings."""
    return [kind() for kind in catalog(__name__, Measure).values() if kind.by_default]


def _join_names(value: Any) -> Any:
    """Join several names for display: naive bayes+one rule."""
    given = value.data if isinstance(value, Plain) else value
    several = isinstance(given, (list, tuple)) and all(isinstance(one, str) for one in given)
    return "+".join(given) if several else value


def _digest(data: Any) -> str:
    """Return a digest of plain data for the name of a figure: data may quote values, and names are published."""
    return hashlib.blake2b(str(data).encode(), digest_size=3).hexdigest()


class AttributeLoss(Measure):
    """A loss combined from the mean losses of the quasi-identifiers."""

    side = "utility"
    published_as = Publication.AVERAGE

    @abstractmethod
    def cost(self, classes: Classes, table: Table, a: int, level: int | np.ndarray | None = None) -> np.ndarray:
        """Return the loss of a record of each class on quasi-identifier number `a`, from the region of the class.

        If classes show nodes of a hierarchy, these are from `level` upwards, one level for all classes or one for each.
        """

    def suppressed_cost(self, table: Table, a: int) -> float:
        """Return the loss of a suppressed record, which may have any value."""
        low, high = np.zeros((2, 1, len(table.quasi)), np.int32)
        column = table.columns[table.quasi[a]]
        high[0, a] = column.size - 1
        everything = Classes(np.ones(1, np.int64), {}, {}, low, high)
        return float(self.cost(everything, table, a, len(column.released_at) - 1)[0])

    def combined(self, means: np.ndarray, table: Table) -> np.ndarray:
        """Return the loss from the mean costs of the quasi-identifiers (along the last axis): their weighted mean."""
        return np.average(means, axis=-1, weights=weights_of_quasi(table))

    def means(self, release: Release) -> dict[str, float]:
        """Return the mean cost of each quasi-identifier."""
        classes, table, found = release.own_classes, release.table, {}
        if classes.exact:  # a region is one value if quasi-identifiers are published unchanged
            classes = replace(classes, high=classes.low, sets={})
        sizes = np.append(classes.sizes, release.suppressed)
        for a, name in enumerate(table.quasi):
            cost = self.cost(classes, table, a, release.label_level(name))
            found[name] = record_mean(np.append(cost, self.suppressed_cost(table, a)), sizes)
        return found

    def value(self, means: dict[str, float], table: Table) -> float:
        """Return the loss of a release with these mean costs."""
        return float(self.combined(np.array(list(means.values())), table))


class SensitiveMeasure(Measure):
    """A measure of each sensitive column, of which the worst counts."""

    needs_sensitive = True

    def measure(self, release: Release) -> Measured:
        return worst_column({name: self.measure_column(release, name) for name in require_sensitive(release)})

    @abstractmethod
    def measure_column(self, release: Release, name: str) -> Measured:
        """Score what the release discloses, or states, about one sensitive column."""


def attacker_parameter(learning: bool = False) -> Any:
    """Declare the attacker of a measure that uses posteriors."""
    known = "the attacker knows a person's class, or only the quasi-identifiers and so all classes that cover them"
    return parameter(
        OWN_CLASS,
        f"{known}; or learns from all classes how values depend on quasi-identifiers (logistic, or naive Bayes)"
        if learning
        else known,
        choices=(*ADVERSARIES, *LEARNERS) if learning else ADVERSARIES,
    )


def size_in_thresholds(release: Release, smallest: int) -> float:
    """Return the number of people of a release as a multiple of the threshold."""
    return release.table.records / smallest if smallest > 1 else math.inf


def require_sensitive(release: Release) -> list[str]:
    """Return the sensitive columns; raise Undefined if there are none."""
    if not release.table.sensitive:
        raise Undefined("no column is declared sensitive, so there are no sensitive values to learn or to count")
    return list(release.table.sensitive)


def disjoint_classes(release: Release) -> Classes:
    """Return the classes; raise Undefined if they overlap."""
    require_disjoint(release)
    return release.classes


def require_disjoint(release: Release) -> None:
    """Raise Undefined if a record may be in several classes."""
    if has_overlapping_classes(release):
        raise Undefined(
            "missing values match every value, so a record is in several classes, and this measure needs it in one"
        )


def worst_column(found: Mapping[str, Measured]) -> Measured:
    """Return the largest of the results for the sensitive columns."""
    return max(found.values(), key=lambda measured: (math.isnan(measured.value), measured.value))


def record_mean(values: np.ndarray, sizes: np.ndarray) -> float:
    """Return the mean over records of a value per class."""
    return float(values @ sizes / sizes.sum())


def __getattr__(name: str) -> Any:
    """Return a measure by class name, imported on first use: `from workbench.measures import PrivacyLoss`."""
    return from_package(__name__, Measure, name)
