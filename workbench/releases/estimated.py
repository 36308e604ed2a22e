"""What a researcher estimates from values that were changed at random: records per population and sensitive value.

A record counts for a population as far as its quasi-identifiers may be in it. A changed one is undone by Bayes' rule,
with the distribution of its column that makes the released one most likely. Of the records of a population the
sensitive values are then those that make the released ones most likely, each population by itself; or so many as
the matrix of chances, inverted, says, which is right on average and may be below 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from workbench.base import cell_kernels
from workbench.base.errors import Undefined
from workbench.base.progress import step
from workbench.releases.responses import Categorical, Drawn, most_likely

if TYPE_CHECKING:
    from workbench.releases.perturbed import Perturbed


def likeliest(release: Perturbed, runs: np.ndarray, same: np.ndarray, sensitive: str | None) -> np.ndarray:
    """Populations x values."""
    shares = {name: one.coarse.given(one.coarse.likeliest) for name, one in release.drawn.items()}
    if sensitive is None:
        return _counted(release, runs, same, shares, np.zeros(release.table.records, np.int32), np.ones((1, 1)))
    if sensitive not in release.drawn:
        return _values(release, runs, same, shares, sensitive)
    drawn = release.drawn[sensitive]
    if not isinstance(drawn.response, Categorical):
        told = release.seen(sensitive, shares[sensitive])
        return _counted(release, runs, same, shares, drawn.coarse.codes, told)
    counts = _counted(release, runs, same, shares, drawn.codes, np.eye(len(drawn.values)))
    found = np.full((len(counts), len(drawn.response.chances)), -1.0)
    if drawn.response.undone is not None:  # where nothing is below 0 it is the most likely one
        found = counts @ drawn.response.undone[drawn.values]
    total, below = counts.sum(axis=1, keepdims=True), (found < 0).any(axis=1)
    found[below] = total[below] * most_likely(counts[below], drawn.response.likelihood(drawn.values))
    return found


def unbiased(release: Perturbed, runs: np.ndarray, same: np.ndarray, sensitive: str | None) -> np.ndarray:
    """Populations x values."""
    asked = {name for a, name in enumerate(release.table.quasi) if _narrowed(release, runs, a)}
    shares = {name: _undone(name, one) for name, one in release.drawn.items() if name in asked or name == sensitive}
    if sensitive is None:
        return _counted(release, runs, same, shares, np.zeros(release.table.records, np.int32), np.ones((1, 1)))
    if sensitive not in release.drawn:
        return _values(release, runs, same, shares, sensitive)
    return _counted(release, runs, same, shares, release.drawn[sensitive].codes, shares[sensitive])


def _undone(name: str, drawn: Drawn) -> np.ndarray:
    """Released x true values."""
    if drawn.response.undone is None:
        raise Undefined(f"{name}: no count of what was released is right on average; use the most likely one")
    return drawn.response.undone[drawn.values]


def _values(
    release: Perturbed, runs: np.ndarray, same: np.ndarray, shares: dict[str, np.ndarray], sensitive: str
) -> np.ndarray:
    """By a sensitive column that is published unchanged."""
    told = np.eye(len(release.table.sensitive[sensitive]))
    return _counted(release, runs, same, shares, release.table.sensitive_codes(sensitive), told)


def _narrowed(release: Perturbed, runs: np.ndarray, a: int) -> bool:
    """Whether any population asks about a quasi-identifier."""
    last = release.table.columns[release.table.quasi[a]].size - 1
    return bool(((runs[:, a, 0] > 0) | (runs[:, a, 1] < last)).any())


def _counted(
    release: Perturbed,
    runs: np.ndarray,
    same: np.ndarray,
    shares: dict[str, np.ndarray],
    group: np.ndarray,
    told: np.ndarray,
) -> np.ndarray:
    """People per population, each by what is told of its group."""
    table = release.table
    noisy = [a for a, name in enumerate(table.quasi) if name in release.drawn and _narrowed(release, runs, a)]
    if not noisy:
        quasi = np.stack([table.codes[name] for name in table.quasi])
        amount = np.ones(table.records, np.int64) if table.weight is None else release.people
        return cell_kernels.reach(runs, quasi, amount, group.astype(np.int32), told.astype(float), same)
    codes = [table.codes[name] for name in table.quasi]
    below = {}
    for a in noisy:
        codes[a] = release.drawn[table.quasi[a]].coarse.codes
        below[a] = np.cumsum(np.pad(shares[table.quasi[a]], ((0, 0), (1, 0))), axis=1)
    return _walked(release, runs, same, codes, below, group) @ told


def _walked(
    release: Perturbed,
    runs: np.ndarray,
    same: np.ndarray,
    codes: list[np.ndarray],
    below: dict[int, np.ndarray],
    group: np.ndarray,
) -> np.ndarray:
    """Populations x groups: what records count for is multiplied attribute by attribute, shared ones once."""
    groups, last = int(group.max()) + 1, [release.table.columns[name].size - 1 for name in release.table.quasi]
    counts, stack = np.zeros((len(runs), groups)), [release.people] * (len(last) + 1)
    for p, (run, first) in enumerate(zip(runs.tolist(), same.tolist(), strict=True)):
        step()
        for a in range(first, len(last)):
            low, high = run[a]
            if low == 0 and high == last[a]:
                stack[a + 1] = stack[a]
            elif a in below:
                stack[a + 1] = stack[a] * (below[a][:, high + 1] - below[a][:, low])[codes[a]]
            else:
                stack[a + 1] = stack[a] * ((codes[a] >= low) & (codes[a] <= high))
        counts[p] = np.bincount(group, stack[-1], groups)
    return counts
