"""Mondrian on cells that do not fit into memory: first cuts by counts, then one part after the other.

The proposed cuts of a class depend only on the number of records of each code, and the model's verdict on the sensitive
values and ranges of both halves. So the classes are identical to those that `grow` makes of all cells. Counts are
reused for other parameters of a model, as far as the cuts are identical.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from workbench.base.progress import cancellable_lock, checkpoint
from workbench.data.cells import Cells
from workbench.data.engines import Cut, RemoteEngine, Tallies
from workbench.data.population import Population
from workbench.data.published import published_levels, published_runs
from workbench.data.sensitive import Sensitive
from workbench.data.table import Table
from workbench.methods.mondrian.splits import Nodes, Widest, allowed_by, grow, spans, unchanged
from workbench.models import Model
from workbench.models.classes import Classes
from workbench.releases.in_parts import NONE, BucketizedInParts, InParts, Part, cut_there

if TYPE_CHECKING:
    from workbench.methods.mondrian.mondrian import Mondrian

PART = 2**22  # cells that are fetched at a time, at most


@dataclass(eq=False)
class Node:
    """Records with codes within `runs`. `cells` is an upper bound on the number of their cells.

    Once the records are counted, `low` and `high` are the tight bounds of their codes, and `cuts` the proposed cuts,
    the best first.
    """

    runs: dict[str, tuple[int, int]]
    size: int
    cells: int
    above: tuple[Node, MedianCut] | None = None
    low: np.ndarray | None = None
    high: np.ndarray | None = None
    histograms: dict[str, np.ndarray] = field(default_factory=dict)
    cuts: list[MedianCut] | None = None


@dataclass(eq=False)
class MedianCut:
    """A cut at a median: codes up to `code` go left."""

    axis: int
    code: int
    left: Node
    right: Node


class CountedSplits(NamedTuple):
    """The cut of each node that has one."""

    root: Node
    cut: dict[Node, MedianCut]

    @property
    def leaves(self) -> Iterator[Node]:
        """The uncut nodes, from left to right."""
        pending = [self.root]
        while pending:
            node = pending.pop()
            if node in self.cut:
                pending += [self.cut[node].right, self.cut[node].left]
            else:
                yield node


class SplitCounter:
    """The cuts of a table by counts, down to parts whose cells fit into memory; missing counts are queried."""

    def __init__(self, table: Table, even: bool) -> None:
        assert isinstance(table.model_view, RemoteEngine)
        self.engine, self.quasi, self.sensitive, self.even = table.model_view, table.quasi, dict(table.sensitive), even
        self.sizes = [table.columns[name].size for name in table.quasi]
        self.edge, self.span = spans(table)
        self.shown, self.levels = partial(published_runs, table), published_levels(table, 1)
        self.root = Node({}, table.records, table.records)
        self.root.histograms = {name: seen.totals for name, seen in table.sensitive.items()}
        self._propose(self.root, [table.columns[name].totals for name in table.quasi])
        self._lock = threading.Lock()

    def splits_under(self, model: Model | None, population: Population | None) -> CountedSplits:
        """Return Mondrian's cuts under a model, until the cells of each part fit into memory."""
        with cancellable_lock(self._lock):
            return self._splits_under(model, population)

    def _splits_under(self, model: Model | None, population: Population | None) -> CountedSplits:
        found, opened, floor = CountedSplits(self.root, {}), [self.root], model.min_class_size if model else 1
        while opened:
            self._count([node for node in opened if node.cells > PART])
            pending = [(node, self._floored(node, floor)) for node in opened if node.cells > PART]
            opened = []
            while pending := [(node, cuts) for node, cuts in pending if cuts]:
                checkpoint(f"{len(found.cut):,} cuts by counts")
                halves = [half for _, cuts in pending for half in (cuts[0].left, cuts[0].right)]
                both = allowed_by(model)(self._classes(halves, model, population)).reshape(-1, 2)
                good: list[bool] = np.all(both, axis=1).tolist()
                for (node, cuts), one in zip(pending, good, strict=True):
                    if one:
                        found.cut[node] = cuts[0]
                        opened += [cuts[0].left, cuts[0].right]
                pending = [(node, cuts[1:]) for (node, cuts), one in zip(pending, good, strict=True) if not one]
        self.describe([node for node in found.leaves if node.cells > PART])
        return found

    def _floored(self, node: Node, floor: int) -> list[MedianCut]:
        """Return the cuts of a node that leave both halves `floor` records."""
        assert node.cuts is not None
        return [one for one in node.cuts if min(one.left.size, one.right.size) >= floor]

    def _classes(self, halves: Sequence[Node], model: Model | None, population: Population | None) -> Classes:
        """Return nodes as a model sees them."""
        sensitive = self.sensitive if model and model.needs_sensitive else {}
        sizes = np.array([node.size for node in halves])
        if sensitive:
            self.describe(halves)
        histograms = {name: np.stack([node.histograms[name] for node in halves]) for name in sensitive}
        if population is None:
            return Classes(sizes, histograms, sensitive)
        self._count(halves)
        low, high = (np.stack([getattr(node, end) for node in halves]) for end in ("low", "high"))
        levels = np.tile(self.levels, (len(halves), 1))
        return Classes(sizes, histograms, sensitive, *self.shown(low, high), population=population, levels=levels)

    # --- counts

    def describe(self, nodes: Sequence[Node]) -> None:
        """Count the sensitive values of nodes."""
        new = [node for node in nodes if not node.histograms]
        if not new or not self.sensitive:
            return
        tallies = self._tallies(new, [*self.sensitive])
        for i, (name, seen) in enumerate(self.sensitive.items()):
            for node, histogram in zip(new, tallies.matrix(i, len(new), len(seen)), strict=True):
                node.histograms[name] = histogram

    def _count(self, nodes: Sequence[Node]) -> None:
        """Find the bounds and the proposed cuts of nodes."""
        new = [node for node in nodes if node.cuts is None]
        if not new:
            return
        tallies = self._tallies(new, self.quasi)
        every = [tallies.matrix(a, len(new), size) for a, size in enumerate(self.sizes)]
        for node, *counts in zip(new, *every, strict=True):
            self._propose(node, counts)

    def _tallies(self, nodes: Sequence[Node], names: Sequence[str]) -> Tallies:
        found = self.engine.tallies(self.tree(nodes), names)
        total = np.zeros((len(names), len(nodes)), np.int64)
        np.add.at(total, (found.column, found.part), found.records)
        if (total != [node.size for node in nodes]).any():
            raise self.engine.changed()
        return found

    def tree(self, nodes: Sequence[Node]) -> Cut | int:
        """Return the tree of cuts that separates these nodes."""
        number, through = {node: i for i, node in enumerate(nodes)}, dict[Node, MedianCut]()
        for node in nodes:
            while node.above is not None:
                node, cut = node.above
                through[node] = cut

        def below(node: Node) -> Cut | int:
            if node not in through:
                return number.get(node, -1)
            cut = through[node]
            return Cut(self.quasi[cut.axis], cut.code, below(cut.left), below(cut.right))

        return below(self.root)

    def _propose(self, node: Node, counts: Sequence[np.ndarray]) -> None:
        """Propose the median cut of each attribute that has a width, the widest first, from records per code."""
        present = [np.flatnonzero(one) for one in counts]
        node.low, node.high = (np.array([codes[end] for codes in present], np.int32) for end in (0, -1))
        node.cells = min(node.cells, math.prod([*map(len, present), *map(len, self.sensitive.values())]))
        axes = np.arange(len(counts))
        width = (self.edge[axes, node.high] - self.edge[axes, node.low]) / self.span
        node.cuts = [
            self._halved(node, a, present[a], np.cumsum(counts[a][present[a]]))
            for a in np.argsort(-width, kind="stable").tolist()
            if width[a] > 0
        ]

    def _halved(self, node: Node, axis: int, codes: np.ndarray, upto: np.ndarray) -> MedianCut:
        """Return the cut at or below the median with its halves; `upto` is the number of records up to each code."""
        place = int(np.searchsorted(upto, (node.size + 1) // 2))
        below = int(upto[place - 1]) if place else 0
        nearer = abs(2 * below - node.size) < abs(2 * int(upto[place]) - node.size)
        if place == len(codes) - 1 or (self.even and below and nearer):
            place -= 1
        name, code, left = self.quasi[axis], int(codes[place]), int(upto[place])
        first, last = node.runs.get(name, (0, self.sizes[axis] - 1))
        halves = [
            Node({**node.runs, name: run}, size, min(size, node.cells))
            for run, size in (((first, code), left), ((code + 1, last), node.size - left))
        ]
        proposed = MedianCut(axis, code, *halves)
        for half in halves:
            half.above = node, proposed
        return proposed


@dataclass(frozen=True, eq=False)
class Finish:
    """Cuts the cells of a part as in memory; contains no value of the data, and can be sent to remote workers."""

    widest: Widest  # without cells
    high: np.ndarray
    model: Model | None
    sensitive: Mapping[str, Sensitive]

    @classmethod
    def from_table(cls, table: Table, model: Model | None, even: bool) -> Finish:
        widest = Widest(table, NONE, model, strict=True, even=even)
        sensitive = {name: replace(seen, labels=("",) * len(seen)) for name, seen in table.sensitive.items()}
        widest.sensitive = {name: sensitive[name] for name in widest.sensitive}
        if widest.population is None:
            widest.shown = unchanged  # otherwise it would refer to the table
        return cls(widest, Nodes.root(table, NONE).high, model, sensitive)

    def __call__(self, cells: Cells) -> Part:
        widest = copy(self.widest)
        widest.cells = cells
        return Part.from_cells(
            {}, cells, grow(Nodes.between(self.high.copy(), cells), widest, self.model), self.sensitive
        )

    @property
    def travels(self) -> bool:
        """True if it is small and other processes can load all of its classes."""
        parts = self.model.parts if self.model else ()
        return self.widest.population is None and all(type(one).__module__.startswith("workbench.") for one in parts)


def in_parts(method: Mondrian, table: Table, model: Model | None) -> InParts:
    """Return the release of a table whose cells do not fit into memory; the engine cuts the parts if it can."""
    kind, even = BucketizedInParts if method.publish == "bucketized" else InParts, method.median == "even"
    cuts, leaves = _leaves(table, model, even)
    finish, found = Finish.from_table(table, model, even), None
    whole = {i: _as_one_class(table, node) for i, node in enumerate(leaves) if node.cells > PART}
    if finish.travels and len(whole) < len(leaves):
        sizes = np.array([node.size for node in leaves])
        found = cut_there(table, cuts.tree(leaves), finish, sizes, whole)
    return kind.from_parts(table, lambda: parts(table, model, even), there=found)


def _leaves(table: Table, model: Model | None, even: bool) -> tuple[SplitCounter, list[Node]]:
    """Return the parts of a table, from left to right."""
    cuts = table.remember(("first cuts", even), lambda: SplitCounter(table, even))
    needed = table.population if model and model.needs_population else None
    return cuts, [*cuts.splits_under(model, needed).leaves]


def parts(table: Table, model: Model | None, even: bool) -> Iterator[Part]:
    """Yield the classes of a table, part by part from left to right."""
    (cuts, leaves), finish = _leaves(table, model, even), Finish.from_table(table, model, even)
    for i, node in enumerate(leaves):
        checkpoint(f"part {i + 1:,} of {len(leaves):,}")
        if node.cells > PART:
            yield Part(node.runs, _as_one_class(table, node))
            continue
        part = finish(cuts.engine.within(node.runs, node.size).collapse(table.quasi, [*table.sensitive]))
        yield part._replace(runs=node.runs, classes=replace(part.classes, sensitive=table.sensitive))


def _as_one_class(table: Table, node: Node) -> Classes:
    """Return all records of an uncut part as one class."""
    histograms = {name: histogram[None, :] for name, histogram in node.histograms.items()}
    assert node.low is not None and node.high is not None
    return Classes(np.array([node.size]), histograms, table.sensitive, node.low[None, :], node.high[None, :])
