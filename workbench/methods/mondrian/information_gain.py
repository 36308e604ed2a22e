"""Splits by information gain (LeFevre et al. 2006, workload-aware anonymization): the best allowed one.

Candidates: for text with a hierarchy all its values as separate parts, or the children at the coarsest level that
splits the class; for numbers, dates, and text without a hierarchy every cut of the code order, which `binary` tries for
all columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from workbench.base import cell_kernels
from workbench.base.errors import BadInput
from workbench.data.cells import Cells
from workbench.data.column import Column
from workbench.data.published import published_runs
from workbench.data.sensitive import MANY_VALUES
from workbench.data.table import Table
from workbench.methods.mondrian.splits import LARGEST_BLOCK, Allowed, Nodes, Shown, Split
from workbench.models import Model, entropy
from workbench.models.classes import Classes

DIGITS = 10  # gains are rounded to this; ties go to the earlier attribute


@dataclass(frozen=True, eq=False)
class Slots:
    """The codes that occur in each node on one attribute, node after node, with their counts."""

    node: np.ndarray
    code: np.ndarray
    target_counts: np.ndarray  # slots x target values
    sensitive_counts: dict[str, np.ndarray]  # slots x sensitive values
    first: np.ndarray  # the first slot of each node


@dataclass(frozen=True, eq=False)
class Candidate:
    """The best split of one kind for each node: its gain, whether it is allowed, its cuts and part sizes."""

    gain: np.ndarray
    ok: np.ndarray
    parts: Callable[[int], tuple[np.ndarray, np.ndarray]]


class InformationGainSplitter:
    """Chooses the split of each node among all attributes.

    With `cuts="best"` only the best split of each attribute is considered, with `cuts="binary"` all cuts in two.
    """

    def __init__(self, table: Table, cells: Cells, model: Model | None, target: str, cuts: str) -> None:
        if table.columns[target].size > MANY_VALUES:
            raise BadInput(
                f"mondrian: target {target!r} has {table.columns[target].size:,} values, more than {MANY_VALUES:,}; "
                "information gain needs few values: choose another column, or one with grouped values"
            )
        self.cells, self.best_only, self.binary = cells, cuts == "best", cuts == "binary"
        self.sensitive = table.sensitive if model and model.needs_sensitive else {}
        self.columns = [table.columns[name] for name in table.quasi]
        self.shown: Shown = partial(published_runs, table)
        quasi = target in table.quasi
        self.target = cells.quasi[table.quasi.index(target)] if quasi else cells.others[target]
        self.values = len(table.sensitive[target]) if target in table.sensitive else table.columns[target].size
        self.block = LARGEST_BLOCK // max([self.values, *(len(seen) for seen in self.sensitive.values())])

    def split(self, nodes: Nodes, allowed: Allowed, floor: int) -> Split:
        """Return the best candidate of each node that has one."""
        blocks = np.cumsum(nodes.end - nodes.start) // max(self.block, 1)
        chunks = np.split(np.arange(len(blocks)), np.flatnonzero(np.diff(blocks)) + 1)
        found = [chosen for chunk in chunks for chosen in self._chosen(nodes, chunk, allowed)]
        cuts, sizes = [np.zeros(0, np.int32)], [np.zeros(0, np.int64)]
        cuts += [codes for _, _, codes, _ in found]
        sizes += [records for _, _, _, records in found]
        return Split(
            node=np.array([n for n, _, _, _ in found], np.int64),
            axis=np.array([a for _, a, _, _ in found], np.int32),
            cuts=np.concatenate(cuts).astype(np.int32),
            first=np.cumsum(list(map(len, cuts))),
            quota=np.full(len(found), -1, np.int64),
            sizes=np.concatenate(sizes).astype(np.int64),
        )

    def _chosen(
        self, nodes: Nodes, chunk: np.ndarray, allowed: Allowed
    ) -> Iterator[tuple[int, int, np.ndarray, np.ndarray]]:
        entries = np.concatenate([nodes.order[nodes.start[n] : nodes.end[n]] for n in chunk])
        place = np.repeat(np.arange(len(chunk)), nodes.end[chunk] - nodes.start[chunk])
        best, choice = np.zeros(len(chunk)), np.full(len(chunk), -1)
        candidates: list[tuple[int, Candidate]] = []
        for a in range(len(self.columns)):
            mine = self.candidates(a, self._slots(a, entries, place), allowed)
            if self.best_only:
                mine = [_better(*mine)] if len(mine) > 1 else mine
            for candidate in mine:
                better = candidate.ok & (candidate.gain > best)
                best[better], choice[better] = candidate.gain[better], len(candidates)
                candidates.append((a, candidate))
        for i in np.flatnonzero(choice >= 0):
            a, candidate = candidates[choice[i]]
            yield int(chunk[i]), a, *candidate.parts(int(i))

    def candidates(self, a: int, slots: Slots, allowed: Allowed) -> list[Candidate]:
        """Return the best splits of each node on one attribute."""
        if self.columns[a].kind == "text" and self.columns[a].hierarchy and not self.binary:
            return [many_way(slots, part, self.sensitive, allowed) for part in levels(self.columns[a], slots)]
        return [two_way(slots, self.sensitive, allowed, self.best_only)]

    def _slots(self, a: int, entries: np.ndarray, place: np.ndarray) -> Slots:
        size, weight = self.columns[a].size, self.cells.weight[entries]
        key, slot = np.unique(place * size + self.cells.quasi[a][entries], return_inverse=True)

        def counted(value: np.ndarray, values: int) -> np.ndarray:
            return cell_kernels.histogram(slot, value[entries], weight, len(key), values)

        seen = {name: counted(self.cells.others[name], len(values)) for name, values in self.sensitive.items()}
        node = key // size
        return Slots(node, key % size, counted(self.target, self.values), seen, _starts(node))


def two_way(slots: Slots, sensitive: dict, allowed: Allowed, best_only: bool) -> Candidate:
    """Return the best cut of the code order; with `best_only` it is chosen before the model is consulted."""
    node, count = slots.node, len(slots.first)

    def sides(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        upto = np.cumsum(table, axis=0)
        left = upto - (upto - table)[slots.first][node]
        return left, np.add.reduceat(table, slots.first)[node] - left

    left, right = sides(slots.target_counts)
    here = np.flatnonzero(right.any(axis=1))
    left, right = left[here], right[here]
    n, rest = left.sum(axis=1), right.sum(axis=1)
    gain = np.round(entropy(left + right) - (n * entropy(left) + rest * entropy(right)) / (n + rest), DIGITS)
    parts = {
        name: np.concatenate([side[here] for side in sides(table)]) for name, table in slots.sensitive_counts.items()
    }
    fine = allowed(Classes(np.concatenate([n, rest]), parts, sensitive))
    ok = fine[: len(n)] & fine[len(n) :]
    rank = np.lexsort((-(gain if best_only else np.where(ok, gain, -np.inf)), node[here]))
    best = rank[_starts(node[here][rank])]
    chosen = np.full(count, -1)
    chosen[node[here][best]] = best
    valid = chosen >= 0

    def cut(i: int) -> tuple[np.ndarray, np.ndarray]:
        at = chosen[i]
        return slots.code[here[at : at + 1]], np.array([n[at], rest[at]])

    gains, oks = np.full(count, -np.inf), np.zeros(count, bool)
    gains[valid], oks[valid] = gain[chosen[valid]], ok[chosen[valid]]
    return Candidate(gains, oks, cut)


def many_way(slots: Slots, part: np.ndarray, sensitive: dict, allowed: Allowed) -> Candidate:
    """Return the split into all parts at once; adjacent slots of one part stay together."""
    count = len(slots.first)
    begin = _starts(slots.node, part)
    owner, target = slots.node[begin], np.add.reduceat(slots.target_counts, begin)
    n = target.sum(axis=1)
    whole = np.add.reduceat(slots.target_counts, slots.first)
    gain = np.round(entropy(whole) - np.bincount(owner, n * entropy(target), count) / whole.sum(axis=1), DIGITS)
    seen = {name: np.add.reduceat(table, begin) for name, table in slots.sensitive_counts.items()}
    broken = np.bincount(owner, ~allowed(Classes(n, seen, sensitive)), count)

    def cuts(i: int) -> tuple[np.ndarray, np.ndarray]:
        mine = np.arange(*np.searchsorted(owner, [i, i + 1]))
        return slots.code[begin[mine[1:]] - 1], n[mine]

    return Candidate(gain, (broken == 0) & (np.bincount(owner, minlength=count) > 1), cuts)


def levels(column: Column, slots: Slots) -> list[np.ndarray]:
    """Return the part of each slot, in two ways: by value, and by child at the coarsest level that splits the node."""
    children, split = slots.code.copy(), np.zeros(len(slots.first), bool)
    last = np.append(slots.first[1:], len(slots.node)) - 1
    for j in reversed(range(len(column.hierarchy.levels) if column.hierarchy else 0)):
        run = column.node(j)
        here = (run[slots.code[slots.first]] != run[slots.code[last]]) & ~split
        children[here[slots.node]], split = run[slots.code[here[slots.node]]], split | here
    return [slots.code, children]


def _better(one: Candidate, other: Candidate) -> Candidate:
    """Return the candidate with the larger gain for each node; a tie goes to the first."""
    second = other.gain > one.gain
    return Candidate(
        np.where(second, other.gain, one.gain),
        np.where(second, other.ok, one.ok),
        lambda i: (other if second[i] else one).parts(i),
    )


def _starts(*keys: np.ndarray) -> np.ndarray:
    """Return the positions where any of the keys changes, including the first position."""
    changes = np.logical_or.reduce([np.diff(key, prepend=key[:1] - 1) != 0 for key in keys])
    return np.flatnonzero(changes)
