"""Measures: each scores a release on one side, privacy or utility; one file a measure."""

from __future__ import annotations

import hashlib
import math
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from workbench.base.errors import Undefined
from workbench.base.small_counts import averaged
from workbench.base.variants import Plain, Variant, catalog, from_package, meaning, parameter
from workbench.data.table import Table
from workbench.models import Model
from workbench.models.classes import Classes
from workbench.releases.base import ADVERSARIES, OWN_CLASS, Release, refuse_other
from workbench.releases.scale import Scale

LEARNING, LEARNING_BAYES = LEARNERS = ("learning", "learning by naive bayes")
LEARNED = "learned"  # the estimator of a researcher who learns
DRAWN = 10  # times that a person is drawn with replacement: hardly one of a million oftener, in 100 samples

if TYPE_CHECKING:  # what type checkers and editors see; the same names as at run time
    from workbench.measures.privacy.accuracy_gain import AccuracyGain as AccuracyGain
    from workbench.measures.privacy.achieved import Achieved as Achieved
    from workbench.measures.privacy.anti_utility import AntiUtility as AntiUtility
    from workbench.measures.privacy.attribute_inference import AttributeInference as AttributeInference
    from workbench.measures.privacy.group_protection import GroupProtection as GroupProtection
    from workbench.measures.privacy.information_gain import InformationGain as InformationGain
    from workbench.measures.privacy.knowledge_gain import KnowledgeGain as KnowledgeGain
    from workbench.measures.privacy.largest_quotient import LargestQuotient as LargestQuotient
    from workbench.measures.privacy.linkability import Linkability as Linkability
    from workbench.measures.privacy.measured_diversity import MeasuredDiversity as MeasuredDiversity
    from workbench.measures.privacy.population_uniques import PopulationUniques as PopulationUniques
    from workbench.measures.privacy.privacy_loss import PrivacyLoss as PrivacyLoss
    from workbench.measures.privacy.reidentification_risk import ReidentificationRisk as ReidentificationRisk
    from workbench.measures.privacy.singling_out import SinglingOut as SinglingOut
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
    """A value, the plain sentence that goes with it, and what it is made of (arrays per class, population...).

    `interval` is where the value lies with 95 % where it is estimated, and None where it is exact.
    """

    value: float
    sentence: str
    detail: Mapping[str, Any] = field(default_factory=dict)
    interval: tuple[float, float] | None = None


class Measure(Variant):
    """`measure(release)` gives a `Measured`; what a release cannot answer raises Undefined with the reason."""

    symbol: ClassVar[str]  # how charts and tables call it: P_loss
    side: ClassVar[Literal["privacy", "utility"]]
    unit: ClassVar[str]
    better: ClassVar[Literal["lower", "higher"]] = "lower"
    best: ClassVar[float] = 0.0
    told: ClassVar[Literal["not at all", "as an average"]] = "not at all"  # in what is published; or write `publish`
    by_default: ClassVar[bool] = True  # taken where nobody says which; not where miners learn for minutes

    @property
    def key(self) -> str:
        """The symbol, with the settings that differ from the defaults: the name of a column of points."""
        changed = {n: v for n, v in self.settings().items() if v != type(self).__dataclass_fields__[n].default}  # type: ignore[attr-defined]
        declared = self.parameters()
        said = (f"{n}={_short(v) if declared[n].data else _names(v)}" for n, v in changed.items())
        return self.symbol + (f"({', '.join(said)})" if changed else "")

    def __call__(self, release: Release) -> Measured:
        refuse_other(release, self.name)
        self.check(release.table)
        return self.measure(release)

    @abstractmethod
    def measure(self, release: Release) -> Measured:
        """Score the release; `__call__` has checked the parameters."""

    def publish(self, measured: Measured, release: Release, smallest: int) -> tuple[float | None, str]:
        """The figure and a sentence as they may be told where no number of people below `smallest` may be.

        What is not declared is hidden. Of `measured` only the value is sure to be there.
        """
        if self.told != "as an average":
            return None, f"{self.name[:1].upper()}{self.name[1:]}: not told."
        return averaged(measured.value, self.step(release, smallest), self.better, crowd(release, smallest)), self.plain

    def step(self, release: Release, smallest: int) -> float:
        """How fine an average is told: what is learnt of persons not so fine that a few of them show."""
        return 2 * smallest / release.table.records if self.side == "privacy" else 0.0

    def publish_interval(
        self, interval: tuple[float, float], release: Release, smallest: int
    ) -> tuple[float, float] | None:
        """Where an average lies on other samples or by other draws, as it may be told; None hides it.

        A person stands in such a sample up to `DRAWN` times, so its ends are told in steps that are so many times as
        wide: a few persons show no more than in the figure itself.
        """
        if self.told != "as an average":
            return None
        step, people = DRAWN * self.step(release, smallest), crowd(release, smallest) / DRAWN
        low, high = (averaged(end, step, way, people) for end, way in zip(interval, ("higher", "lower"), strict=True))
        return low, high

    def of_class(self, classes: Classes, table: Table) -> np.ndarray | None:
        """Where the figure of a release is the largest of one a class, and 0 of who is left out: that of each class.
        None where it is not so."""
        return None

    def promised(self, release: Release, model: Model, smallest: int) -> float | None:
        """What a model guarantees of the figure, whatever the data: it may be told."""
        return None

    def scale(self, table: Table, smallest: int) -> Scale | None:
        """An example of what a figure allows, where that can be said."""
        return None

    @property
    def learning(self) -> Measure | None:
        """The same of who learns from all classes together; None where it asks for nobody who might."""
        for name, who in (("adversary", LEARNING), ("estimator", LEARNED)):
            declared = self.parameters().get(name)
            if declared is not None and who in (declared.choices or ()):
                return replace(self, **{name: who})  # type: ignore[type-var]
        return None

    @property
    def plain(self) -> str:
        """What it measures, as a sentence."""
        what = meaning(type(self))
        return f"{what[:1].upper()}{what[1:]}."


def default_measures() -> list[Measure]:
    """Those that are taken where nobody says which, with their defaults."""
    return [kind() for kind in catalog(__name__, Measure).values() if kind.by_default]


def _names(value: Any) -> Any:
    """Several names as one reads them: naive bayes+one rule."""
    given = value.data if isinstance(value, Plain) else value
    several = isinstance(given, (list, tuple)) and all(isinstance(one, str) for one in given)
    return "+".join(given) if several else value


def _short(data: Any) -> str:
    """What tells plain data from others in the name of a figure: they may quote values, and names are published."""
    return hashlib.blake2b(str(data).encode(), digest_size=3).hexdigest()


class AttributeLoss(Measure):
    """A loss that is put together from what each quasi-identifier loses, on average over the records."""

    side = "utility"
    told = "as an average"

    @abstractmethod
    def cost(self, classes: Classes, table: Table, a: int, level: int | np.ndarray | None = None) -> np.ndarray:
        """What a record of each class loses of quasi-identifier number `a`, by the region of the class; where it shows
        nodes of a hierarchy, they are those from a `level` on, of all classes or of each."""

    def anything(self, table: Table, a: int) -> float:
        """What a record loses that may be anything: one that is not published at all."""
        low, high = np.zeros((2, 1, len(table.quasi)), np.int32)
        column = table.columns[table.quasi[a]]
        high[0, a] = column.size - 1
        everything = Classes(np.ones(1, np.int64), {}, {}, low, high)
        return float(self.cost(everything, table, a, len(column.released_at) - 1)[0])

    def combined(self, means: np.ndarray, table: Table) -> np.ndarray:
        """The loss, from the mean cost of each quasi-identifier (along the last axis): their weighted mean."""
        return np.average(means, axis=-1, weights=table.weights_of_quasi)

    def means(self, release: Release) -> dict[str, float]:
        """The mean cost of each quasi-identifier."""
        classes, table, found = release.own_classes, release.table, {}
        if classes.exact:  # a region is one value where quasi-identifiers are published unchanged
            classes = replace(classes, high=classes.low, sets={})
        sizes = np.append(classes.sizes, release.left_out)
        for a, name in enumerate(table.quasi):
            cost = self.cost(classes, table, a, release.label_level(name))
            found[name] = average(np.append(cost, self.anything(table, a)), sizes)
        return found

    def value(self, means: dict[str, float], table: Table) -> float:
        """The loss of a release with these means."""
        return float(self.combined(np.array(list(means.values())), table))


def adversary(learning: bool = False) -> Any:
    """The parameter of measures that ask for a posterior."""
    known = "the adversary knows a person's class, or only the quasi-identifiers and so every class that covers it"
    return parameter(
        OWN_CLASS,
        f"{known}; or learns from all classes how values go with quasi-identifiers (logistic), or by naive Bayes"
        if learning
        else known,
        choices=(*ADVERSARIES, *LEARNERS) if learning else ADVERSARIES,
    )


def crowd(release: Release, smallest: int) -> float:
    """How many times the threshold of people a release is of."""
    return release.table.records / smallest if smallest > 1 else math.inf


def sensitive_of(release: Release) -> list[str]:
    """The sensitive columns; Undefined where there is none."""
    if not release.table.sensitive:
        raise Undefined("the table has no sensitive column, so nothing sensitive can be learnt or lost")
    return list(release.table.sensitive)


def apart(release: Release) -> Classes:
    """The classes; Undefined where they overlap."""
    refuse_overlapping(release)
    return release.classes


def refuse_overlapping(release: Release) -> None:
    """Undefined where a record may be in several classes."""
    if release.overlapping:
        raise Undefined(
            "missing values fit every value, so a record is in several classes, and this counts records in one"
        )


def worst(found: Mapping[str, Measured]) -> Measured:
    """The largest over the sensitive columns, each measured by itself."""
    return max(found.values(), key=lambda measured: (math.isnan(measured.value), measured.value))


def average(values: np.ndarray, sizes: np.ndarray) -> float:
    """The mean over records of a value per class."""
    return float(values @ sizes / sizes.sum())


def __getattr__(name: str) -> Any:
    """The catalog's measures, found when first asked for: `from workbench.measures import PrivacyLoss`."""
    return from_package(__name__, Measure, name)
