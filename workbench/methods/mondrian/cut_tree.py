"""Cuts at medians that were found before: for another parameter of a model they are looked up, not made again.

Which cuts are proposed in a class does not depend on the model, only which of them it allows. So the classes of every
parameter are a walk through one tree, which grows where a walk comes to what was not asked before.
"""

from __future__ import annotations

import threading

import numpy as np

from workbench.base import cell_kernels
from workbench.base.progress import Cancelled, step
from workbench.data.table import Table
from workbench.methods.mondrian.splits import Nodes, Widest, allowed_by
from workbench.models import Model
from workbench.models.classes import Classes

ROOM = 2**28  # bytes of a tree; beyond, it is forgotten and begun anew
LEVELS = 32  # of a tree, each of which holds all cells: where so many have no room, there is none
UNKNOWN, NONE = -1, -2  # cuts of a node


def classes_by_known_cuts(table: Table, widest: Widest, model: Model | None) -> np.ndarray | None:
    """What `grow` makes of all cells, numbered alike; None where no tree is kept, so that it has to be grown."""
    if not widest.strict or widest.population is not None or LEVELS * widest.cells.quasi[0].size * 4 > ROOM:
        return None
    key = ("cut tree", widest.even, bool(widest.sensitive))
    return table.remember(key, lambda: CutTree(Nodes.root(table, widest.cells), widest)).classes(model)


class Rows:
    """Columns that grow together; the first `count` rows are there."""

    def __init__(self, **columns: np.ndarray) -> None:
        self._columns, self.count = columns, len(next(iter(columns.values())))

    def __getitem__(self, name: str) -> np.ndarray:
        return self._columns[name]

    @property
    def bytes(self) -> int:
        return sum(column.nbytes for column in self._columns.values())

    def add(self, **rows: np.ndarray | int) -> np.ndarray:
        """The numbers of the new rows: as many as the first column has."""
        first, self.count = self.count, self.count + len(next(iter(rows.values())))  # type: ignore[arg-type]
        for name, column in self._columns.items():
            if self.count > len(column):
                room = np.empty((self.count + len(column) // 2, *column.shape[1:]), column.dtype)
                room[:first] = column[:first]
                self._columns[name] = column = room
            column[first : self.count] = rows[name]
        return np.arange(first, self.count)


class CutTree:
    """A node is a class that some walk came through, with the cuts that are proposed in it, the best first.

    Its cells are `order[start:end]`; `left` is how many cells of the table lie left of it.
    """

    def __init__(self, root: Nodes, widest: Widest) -> None:
        self._root, self._widest, self._sensitive = root, widest, widest.sensitive
        self._lock, self._asked = threading.Lock(), False
        self._begin()

    def _begin(self) -> None:
        root, short, axes = self._root, np.zeros(0, np.int32), self._root.low.shape[1]
        self._order = Rows(cell=root.order)
        self._nodes = Rows(
            start=root.start, end=root.end, left=root.start, sizes=root.sizes, low=root.low.copy(),
            high=root.high.copy(), exact=root.exact.copy(), tried=np.zeros((1, axes), bool),
            known=np.zeros(1, np.int64), cuts=np.full((1, axes + 1), UNKNOWN, np.int32),
        )  # fmt: skip
        halves = {name: np.zeros((0, 2, len(seen)), np.int64) for name, seen in self._sensitive.items()}
        self._cuts = Rows(
            node=np.zeros(0, np.int64), axis=short, cut=short, sizes=np.zeros((0, 2), np.int64), child=short, **halves
        )

    @property
    def bytes(self) -> int:
        return self._order.bytes + self._nodes.bytes + self._cuts.bytes

    def classes(self, model: Model | None) -> np.ndarray | None:
        """The class of each cell; None the first time, while another thread walks, and where there is no room."""
        if not self._asked or not self._lock.acquire(blocking=False):
            self._asked = True  # most tables are asked once, which is cheaper without a tree
            return None
        try:
            leaves = self._leaves(model)
            return None if leaves is None else self._numbered(leaves)
        except Cancelled:  # what is known is right
            raise
        except BaseException:
            self._begin()
            raise
        finally:
            if self.bytes > ROOM:
                self._begin()
            self._lock.release()

    def _leaves(self, model: Model | None) -> np.ndarray | None:
        floor = model.floor if model else 1
        node, turn = np.zeros(1, np.int64), np.zeros(1, np.int64)  # of each node which of its cuts is asked about
        leaves = []
        while len(node):
            step()
            if self.bytes > ROOM:
                return None
            wide = self._nodes["sizes"][node] >= 2 * floor
            if len(new := node[wide & (self._nodes["cuts"][node, turn] == UNKNOWN)]):
                self._propose(new)
            cut = np.where(wide, self._nodes["cuts"][node, turn], NONE)
            leaves.append(node[cut == NONE])
            node, turn, cut = (of[cut != NONE] for of in (node, turn, cut))
            good = self._allowed(cut, model, floor)
            step()
            if len(new := cut[good & (self._cuts["child"][cut] == UNKNOWN)]):
                self._divide(new)
            child = self._cuts["child"][cut[good]]
            node = np.concatenate([node[~good], child, child + 1])
            turn = np.concatenate([turn[~good] + 1, np.zeros(2 * len(child), np.int64)])
        return np.concatenate(leaves)

    def _allowed(self, cut: np.ndarray, model: Model | None, floor: int) -> np.ndarray:
        """Which cuts leave both sides enough records, and are allowed."""
        good = (self._cuts["sizes"][cut] >= floor).all(axis=1)
        asked = cut[good]
        halves = {name: self._cuts[name][asked].reshape(-1, len(seen)) for name, seen in self._sensitive.items()}
        parts = Classes(self._cuts["sizes"][asked].reshape(-1), halves, self._sensitive)
        good[good] = allowed_by(model)(parts).reshape(-1, 2).all(axis=1)
        return good

    def _propose(self, node: np.ndarray) -> None:
        """The next cut of each node, where it has one."""
        nodes, widest, cells = self._nodes, self._widest, self._widest.cells
        places = self._order["cell"], nodes["start"], nodes["end"], cells.quasi, cells.weight
        found, axis, cut, quota, sizes = cell_kernels.propose(
            node, *places, widest.edge, widest.span, nodes["sizes"], nodes["low"], nodes["high"], nodes["exact"],
            nodes["tried"], True, widest.even, 1,
        )  # fmt: skip
        halves = {
            name: cell_kernels.halves(found, *places, cells.others[name], len(seen), axis, cut, quota)
            for name, seen in self._sensitive.items()
        }
        both = {name: counts.reshape(len(found), 2, counts.shape[1]) for name, counts in halves.items()}
        number = self._cuts.add(node=found, axis=axis, cut=cut, sizes=sizes, child=UNKNOWN, **both)
        nodes["tried"][found, axis] = True
        nodes["cuts"][node, nodes["known"][node]] = NONE
        nodes["cuts"][found, nodes["known"][found]] = number
        nodes["known"][found] += 1

    def _divide(self, cut: np.ndarray) -> None:
        """Both halves of each cut, as nodes."""
        nodes, node, axis, place = self._nodes, *(self._cuts[name][cut] for name in ("node", "axis", "cut"))
        first, quota = np.arange(len(cut) + 1), np.full(len(cut), -1)
        lengths = nodes["end"][node] - nodes["start"][node]
        end = self._order.count + np.cumsum(lengths)
        start = end - lengths
        self._order.add(cell=self._order["cell"][_runs(nodes["start"][node], nodes["end"][node])])
        begins = cell_kernels.divide(
            first[:-1], self._order["cell"], start, end, self._widest.cells.quasi, axis, place, first, quota
        )
        low, high, exact = cell_kernels.bounds(
            node, nodes["low"], nodes["high"], nodes["exact"], axis, place, first, quota
        )
        ends = np.append(begins[1:], 0)
        ends[1::2] = end
        self._cuts["child"][cut] = nodes.add(
            start=begins, end=ends, left=np.repeat(nodes["left"][node] - start, 2) + begins,
            sizes=self._cuts["sizes"][cut].reshape(-1), low=low, high=high, exact=exact, tried=0, known=0, cuts=UNKNOWN,
        )[::2]  # fmt: skip

    def _numbered(self, leaves: np.ndarray) -> np.ndarray:
        """The class of each cell, from left to right."""
        leaves = leaves[np.argsort(self._nodes["left"][leaves])]
        start, end = self._nodes["start"][leaves], self._nodes["end"][leaves]
        group = np.empty(len(self._widest.cells), np.int32)
        group[self._order["cell"][_runs(start, end)]] = np.repeat(np.arange(len(leaves), dtype=np.int32), end - start)
        return group


def _runs(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """All of start[i]:end[i], one after the other."""
    lengths = end - start
    return np.repeat(end - np.cumsum(lengths), lengths) + np.arange(lengths.sum())
