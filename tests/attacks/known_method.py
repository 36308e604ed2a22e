"""Inference from a known method (minimality attack, Wong et al. 2007), by trying every table.

The attacker knows the method, the model, the settings and the seed. All tables with the same people and the same totals
that give the same release are equally likely to her, so her belief in a value is the share of these tables in which the
person has it. Measures evaluate what a release shows; this attacker never learns less.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from workbench.base.errors import BadInput, Undefined, Unsatisfiable, safe_repr
from workbench.base.progress import checkpoint
from workbench.base.result_cache import ResultCache
from workbench.data.engines.memory import Memory
from workbench.data.table import Table
from workbench.methods import Method
from workbench.models import Model
from workbench.models.distribution_distances import distance_from_prior
from workbench.releases.base import Release

MAX_TABLES = 20_000


class MethodInference(NamedTuple):
    """The beliefs of an attacker who knows the method, and the privacy loss of the most exposed person."""

    tables: int  # that give the same release
    tried: int
    beliefs: dict[str, np.ndarray]  # records x values, by sensitive column
    loss: float  # the largest Jensen-Shannon divergence of a belief from the prior


def infer_from_known_method(table: Table, method: Method, model: Model | None = None, seed: int = 0) -> MethodInference:
    """Compute the beliefs for a table of about ten records.

    Raise Undefined for larger tables and for random methods.
    """
    if not isinstance(table, Table) or not isinstance(method, Method):
        wrong = method if isinstance(table, Table) else table
        raise BadInput(f"got {safe_repr(wrong)}; call infer_from_known_method(table, Mondrian(), KAnonymity(2))")
    if method.draws:
        raise Undefined(f"{method.name} is random, and its measures already use the probabilities")
    if not table.sensitive:
        raise BadInput("the table has no sensitive column")
    table.engine.require_memory("trying every table needs all records in memory")
    tried = math.prod(_count_assignments(table, name) for name in table.sensitive)
    if tried > MAX_TABLES:
        raise Undefined(
            f"{tried:,} tables have the same people and totals, the limit is {MAX_TABLES:,}; use fewer records"
        )
    visible, matching = _visible_content(method(table, model, seed)), 0
    counts = {name: np.zeros((table.records, len(one))) for name, one in table.sensitive.items()}
    for candidate in _candidate_tables(table):
        checkpoint(f"tables with the same people and totals, of {tried:,}")
        try:
            is_match = _visible_content(method(candidate, model, seed)) == visible
        except Unsatisfiable:
            continue
        if is_match:
            matching += 1
            for name, found in counts.items():
                found[np.arange(table.records), candidate.model_view.codes[name]] += 1
    beliefs = {name: _average_over_indistinguishable(table, found / matching) for name, found in counts.items()}
    loss = max(float(distance_from_prior("js", one, table.sensitive[name]).max()) for name, one in beliefs.items())
    return MethodInference(matching, tried, beliefs, loss)


def _count_assignments(table: Table, name: str) -> int:
    """Return the number of distinct ways to assign a column's values to the records."""
    return math.factorial(table.records) // math.prod(map(math.factorial, table.sensitive[name].totals.tolist()))


def _candidate_tables(table: Table) -> Iterator[Table]:
    """Yield every table with the same people and the same totals."""
    codes = table.model_view.codes
    for orders in product(*(list(_permutations(table.sensitive[name].totals.tolist())) for name in table.sensitive)):
        given = {name: np.array(one, codes[name].dtype) for name, one in zip(table.sensitive, orders, strict=True)}
        yield replace(table, engine=Memory({**codes, **given}), levels={}, remember=ResultCache())


def _permutations(remaining: list[int]) -> Iterator[tuple[int, ...]]:
    """Yield every distinct order of values with these counts."""
    if not any(remaining):
        yield ()
    for value, count in enumerate(remaining):
        if count:
            remaining[value] -= 1
            yield from ((value, *others) for others in _permutations(remaining))
            remaining[value] += 1


def _visible_content(release: Release) -> Any:
    """Return everything a recipient sees of a release, without the order and the numbers of its classes."""
    classes, table = release.classes, release.table
    shown = [tuple(one.tolist()) for one in np.hstack([classes.regions(), *classes.histograms.values()])]
    if not classes.exact:
        return sorted(shown)
    group = release.group_of_record
    people = np.stack([table.codes[name] for name in table.quasi if name not in release.unpublished_columns], axis=1)
    return sorted((shown[i], sorted(map(tuple, people[group == i].tolist()))) for i in range(len(shown)))


def _average_over_indistinguishable(table: Table, beliefs: np.ndarray) -> np.ndarray:
    """Average the beliefs over people with identical quasi-identifiers: the attacker cannot distinguish them."""
    _, kind = np.unique(np.stack([table.codes[name] for name in table.quasi], axis=1), axis=0, return_inverse=True)
    sums = np.stack([np.bincount(kind, one) for one in beliefs.T], axis=1)
    return (sums / np.bincount(kind)[:, None])[kind]
