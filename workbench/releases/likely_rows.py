"""The posterior over released rows where quasi-identifiers were changed at random, by the likelihood of the noise.

The attacker knows a person's quasi-identifiers and their distribution among people who share the unchanged ones, but
not which row belongs to any other person. The probability that a row is the person's is proportional to the likelihood
that it was released for the person, relative to that for somebody among those people (Bayes' rule).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from workbench.base.errors import Undefined
from workbench.base.progress import checkpoint
from workbench.releases.responses import Drawn

BATCH = 4_000_000  # pairs of a person and a row at a time
MAX_PAIRS = 3_000_000_000


def beliefs(
    alike: np.ndarray,
    person: np.ndarray,
    codes: Mapping[str, np.ndarray],
    drawn: Mapping[str, Drawn],
    of_kind: np.ndarray,
    of_row: np.ndarray,
) -> np.ndarray:
    """Return persons x values.

    `alike` numbers the unchanged quasi-identifiers of each record, `person` all of them. `of_kind` has the posterior of
    the sensitive value for each kind of row, and `of_row` the kind of each row.
    """
    found = np.zeros((int(person.max()) + 1, of_kind.shape[1]))
    chances = {name: one.response.likelihood(one.values) for name, one in drawn.items()}
    order = np.argsort(alike, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(alike[order], prepend=-1)), len(order))
    sizes = np.diff(ends)
    if float((sizes.astype(float) ** 2).sum()) > MAX_PAIRS:
        raise Undefined("too many rows may belong to each person; change fewer quasi-identifiers")
    alone = order[ends[:-1][sizes == 1]]
    found[person[alone]] = of_kind[of_row[alone]]
    for g in np.flatnonzero(sizes > 1).tolist():
        rows = order[ends[g] : ends[g + 1]]
        who, first, count = np.unique(person[rows], return_index=True, return_counts=True)
        pairs = [(chances[name], codes[name][rows[first]], one.codes[rows]) for name, one in drawn.items()]
        posteriors = of_kind[of_row[rows]]
        anybody = sum(count[some] @ weights for some, weights in _likelihoods(pairs, len(who), len(rows)))
        for some, weights in _likelihoods(pairs, len(who), len(rows)):
            weights /= anybody
            found[who[some]] = (weights @ posteriors) / weights.sum(axis=1, keepdims=True)
    return found


def _likelihoods(
    pairs: list[tuple[np.ndarray, np.ndarray, np.ndarray]], people: int, rows: int
) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield, for some people at a time, the likelihood of each row for each person: people x rows."""
    many = max(1, BATCH // rows)
    for begin in range(0, people, many):
        checkpoint()
        some = slice(begin, min(begin + many, people))
        weights = np.ones((some.stop - begin, rows))
        for chances, of_person, of_row in pairs:
            weights *= chances[of_person[some]][:, of_row]
        yield some, weights
