"""Small tables under random hierarchies, and a second lattice in pandas, node by node from the records.

It shares no code with the engine that it is compared with.
"""

import random
from itertools import product
from math import exp, log

import pandas as pd

from workbench import Table
from workbench.data.hierarchies.builders import Columns

ILLS = ["flu", "ulcer", "hiv", "cough"]


def table_of(seed):
    """Return ten to forty skewed, correlated records with two or three quasi-identifiers.

    Hierarchies may lack a root, may not nest, and may have leaves without a record; values may be missing.
    """
    rng = random.Random(seed)
    names, rows = ["a", "b", "c"][: rng.randint(2, 3)], rng.randint(10, 40)
    hierarchies = {name: hierarchy(rng, name) for name in names}
    frame = pd.DataFrame(index=range(rows))
    skew = [rng.random() ** 2 for _ in range(rows)]
    for name in names:
        leaves = [row[0] for row in hierarchies[name]]
        missing = rng.random() < 0.3
        frame[name] = [
            None
            if missing and rng.random() < 0.15
            else leaves[int(len(leaves) * (x if rng.random() < 0.7 else rng.random()))]
            for x in skew
        ]
    frame["ill"] = [ILLS[int(4 * (x if rng.random() < 0.6 else rng.random() ** 3))] for x in skew]
    if frame["ill"].nunique() < 2 or any(frame[name].nunique() < 1 for name in names):
        return table_of(seed + 1000)
    builders = {name: Columns(rows) for name, rows in hierarchies.items()}
    return Table.from_frame(frame, names, "ill", hierarchies=builders), frame, hierarchies


def hierarchy(rng, name):
    """Return rows of a leaf and its labels on up to two levels, each level a partition into runs."""
    leaves = [f"{name}{i}" for i in range(rng.randint(2, 6))]
    levels = []
    for level in range(rng.randint(0, 2)):
        run, labels = 0, []
        for _ in leaves:
            labels.append(f"{name} level {level} run {run}")
            run += rng.random() < 0.4
        levels.append(labels)
    return [list(row) for row in zip(leaves, *levels, strict=True)]


class Naive:
    """All nodes computed from the records; `holds` decides whether the values of a class satisfy the model."""

    def __init__(self, frame, hierarchies, holds):
        self.frame, self.names, self.holds = frame.fillna("missing"), list(hierarchies), holds
        self.steps = {name: self.labels(name, rows) for name, rows in hierarchies.items()}

    def labels(self, name, rows):
        """Return the label of each value on each allowed level; the last is everything, if no other is."""
        there = set(self.frame[name])
        levels = [{row[0]: row[0] for row in rows}]
        levels += [{row[0]: row[j] for row in rows} for j in range(1, len(rows[0]))]
        found = [{value: level.get(value, "missing") for value in there} for level in levels]
        if len(set(found[-1].values())) > 1:
            found.append(dict.fromkeys(there, "everything"))
        leaves, missing = {row[0] for row in rows}, {"missing"} & there
        self.every = getattr(self, "every", {}) | {name: len(leaves) + len(missing)}
        groups = []
        for level in levels[1:]:
            below = [{leaf for leaf in leaves if level[leaf] == label} for label in level.values()]
            groups.append({frozenset(group & there): len(group) for group in below})
        groups.append({frozenset(leaves & there): len(leaves), frozenset(there): len(leaves) + len(missing)})
        self.below = getattr(self, "below", {}) | {name: groups}
        return found

    def nodes(self):
        return product(*(range(len(self.steps[name])) for name in self.names))

    def leaves(self, name, level, value):
        """Return the number of leaves of a record with this value, on the lowest level from this one with its label."""
        if level == 0:
            return 1
        step = self.steps[name][level]
        alike = frozenset(other for other in step if step[other] == step[value])
        if alike in list(self.below[name][-1])[-2:]:
            return self.below[name][-1][alike]
        return next((groups[alike] for groups in self.below[name][level - 1 :] if alike in groups), len(alike))

    def score(self, node, spare):
        """Return the row of the lattice's frame for a node."""
        shown = pd.DataFrame(
            {name: self.frame[name].map(self.steps[name][j]) for name, j in zip(self.names, node, strict=True)}
        )
        parts = [part["ill"].tolist() for _, part in self.frame.groupby([shown[name] for name in self.names])]
        broken = (
            shown.assign(ill=self.frame["ill"])
            .groupby(self.names)["ill"]
            .transform(lambda ill: not self.holds(ill.tolist()))
            .astype(bool)
        )
        breaking = int(broken.sum())
        keeps = breaking <= spare and breaking < len(self.frame)
        parts = [part for part in parts if self.holds(part)] if keeps else parts
        out = broken if keeps else broken & False
        factor = 1.0
        for name, level in zip(self.names, node, strict=True):
            every = self.every[name]
            each = [
                every if gone else self.leaves(name, level, value)
                for value, gone in zip(self.frame[name], out, strict=True)
            ]
            share = sum(each) / len(each) / every
            factor *= 1 + (max(0.0, (share - 1 / every) / (1 - 1 / every)) if every > 1 else 0.0)
        prior = self.frame["ill"].tolist()
        return {
            "classes": len(parts),
            "breaking": breaking,
            "keeps": keeps,
            "GL": factor ** (1 / len(self.names)) - 1,
            "P_loss": max(js(part, prior) for part in parts),
            "k": min(map(len, parts)),
            "l": min(len(set(part)) for part in parts),
            "t": max(variation(part, prior) for part in parts),
        }


def shares(values, over):
    return {value: values.count(value) / len(values) for value in set(over)}


def js(part, prior):
    p, q = shares(part, prior), shares(prior, prior)
    return sum(a[v] * log(2 * a[v] / (p[v] + q[v])) for a in (p, q) for v in q if a[v]) / 2


def variation(part, prior):
    p, q = shares(part, prior), shares(prior, prior)
    return sum(abs(p[v] - q[v]) for v in q) / 2


def within(delta, prior):
    """Return whether delta-disclosure holds, where values may be absent: not monotone."""

    def holds(part):
        p, q = shares(part, prior), shares(prior, prior)
        return all(exp(-delta) < p[v] / q[v] < exp(delta) for v in q if p[v])

    return holds
