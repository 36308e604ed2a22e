"""What a method gives away by itself: the adversary knows method, model, settings and seed, as everybody may.

Of all tables with the same people and the same totals that give the same release each is as likely as any other; what
she believes is the share of them in which a person has a value (Wong et al. 2007 call one such inference minimality).
Measures look at what a release shows: this is never less exposed, and worked out by trying every table.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from workbench.base.errors import BadInput, Undefined, Unsatisfiable, said
from workbench.base.progress import step
from workbench.data.engines.memory import Memory
from workbench.data.table import Table
from workbench.methods import Method
from workbench.models import Model
from workbench.models.distances import from_everybody
from workbench.releases.base import Release

MOST = 20_000  # tables that are tried


class Known(NamedTuple):
    """What is believed of people, and how far the belief about the most exposed is from everybody."""

    tables: int  # that give the same release
    tried: int
    beliefs: dict[str, np.ndarray]  # records x values, by sensitive column
    loss: float  # as P_loss, by Jensen-Shannon divergence


def known_method(table: Table, method: Method, model: Model | None = None, seed: int = 0) -> Known:
    """For tables of about ten records; Undefined for more, and where what is released is drawn at random."""
    if not isinstance(table, Table) or not isinstance(method, Method):
        wrong = method if isinstance(table, Table) else table
        raise BadInput(f"known_method: {said(wrong)} was given; call known_method(table, Mondrian(), KAnonymity(2))")
    if method.draws:
        raise Undefined(f"{method.name} draws at random, and its measures count what the chances tell")
    if not table.sensitive:
        raise BadInput("known_method: the table has no sensitive column; name one")
    table.engine.require_memory("what a method gives away is found by trying every table")
    tried = math.prod(_orders(table, name) for name in table.sensitive)
    if tried > MOST:
        raise Undefined(f"{tried:,} tables have the same people and totals, and at most {MOST:,} are tried; take fewer")
    seen, told = _seen(method(table, model, seed)), 0
    counts = {name: np.zeros((table.records, len(one))) for name, one in table.sensitive.items()}
    for other in _tables(table):
        step(f"tables like this one, of {tried:,}")
        try:
            alike = _seen(method(other, model, seed)) == seen
        except Unsatisfiable:
            continue
        if alike:
            told += 1
            for name, found in counts.items():
                found[np.arange(table.records), other.sensitive_codes(name)] += 1
    beliefs = {name: _by_people(table, found / told) for name, found in counts.items()}
    loss = max(float(from_everybody("js", one, table.sensitive[name]).max()) for name, one in beliefs.items())
    return Known(told, tried, beliefs, loss)


def _orders(table: Table, name: str) -> int:
    """In how many ways the values of a column go with the records."""
    return math.factorial(table.records) // math.prod(map(math.factorial, table.sensitive[name].totals.tolist()))


def _tables(table: Table) -> Iterator[Table]:
    """Every table with the same people, and as many of each value."""
    codes = table.seen.codes
    for orders in product(*(list(_arranged(table.sensitive[name].totals.tolist())) for name in table.sensitive)):
        given = {name: np.array(one, codes[name].dtype) for name, one in zip(table.sensitive, orders, strict=True)}
        yield replace(table, engine=Memory({**codes, **given}), levels={}, _memory={}, _locks={})


def _arranged(left: list[int]) -> Iterator[tuple[int, ...]]:
    """Every order of so many of each value."""
    if not any(left):
        yield ()
    for value, count in enumerate(left):
        if count:
            left[value] -= 1
            yield from ((value, *rest) for rest in _arranged(left))
            left[value] += 1


def _seen(release: Release) -> Any:
    """All that who gets the release sees of it, whatever the order and the numbers of its classes."""
    classes, table = release.classes, release.table
    told = [tuple(one.tolist()) for one in np.hstack([classes.regions(), *classes.histograms.values()])]
    if not classes.exact:
        return sorted(told)
    group = release.group_of_record
    people = np.stack([table.codes[name] for name in table.quasi if name not in release.removed], axis=1)
    return sorted((told[i], sorted(map(tuple, people[group == i].tolist()))) for i in range(len(told)))


def _by_people(table: Table, beliefs: np.ndarray) -> np.ndarray:
    """People who are alike in all quasi-identifiers are believed alike."""
    _, kind = np.unique(np.stack([table.codes[name] for name in table.quasi], axis=1), axis=0, return_inverse=True)
    sums = np.stack([np.bincount(kind, one) for one in beliefs.T], axis=1)
    return (sums / np.bincount(kind)[:, None])[kind]
