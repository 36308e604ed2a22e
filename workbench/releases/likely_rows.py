"""Which released row is a person's, where quasi-identifiers were changed at random: each as likely as noise makes it.

She knows a person's quasi-identifiers, and how those are distributed among people who share the unchanged ones with
the person, but of no other person which row is whose. A row is the person's with a chance that is proportional to how
likely it is released of the person, beside how likely it is released of somebody among those people (Bayes' rule).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from workbench.base.errors import Undefined
from workbench.base.progress import step
from workbench.releases.responses import Drawn

TOGETHER = 4_000_000  # pairs of a person and a row at a time
MOST = 3_000_000_000  # pairs that are weighed at all


def beliefs(
    alike: np.ndarray,
    person: np.ndarray,
    codes: Mapping[str, np.ndarray],
    drawn: Mapping[str, Drawn],
    told: np.ndarray,
    of_row: np.ndarray,
) -> np.ndarray:
    """Persons x values. `alike` numbers the unchanged quasi-identifiers of each record, `person` all of them; what a
    row tells of the sensitive value is in `told`, by its number in `of_row`."""
    found = np.zeros((int(person.max()) + 1, told.shape[1]))
    chances = {name: one.response.likelihood(one.values) for name, one in drawn.items()}
    order = np.argsort(alike, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(alike[order], prepend=-1)), len(order))
    sizes = np.diff(ends)
    if float((sizes.astype(float) ** 2).sum()) > MOST:
        raise Undefined("too many rows may be each person's to weigh them all; change fewer quasi-identifiers")
    alone = order[ends[:-1][sizes == 1]]
    found[person[alone]] = told[of_row[alone]]
    for g in np.flatnonzero(sizes > 1).tolist():
        rows = order[ends[g] : ends[g + 1]]
        who, first, count = np.unique(person[rows], return_index=True, return_counts=True)
        pairs = [(chances[name], codes[name][rows[first]], one.codes[rows]) for name, one in drawn.items()]
        told_here = told[of_row[rows]]
        anybody = sum(count[some] @ weights for some, weights in _weighed(pairs, len(who), len(rows)))
        for some, weights in _weighed(pairs, len(who), len(rows)):
            weights /= anybody
            found[who[some]] = (weights @ told_here) / weights.sum(axis=1, keepdims=True)
    return found


def _weighed(
    pairs: list[tuple[np.ndarray, np.ndarray, np.ndarray]], people: int, rows: int
) -> Iterator[tuple[slice, np.ndarray]]:
    """Some people at a time: how likely each row is released of each, people x rows."""
    many = max(1, TOGETHER // rows)
    for begin in range(0, people, many):
        step()
        some = slice(begin, min(begin + many, people))
        weights = np.ones((some.stop - begin, rows))
        for chances, of_person, of_row in pairs:
            weights *= chances[of_person[some]][:, of_row]
        yield some, weights
