"""The scores of every node of a lattice: how many records break the model, the model's figures, and losses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from workbench.base import lattice_kernels
from workbench.base.progress import step
from workbench.data.table import Table
from workbench.measures import AttributeLoss, Measure
from workbench.methods.full_domain.lattice import Lattice, Rows
from workbench.models import Model
from workbench.models.classes import Classes

BATCH = 2**14  # rows that are judged at once
ALL, KEPT = 0, 1


@dataclass(frozen=True, eq=False)
class Scores:
    """One row a node, in the order of the lattice. What depends on it is told twice: of the release of all records,
    and of the release without those of classes that break the model (NaN where no class is left)."""

    lattice: Lattice
    classes: np.ndarray  # nodes x (all, kept)
    breaking: np.ndarray  # the records of classes that break the model
    figures: dict[str, np.ndarray]  # of the parts of the model and of measures, each nodes x (all, kept)

    def keeps(self, allowance: int) -> np.ndarray:
        """Which nodes keep the model where so many records may be left out."""
        return (self.breaking <= allowance) & (self.classes[:, KEPT] > 0)

    def of(self, key: str, allowance: int) -> np.ndarray:
        """A figure of each node as it would be released: of all records where it does not keep the model anyway."""
        found = self.figures[key]
        return np.where(self.keeps(allowance), found[:, KEPT], found[:, ALL])


def scored(table: Table, model: Model | None, measures: Sequence[Measure], figures: bool = False) -> Scores:
    """Every node of the table's lattice, by measures that `follows` says yes to; with the model's figures if asked."""
    key = ("scores", model, tuple(measures), figures)
    return table.remember(key, lambda: _scored(table, model, measures, figures))


def follows(measure: Measure, table: Table) -> bool:
    """Whether a measure follows from the classes one by one, so that every node can be scored at once."""
    return isinstance(measure, AttributeLoss) or measure.of_class(_nobody(table), table) is not None


def figure(part: Model) -> str:
    """What the figure of a part of a model is called."""
    return f"{part.figure} ({part.line})"


def _nobody(table: Table) -> Classes:
    histograms = {name: np.zeros((0, len(seen)), np.int64) for name, seen in table.sensitive.items()}
    return Classes(np.zeros(0, np.int64), histograms, table.sensitive)


def _scored(table: Table, model: Model | None, measures: Sequence[Measure], figures: bool) -> Scores:
    worst = [one for one in measures if not isinstance(one, AttributeLoss)]
    lattice = Lattice.of(table, bool(worst) or (model is not None and model.needs_sensitive))
    work = _Scoring(lattice, model, measures, figures)
    done = 0
    for batch in _batches(lattice.walk()):
        work.judge(done, batch)
        done += len(batch)
        step(f"{done:,} of {len(lattice):,} nodes")
    return Scores(lattice, work.classes, work.breaking, work.figures)


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
    """The scores as they fill up, batch by batch."""

    def __init__(self, lattice: Lattice, model: Model | None, measures: Sequence[Measure], figures: bool) -> None:
        self.lattice, self.model, self.measures = lattice, model, measures
        self.parts = model.parts if model and figures else ()
        count = len(lattice)
        self.classes, self.breaking = np.zeros((count, 2), np.int64), np.zeros(count, np.int64)
        keys = [*map(figure, self.parts), *(measure.key for measure in measures)]
        self.figures = {key: np.full((count, 2), np.nan) for key in keys}
        self.costs = {one.key: _costs(lattice, one) for one in measures if isinstance(one, AttributeLoss)}
        # a node above one that keeps the model with all records keeps it too, where classes that merge do
        self.prune = model is not None and model.monotone and lattice.nested
        self.number = {tuple(levels): i for i, levels in enumerate(lattice.levels.tolist())} if self.prune else {}

    def judge(self, done: int, batch: list[Rows]) -> None:
        """The next nodes."""
        here, ends = slice(done, done + len(batch)), np.cumsum([0, *(len(rows.codes) for rows in batch)])
        first = ends[:-1]
        codes, counts = (np.concatenate([rows[i] for rows in batch]) for i in (0, 1))
        classes = self.lattice.classes(Rows(codes, counts), self._shown(here, batch))
        held = self._held(done, classes, ends)
        self.classes[here] = np.column_stack([np.diff(ends), np.add.reduceat(held.astype(np.int64), first)])
        self.breaking[here] = np.add.reduceat(np.where(held, 0, classes.sizes), first)
        for part in self.parts:
            worst, none = (np.minimum, np.inf) if part.at_least else (np.maximum, -np.inf)
            self._put(figure(part), here, *_worst(np.asarray(part.score(classes), float), held, first, worst, none))
        for measure in self.measures:
            if isinstance(measure, AttributeLoss):
                self._put(measure.key, here, *self._lost(measure, here, (codes, classes.sizes, held), ends))
            else:  # nothing is told of who is left out, so they lose nothing
                told = measure.of_class(classes, self.lattice.table)
                assert told is not None
                self._put(measure.key, here, *_worst(told, held, first, np.maximum, 0.0))

    def _shown(self, here: slice, batch: list[Rows]) -> np.ndarray | None:
        """What classes show, for models that count who of a population fits it."""
        if self.model is None or not self.model.needs_population:
            return None
        levels = self.lattice.levels[here]
        return np.concatenate([self.lattice.shown(*one) for one in zip(levels, (r.codes for r in batch), strict=True)])

    def _held(self, done: int, classes: Classes, ends: np.ndarray) -> np.ndarray:
        """Which classes keep the model."""
        held = np.ones(len(classes), bool)
        if self.model is None:
            return held
        open_ = ~np.array([self._known(done + i) for i in range(len(ends) - 1)])
        rows = np.repeat(open_, np.diff(ends))
        if rows.all():
            return self.model.holds(classes)
        if rows.any():
            held[rows] = self.model.holds(classes.take(np.flatnonzero(rows)))
        return held

    def _known(self, node: int) -> bool:
        """Whether a finer node, judged before, keeps the model with all records."""
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
        """The loss of all records, and with those of breaking classes left out."""
        cost, everything = self.costs[measure.key]
        every, kept = lattice_kernels.spent(*rows, ends, self.lattice.levels[here], cost)
        gone, table = self.breaking[here, None] * everything, self.lattice.table
        return measure.combined(every / table.records, table), measure.combined((kept + gone) / table.records, table)

    def _put(self, key: str, here: slice, every: np.ndarray, kept: np.ndarray) -> None:
        none = self.classes[here, KEPT] == 0
        self.figures[key][here] = np.column_stack([every, np.where(none, np.nan, kept)])


def _worst(
    score: np.ndarray, held: np.ndarray, first: np.ndarray, worst: np.ufunc, none: float
) -> tuple[np.ndarray, np.ndarray]:
    return worst.reduceat(score, first), worst.reduceat(np.where(held, score, none), first)


def _costs(lattice: Lattice, measure: AttributeLoss) -> tuple[np.ndarray, np.ndarray]:
    """What a record costs at each node, columns x levels x nodes, and what one costs that may be anything."""
    axes = len(lattice.nodes)
    cost = np.zeros((axes, max(map(len, lattice.nodes)), max(len(levels[0]) for levels in lattice.nodes)))
    everything = np.zeros(axes)
    for a, levels in enumerate(lattice.nodes):
        for j in range(len(levels)):
            bounds = lattice.bounds(a, j)
            cost[a, j, : len(bounds)] = measure.cost(_regions(bounds, a, axes), lattice.table, a, j)
        everything[a] = measure.anything(lattice.table, a)
    return cost, everything


def _regions(bounds: np.ndarray, a: int, axes: int) -> Classes:
    """Classes of which only the runs of one column are known."""
    low, high = np.zeros((2, len(bounds), axes), np.int32)
    low[:, a], high[:, a] = bounds.T
    return Classes(np.ones(len(bounds), np.int64), {}, {}, low, high)
