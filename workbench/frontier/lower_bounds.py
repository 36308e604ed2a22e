"""Certified lower bounds of the utility loss at each privacy loss.

The bound holds for attackers and researchers that use each class by itself, not all jointly (P_loss and U_loss as in Li
& Li 2009, by the Jensen-Shannon divergence), for records without weights. It does not apply to a reader who learns from
all classes jointly or corrects for noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import NamedTuple

import numpy as np

from workbench.base.errors import BadInput, Undefined, safe_repr
from workbench.base.figures import format_number
from workbench.data.table import Table
from workbench.frontier.certificates import Line, bound_jointly, bound_per_population
from workbench.measures import Measure
from workbench.measures.privacy.privacy_loss import PrivacyLoss
from workbench.measures.utility.estimators import UNIFORM
from workbench.measures.utility.utility_loss import UtilityLoss
from workbench.methods.raking.atoms import Atoms
from workbench.models.distribution_distances import jensen_shannon
from workbench.queries.populations import Populations, large_populations
from workbench.releases.base import OWN_CLASS, Release

PARTS = (0.08, 0.16, 0.27, 0.42, 0.65)  # of the smallest t that admits the true distribution of every population


class LowerBounds(NamedTuple):
    """Lower bounds as lines, for each sensitive column: the loss of a release is the maximum over the columns."""

    lines: tuple[tuple[Line, ...], ...]

    def value_at(self, t: float) -> float:
        """Return a lower bound of the utility loss of all releases whose classes are within distance t of the prior."""
        return max([0.0, *(line.value_at(t) for lines in self.lines for line in lines)])


def bound(table: Table, t: float, *, exact: bool = False, min_support: float = 0.05) -> float:
    """Return a lower bound of the utility loss of any release in classes that satisfies t, for a reader who uses each
    class by itself. The bound is certified; the true minimum may be somewhat higher.

    `exact` is the (higher) bound for releases that publish quasi-identifiers unchanged (bucketized, exchanged). The
    bound does not apply to releases with noise and to flat files whose rows are counted: they have no classes.
    """
    if isinstance(t, bool) or not isinstance(t, Real) or not 0 <= t <= 1:
        raise BadInput(f"t = {safe_repr(t)} must be a number between 0 and 1: a Jensen-Shannon divergence")
    names = _bounded_columns(table, min_support)
    if t == 0:
        return max(float(_distances_from_prior(table, name, min_support).mean()) for name in names)
    return LowerBounds(tuple(_lines(table, name, (t,), exact, min_support) for name in names)).value_at(t)


def compute_lower_bounds(table: Table, *, exact: bool = False, min_support: float = 0.05) -> LowerBounds:
    """Compute the bound for all t, slightly lower between the computed ones; once per table."""
    names = _bounded_columns(table, min_support)
    farthest = {name: float(_distances_from_prior(table, name, min_support).max()) for name in names}
    found = LowerBounds(
        tuple(_lines(table, name, [part * farthest[name] for part in PARTS], exact, min_support) for name in names)
    )
    return _cached_bounds(table).setdefault((exact, min_support), found)


def known_lower_bounds(table: Table, *, exact: bool = False, min_support: float = 0.05) -> LowerBounds | None:
    """Return the bound if it was computed before."""
    return _cached_bounds(table).get((exact, min_support))


def bounded_support(privacy: Measure, utility: Measure) -> float | None:
    """Return the minimum support of the populations of U_loss if the bound applies to these two axes, else None."""
    own = isinstance(privacy, PrivacyLoss) and (privacy.distance, privacy.adversary) == ("js", OWN_CLASS)
    plain = isinstance(utility, UtilityLoss) and (utility.distance, utility.estimator) == ("js", UNIFORM)
    return utility.min_support if own and isinstance(utility, UtilityLoss) and plain else None


def compare_with_minimum(release: Release, privacy: float, loss: float, min_support: float) -> str:
    """Describe the utility loss as a multiple of the certified minimum; empty if no useful bound is known."""
    if release.is_assigned_per_file:  # by chance, assigned rows may be nearer to the truth than their classes
        return ""
    exact = release.classes.exact and not release.suppressed
    found = known_lower_bounds(release.table, exact=exact, min_support=min_support)
    return "" if found is None else describe_multiple(found, privacy, loss, exact)


def describe_multiple(possible: LowerBounds, privacy: float, loss: float, exact: bool) -> str:
    """Describe the loss as a multiple of the certified minimum; empty if the minimum is 0."""
    whose = "a release with exact quasi-identifiers" if exact else "any release in classes"
    minimum = possible.value_at(privacy)
    if minimum <= 0 or not loss < np.inf:
        return ""
    return (
        f"That is {format_number(max(loss / minimum, 1.0), 'lower')} times the certified minimum for {whose} at "
        f"this privacy loss ({format_number(minimum, 'higher')})."
    )


def _cached_bounds(table: Table) -> dict[tuple[bool, float], LowerBounds]:
    return table.remember("least utility losses", dict)


def _bounded_columns(table: Table, min_support: float) -> list[str]:
    """Return the sensitive columns; raise Undefined if no bound is known."""
    if table.weight is not None:
        raise Undefined("no minimum utility loss is known for records with weights")
    if not table.sensitive:
        raise Undefined("the table has no sensitive column; declare one")
    if not len(large_populations(table, min_support)):
        raise Undefined("there are no large populations to list; change min_support")
    return list(table.sensitive)


def _lines(table: Table, name: str, at: Sequence[float], exact: bool, min_support: float) -> tuple[Line, ...]:
    """Return a line for each t above 0; with `exact`, a second one for releases with unchanged quasi-identifiers."""
    kinds = (False, True) if exact else (False,)
    return tuple(_line(table, name, t, kind, min_support) for t in at if t > 0 for kind in kinds)


def _line(table: Table, name: str, t: float, exact: bool, min_support: float) -> Line:
    sensitive, populations = table.sensitive[name], large_populations(table, min_support)

    def found() -> Line:
        if not exact:
            return bound_per_population(_truth(populations, name), sensitive, t)
        atoms = Atoms.from_table(table, min_support)
        if len(atoms.populations) < len(populations):
            raise Undefined("too many populations for a bound of exact quasi-identifiers; set exact=False")
        return bound_jointly(atoms, sensitive, t)

    return table.remember(("least utility loss", name, t, exact, min_support), found)


def _distances_from_prior(table: Table, name: str, min_support: float) -> np.ndarray:
    """Return the distance of each population's true distribution from the prior."""
    return jensen_shannon(_truth(large_populations(table, min_support), name), table.sensitive[name].prior)


def _truth(populations: Populations, name: str) -> np.ndarray:
    return populations.truth[name] / populations.support[:, None]
