"""The figures of learning attackers, compared with what is generally known about the population."""

from __future__ import annotations

import numpy as np

from workbench.base.errors import Undefined
from workbench.base.figures import format_number, format_percent
from workbench.data.cells import distinct_rows
from workbench.measures import LEARNERS, LEARNING, LEARNING_BAYES, record_mean
from workbench.miners.adversary import AdversaryBeliefs, count_right_guesses, learned_beliefs
from workbench.miners.adversary_models import BAYES, LOGISTIC
from workbench.releases.base import OWN_CLASS, Posterior, Release

MODEL_OF_ATTACKER = {LEARNING: LOGISTIC, LEARNING_BAYES: BAYES}
NEARLY_ALL = 0.999


def attacker_beliefs(release: Release, sensitive: str, adversary: str) -> Posterior:
    """Return an attacker's beliefs about groups of people."""
    if adversary not in LEARNERS:
        return release.posterior(sensitive, adversary)
    return learned_beliefs(release, sensitive, MODEL_OF_ATTACKER[adversary]).posterior


def learning_sentence(release: Release, sensitive: str, adversary: str, loss: np.ndarray) -> str:
    """Describe how much people lose and whose guesses are right; the largest loss alone rewards wrong certainty."""
    found, seen = learned_beliefs(release, sensitive, MODEL_OF_ATTACKER[adversary]), release.table.sensitive[sensitive]
    sizes, order = found.posterior.sizes, np.argsort(loss)
    nearly = loss[order][np.searchsorted(np.cumsum(sizes[order]), NEARLY_ALL * sizes.sum())]
    told = [
        f"{format_percent(one.right / sizes.sum())} ({format_number(one.mean_log_gain(seen.prior))} nats)"
        for one in (
            AdversaryBeliefs(found.learning, found.true),
            AdversaryBeliefs(found.own, found.true),
            found.population,
        )
    ]
    return (
        f"{100 * NEARLY_ALL:g} % of the people lose at most {format_number(nearly, 'lower')}, on average "
        f"{format_number(record_mean(loss, sizes))}. A learning attacker guesses correctly for {told[0]} of them; by "
        f"the class alone it is {told[1]}, and by a model of the population fitted to other people, {told[2]}."
    )


def guess_accuracy(release: Release, sensitive: str, adversary: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the sizes of groups with equal beliefs, and the share of each for which the best guess is right.

    For published classes the share is the belief; for a learning attacker, and where values were swapped, it is
    counted.
    """
    if adversary in LEARNERS:
        found = learned_beliefs(release, sensitive, MODEL_OF_ATTACKER[adversary])
        return found.true.sum(axis=1), count_right_guesses(found.learning, found.true) / found.true.sum(axis=1)
    sizes, beliefs = release.posterior(sensitive, adversary)
    if release.is_truthful or sensitive in release.unpublished_columns:
        return sizes, beliefs.max(axis=1)
    return sizes, count_right_guesses(beliefs, _true(release, sensitive, adversary)) / sizes


def _true(release: Release, sensitive: str, adversary: str) -> np.ndarray:
    """Return how many people of each group with equal beliefs have each value."""
    cells, values = release.table.cells(), len(release.table.sensitive[sensitive])
    group = release.group_of_cell if adversary == OWN_CLASS else distinct_rows(cells.quasi.T)[1]
    if group is None:
        raise Undefined("the records of each group are unknown for this release, so right guesses cannot be counted")
    place = group.astype(np.int64) * values + cells.others[sensitive]
    return np.bincount(place, cells.weight, (int(group.max()) + 1) * values).reshape(-1, values)
