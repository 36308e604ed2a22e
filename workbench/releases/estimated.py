"""Estimates from values that were changed at random: records per population and sensitive value.

A record counts for a population by the probability that its quasi-identifiers are in it; a changed one is inverted by
Bayes' rule with the maximum likelihood distribution of its column. The sensitive values of a population are then either
the maximum likelihood estimate, for each population separately, or the inverse of the matrix of probabilities times the
counts, which is unbiased and may be negative.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from workbench.base import cell_kernels
from workbench.base.convergence import report_fit
from workbench.base.errors import Undefined
from workbench.base.mixtures import fit_proportions
from workbench.base.progress import checkpoint
from workbench.releases.responses import Categorical, Drawn

if TYPE_CHECKING:
    from workbench.releases.perturbed import Perturbed


def likeliest(release: Perturbed, runs: np.ndarray, same: np.ndarray, sensitive: str | None) -> np.ndarray:
    """Return the maximum likelihood estimate: populations x values."""
    shares = {name: one.coarse.posterior(one.coarse.likeliest) for name, one in release.drawn.items()}
    if sensitive is None:
        return _counted(release, runs, same, shares, np.zeros(release.table.records, np.int32), np.ones((1, 1)))
    if sensitive not in release.drawn:
        return _values(release, runs, same, shares, sensitive)
    drawn = release.drawn[sensitive]
    if not isinstance(drawn.response, Categorical):
        of_kind = release.at_model_level(sensitive, shares[sensitive])
        return _counted(release, runs, same, shares, drawn.coarse.codes, of_kind)
    counts = _counted(release, runs, same, shares, drawn.codes, np.eye(len(drawn.values)))
    found = np.full((len(counts), len(drawn.response.chances)), -1.0)
    if drawn.response.undone is not None:  # without negative counts it is the maximum likelihood estimate
        found = counts @ drawn.response.undone[drawn.values]
    total, below = counts.sum(axis=1, keepdims=True), (found < 0).any(axis=1)
    fitted = fit_proportions(counts[below], drawn.response.likelihood(drawn.values))
    report_fit(fitted.fit)
    found[below] = total[below] * fitted.proportions
    return found


def unbiased(release: Perturbed, runs: np.ndarray, same: np.ndarray, sensitive: str | None) -> np.ndarray:
    """Return the unbiased estimate: populations x values."""
    narrowed = {name for a, name in enumerate(release.table.quasi) if _narrowed(release, runs, a)}
    shares = {name: _undone(name, one) for name, one in release.drawn.items() if name in narrowed or name == sensitive}
    if sensitive is None:
        return _counted(release, runs, same, shares, np.zeros(release.table.records, np.int32), np.ones((1, 1)))
    if sensitive not in release.drawn:
        return _values(release, runs, same, shares, sensitive)
    return _counted(release, runs, same, shares, release.drawn[sensitive].codes, shares[sensitive])


def _undone(name: str, drawn: Drawn) -> np.ndarray:
    """Return the inverse of the probabilities: released x true values."""
    if drawn.response.undone is None:
        raise Undefined(
            f"{name}: there is no unbiased estimate from its released values; use the maximum likelihood estimate"
        )
    return drawn.response.undone[drawn.values]


def _values(
    release: Perturbed, runs: np.ndarray, same: np.ndarray, shares: dict[str, np.ndarray], sensitive: str
) -> np.ndarray:
    """Return the estimate by a sensitive column that is published unchanged."""
    of_kind = np.eye(len(release.table.sensitive[sensitive]))
    return _counted(release, runs, same, shares, release.table.sensitive_codes(sensitive), of_kind)


def _narrowed(release: Perturbed, runs: np.ndarray, a: int) -> bool:
    """Return whether any population has a condition on this quasi-identifier."""
    last = release.table.columns[release.table.quasi[a]].size - 1
    return bool(((runs[:, a, 0] > 0) | (runs[:, a, 1] < last)).any())


def _counted(
    release: Perturbed,
    runs: np.ndarray,
    same: np.ndarray,
    shares: dict[str, np.ndarray],
    group: np.ndarray,
    of_kind: np.ndarray,
) -> np.ndarray:
    """Return people per population and value, each person with the distribution of its group."""
    table = release.table
    noisy = [a for a, name in enumerate(table.quasi) if name in release.drawn and _narrowed(release, runs, a)]
    if not noisy:
        quasi = np.stack([table.codes[name] for name in table.quasi])
        amount = np.ones(table.records, np.int64) if table.weight is None else release.people
        return cell_kernels.reach(runs, quasi, amount, group.astype(np.int32), of_kind.astype(float), same)
    codes = [table.codes[name] for name in table.quasi]
    below = {}
    for a in noisy:
        codes[a] = release.drawn[table.quasi[a]].coarse.codes
        below[a] = np.cumsum(np.pad(shares[table.quasi[a]], ((0, 0), (1, 0))), axis=1)
    return _walked(release, runs, same, codes, below, group) @ of_kind


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
        checkpoint()
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
