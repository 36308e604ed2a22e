"""What an adversary who learns gains about people, beside what anybody may know of the population."""

from __future__ import annotations

import numpy as np

from workbench.base.errors import Undefined
from workbench.base.figures import figures, per_cent
from workbench.data.cells import distinct_rows
from workbench.measures import LEARNERS, LEARNING, LEARNING_BAYES, average
from workbench.miners.learners import BAYES, LOGISTIC
from workbench.miners.learning import Guesses, learnt
from workbench.releases.base import OWN_CLASS, Posterior, Release

BY = {LEARNING: LOGISTIC, LEARNING_BAYES: BAYES}
NEARLY_ALL = 0.999
ROUNDING = 1e-9


def believed(release: Release, sensitive: str, adversary: str) -> Posterior:
    """What an adversary believes, in groups of people."""
    if adversary not in LEARNERS:
        return release.posterior(sensitive, adversary)
    return learnt(release, sensitive, BY[adversary]).posterior


def about_learning(release: Release, sensitive: str, adversary: str, loss: np.ndarray) -> str:
    """How many lose how much, and whose guesses are right: the largest loss alone rewards who is sure and wrong."""
    found, seen = learnt(release, sensitive, BY[adversary]), release.table.sensitive[sensitive]
    sizes, order = found.posterior.sizes, np.argsort(loss)
    nearly = loss[order][np.searchsorted(np.cumsum(sizes[order]), NEARLY_ALL * sizes.sum())]
    told = [
        f"{per_cent(one.right / sizes.sum())} ({one.nats(seen.prior):.2f} nats)"
        for one in (Guesses(found.learning, found.true), Guesses(found.own, found.true), found.population)
    ]
    return (
        f"{100 * NEARLY_ALL:g} % of the people lose at most {figures(nearly, 'lower')}, on average "
        f"{figures(average(loss, sizes), 'lower')}. Who learns guesses right for {told[0]} of them; by the class alone "
        f"it is {told[1]}, and by a model of the population that has not seen whom it guesses, {told[2]}."
    )


def guessed_right(release: Release, sensitive: str, adversary: str) -> tuple[np.ndarray, np.ndarray]:
    """The sizes of the groups that are believed alike, and for which share of each the best guess is right: as often as
    it is believed, by what classes publish; of who learns, and where values were exchanged, it is counted."""
    if adversary not in LEARNERS:
        sizes, beliefs = release.posterior(sensitive, adversary)
        most = beliefs.max(axis=1)
        if release.truthful or sensitive in release.removed:
            return sizes, most
        best = beliefs >= most[:, None] * (1 - ROUNDING)  # one of them where several are
        return sizes, (_true(release, sensitive, adversary) * best).sum(axis=1) / best.sum(axis=1) / sizes
    found = learnt(release, sensitive, BY[adversary])
    sizes, rows = found.true.sum(axis=1), np.arange(len(found.true))
    return sizes, found.true[rows, found.learning.argmax(axis=1)] / sizes


def _true(release: Release, sensitive: str, adversary: str) -> np.ndarray:
    """How many people of each group that is believed alike have each value."""
    cells, values = release.table.cells(), len(release.table.sensitive[sensitive])
    group = release.group_of_cell if adversary == OWN_CLASS else distinct_rows(cells.quasi.T)[1]
    if group is None:
        raise Undefined("which records are in a group is not known of this release, so no guess can be counted")
    place = group.astype(np.int64) * values + cells.others[sensitive]
    return np.bincount(place, cells.weight, (int(group.max()) + 1) * values).reshape(-1, values)
