"""Nodes of the lattice: named as people write them, chosen by a loss, released."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from numbers import Integral

import numpy as np

from workbench.base.errors import BadInput, Undefined, Unsatisfiable, columns_meant, said
from workbench.base.progress import step
from workbench.data.table import Table
from workbench.measures import Measure
from workbench.methods.full_domain.lattice import Lattice
from workbench.methods.full_domain.scores import KEPT, Scores, follows, scored
from workbench.models import Model
from workbench.releases.partition import Partition
from workbench.releases.unnamed_runs import in_quotes

DIGITS = 12  # losses closer than this are ties, which the node wins that leaves out fewer records
ONE = re.compile(r'\s*("(?:[^"\\]|\\.)*"|.+?)\s*=\s*(\d+)\s*(?:,|$)')


def understood(given: object) -> dict[str, int]:
    """The level of each column, from a mapping or from text such as `age=2, sex=0`."""
    if isinstance(given, Mapping):
        found = dict(given)
        wrong = any(not isinstance(name, str) for name in found)
    else:
        parts = [given] if isinstance(given, str) else list(given) if isinstance(given, Sequence) else [None]
        text = ", ".join(map(str, parts))
        every = ONE.findall(text)
        found = {_unquoted(name): int(level) for name, level in every}
        wrong = bool(ONE.sub("", text).strip()) or len(found) < len(every)
    if wrong or not found or any(isinstance(v, bool) or not isinstance(v, Integral) or v < 0 for v in found.values()):
        raise BadInput(f"full-domain: levels = {said(given)}; write a level for each column once, as in age=2, sex=0")
    return {name: int(level) for name, level in found.items()}


def _unquoted(name: str) -> str:
    """A name as it is, or what is in its quotes."""
    try:
        return str(json.loads(name, strict=False)) if name.startswith('"') and name.endswith('"') else name
    except ValueError:
        return name


def _quoted(name: str) -> str:
    """A name as it is, or in quotes where it would be read as something else."""
    plain = name == name.strip() and not name.startswith("=") and '"' not in name
    return name if plain and ONE.findall(f"{name}=0, ") == [(name, "0")] else in_quotes(name)


def spelled(levels: Mapping[str, int]) -> str:
    """The levels as text, the same in whatever order they were given; names that are not plain are in quotes."""
    return ", ".join(f"{_quoted(name)}={levels[name]}" for name in sorted(levels))


def named(table: Table, levels: Sequence[int] | np.ndarray) -> str:
    """A node's name: what `levels` of the full-domain method takes."""
    return spelled({name: int(level) for name, level in zip(table.quasi, levels, strict=True)})


def refuse_other_columns(levels: Mapping[str, int], table: Table) -> None:
    """Raise BadInput unless every quasi-identifier has a level that it may be released at."""
    allowed = dict(zip(table.quasi, Lattice.of(table, False).ranges, strict=True))
    for name, level in levels.items():
        if name not in allowed:
            raise BadInput(
                f"full-domain: levels: {name!r} is not a quasi-identifier; {columns_meant(name, table.quasi)}"
            )
        if level not in allowed[name]:
            low, high = allowed[name][0], allowed[name][-1]
            raise BadInput(f"full-domain: levels: {name!r} has no level {level} here; choose one from {low} to {high}")
    lacking = [name for name in allowed if name not in levels]
    if lacking:
        raise BadInput(f"full-domain: levels: say a level for {', '.join(lacking)} too; 0 keeps the values as they are")


def released(table: Table, levels: Sequence[int] | np.ndarray) -> Partition:
    """The release of all records at these levels."""
    lattice = Lattice.of(table, False)
    rows, number = lattice.grouped(lattice.cells, levels)
    label_levels = {name: int(level) for name, level in zip(table.quasi, levels, strict=True)}
    shown = lattice.shown(levels, rows.codes)
    return Partition(table, table.cells(), number[lattice.row_of_cell], runs=shown, label_levels=label_levels)


def best(table: Table, model: Model | None, measure: Measure, allowance: int) -> np.ndarray:
    """The levels that lose least, of those that keep the model where so many records may be left out."""
    scores = scored(table, model, [measure] if follows(measure, table) else [])
    keeping = np.flatnonzero(scores.keeps(allowance))
    if not len(keeping):
        if (scores.classes[:, KEPT] == 0).all():
            raise Unsatisfiable(
                f"no combination of levels keeps {model}: every record would be left out; ask less of the classes"
            )
        raise Unsatisfiable(
            f"no combination of levels keeps {model} where at most {allowance:,} records may be left out; the nearest "
            f"would leave out {int(scores.breaking.min()):,}. Let more be left out, or ask less of the classes"
        )
    if measure.key in scores.figures:
        loss = scores.of(measure.key, allowance)[keeping]
    else:
        loss = measured(scores, model, measure, keeping)
    loss = loss if measure.better == "lower" else -loss
    order = np.lexsort((scores.breaking[keeping], np.round(np.where(np.isnan(loss), np.inf, loss), DIGITS)))
    return scores.lattice.levels[keeping[order[0]]]


def measured(scores: Scores, model: Model | None, measure: Measure, nodes: np.ndarray) -> np.ndarray:
    """A measure of the releases of nodes that keep the model, one after the other; NaN where it has no value."""
    found, table, reason = np.full(len(nodes), math.nan), scores.lattice.table, None
    for i, node in enumerate(nodes):
        step(f"{measure.name} of {i + 1:,} of {len(nodes):,} combinations of levels")
        release = released(table, scores.lattice.levels[node])
        if model is not None and scores.breaking[node]:
            release = release.without(release.audit(model).breaking)
        try:
            found[i] = measure(release).value
        except Undefined as error:
            reason = error
    if reason is not None and np.isnan(found).all():
        raise reason
    return found
