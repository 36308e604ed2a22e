"""Nodes of the lattice: parsed from text, formatted as text, chosen by a loss, released."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from numbers import Integral

import numpy as np

from workbench.base.errors import BadInput, Undefined, Unsatisfiable, safe_repr, suggest_column
from workbench.base.progress import checkpoint
from workbench.data.table import Table
from workbench.measures import Measure
from workbench.methods.full_domain.lattice import Lattice
from workbench.methods.full_domain.scores import KEPT, Scores, is_scored_by_class, score_nodes
from workbench.models import Model
from workbench.releases.default_labels import in_quotes
from workbench.releases.partition import Partition

DIGITS = 12  # losses are rounded to this; ties go to the node that suppresses fewer records
ONE = re.compile(r'\s*("(?:[^"\\]|\\.)*"|.+?)\s*=\s*(\d+)\s*(?:,|$)')


def parse_levels(given: object) -> dict[str, int]:
    """Return the level of each column, from a mapping or from text such as `age=2, sex=0`."""
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
        raise BadInput(f"full-domain: levels = {safe_repr(given)}: expected one level per column, as in age=2, sex=0")
    return {name: int(level) for name, level in found.items()}


def _unquoted(name: str) -> str:
    """Return a name without its quotes, if it has any."""
    try:
        return str(json.loads(name, strict=False)) if name.startswith('"') and name.endswith('"') else name
    except ValueError:
        return name


def _quoted(name: str) -> str:
    """Return a name, in quotes if it would otherwise be parsed differently."""
    plain = name == name.strip() and not name.startswith("=") and '"' not in name
    return name if plain and ONE.findall(f"{name}=0, ") == [(name, "0")] else in_quotes(name)


def format_levels(levels: Mapping[str, int]) -> str:
    """Return levels as text in a fixed order; names that are not plain are quoted."""
    return ", ".join(f"{_quoted(name)}={levels[name]}" for name in sorted(levels))


def node_name(table: Table, levels: Sequence[int] | np.ndarray) -> str:
    """Return a node's name, in the format of the full-domain method's `levels`."""
    return format_levels({name: int(level) for name, level in zip(table.quasi, levels, strict=True)})


def refuse_other_columns(levels: Mapping[str, int], table: Table) -> None:
    """Raise BadInput unless every quasi-identifier has a level that is allowed."""
    allowed = dict(zip(table.quasi, Lattice.from_table(table, False).ranges, strict=True))
    for name, level in levels.items():
        if name not in allowed:
            raise BadInput(
                f"full-domain: levels: {name!r} is not a quasi-identifier; {suggest_column(name, table.quasi)}"
            )
        if level not in allowed[name]:
            low, high = allowed[name][0], allowed[name][-1]
            raise BadInput(f"full-domain: levels: {name!r} has no level {level} here; choose one from {low} to {high}")
    lacking = [name for name in allowed if name not in levels]
    if lacking:
        raise BadInput(f"full-domain: levels: set a level for {', '.join(lacking)} too; 0 keeps the values unchanged")


def release_at(table: Table, levels: Sequence[int] | np.ndarray) -> Partition:
    """Return the release of all records at these levels."""
    lattice = Lattice.from_table(table, False)
    rows, number = lattice.group_rows(lattice.cells, levels)
    label_levels = {name: int(level) for name, level in zip(table.quasi, levels, strict=True)}
    shown = lattice.shown(levels, rows.codes)
    return Partition(table, table.cells(), number[lattice.row_of_cell], runs=shown, label_levels=label_levels)


def best_levels(table: Table, model: Model | None, measure: Measure, allowance: int) -> np.ndarray:
    """Return the levels with the smallest loss among those that satisfy the model within the allowance."""
    scores = score_nodes(table, model, [measure] if is_scored_by_class(measure, table) else [])
    keeping = np.flatnonzero(scores.keeps(allowance))
    if not len(keeping):
        if (scores.classes[:, KEPT] == 0).all():
            raise Unsatisfiable(
                f"no combination of levels satisfies {model}: every record would be suppressed; relax the model"
            )
        raise Unsatisfiable(
            f"no combination of levels satisfies {model} if at most {allowance:,} records may be suppressed; the "
            f"closest would suppress {int(scores.breaking.min()):,}. Increase suppress, or relax the model"
        )
    if measure.key in scores.figures:
        loss = scores.released_figure(measure.key, allowance)[keeping]
    else:
        loss = measure_nodes(scores, model, measure, keeping)
    loss = loss if measure.better == "lower" else -loss
    order = np.lexsort((scores.breaking[keeping], np.round(np.where(np.isnan(loss), np.inf, loss), DIGITS)))
    return scores.lattice.levels[keeping[order[0]]]


def measure_nodes(scores: Scores, model: Model | None, measure: Measure, nodes: np.ndarray) -> np.ndarray:
    """Compute a measure on the releases of nodes that satisfy the model, one by one; NaN if it is undefined."""
    found, table, reason = np.full(len(nodes), math.nan), scores.lattice.table, None
    for i, node in enumerate(nodes):
        checkpoint(f"{measure.name} of {i + 1:,} of {len(nodes):,} combinations of levels")
        release = release_at(table, scores.lattice.levels[node])
        if model is not None and scores.breaking[node]:
            release = release.without(release.audit(model).violating)
        try:
            found[i] = measure(release).value
        except Undefined as error:
            reason = error
    if reason is not None and np.isnan(found).all():
        raise reason
    return found
