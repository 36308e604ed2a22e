"""The least that is possible: a certified lower bound of the utility loss at each privacy loss.

It holds where the adversary knows the person's own class and the researcher takes classes as they are (P_loss and
U_loss as Li & Li 2009 have them, by the Jensen-Shannon divergence), of records without weights. It binds nobody who
learns from all classes together, or who corrects for noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import NamedTuple

import numpy as np

from workbench.base.errors import BadInput, Undefined, said
from workbench.base.figures import figures
from workbench.data.table import Table
from workbench.frontier.certificates import Line, apart, together
from workbench.measures import Measure
from workbench.measures.privacy.privacy_loss import PrivacyLoss
from workbench.measures.utility.estimators import UNIFORM
from workbench.measures.utility.utility_loss import UtilityLoss
from workbench.methods.raking.atoms import Atoms
from workbench.models.distances import jensen_shannon
from workbench.releases.base import OWN_CLASS, Release
from workbench.workloads.populations import Populations, large_populations

PARTS = (0.08, 0.16, 0.27, 0.42, 0.65)  # of the t at which no population is out of reach


class Least(NamedTuple):
    """Lines for each sensitive column: the loss of a release is the largest of its columns'."""

    lines: tuple[tuple[Line, ...], ...]

    def at(self, t: float) -> float:
        """No release whose classes are within t of everybody's has a smaller utility loss."""
        return max([0.0, *(line.at(t) for lines in self.lines for line in lines)])


def bound(table: Table, t: float, *, exact: bool = False, min_support: float = 0.05) -> float:
    """The least utility loss of any release in classes that keep t, for who takes classes as they are. It is certified:
    none has less, and the true least may be somewhat more.

    `exact` is about releases that publish quasi-identifiers unchanged (bucketized, exchanged): their least is higher.
    Releases with noise, and flat files whose rows are counted, have no classes to be taken so: it does not bind them.
    """
    if isinstance(t, bool) or not isinstance(t, Real) or not 0 <= t <= 1:
        raise BadInput(f"t = {said(t)} must be a number between 0 and 1: a Jensen-Shannon divergence")
    names = _measurable(table, min_support)
    if t == 0:
        return max(float(_from_everybody(table, name, min_support).mean()) for name in names)
    return Least(tuple(_lines(table, name, (t,), exact, min_support) for name in names)).at(t)


def least(table: Table, *, exact: bool = False, min_support: float = 0.05) -> Least:
    """The same for every t at once, a little lower between those that were looked at; found once a table."""
    names = _measurable(table, min_support)
    farthest = {name: float(_from_everybody(table, name, min_support).max()) for name in names}
    found = Least(
        tuple(_lines(table, name, [part * farthest[name] for part in PARTS], exact, min_support) for name in names)
    )
    return _known(table).setdefault((exact, min_support), found)


def found_least(table: Table, *, exact: bool = False, min_support: float = 0.05) -> Least | None:
    """That, where somebody has found it already."""
    return _known(table).get((exact, min_support))


def binding(privacy: Measure, utility: Measure) -> float | None:
    """The support of the populations that U_loss is about, where it is bounded on these two axes; else None."""
    own = isinstance(privacy, PrivacyLoss) and (privacy.distance, privacy.adversary) == ("js", OWN_CLASS)
    plain = isinstance(utility, UtilityLoss) and (utility.distance, utility.estimator) == ("js", UNIFORM)
    return utility.min_support if own and isinstance(utility, UtilityLoss) and plain else None


def times_the_least(release: Release, privacy: float, loss: float, min_support: float) -> str:
    """How far a release is from what is possible, in a sentence; nothing where that is not known, or tells nothing."""
    if release.in_rows:  # rows that are dealt may be nearer to the truth by chance than their classes are
        return ""
    exact = release.classes.exact and not release.left_out
    found = found_least(release.table, exact=exact, min_support=min_support)
    return "" if found is None else in_words(found, privacy, loss, exact)


def in_words(possible: Least, privacy: float, loss: float, exact: bool) -> str:
    """How many times the least that is possible for such releases it loses; nothing where nothing has to be lost."""
    whose = "a release with exact quasi-identifiers" if exact else "any release in classes"
    least_there = possible.at(privacy)
    if least_there <= 0 or not loss < np.inf:
        return ""
    return (
        f"That is {figures(max(loss / least_there, 1.0), 'lower')} times the least that is possible for {whose} at "
        f"this privacy loss ({figures(least_there, 'higher')})."
    )


def _known(table: Table) -> dict[tuple[bool, float], Least]:
    return table.remember("least utility losses", dict)


def _measurable(table: Table, min_support: float) -> list[str]:
    """The sensitive columns; Undefined where no bound is known."""
    if table.weight is not None:
        raise Undefined("the least that is possible is not known of records with weights")
    if not table.sensitive:
        raise Undefined("the table has no sensitive column, so nothing is told of one; name one")
    if not len(large_populations(table, min_support)):
        raise Undefined("there are no large populations that could be listed; change min_support")
    return list(table.sensitive)


def _lines(table: Table, name: str, at: Sequence[float], exact: bool, min_support: float) -> tuple[Line, ...]:
    """One for each t above 0; where `exact` another one, of those who publish quasi-identifiers unchanged."""
    kinds = (False, True) if exact else (False,)
    return tuple(_line(table, name, t, kind, min_support) for t in at if t > 0 for kind in kinds)


def _line(table: Table, name: str, t: float, exact: bool, min_support: float) -> Line:
    sensitive, populations = table.sensitive[name], large_populations(table, min_support)

    def found() -> Line:
        if not exact:
            return apart(_truth(populations, name), sensitive, t)
        atoms = Atoms.of(table, min_support)
        if len(atoms.populations) < len(populations):
            raise Undefined("too many populations for a bound of exact quasi-identifiers; set exact=False")
        return together(atoms, sensitive, t)

    return table.remember(("least utility loss", name, t, exact, min_support), found)


def _from_everybody(table: Table, name: str, min_support: float) -> np.ndarray:
    """How far the truth of each population is from everybody's distribution."""
    return jensen_shannon(_truth(large_populations(table, min_support), name), table.sensitive[name].prior)


def _truth(populations: Populations, name: str) -> np.ndarray:
    return populations.truth[name] / populations.support[:, None]
