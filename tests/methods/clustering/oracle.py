"""Clusterings reimplemented from their papers: slow, record by record, every cost from scratch."""

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from tests.methods.oracle import Axis

WHOLE = 2**30  # costs are in whole parts of the most, column by column, so that ties are ties
Cost = Callable[[Sequence[int]], int]


def shown(axes: Sequence[Axis], leaves: Sequence[Sequence[Sequence[int]]], by_height: bool, weight: float) -> Cost:
    """Return the published widths, nodes and values of a set of records; `leaves` are below each rank's node."""
    shares = [weight / len(axes)] * len(axes)

    def of_axis(axis: Axis, below: Sequence[Sequence[int]], ranks: set[int]) -> float:
        levels = [np.arange(max(axis.rank) + 1), *axis.levels]
        levels = [level[: max(axis.rank) + 1] for level in levels]
        if len(set(levels[-1][sorted(set(axis.rank.tolist()))].tolist())) > 1:
            levels.append(np.zeros(max(axis.rank) + 1, int))
        height = next(h for h, level in enumerate(levels) if len({int(level[r]) for r in ranks}) == 1)
        if by_height:
            return height / max(len(levels) - 1, 1)
        return below[height][next(iter(ranks))] / below[-1][0]

    def rounded(axis: Axis, share: float, below: Sequence[Sequence[int]], records: Sequence[int]) -> int:
        ranks, places = {int(axis.rank[i]) for i in records}, {float(axis.place[i]) for i in records}
        if not axis.text:  # places are rounded, not their distance
            low, high = ((place - min(axis.place)) / (axis.span or 1) for place in (min(places), max(places)))
            return round(WHOLE * share * high) - round(WHOLE * share * low)
        if not axis.hierarchy:  # every value costs the same
            values = len(set(axis.rank.tolist()))
            return round(WHOLE * share / max(values - by_height, 1)) * (len(ranks) - by_height)
        return round(WHOLE * share * of_axis(axis, below, ranks))

    return lambda records: sum(
        rounded(axis, share, below, records) for axis, share, below in zip(axes, shares, leaves, strict=True)
    )


def estimability(columns: Sequence[Sequence[int]], near: Sequence[np.ndarray], weight: float = 1.0) -> Cost:
    """Return how well the sensitive values of a set of records can be estimated: all ordered pairs, including
    self-pairs.
    """

    def cost(records: Sequence[int]) -> int:
        found = 0
        for values, pc in zip(columns, near, strict=True):
            pairs = sum(pc[values[i], values[j]] for i in records for j in records)
            found += round(WHOLE * weight / len(columns) * pairs / len(records) ** 2)
        return found

    return cost


def first_minimum(candidates: Sequence[int], cost: Callable[[int], int]) -> int:
    return min(candidates, key=lambda i: (cost(i), candidates.index(i)))


def k_member(order: Sequence[int], k: int, cost: Cost, distance: Cost) -> list[list[int]]:
    """Byun et al., figure 4; ties go to the record that is first in the order."""
    left, result, r = list(order), list[list[int]](), order[0]
    if len(left) <= k:
        return [left]
    while len(left) >= k:
        r = max(left, key=lambda i, r=r: (distance([r, i]), -left.index(i)))
        left.remove(r)
        cluster = [r]
        while len(cluster) < k:
            r = first_minimum(left, lambda i: cost([*cluster, i]))  # noqa: B023
            left.remove(r)
            cluster.append(r)
        result.append(cluster)
    return dissolve_clusters([*result, left], lambda cluster: len(cluster) >= k, cost) if left else result


def dissolve_clusters(clusters: list[list[int]], keeps: Callable[[Sequence[int]], bool], cost: Cost) -> list[list[int]]:
    """Dissolve the violating clusters one after another: a record goes where the cost of all records rises least."""
    there = [[*cluster] for cluster in clusters]
    for own in list(there):
        if keeps(own):
            continue
        at = next(place for place, cluster in enumerate(there) if cluster is own)
        del there[at]
        for i in own:
            rise = [(len(one) + 1) * cost([*one, i]) - len(one) * cost(one) for one in there]
            there[rise.index(min(rise))].append(i)
    return there


def as_cells(clusters: Sequence[Sequence[int]], cell_of_record: Sequence[int]) -> Counter:
    """Return clusters by the cells of their records: identical records are interchangeable."""
    return Counter(tuple(sorted(int(cell_of_record[i]) for i in cluster)) for cluster in clusters)


def threshold(order: Sequence[int], delta: int, cost: Cost) -> list[list[int]]:
    """Loukides & Shao, algorithm 1, with the first record as the random one: all clusters, including rejected ones."""
    left, found = list(order), list[list[int]]()
    while left:
        cluster = [left.pop(0)]
        while left:
            j = first_minimum(left, lambda i: cost([*cluster, i]))  # noqa: B023
            if cost([*cluster, j]) > delta:
                break
            left.remove(j)
            cluster.append(j)
        found.append(cluster)
    return found


def parts(records: list[int], axes: Sequence[Axis], size: int, raw: bool, kept: Callable[[list[int]], bool]) -> list:
    """Algorithm 2: halve at the median of the widest attribute, ties in their order."""
    widths = [np.ptp(axis.place[records]) / (1 if raw else axis.span or 1) for axis in axes]
    widest = axes[widths.index(max(widths))]
    half = len(records) // 2
    in_order = sorted(records, key=lambda i: widest.rank[i])  # stable
    first = set(in_order[:half])
    halves = [i for i in records if i in first], [i for i in records if i not in first]
    if max(widths) > 0 and all(len(part) >= size and kept(part) for part in halves):
        return [part for one in halves for part in parts(one, axes, size, raw, kept)]
    return [records]


class Space:
    """Records as points: squared distances to a record or to the center of records."""

    def __init__(self, axes: Sequence[Axis], leaves: Sequence[Sequence[Sequence[int]]]) -> None:
        self.axes, self.leaves, self.share = axes, leaves, WHOLE / len(axes)

    def distance(self, i: int, point: Sequence[float]) -> int:
        return sum(round(self.share * self._one(a, i, point[a]) ** 2) for a in range(len(self.axes)))

    def _one(self, a: int, i: int, at: float) -> float:
        axis = self.axes[a]
        if not axis.text:
            return ((axis.place[i] - min(axis.place)) - (at - min(axis.place))) / (axis.span or 1)
        one, other = int(axis.rank[i]), int(at)
        if not axis.hierarchy:
            return float(one != other)
        levels = [np.arange(max(axis.rank) + 1), *axis.levels]
        height = next((h for h, level in enumerate(levels) if level[one] == level[other]), len(levels))
        return (self.leaves[a][height][one] - 1) / max(self.leaves[a][-1][0] - 1, 1)

    def point(self, i: int) -> list[float]:
        return [float(axis.rank[i] if axis.text else axis.place[i]) for axis in self.axes]

    def centre(self, records: Sequence[int]) -> list[float]:
        found = []
        for axis in self.axes:
            if axis.text:
                counts = Counter(int(axis.rank[i]) for i in records)
                found.append(float(min(counts, key=lambda rank: (-counts[rank], rank))))
            else:
                found.append(float(np.mean([axis.place[i] for i in records])))
        return found

    def most_distant(self, records: Sequence[int], point: Sequence[float]) -> int:
        return max(records, key=lambda i: (self.distance(i, point), -records.index(i)))

    def nearest(self, records: Sequence[int], point: Sequence[float]) -> list[int]:
        return sorted(records, key=lambda i: self.distance(i, point))  # stable


def mdav(order: Sequence[int], k: int, space: Space, keeps: Callable[[Sequence[int]], bool]) -> list[list[int]]:
    """MDAV; a cluster of the k nearest records takes the next one until it satisfies the model."""
    left, found = list(order), list[list[int]]()

    def cluster(around: int) -> None:
        near = space.nearest(left, space.point(around))
        size = next((n for n in range(k, len(near)) if keeps(near[:n])), len(near))
        found.append(near[:size])
        for i in near[:size]:
            left.remove(i)

    while len(left) >= 3 * k:
        first = space.most_distant(left, space.centre(left))
        cluster(first)
        if left:
            cluster(space.most_distant(left, space.point(first)))
    if len(left) >= 2 * k:
        cluster(space.most_distant(left, space.centre(left)))
    return [*found, left] if left else found


def aware(
    order: Sequence[int], k: int, space: Space, far: Callable[[Sequence[int]], float], t: float
) -> list[list[int]]:
    """Soria-Comas et al. 2015, algorithm 2 (without the merging of algorithm 1)."""
    left, found = list(order), list[list[int]]()

    def cluster(around: int) -> None:
        if len(left) < 2 * k:
            found.append(left[:])
            left.clear()
            return
        near = space.nearest(left, space.point(around))
        inside, others = near[:k], near[k:]
        while far(inside) > t and others:
            y = others.pop(0)
            gone = min(inside, key=lambda i: (far([*(j for j in inside if j != i), y]), inside.index(i)))
            changed = [y if j == gone else j for j in inside]
            if far(changed) < far(inside):
                inside = changed
        found.append(inside)
        for i in inside:
            left.remove(i)

    while left:
        first = space.most_distant(left, space.centre(left))
        cluster(first)
        if left:
            cluster(space.most_distant(left, space.point(first)))
    return found
