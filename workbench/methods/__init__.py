"""Anonymisation methods: each makes a release from a table under a model; one file a method."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from workbench.base.errors import BadInput, Unsatisfiable, said
from workbench.base.figures import figures
from workbench.base.progress import step
from workbench.base.variants import Variant, from_package, parameter
from workbench.data.table import Table
from workbench.models import Model
from workbench.models.classes import whole_table
from workbench.releases.base import Release

if TYPE_CHECKING:  # what type checkers and editors see; the same names as at run time
    from workbench.methods.clustering.k_member import KMember as KMember
    from workbench.methods.clustering.microaggregation import Microaggregation as Microaggregation
    from workbench.methods.clustering.threshold_clustering import ThresholdClustering as ThresholdClustering
    from workbench.methods.full_domain.full_domain import FullDomain as FullDomain
    from workbench.methods.full_domain.local_recoding import LocalRecoding as LocalRecoding
    from workbench.methods.keep import Keep as Keep
    from workbench.methods.mondrian.mondrian import Mondrian as Mondrian
    from workbench.methods.noise.laplace import Laplace as Laplace
    from workbench.methods.noise.optimal_response import OptimalResponse as OptimalResponse
    from workbench.methods.noise.randomized_response import RandomizedResponse as RandomizedResponse
    from workbench.methods.raking.raked_buckets import RakedBuckets as RakedBuckets
    from workbench.methods.remove import Remove as Remove

ALONE = "for this release alone, since others of the same records add to it"  # what a guarantee is for
GENERALIZED = "generalized"  # how classes are published by default; what methods may publish instead are buckets
NEARLY = 1e-9  # a share of so many records is not one less by rounding


class Spent(NamedTuple):
    """What one draw at random spends of a column: `amount` of "epsilon" or "rho"."""

    draw: str  # what is called alike, of the same values, is one and the same draw
    unit: str
    amount: Callable[[], float]
    told: bool = True  # who has the file and its codebook knows the amount anyway, so that pages may say it


class Method(Variant):
    """`method(table, model, seed)` gives a release that keeps the model, or says why none can be had."""

    baseline: ClassVar[bool] = False  # drawn as a reference, never recommended
    overlapping: ClassVar[bool] = False  # a class may cover people of another one
    goes_on: ClassVar[bool] = False  # a release that was cancelled goes on from what it had
    keeps_models: ClassVar[bool] = True  # else it makes no classes, and goes without a model
    draws: bool = False  # something of its release is drawn at random: once, and kept
    suppress: float = 0.0  # the largest share of the records that may be left out, where a method declares it

    @property
    def exact(self) -> bool:
        """Whether quasi-identifiers are published unchanged, beside the number of the class."""
        return getattr(self, "publish", GENERALIZED) != GENERALIZED

    @property
    def caution(self) -> str:
        """What everybody who gets such a release has to know, as part of a sentence that quotes no data."""
        return ""

    @property
    def guarantee(self) -> str:
        """What it promises by itself, whatever the data, as part of a sentence; nothing where a model has to."""
        return ""

    def __call__(self, table: Table, model: Model | None = None, seed: int = 0) -> Release:
        for given, kind, what in ((table, Table, "table"), (model, Model | None, "model"), (seed, Integral, "seed")):
            if not isinstance(given, kind) or isinstance(given, bool):
                raise BadInput(f"{self.name}: {said(given)} is no {what}; call method(table, model, seed)")
        self.check(table)
        if seed < 0:
            raise BadInput(f"{self.name}: seed = {seed} must be 0 or above")
        self.refuse(table, model)
        release = self.release(table, model, int(seed))
        step()
        if model is not None:
            audit = release.audit(model)
            if 0 < audit.records <= allowance(table, self.suppress) - release.left_out:
                release = release.without(audit.breaking)
                audit = release.audit(model)
            if not audit.holds:
                raise Unsatisfiable(f"{self} cannot keep {model} on this table: {audit}")
        return release

    def refuse(self, table: Table, model: Model | None) -> None:
        """Raise where no release can keep the model, as far as the whole table tells."""
        for part in model.parts if model else ():
            refuse_impossible(table, part, self.suppress)

    def chosen(self, table: Table, model: Model | None = None, seed: int = 0) -> Method:
        """The same with what it finds on this table where a setting is none."""
        return self

    def spends(self, table: Table) -> dict[str, Spent]:
        """What its draws spend, by column; BadInput where there is no such release."""
        return {}

    def seconds(self, table: Table, model: Model | None = None, seed: int = 0) -> float:
        """About how long a release takes, where it may be long; 0 where it is short, or nobody knows."""
        return 0.0

    @abstractmethod
    def release(self, table: Table, model: Model | None, seed: int) -> Release:
        """Make the release; `__call__` has checked the parameters and audits what comes back."""


def suppress() -> Any:
    """The parameter of methods that may leave records out."""
    return parameter(0.0, "the largest share of the records that may be left out", low=0, high=1, optional=True)


def allowance(table: Table, suppress: float) -> int:
    """How many records may be left out."""
    return math.floor(suppress * table.records + NEARLY)


def refuse_impossible(table: Table, model: Model, suppress: float = 0.0) -> None:
    """Raise where the whole table as one class breaks a monotone model: then every release of all records does."""
    if model.needs_sensitive and not table.sensitive:
        raise Unsatisfiable(
            f"{model.name} needs a sensitive column, and the table has none; name one, or use k-anonymity"
        )
    if model.needs_population:
        whole_table(table).fitting()  # says whether there is one
    if suppress:  # without some records there may be one
        return
    seen = tuple(table.sensitive.values()) if model.needs_sensitive else (None,)
    reason = next((why for one in seen if (why := model.impossible(one, table.records))), None)
    whole = whole_table(table)
    if reason is None and model.monotone and not model.holds(whole)[0]:
        reason = (
            f"even the whole table as one class has {model.figure} = {figures(model.achieved(whole), model.better)}"
        )
    if reason:
        raise Unsatisfiable(f"no release of this table keeps {model}: {reason}")


def __getattr__(name: str) -> Any:
    """The catalog's methods, found when first asked for: `from workbench.methods import Mondrian`."""
    return from_package(__name__, Method, name)
