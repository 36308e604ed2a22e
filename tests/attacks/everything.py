"""All that a published study tells, as plain text, and the small counts of its data that it must not tell."""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
import pyarrow.parquet as pq

from workbench import BadInput
from workbench.base.errors import Unsatisfiable
from workbench.data.column import Column
from workbench.data.engines.memory import Memory
from workbench.data.published_counts import published_total
from workbench.data.table import Table
from workbench.disclosure.exposure import assess_exposure
from workbench.disclosure.recommendable import reasons_not_to_recommend
from workbench.frontier.frontier import Frontier
from workbench.frontier.recipe import Point, Recipe
from workbench.frontier.sweep import BASELINES, point_of
from workbench.publication import selection
from workbench.publication.publish import publish
from workbench.releases.base import Release
from workbench.studies.study import Study

BY_CHANCE = ("edition", "published", "versions")  # differs from one publication to the next, whatever the data
MANY = 10_000
LUCK, PATIENCE = 0.7, 30
STEEP, FARTHEST = 20.0, 12.0  # how much a figure counts that is told otherwise: a twentieth off, and at most


class What(NamedTuple):
    """What is counted: people within bounds, or those of them who have a value; or what a release makes of some."""

    who: tuple[int, ...] = ()  # the first and last code of each quasi-identifier
    name: str = ""
    value: int = -1
    recipe: Recipe | None = None
    kind: str = ""


Counts = dict[tuple[int, What], int]


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

    def to_dict(self, validate: bool) -> dict[str, Any]:
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

    def small(self) -> Counts:
        """The numbers of people below the threshold, by what is counted."""
        return {what: count for what, count in self._counts() if 0 < count < self.study.smallest}

    def _counts(self) -> Iterator[tuple[What, int]]:
        for name, seen in self.table.sensitive.items():
            yield from ((What((), name, v), n) for v, n in enumerate(seen.totals.tolist()))
        for recipe, release in self.releases.items():
            if release is None or recipe.baseline:
                continue
            classes = release.classes
            who = [
                tuple(run) for run in np.stack([classes.low, classes.high], axis=2).reshape(len(classes), -1).tolist()
            ]
            yield from ((What(one), n) for one, n in zip(who, classes.sizes.tolist(), strict=True))
            for name, counts in classes.histograms.items():
                for one, own in zip(who, counts.tolist(), strict=True):
                    yield from ((What(one, name, v), n) for v, n in enumerate(own))
            yield from ((what, self.count(what)) for what in self._of_a_release(recipe, release))

    def _of_a_release(self, recipe: Recipe, release: Release) -> Iterator[What]:
        yield What((), "", -1, recipe, "alone")
        for name in release.classes.histograms:
            yield What((), name, -1, recipe, "certain")
            yield What((), name, -1, recipe, "at risk")

    def count(self, what: What) -> int:
        """How many people it is here, whatever the classes are here; -1 where there is no such release."""
        if what.recipe is None:
            return int(self.among(what).sum())
        release = self.release(what.recipe)
        if release is None:
            return -1
        classes = release.classes
        if what.kind == "alone":
            return int((classes.sizes == 1).sum())
        if what.kind == "certain":
            return int(classes.sizes[(classes.histograms[what.name] > 0).sum(axis=1) == 1].sum())
        losses = assess_exposure(release, what.name).losses
        assert losses is not None
        return int(classes.sizes[losses.at_risk()].sum())

    def among(self, what: What) -> np.ndarray:
        """Who is counted, or where the people are of whom some are counted."""
        found = np.ones(self.table.records, bool)
        for name, low, high in zip(self.table.quasi, what.who[::2], what.who[1::2], strict=False):
            found &= (self.table.codes[name] >= low) & (self.table.codes[name] <= high)
        return found & (self.table.codes[what.name] == what.value) if what.value >= 0 else found

    def unlike(self, other: Seen) -> int:
        """In how many figures another table is told otherwise; without any, all that is published may be alike."""
        few = self.study.smallest
        mine, theirs = self.table, other.table
        if any(mine.columns[name].labels != theirs.columns[name].labels for name in mine.columns):
            return MANY
        totals = [
            int((seen.published(few) != theirs.sensitive[name].published(few)).sum())
            for name, seen in mine.sensitive.items()
        ]
        if sum(totals) or published_total(mine, few) != published_total(theirs, few):
            return MANY
        return len(self.figures.items() ^ other.figures.items())

    def far(self, other: Seen) -> float:
        """The same, but a figure that is told otherwise counts more, the farther it is: so a search sees the way."""
        unlike = self.unlike(other)
        if unlike >= MANY:
            return unlike
        keys = {key for key, _ in self.figures.items() ^ other.figures.items()}
        return sum(_apart(self.exact.get(key, math.nan), other.exact.get(key, math.nan)) for key in keys)

    @cached_property
    def exact(self) -> dict[tuple[str, str], float]:
        """The figures of the points as they are."""
        return {(str(recipe), key): one for recipe, point in self._points.items() for key, one in point.values.items()}

    @cached_property
    def figures(self) -> dict[tuple[str, str], str]:
        """The points as they are told."""
        measures, found = self.study.measured(), {}
        for recipe, exact in self._points.items():
            point = selection._redact_point(exact, measures, self.table, self.study.smallest, store=None, again={})
            told = {
                **point.values,
                **point.reasons,
                "against": reasons_not_to_recommend(self.releases[recipe], self.study.smallest, recipe.model),
            }
            found |= {(str(recipe), key): str(one) for key, one in told.items()}
        return found

    @cached_property
    def _points(self) -> dict[Recipe, Point]:
        measures = self.study.measured()
        every = self.releases.items()
        return {recipe: point_of(recipe, release, measures) for recipe, release in every if release is not None}


def _apart(one: float, other: float) -> float:
    """How much a figure counts that is told otherwise, by how far it is."""
    if not (math.isfinite(one) and math.isfinite(other)) or one == other:
        return 1.0
    return min(1 + STEEP * abs(one - other) / max(abs(one), abs(other)), FARTHEST)


def _made(recipe: Recipe, table: Table) -> Release | None:
    try:
        return recipe.release(table)
    except Unsatisfiable:
        return None


class Walk:
    """Tables that are published like the first, found by changing it step by step: a value exchanged or changed, a
    person moved, added, left out.

    Steps go where the counts are that no table differs in yet. What is told otherwise on the way has to become fewer,
    most of the time; after some steps in vain the walk goes on from the last table that is published like the first.
    """

    def __init__(self, studies: Sequence[Study], base: Table, rng: np.random.Generator, most: int) -> None:
        self.studies, self.rng, self.base, self.now = studies, rng, base, base
        self.first = [Seen(study, base) for study in studies]
        self.before = [everything(study, base) for study in studies]
        every = [(i, what, n) for i, one in enumerate(self.first) for what, n in one.small().items()]
        self.hidden, self.unlike, self.vain = len(every), 0, 0
        chosen = rng.permutation(len(every))[:most].tolist()
        self.left: Counts = {(i, what): n for i, what, n in (every[one] for one in chosen)}

    def step(self) -> None:
        """Try another table; if it is published like the first, cross off the counts that it differs in."""
        other = self._edited(*self._chosen())
        self.vain += 1
        if other is not None:
            found = [Seen(study, other) for study in self.studies]
            unlike = sum(one.unlike(now) for one, now in zip(self.first, found, strict=True))
            if not unlike and self.before == [everything(study, other) for study in self.studies]:
                self.base, self.vain = other, 0
                self.left = {(i, what): n for (i, what), n in self.left.items() if found[i].count(what) == n}
            if unlike < MANY and unlike - self.unlike <= self.rng.exponential(LUCK):
                self.now, self.unlike = other, unlike
        if self.vain >= PATIENCE:
            self.now, self.unlike, self.vain = self.base, 0, 0

    def _chosen(self) -> tuple[np.ndarray, What]:
        """One of the counts that are left, and somebody who may count in it."""
        i, what = list(self.left)[int(self.rng.integers(len(self.left)))]
        study, of_it = self.studies[i], np.ones(self.now.records, bool)
        for name, label in study.data.get("only", {}).items():
            of_it &= self.now.codes[name] == self.now.columns[name].labels.index(label)
        return np.flatnonzero(of_it)[Seen(study, self.now).among(what._replace(value=-1))], what

    def _edited(self, among: np.ndarray, what: What) -> Table | None:
        """Another table: with another person who has the value there, or another person there, or any change at all."""
        rng, base = self.rng, self.now
        sensitive, quasi = self.studies[0].sensitive, self.studies[0].quasi
        everybody = np.arange(base.records)
        kind = int(rng.integers(10 if sensitive else 4))
        name = what.name or (str(rng.choice(sensitive)) if sensitive else "")
        a = int(rng.choice(among if len(among) and rng.random() < 0.7 else everybody))
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
        return table_of(base, codes)


def table_of(base: Table, codes: dict[str, np.ndarray]) -> Table | None:
    """The table of other codes; None where a value is nobody's any more."""
    columns = {one: _counted(base.columns[one], codes[one]) for one in codes}
    kept = all(one.counts.all() and bool(one.missing) == bool(base.columns[n].missing) for n, one in columns.items())
    return Table(columns, Memory(codes), base.roles) if kept else None


def _counted(column: Column, codes: np.ndarray) -> Column:
    counts, values = np.bincount(codes, minlength=column.size), len(column.values)
    return replace(column, counts=counts[:values], missing=int(counts[values:].sum()))
