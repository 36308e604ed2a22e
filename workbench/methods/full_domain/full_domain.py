"""Full-domain generalization (Samarati 2001): one level of its hierarchy for a whole column, the best combination."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral

import numpy as np

from workbench.base.compiled import compiled
from workbench.base.errors import BadInput, Undefined, Unsatisfiable, safe_repr, suggest_column
from workbench.base.parameters import parameter
from workbench.base.progress import checkpoint
from workbench.base.variants import catalog
from workbench.data.table import Table
from workbench.measures import AttributeLoss, Measure
from workbench.methods import Method, allowance
from workbench.methods.full_domain.lattice import Lattice, Rows
from workbench.models import Model
from workbench.models.classes import Classes
from workbench.releases.base import Release
from workbench.releases.labels import in_quotes
from workbench.releases.partition import Partition

# Nodes of the lattice: their scores, their names as text, the choice by a loss, and the release of one.

# The scores of every node: violating records, the model's figures, and losses.

BATCH = 2**14  # rows that a model checks at once
ALL, KEPT = 0, 1


@dataclass(frozen=True, eq=False)
class Scores:
    """One row per node, in the order of the lattice.

    Figures come in two versions: for the release of all records, and for the release without those of violating classes
    (NaN if no class is left).
    """

    lattice: Lattice
    classes: np.ndarray  # number of classes, nodes x (all, kept)
    breaking: np.ndarray  # the number of records in violating classes
    uncovered: np.ndarray  # the number of people of the population whom no satisfying class covers
    figures: dict[str, np.ndarray]  # of the model's parts and of measures, each nodes x (all, kept)

    def keeps(self, allowance: int) -> np.ndarray:
        """Return which nodes satisfy the model if so many records may be suppressed."""
        return (self.breaking <= allowance) & (self.classes[:, KEPT] > 0) & (self.uncovered == 0)

    def released_figure(self, key: str, allowance: int) -> np.ndarray:
        """Return a figure of each node as released: of all records if it does not satisfy the model anyway."""
        found = self.figures[key]
        return np.where(self.keeps(allowance), found[:, KEPT], found[:, ALL])


def score_nodes(table: Table, model: Model | None, measures: Sequence[Measure], figures: bool = False) -> Scores:
    """Score every node of the table's lattice by measures that `follows` accepts, optionally by the model's figures."""
    key = ("scores", model, tuple(measures), figures)
    return table.remember(key, lambda: _score_nodes(table, model, measures, figures))


def is_scored_by_class(measure: Measure, table: Table) -> bool:
    """Return whether a measure can be computed class by class, so that all nodes are scored at once."""
    return isinstance(measure, AttributeLoss) or measure.figures_by_class(_nobody(table), table) is not None


def figure(part: Model) -> str:
    """Return the name of the figure of a part of a model."""
    return f"{part.figure} ({part.line})"


def _nobody(table: Table) -> Classes:
    histograms = {name: np.zeros((0, len(seen)), np.int64) for name, seen in table.sensitive.items()}
    return Classes(np.zeros(0, np.int64), histograms, table.sensitive)


def _score_nodes(table: Table, model: Model | None, measures: Sequence[Measure], figures: bool) -> Scores:
    worst = [one for one in measures if not isinstance(one, AttributeLoss)]
    lattice = Lattice.from_table(table, bool(worst) or (model is not None and model.needs_sensitive))
    work = _Scoring(lattice, model, measures, figures)
    done = 0
    for batch in _batches(lattice.walk()):
        work.judge(done, batch)
        done += len(batch)
        checkpoint(f"{done:,} of {len(lattice):,} nodes")
    return Scores(lattice, work.classes, work.breaking, work.uncovered, work.figures)


def _batches(walk: Iterator[Rows]) -> Iterator[list[Rows]]:
    held: list[Rows] = []
    for rows in walk:
        held.append(rows)
        if sum(len(one.codes) for one in held) >= BATCH:
            yield held
            held = []
    if held:
        yield held


class _Scoring:
    """The scores while they are filled in, batch by batch."""

    def __init__(self, lattice: Lattice, model: Model | None, measures: Sequence[Measure], figures: bool) -> None:
        self.lattice, self.model, self.measures = lattice, model, measures
        self.parts = model.parts if model and figures else ()
        count = len(lattice)
        self.classes, self.breaking = np.zeros((count, 2), np.int64), np.zeros(count, np.int64)
        keys = [*map(figure, self.parts), *(measure.key for measure in measures)]
        self.uncovered = np.zeros(count, np.int64)
        self.figures = {key: np.full((count, 2), np.nan) for key in keys}
        self.costs = {one.key: _costs(lattice, one) for one in measures if isinstance(one, AttributeLoss)}
        # a node above one that satisfies a monotone model with all records satisfies it too
        self.prune = model is not None and model.monotone and lattice.nested
        self.number = {tuple(levels): i for i, levels in enumerate(lattice.levels.tolist())} if self.prune else {}

    def judge(self, done: int, batch: list[Rows]) -> None:
        """Score the next nodes."""
        here, ends = slice(done, done + len(batch)), np.cumsum([0, *(len(rows.codes) for rows in batch)])
        first = ends[:-1]
        codes, counts = (np.concatenate([rows[i] for rows in batch]) for i in (0, 1))
        classes = self.lattice.classes(Rows(codes, counts))
        by_node = self.model is not None and self.model.needs_population
        nodes = self._nodes(done, batch) if by_node else [classes]
        held = self._held_by_node(done, nodes) if by_node else self._held(done, classes, ends)
        self.classes[here] = np.column_stack([np.diff(ends), np.add.reduceat(held.astype(np.int64), first)])
        self.breaking[here] = np.add.reduceat(np.where(held, 0, classes.sizes), first)
        for part in self.parts:
            worst, none = (np.minimum, np.inf) if part.at_least else (np.maximum, -np.inf)
            self._put(figure(part), here, *_worst(_scores(part, nodes), held, first, worst, none))
        for measure in self.measures:
            if isinstance(measure, AttributeLoss):
                self._put(measure.key, here, *self._lost(measure, here, (codes, classes.sizes, held), ends))
            else:  # suppressed records disclose nothing, so they lose no privacy
                figures = measure.figures_by_class(classes, self.lattice.table)
                assert figures is not None
                self._put(measure.key, here, *_worst(figures, held, first, np.maximum, 0.0))

    def _nodes(self, done: int, batch: list[Rows]) -> list[Classes]:
        """Return the classes of each node: models of the population must see one release at a time."""
        return [self.lattice.classes(rows, self.lattice.levels[done + i]) for i, rows in enumerate(batch)]

    def _held_by_node(self, done: int, nodes: list[Classes]) -> np.ndarray:
        """Return which classes satisfy a model of the population, and record the uncovered people per node."""
        assert self.model is not None
        every = []
        for i, classes in enumerate(nodes, done):
            held = np.ones(len(classes), bool) if self._is_known_to_satisfy(i) else self.model.holds(classes)
            if held.any():
                kept = classes if held.all() else classes.take(np.flatnonzero(held))
                self.uncovered[i] = self.model.uncovered(kept)
            every.append(held)
        return np.concatenate(every)

    def _held(self, done: int, classes: Classes, ends: np.ndarray) -> np.ndarray:
        """Return which classes satisfy the model."""
        held = np.ones(len(classes), bool)
        if self.model is None:
            return held
        open_ = ~np.array([self._is_known_to_satisfy(done + i) for i in range(len(ends) - 1)])
        rows = np.repeat(open_, np.diff(ends))
        if rows.all():
            return self.model.holds(classes)
        if rows.any():
            held[rows] = self.model.holds(classes.take(np.flatnonzero(rows)))
        return held

    def _is_known_to_satisfy(self, node: int) -> bool:
        """Return whether a finer node is known to satisfy the model with all records."""
        if not self.prune:
            return False
        levels = self.lattice.levels[node].tolist()
        for a, level in enumerate(levels):
            below = self.number.get((*levels[:a], level - 1, *levels[a + 1 :]))
            if below is not None and self.classes[below, ALL] and not self.breaking[below]:
                return True
        return False

    def _lost(
        self, measure: AttributeLoss, here: slice, rows: tuple[np.ndarray, ...], ends: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the loss of all records, and the loss with the records of violating classes suppressed."""
        cost, everything = self.costs[measure.key]
        every, kept = sum_costs(*rows, ends, self.lattice.levels[here], cost)
        suppressed, table = self.breaking[here, None] * everything, self.lattice.table
        return measure.combined(every / table.records, table), measure.combined(
            (kept + suppressed) / table.records, table
        )

    def _put(self, key: str, here: slice, every: np.ndarray, kept: np.ndarray) -> None:
        none = self.classes[here, KEPT] == 0
        self.figures[key][here] = np.column_stack([every, np.where(none, np.nan, kept)])


def _scores(part: Model, nodes: Sequence[Classes]) -> np.ndarray:
    return np.concatenate([np.asarray(part.score(classes), float) for classes in nodes])


def _worst(
    score: np.ndarray, held: np.ndarray, first: np.ndarray, worst: np.ufunc, none: float
) -> tuple[np.ndarray, np.ndarray]:
    return worst.reduceat(score, first), worst.reduceat(np.where(held, score, none), first)


def _costs(lattice: Lattice, measure: AttributeLoss) -> tuple[np.ndarray, np.ndarray]:
    """Return the cost of a record at each node, columns x levels x nodes, and the cost of a suppressed value."""
    axes = len(lattice.nodes)
    cost = np.zeros((axes, max(map(len, lattice.nodes)), max(len(levels[0]) for levels in lattice.nodes)))
    everything = np.zeros(axes)
    for a, levels in enumerate(lattice.nodes):
        for j in range(len(levels)):
            bounds = lattice.bounds(a, j)
            cost[a, j, : len(bounds)] = measure.cost(_regions(bounds, a, axes), lattice.table, a, j)
        everything[a] = measure.suppressed_cost(lattice.table, a)
    return cost, everything


def _regions(bounds: np.ndarray, a: int, axes: int) -> Classes:
    """Return classes with the runs of one column only."""
    low, high = np.zeros((2, len(bounds), axes), np.int32)
    low[:, a], high[:, a] = bounds.T
    return Classes(np.ones(len(bounds), np.int64), {}, {}, low, high)


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


MEASURES = catalog("workbench.measures", Measure)
LOSSES = tuple(name for name, kind in MEASURES.items() if kind.side == "utility")


@dataclass(frozen=True)
class FullDomain(Method):
    """Scores every combination of levels, and releases the one that satisfies the model with the smallest loss.

    `levels` sets one combination instead, a level for every quasi-identifier: `age=2, sex=0`; 0 is a column's values.
    """

    suppress: float = parameter(0.05, "the largest share of records that may be suppressed", low=0, high=1)
    minimise: str = parameter("geometric loss", "the utility measure that chooses the levels", choices=LOSSES)
    levels: str | Mapping[str, int] | None = parameter(
        None, "the level of every quasi-identifier, as in age=2, sex=0; none: the best levels", optional=True
    )
    name = "full-domain"
    title = "Full-domain generalization (Samarati 2001)"
    summary = "one level of its hierarchy for a whole column, the best combination"

    def __post_init__(self) -> None:
        if self.levels is not None:
            object.__setattr__(self, "levels", format_levels(parse_levels(self.levels)))
        super().__post_init__()

    def check(self, table: Table | None = None) -> None:
        super().check(table)
        if table is not None and self.levels is not None:
            refuse_other_columns(parse_levels(self.levels), table)

    def release(self, table: Table, model: Model | None, seed: int) -> Release:
        if self.levels is not None:
            chosen = parse_levels(self.levels)
            return release_at(table, [chosen[name] for name in table.quasi])
        return release_at(table, best_levels(table, model, MEASURES[self.minimise](), allowance(table, self.suppress)))


@compiled
def sum_costs(
    codes: np.ndarray, sizes: np.ndarray, kept: np.ndarray, first: np.ndarray, levels: np.ndarray, cost: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the cost of all records of each node, and that of its kept rows: nodes x axes, twice.

    The rows of node i are first[i]:first[i + 1]; `cost` is axes x levels x codes.
    """
    nodes, axes = levels.shape
    every, of_kept = np.zeros((nodes, axes)), np.zeros((nodes, axes))
    for i in range(nodes):
        for row in range(first[i], first[i + 1]):
            for a in range(axes):
                here = sizes[row] * cost[a, levels[i, a], codes[row, a]]
                every[i, a] += here
                if kept[row]:
                    of_kept[i, a] += here
    return every, of_kept
