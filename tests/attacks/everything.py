"""All that a published study tells, as plain text, and the small counts of its data that it must not tell."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow.parquet as pq

from workbench import BadInput
from workbench.base.errors import Unsatisfiable
from workbench.data import cells
from workbench.data.column import Column
from workbench.data.table import Table
from workbench.disclosure.exposure import exposed
from workbench.frontier.frontier import Frontier
from workbench.frontier.recipe import Recipe
from workbench.frontier.sweep import BASELINES, point_of
from workbench.publication import selection
from workbench.publication.publish import publish
from workbench.releases.coarsened import rounded
from workbench.releases.release import Release
from workbench.studies.study import Study

BY_CHANCE = ("edition", "published", "versions")  # differs from one publication to the next, whatever the data
Counts = dict[tuple[Any, ...], int]


def everything(study: Study, base: Table) -> str:
    """The published folder as text, its rows in order; the chart is of the points that stand in it."""
    with TemporaryDirectory() as place, patch.object(Frontier, "chart", lambda self, *size: _Drawn(self)):
        try:
            return told(publish(study, Path(place) / "out", given=base, releases=False, warn=lambda text: None))
        except BadInput as why:
            return str(why)


class _Drawn:
    """The data of a chart; the rest of it is made of the study."""

    def __init__(self, frontier: Frontier) -> None:
        self.points = frontier.points.to_csv(index=False)

    def to_dict(self) -> dict[str, Any]:
        return {"points": self.points}


def told(folder: Path) -> str:
    """What lies in a folder, in order."""
    found = []
    for path in sorted(folder.rglob("*")):
        if path.suffix == ".parquet":
            rows = pq.read_table(path).to_pylist()
            found.append("\n".join(sorted(json.dumps(row) for row in rows)))
        elif path.name == "results.json":
            results = json.loads(path.read_bytes())
            found.append(json.dumps({key: one for key, one in results.items() if key not in BY_CHANCE}))
        elif path.is_file() and path.name != "files.json":
            found.append(path.read_text("utf-8"))
    return "\n".join(found)


class Seen:
    """A study's table with the releases of its recipes: its counts, and in short what would be published of it."""

    def __init__(self, study: Study, base: Table) -> None:
        self.study, self.base = study, base
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.table = study.table(base)
        self._made: dict[Recipe, Release | None] = {}

    def release(self, recipe: Recipe) -> Release | None:
        """What a recipe makes of the table; made when it is asked for."""
        if recipe not in self._made:
            self._made[recipe] = _made(recipe, self.table)
        return self._made[recipe]

    @property
    def releases(self) -> dict[Recipe, Release | None]:
        return {recipe: self.release(recipe) for recipe in (*self.study.candidates(), *BASELINES)}

    def counts(self) -> Counts:
        """Numbers of people, by what is counted."""
        return dict(self._counts())

    def small(self) -> Counts:
        """Those below the threshold."""
        return {what: count for what, count in self._counts() if 0 < count < self.study.smallest}

    def _counts(self) -> Iterator[tuple[tuple[Any, ...], int]]:
        for name, seen in self.table.sensitive.items():
            yield from (((name, label), int(n)) for label, n in zip(seen.labels, seen.totals, strict=True))
        for recipe, release in self.releases.items():
            if release is None or recipe.baseline:
                continue
            classes, at = release.classes, str(recipe)
            who = [tuple(run) for run in np.concatenate([classes.low, classes.high], axis=1).tolist()]
            yield (at, "alone"), int((classes.sizes == 1).sum())
            yield from (((at, one, "people"), n) for one, n in zip(who, classes.sizes.tolist(), strict=True))
            for name, counts in classes.histograms.items():
                for one, own in zip(who, counts.tolist(), strict=True):
                    yield from (((at, one, name, value), n) for value, n in enumerate(own))
                certain = (counts > 0).sum(axis=1) == 1
                losses = exposed(release, name).losses
                assert losses is not None
                yield (at, name, "certain"), int(classes.sizes[certain].sum())
                yield (at, name, "at risk"), int(classes.sizes[losses.at_risk()].sum())

    def like(self, other: Seen) -> bool:
        """Whether what is quickly seen of two is the same; if not, what is published is not."""
        few = self.study.smallest
        for name, seen in self.table.sensitive.items():
            if (rounded(seen.totals, few) != rounded(other.table.sensitive[name].totals, few)).any():
                return False
        alike = all(_alike(self.release(recipe), other.release(recipe)) for recipe in self.study.candidates())
        return alike and self.figures == other.figures

    @cached_property
    def figures(self) -> list[Any]:
        """The points as they are told."""
        measures, found = self.study.measured(), []
        for recipe, release in self.releases.items():
            if release is not None:
                point = selection._told(point_of(recipe, release, measures), measures, self.table, self.study.smallest)
                found.append((point.values, point.reasons))
        return found


def _made(recipe: Recipe, table: Table) -> Release | None:
    try:
        return recipe.release(table)
    except Unsatisfiable:
        return None


def _alike(one: Release | None, other: Release | None) -> bool:
    """Whether two releases have the same classes."""
    if one is None or other is None:
        return one is other

    def runs(release: Release) -> list[Any]:
        return sorted(np.concatenate([release.classes.low, release.classes.high], axis=1).tolist())

    return len(one.classes) == len(other.classes) and runs(one) == runs(other)


class Walk:
    """Tables that are published like the first, each a step from the one before: a value exchanged or changed, a person
    moved, added, left out. Steps go where the counts are that no table differs in yet."""

    def __init__(self, studies: Sequence[Study], base: Table, rng: np.random.Generator) -> None:
        self.studies, self.rng, self.base = studies, rng, base
        self.first = self.seen = [Seen(study, base) for study in studies]
        self.before = [everything(study, base) for study in studies]
        self.left: Counts = {(i, *what): n for i, one in enumerate(self.seen) for what, n in one.small().items()}
        self.hidden = len(self.left)

    def step(self) -> None:
        """Try another table; if it is published alike, go there, and cross off the counts that it differs in."""
        other = self._edited(*self._chosen())
        if other is None:
            return
        found = [Seen(study, other) for study in self.studies]
        if not all(one.like(now) for one, now in zip(self.first, found, strict=True)):
            return
        if self.before == [everything(study, other) for study in self.studies]:
            self.base, self.seen = other, found
            counts = {(i, *what): n for i, one in enumerate(found) for what, n in one.counts().items()}
            self.left = {what: n for what, n in self.left.items() if counts.get(what) == n}

    def _chosen(self) -> tuple[np.ndarray, str, int]:
        """Somebody who counts in one of the numbers that are left: the records, the column, the value."""
        what = list(self.left)[int(self.rng.integers(len(self.left)))]
        seen, everybody = self.seen[what[0]], np.arange(self.base.records)
        release = next((one for recipe, one in seen.releases.items() if str(recipe) == what[1]), None)
        if release is None or len(what) < 4 or len(self.studies) > 1:
            return everybody, "", -1
        runs = np.concatenate([release.classes.low, release.classes.high], axis=1).tolist()
        if list(what[2]) not in runs:
            return everybody, "", -1
        inside = np.flatnonzero(release._group_of_record == runs.index(list(what[2])))
        return inside, str(what[3]), int(what[4]) if len(what) > 4 else -1

    def _edited(self, among: np.ndarray, name: str, value: int) -> Table | None:
        rng, base = self.rng, self.base
        sensitive, quasi = self.studies[0].sensitive, self.studies[0].quasi
        kind = int(rng.integers(10 if sensitive else 4))
        name = name if name in sensitive else str(rng.choice(sensitive)) if sensitive else ""
        everybody = np.arange(base.records)
        if value >= 0 and kind > 3:  # somebody of the class gets the value, or loses it
            having = base.codes[name] == value
            inside, gets = np.isin(everybody, among), bool(rng.integers(2))
            mine, theirs = np.flatnonzero(inside & (having != gets)), np.flatnonzero(having == gets)
            if not len(mine) or not len(theirs):
                return None
            a, b = int(rng.choice(mine)), int(rng.choice(theirs))
        else:
            a = int(rng.choice(among))
            others = np.flatnonzero(base.codes[name] != base.codes[name][a]) if kind > 3 else everybody
            b = int(rng.choice(others))
            if kind in (2, 3) and rng.integers(2):
                a, b = b, a  # into the class, instead of out of it
        codes = {one: own.copy() for one, own in base.codes.items()}
        if kind == 0:
            codes = {one: np.append(own, own[a]) for one, own in codes.items()}
        elif kind == 1:
            codes = {one: np.delete(own, a) for one, own in codes.items()}
        elif kind in (2, 3):
            for one in quasi if kind == 2 else [str(rng.choice(quasi))]:
                codes[one][a] = codes[one][b]
        else:
            codes[name][a] = base.codes[name][b]
            if kind > 4:
                codes[name][b] = base.codes[name][a]
        if kind in (2, 3) and all((codes[one] == base.codes[one]).all() for one in quasi):
            return None
        columns = {one: _counted(base.columns[one], codes[one]) for one in codes}
        kept = all(
            one.counts.all() and bool(one.missing) == bool(base.columns[n].missing) for n, one in columns.items()
        )
        return Table(columns, codes, base.roles) if kept else None


def _counted(column: Column, codes: np.ndarray) -> Column:
    counts, values = np.bincount(codes, minlength=column.size), len(column.values)
    return replace(column, counts=counts[:values], missing=int(counts[values:].sum()))


def unique(
    studies: Sequence[Study], base: Table, rng: np.random.Generator, tries: int, most: int
) -> tuple[int, Counts]:
    """How many small counts there are in all that is published of these studies of one table, and which of some of them
    have no other table that is published alike, as far as one was found."""
    with patch.object(cells, "collapse", collapsed):
        walk = Walk(studies, base, rng)
        chosen = rng.permutation(len(walk.left))[:most].tolist()
        walk.left = {what: n for i, (what, n) in enumerate(walk.left.items()) if i in chosen}
        for _ in range(tries):
            if not walk.left:
                break
            walk.step()
    return walk.hidden, walk.left


def collapsed(quasi: dict[str, np.ndarray], others: dict[str, np.ndarray]) -> cells.Cells:
    """What `cells.collapse` gives, without the engine, which takes longer to start than a small table to collapse."""
    rows, weight = np.unique(np.stack([*quasi.values(), *others.values()], axis=1), axis=0, return_counts=True)
    codes = np.ascontiguousarray(rows.T)
    rest = {name: own.astype(np.int32) for name, own in zip(others, codes[len(quasi) :], strict=True)}
    return cells.Cells(codes[: len(quasi)].astype(np.int16), rest, weight.astype(np.int64))
