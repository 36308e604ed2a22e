"""Find witnesses by a random walk: tables with identical published folders in which a small count differs."""

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
from workbench.data.published import published_total
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

BY_CHANCE = ("edition", "published", "versions")  # differs between publications of the same data
INCOMPARABLE = 10_000
TOLERANCE, PATIENCE = 0.7, 30
STEEPNESS, MAX_WEIGHT = 20.0, 12.0  # of a figure that differs: weight per relative difference, and the maximum


class CountKey(NamedTuple):
    """A count: people within bounds, optionally with a sensitive value; or people that a release exposes."""

    who: tuple[int, ...] = ()  # the first and last code of each quasi-identifier
    name: str = ""
    value: int = -1
    recipe: Recipe | None = None
    kind: str = ""


Counts = dict[tuple[int, CountKey], int]


def published_text(study: Study, base: Table) -> str:
    """Return the published folder as text with sorted rows; of the chart only its points."""
    with TemporaryDirectory() as place, patch.object(Frontier, "chart", lambda self, *size: _ChartData(self)):
        try:
            return folder_text(publish(study, Path(place) / "out", given=base, releases=False, warn=lambda text: None))
        except BadInput as why:
            return str(why)


class _ChartData:
    """The data of a chart; everything else in it follows from the study."""

    def __init__(self, frontier: Frontier) -> None:
        self.points = frontier.points.to_csv(index=False)

    def to_dict(self, validate: bool) -> dict[str, Any]:
        return {"points": self.points}


def folder_text(folder: Path) -> str:
    """Return the contents of a folder as text, sorted."""
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


class PublishedTable:
    """A study's table with its releases, counts and published figures."""

    def __init__(self, study: Study, base: Table) -> None:
        self.study, self.base = study, base
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.table = study.table(base)
        self._releases: dict[Recipe, Release | None] = {}

    def release(self, recipe: Recipe) -> Release | None:
        """Return the release of a recipe, computed on first use."""
        if recipe not in self._releases:
            self._releases[recipe] = _try_release(recipe, self.table)
        return self._releases[recipe]

    @property
    def releases(self) -> dict[Recipe, Release | None]:
        return {recipe: self.release(recipe) for recipe in (*self.study.candidates(), *BASELINES)}

    def small_counts(self) -> Counts:
        """Return the counts below the threshold."""
        return {key: count for key, count in self._counts() if 0 < count < self.study.smallest}

    def _counts(self) -> Iterator[tuple[CountKey, int]]:
        for name, seen in self.table.sensitive.items():
            yield from ((CountKey((), name, v), n) for v, n in enumerate(seen.totals.tolist()))
        for recipe, release in self.releases.items():
            if release is None or recipe.baseline:
                continue
            classes = release.classes
            who = [
                tuple(run) for run in np.stack([classes.low, classes.high], axis=2).reshape(len(classes), -1).tolist()
            ]
            yield from ((CountKey(one), n) for one, n in zip(who, classes.sizes.tolist(), strict=True))
            for name, counts in classes.histograms.items():
                for one, own in zip(who, counts.tolist(), strict=True):
                    yield from ((CountKey(one, name, v), n) for v, n in enumerate(own))
            yield from ((key, self.count(key)) for key in self._exposures_of(recipe, release))

    def _exposures_of(self, recipe: Recipe, release: Release) -> Iterator[CountKey]:
        yield CountKey((), "", -1, recipe, "alone")
        for name in release.classes.histograms:
            yield CountKey((), name, -1, recipe, "certain")
            yield CountKey((), name, -1, recipe, "at risk")

    def count(self, key: CountKey) -> int:
        """Return the number of people counted in this table, whatever its classes; -1 if there is no such release."""
        if key.recipe is None:
            return int(self.select(key).sum())
        release = self.release(key.recipe)
        if release is None:
            return -1
        classes = release.classes
        if key.kind == "alone":
            return int((classes.sizes == 1).sum())
        if key.kind == "certain":
            return int(classes.sizes[(classes.histograms[key.name] > 0).sum(axis=1) == 1].sum())
        losses = assess_exposure(release, key.name).losses
        assert losses is not None
        return int(classes.sizes[losses.at_risk()].sum())

    def select(self, key: CountKey) -> np.ndarray:
        """Return which records are counted."""
        found = np.ones(self.table.records, bool)
        for name, low, high in zip(self.table.quasi, key.who[::2], key.who[1::2], strict=False):
            found &= (self.table.codes[name] >= low) & (self.table.codes[name] <= high)
        return found & (self.table.codes[key.name] == key.value) if key.value >= 0 else found

    def count_differences(self, other: PublishedTable) -> int:
        """Return in how many published figures another table differs; 0 is necessary for identical folders."""
        few = self.study.smallest
        mine, theirs = self.table, other.table
        if any(mine.columns[name].labels != theirs.columns[name].labels for name in mine.columns):
            return INCOMPARABLE
        totals = [
            int((seen.published(few) != theirs.sensitive[name].published(few)).sum())
            for name, seen in mine.sensitive.items()
        ]
        if sum(totals) or published_total(mine, few) != published_total(theirs, few):
            return INCOMPARABLE
        return len(self.figures.items() ^ other.figures.items())

    def distance(self, other: PublishedTable) -> float:
        """Return the differences weighted by their size, which guides a search."""
        differences = self.count_differences(other)
        if differences >= INCOMPARABLE:
            return differences
        keys = {key for key, _ in self.figures.items() ^ other.figures.items()}
        return sum(_weight(self.exact.get(key, math.nan), other.exact.get(key, math.nan)) for key in keys)

    @cached_property
    def exact(self) -> dict[tuple[str, str], float]:
        """Return the exact figures of the points."""
        return {(str(recipe), key): one for recipe, point in self._points.items() for key, one in point.values.items()}

    @cached_property
    def figures(self) -> dict[tuple[str, str], str]:
        """Return the published figures of the points."""
        measures, found = self.study.measured(), {}
        for recipe, exact in self._points.items():
            point = selection._redact_point(exact, measures, self.table, self.study.smallest, store=None, again={})
            published = {
                **point.values,
                **point.reasons,
                "against": reasons_not_to_recommend(self.releases[recipe], self.study.smallest, recipe.model),
            }
            found |= {(str(recipe), key): str(one) for key, one in published.items()}
        return found

    @cached_property
    def _points(self) -> dict[Recipe, Point]:
        measures = self.study.measured()
        every = self.releases.items()
        return {recipe: point_of(recipe, release, measures) for recipe, release in every if release is not None}


def _weight(one: float, other: float) -> float:
    """Return the weight of a figure that differs, by its relative difference."""
    if not (math.isfinite(one) and math.isfinite(other)) or one == other:
        return 1.0
    return min(1 + STEEPNESS * abs(one - other) / max(abs(one), abs(other)), MAX_WEIGHT)


def _try_release(recipe: Recipe, table: Table) -> Release | None:
    try:
        return recipe.release(table)
    except Unsatisfiable:
        return None


class Walk:
    """Random changes of a table towards other tables with identical publications.

    A step changes or exchanges a value, or moves, adds or removes a person, near a count that has no witness yet. The
    number of published figures that differ has to decrease most of the time; after some steps in vain the walk
    continues from the last table with identical publications.
    """

    def __init__(self, studies: Sequence[Study], base: Table, rng: np.random.Generator, most: int) -> None:
        self.studies, self.rng, self.base, self.now = studies, rng, base, base
        self.first = [PublishedTable(study, base) for study in studies]
        self.before = [published_text(study, base) for study in studies]
        every = [(i, key, n) for i, one in enumerate(self.first) for key, n in one.small_counts().items()]
        self.small_total, self.differences, self.steps_in_vain = len(every), 0, 0
        chosen = rng.permutation(len(every))[:most].tolist()
        self.without_witness: Counts = {(i, key): n for i, key, n in (every[one] for one in chosen)}

    def step(self) -> None:
        """Try another table; if its publications are identical, drop the counts in which it differs."""
        other = self._edit(*self._choose_target())
        self.steps_in_vain += 1
        if other is not None:
            found = [PublishedTable(study, other) for study in self.studies]
            differences = sum(one.count_differences(now) for one, now in zip(self.first, found, strict=True))
            if not differences and self.before == [published_text(study, other) for study in self.studies]:
                self.base, self.steps_in_vain = other, 0
                self.without_witness = {
                    (i, key): n for (i, key), n in self.without_witness.items() if found[i].count(key) == n
                }
            if differences < INCOMPARABLE and differences - self.differences <= self.rng.exponential(TOLERANCE):
                self.now, self.differences = other, differences
        if self.steps_in_vain >= PATIENCE:
            self.now, self.differences, self.steps_in_vain = self.base, 0, 0

    def _choose_target(self) -> tuple[np.ndarray, CountKey]:
        """Return the records near a random count without a witness, and that count."""
        i, key = list(self.without_witness)[int(self.rng.integers(len(self.without_witness)))]
        study, in_study = self.studies[i], np.ones(self.now.records, bool)
        for name, label in study.data.get("only", {}).items():
            in_study &= self.now.codes[name] == self.now.columns[name].labels.index(label)
        return np.flatnonzero(in_study)[PublishedTable(study, self.now).select(key._replace(value=-1))], key

    def _edit(self, among: np.ndarray, key: CountKey) -> Table | None:
        """Return a changed table: a value changed or exchanged, or a person moved, added or removed."""
        rng, base = self.rng, self.now
        sensitive, quasi = self.studies[0].sensitive, self.studies[0].quasi
        all_records = np.arange(base.records)
        kind = int(rng.integers(10 if sensitive else 4))
        name = key.name or (str(rng.choice(sensitive)) if sensitive else "")
        a = int(rng.choice(among if len(among) and rng.random() < 0.7 else all_records))
        others = np.flatnonzero(base.codes[name] != base.codes[name][a]) if kind > 3 else all_records
        b = int(rng.choice(others))
        if kind in (2, 3) and rng.integers(2):
            a, b = b, a  # move into the class instead of out of it
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
        return table_from_codes(base, codes)


def table_from_codes(base: Table, codes: dict[str, np.ndarray]) -> Table | None:
    """Return the table with other codes; None if a value no longer occurs."""
    columns = {one: _recount(base.columns[one], codes[one]) for one in codes}
    complete = all(
        one.counts.all() and bool(one.missing) == bool(base.columns[n].missing) for n, one in columns.items()
    )
    return Table(columns, Memory(codes), base.roles) if complete else None


def _recount(column: Column, codes: np.ndarray) -> Column:
    counts, values = np.bincount(codes, minlength=column.size), len(column.values)
    return replace(column, counts=counts[:values], missing=int(counts[values:].sum()))
