"""Anonymization methods: each makes a release of a table under a privacy model. One file per method."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from workbench.base.convergence import collect_fits
from workbench.base.errors import BadInput, Unsatisfiable, safe_repr
from workbench.base.figures import figures_next_to
from workbench.base.parameters import parameter
from workbench.base.progress import checkpoint
from workbench.base.variants import Variant, from_package
from workbench.data.table import Table
from workbench.models import Model
from workbench.models.classes import whole_table
from workbench.releases.base import Release, fits_of
from workbench.releases.partition import suppress_classes

if TYPE_CHECKING:  # for type checkers and editors; at run time `__getattr__` loads the same names
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

ALONE = "for this release alone, since others of the same records add to it"  # the scope of a guarantee
GENERALIZED = "generalized"  # how classes are published by default; some methods can publish buckets instead
NEARLY = 1e-9  # keeps rounding errors from lowering a number of records by one


class Spent(NamedTuple):
    """The privacy budget that one random draw spends on a column: `amount` of "epsilon" or "rho"."""

    draw: str  # identifies the draw: equal names on equal values are one draw
    unit: str
    amount: Callable[[], float]
    is_public: bool = True  # the file and its codebook reveal the amount anyway, so pages may show it


class Method(Variant):
    """Base class of methods: `method(table, model, seed)` returns a release that satisfies the model.

    Raise Unsatisfiable if there is no such release.
    """

    baseline: ClassVar[bool] = False  # shown as a reference, never recommended
    overlapping: ClassVar[bool] = False  # a class may cover people of another class
    supports_models: ClassVar[bool] = True  # otherwise it makes no classes and takes no model
    draws: bool = False  # part of the release is random: drawn once, and stored
    suppress: float = 0.0  # the largest share of records that may be suppressed, if a method declares it

    @property
    def exact(self) -> bool:
        """True if quasi-identifiers are published unchanged, together with the index of the class."""
        return getattr(self, "publish", GENERALIZED) != GENERALIZED

    @property
    def warning(self) -> str:
        """A warning for every recipient of such a release, as part of a sentence; it quotes no data."""
        return ""

    @property
    def guarantee(self) -> str:
        """The method's own guarantee, whatever the data, as part of a sentence; empty if it has none."""
        return ""

    def __call__(self, table: Table, model: Model | None = None, seed: int = 0) -> Release:
        for given, kind, what in ((table, Table, "table"), (model, Model | None, "model"), (seed, Integral, "seed")):
            if not isinstance(given, kind) or isinstance(given, bool):
                raise BadInput(f"{self.name}: {safe_repr(given)} is not a {what}; call method(table, model, seed)")
        self.check(table)
        if seed < 0:
            raise BadInput(f"{self.name}: seed must be 0 or above, got {seed}")
        self.refuse(table, model)
        with collect_fits() as fits:
            release = self.release(table, model, int(seed))
        checkpoint()
        if model is not None:
            audit = release.audit(model)
            if 0 < audit.records <= allowance(table, self.suppress) - release.suppressed:
                release = suppress_classes(release, audit.violating)
                audit = release.audit(model)
            if not audit.holds:
                raise Unsatisfiable(f"{self} cannot satisfy {model} on this table: {audit}")
        fits_of(release).extend(fits)
        return release

    def refuse(self, table: Table, model: Model | None) -> None:
        """Raise Unsatisfiable if the whole table already shows that no release can satisfy the model."""
        for part in model.parts if model else ():
            refuse_impossible(table, part, self.suppress)

    def chosen(self, table: Table, model: Model | None = None, seed: int = 0) -> Method:
        """Return this method with the values that it chooses on this table for settings that are None."""
        return self

    def spent_budgets(self, table: Table) -> dict[str, Spent]:
        """Return the budget that each column's random draw spends; raise BadInput if there is no such release."""
        return {}

    @abstractmethod
    def release(self, table: Table, model: Model | None, seed: int) -> Release:
        """Make the release; `__call__` checks the parameters before and audits the result afterwards."""


def suppress() -> Any:
    """Return the parameter of methods that may suppress records."""
    return parameter(0.0, "the largest share of records that may be suppressed", low=0, high=1, optional=True)


def allowance(table: Table, suppress: float) -> int:
    """Return the number of records that may be suppressed."""
    return math.floor(suppress * table.records + NEARLY)


def refuse_impossible(table: Table, model: Model, suppress: float = 0.0) -> None:
    """Raise Unsatisfiable if no release of all records can satisfy the model.

    For a monotone model that is the case as soon as the whole table, as one class, violates it.
    """
    if model.needs_sensitive and not table.sensitive:
        raise Unsatisfiable(
            f"{model.name} needs a sensitive column, and the table has none; choose one, or use k-anonymity"
        )
    if model.needs_population:
        whole_table(table).population_matches()  # raises if there is no population
    if suppress:  # a release without some records may satisfy the model
        return
    seen = tuple(table.sensitive.values()) if model.needs_sensitive else (None,)
    reason = next((why for one in seen if (why := model.explain_impossible(one, table.records))), None)
    whole = whole_table(table)
    if reason is None and model.monotone and not model.holds(whole)[0]:
        reason = (
            f"even the whole table as one class has {model.figure} = "
            f"{figures_next_to(model.achieved(whole), model.limit)}"
        )
    if reason:
        raise Unsatisfiable(f"no release of this table can satisfy {model}: {reason}")


def __getattr__(name: str) -> Any:
    """Load the catalog's methods on first use: `from workbench.methods import Mondrian`."""
    return from_package(__name__, Method, name)
