"""Evaluate many recipes: each release is computed and measured once, and its point is stored."""

from __future__ import annotations

import logging
import math
import os
import sys
import threading
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import NamedTuple

from workbench.base import progress as underway
from workbench.base.errors import BadInput, Undefined, Unsatisfiable, safe_repr
from workbench.data.table import Table
from workbench.frontier.decision import assess_objections
from workbench.frontier.frontier import Frontier
from workbench.frontier.recipe import Point, Recipe
from workbench.frontier.store import Store, StoredPredictions
from workbench.measures import Measure, Measured
from workbench.methods.keep import Keep
from workbench.methods.remove import Remove
from workbench.miners.cross_fitting import use_cache
from workbench.miners.fitting import processors
from workbench.redaction.controlled_rounding import SMALLEST
from workbench.releases.base import Release, fits_of

BASELINES = (Recipe(Keep()), Recipe(Remove()))
LOG = logging.getLogger(__name__)
PACKAGE = str(Path(__file__).parents[1])
Progress = Callable[[int, int, Point], object]


def sweep(
    table: Table,
    recipes: Iterable[Recipe],
    measures: Iterable[Measure],
    store: Store | str | PathLike[str] | None = None,
    *,
    baselines: bool = True,
    threads: int | None = None,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
    say: underway.Report | None = None,
    partly: bool = False,
    smallest: int | None = SMALLEST,
) -> Frontier:
    """Evaluate recipes: compute and measure each distinct release once.

    Parameters
    ----------
    table
        The original records, with roles.
    recipes
        The recipes, such as `recipes(Mondrian(), KAnonymity, k=[10, 100])`.
    measures
        At least one measure of privacy and one of utility.
    store
        A folder in which points are stored and found again.
    baselines
        Whether to add the baselines that keep everything and that remove all quasi-identifiers.
    threads
        Number of threads; by default one per processor.
    progress
        `progress(done, total, point)` is called in the calling thread after each point, including stored ones.
    cancel
        Setting this event stops the sweep at once. The frontier then contains the finished points and is not complete;
        with a store, the clusters of unfinished points are stored. An interrupt sets the event, too.
    say
        `say(words)` is called now and then, from another thread, while a point takes long.
    partly
        Report recipes and measures that do not fit the table as reasons of their points instead of raising BadInput.
    smallest
        Threshold for numbers of people in objections to a candidate (`Point.against`); None omits objections.

    Returns
    -------
    Frontier
        The points in the order of the recipes, baselines last.

    Warns
    -----
    MeasureFailed
        A measure raised an unexpected exception: it is undefined for that point, which is not stored, so that the next
        sweep tries again.

    Examples
    --------
    >>> import pandas as pd
    >>> from workbench import Table, measures, methods, models, recipes, sweep
    >>> people = pd.DataFrame({"age": [30, 31, 60, 61] * 5, "ill": ["flu", "none", "none", "none"] * 5})
    >>> table = Table.from_frame(people, quasi=["age"], sensitive="ill")
    >>> found = sweep(
    ...     table,
    ...     recipes(methods.Mondrian(), models.KAnonymity, k=[2, 10]),
    ...     [measures.PrivacyLoss(), measures.InformationLoss()],
    ... )
    >>> len(found.measured)
    4
    """
    wanted = (table, Table, "table"), (recipes, Iterable, "recipes"), (measures, Iterable, "measures")
    for given, kind, what in wanted:
        if not isinstance(given, kind):
            raise BadInput(f"sweep: {safe_repr(given)} was given as {what}; call sweep(table, [...], [...])")
    every = distinct([*recipes, *(BASELINES if baselines else ())])
    bench = PointMaker(table, every, measures, store, partly, smallest)
    if threads is not None and threads < 1:
        raise BadInput(f"sweep: threads = {threads} must be at least 1")
    stop = threading.Event()

    def work(recipe: Recipe) -> Point | None:
        if stop.is_set():
            return None
        try:
            with underway.cancellable(cancel, say):
                return bench.point(recipe)
        except underway.Cancelled:
            return None

    done: dict[int, Point] = {}
    with ThreadPoolExecutor(threads or processors(), thread_name_prefix="sweep") as pool:
        try:
            places = {pool.submit(work, recipe): i for i, recipe in enumerate(every)}
            for future in as_completed(places):
                point = future.result()
                if point is not None:
                    done[places[future]] = point
                    if progress is not None:
                        progress(len(done), len(every), point)
        except KeyboardInterrupt:
            if cancel is not None:
                cancel.set()
            raise
        finally:  # after an error, running evaluations finish and no others start
            stop.set()
    order = sorted(done)
    points, numbers = [done[i] for i in order], [i + 1 for i in order]
    found = Frontier(points, bench.measures, complete=len(done) == len(every), numbers=numbers)
    warn_of_failures(found.measured)
    return found


class MeasureFailed(RuntimeWarning):
    """Measures raised unexpected exceptions; their figures are undefined."""


def warn_of_failures(points: Iterable[Point]) -> None:
    """Warn once of the measures that raised unexpected exceptions."""
    if failures := failures_of(points):
        warnings.warn("; ".join(failures), MeasureFailed, stacklevel=3)


def failures_of(points: Iterable[Point]) -> list[str]:
    """Return a sentence for each measure and exception type of an unexpected failure."""
    count = Counter(failure for point in points for failure in point.failures.items())
    return [
        f"{key} is undefined for {many:,} {'point' if many == 1 else 'points'} because of an unexpected {kind}"
        for (key, kind), many in count.items()
    ]


class PointMaker:
    """Evaluates recipes one by one: reads points from the store, or computes and stores them.

    Each measure is used once. A parameter of a measure or recipe that does not fit the table is a BadInput, or, with
    `partly`, the reason why its points have no value.
    """

    def __init__(
        self,
        table: Table,
        recipes: Iterable[Recipe],
        measures: Iterable[Measure],
        store: Store | str | PathLike[str] | None,
        partly: bool = False,
        smallest: int | None = SMALLEST,
    ) -> None:
        self.measures, self._partly, self._smallest = _distinct_measures(measures), partly, smallest
        self._refused = _unsuitable_measures(table, self.measures) if partly else {}
        if not partly:
            _check_parameters(table, recipes, self.measures)
        self._table, self._store = table, store if store is None or isinstance(store, Store) else Store(store)
        self._predictions = None if self._store is None else StoredPredictions(self._store)

    def point(self, recipe: Recipe) -> Point:
        """Return the recipe's point; errors name the recipe."""
        taken = [measure for measure in self.measures if measure.key not in self._refused]
        try:
            with _name_recipe_in_errors(recipe), use_cache(self._predictions):
                underway.checkpoint()
                point = _point(self._table, recipe, taken, self._store, self._smallest)
        except BadInput as error:
            if not self._partly:
                raise
            point = Point(
                recipe, {}, dict.fromkeys((one.key for one in taken), str(error).removeprefix(f"recipe {recipe}: "))
            )
        return replace(point, reasons={**point.reasons, **self._refused}) if self._refused else point


def distinct(recipes: Iterable[Recipe]) -> list[Recipe]:
    """Return each recipe once."""
    found: dict[str, Recipe] = {}
    for recipe in recipes:
        if not isinstance(recipe, Recipe):
            raise BadInput(f"sweep: {safe_repr(type(recipe))} is not a recipe; write Recipe(method, model)")
        found.setdefault(recipe.identity, recipe)
    if not found:
        raise BadInput("sweep: no recipe was passed; pass at least one, or include the baselines")
    return list(found.values())


def numbered_recipes(candidates: Iterable[Recipe]) -> list[Recipe]:
    """Return the recipes of a study by their numbers, from 1: its candidates, then the baselines."""
    return distinct([*candidates, *BASELINES])


def _distinct_measures(measures: Iterable[Measure]) -> list[Measure]:
    """Return the measures without duplicates; raise BadInput if different measures share a key."""
    found: dict[str, Measure] = {}
    for measure in measures:
        if not isinstance(measure, Measure):
            given = measure if isinstance(measure, type) else type(measure)
            example = f"{safe_repr(given)}()" if given is measure else "PrivacyLoss()"
            raise BadInput(f"sweep: {safe_repr(given)} is not a measure; write {example}")
        if found.setdefault(measure.key, measure) != measure:
            raise BadInput(f"sweep: two measures are called {measure.key!r}; change the symbol of one")
    if not found:
        raise BadInput("sweep: no measure was passed; pass one of privacy and one of utility")
    return list(found.values())


def _check_parameters(table: Table, recipes: Iterable[Recipe], measures: Iterable[Measure]) -> None:
    """Raise BadInput for any parameter that does not fit the table."""
    for measure in measures:
        measure.check(table)
    for recipe in recipes:
        recipe.method.check(table)


def _unsuitable_measures(table: Table, measures: Iterable[Measure]) -> dict[str, str]:
    """Return the reasons why measures do not fit the table, by measure key."""
    found: dict[str, str] = {}
    for measure in measures:
        try:
            measure.check(table)
        except BadInput as error:
            found[measure.key] = str(error)
    return found


@contextmanager
def _name_recipe_in_errors(recipe: Recipe) -> Iterator[None]:
    """Add the recipe to errors raised inside."""
    try:
        yield
    except BadInput as error:
        error.args = (f"recipe {recipe}: {error}",)
        raise
    except Exception as error:
        error.add_note(f"in the recipe {recipe}")
        raise


def _point(
    table: Table, recipe: Recipe, measures: Sequence[Measure], store: Store | None, smallest: int | None
) -> Point:
    """Return a recipe's point with its objections, from the store or computed and stored."""
    key = "" if store is None else store.key(table, recipe, measures)
    found = None if store is None else store.get(key, recipe)
    if found is None:
        return _compute_point(table, recipe, measures, store, key, smallest)
    return _with_objections(table, found, partial(recipe.release, table, store), smallest, store)


def _with_objections(
    table: Table, point: Point, release: Callable[[], Release], smallest: int | None, store: Store | None
) -> Point:
    """Return the point with the objections to its release, if it has one."""
    if smallest is None or not point.values:
        return point
    return replace(point, against=assess_objections(table, point.recipe, release, smallest, store, point.key))


def _compute_point(
    table: Table, recipe: Recipe, measures: Sequence[Measure], store: Store | None, key: str, smallest: int | None
) -> Point:
    """Compute a recipe's point and store it last, so that a stored point is complete."""
    if store is not None:
        store.refuse_reading_only()
    release: Release | None = None
    results = _Results({}, {}, {})
    try:
        release = recipe.release(table, store)
        results = _evaluate_measures(release, measures)
    except (Unsatisfiable, Undefined) as error:
        results = _Results({}, {measure.key: str(error) for measure in measures}, {})
    point = _as_point(recipe, release, results, key)
    if release is not None:
        point = _with_objections(table, point, lambda: release, smallest, store)
    if store is not None and not point.failures:  # the next sweep tries again
        store.put(key, point, release, results.measured)
    return point


class _Results(NamedTuple):
    """Measured values, reasons why measures are undefined, and types of unexpected exceptions, by measure key."""

    measured: dict[str, Measured]
    reasons: dict[str, str]
    failures: dict[str, str]


def point_of(recipe: Recipe, release: Release, measures: Iterable[Measure]) -> Point:
    """Return the point of a release that was computed from this recipe."""
    return _as_point(recipe, release, _evaluate_measures(release, measures))


def _as_point(recipe: Recipe, release: Release | None, results: _Results, key: str = "") -> Point:
    measured, reasons, failures = results
    values = {name: float(one.value) for name, one in measured.items()}
    sentences = {name: one.sentence for name, one in measured.items()}
    intervals = {name: one.interval for name, one in measured.items() if one.interval is not None}
    fits = {name: one.fits for name, one in measured.items() if one.fits}
    if release is not None and fits_of(release):
        fits["release"] = tuple(fits_of(release))
    suppressed = release.suppressed if release else 0
    return Point(
        recipe, values, reasons, sentences, key, intervals=intervals, left_out=suppressed, fits=fits, failures=failures
    )


def _evaluate_measures(release: Release, measures: Iterable[Measure]) -> _Results:
    """Evaluate each measure on the release, with the reasons why some are undefined."""
    measured: dict[str, Measured] = {}
    reasons: dict[str, str] = {}
    failures: dict[str, str] = {}
    for measure in measures:
        underway.checkpoint()
        try:
            found = measure(release)
            if math.isnan(found.value):
                raise Undefined(f"{measure.name} evaluated to NaN")
            measured[measure.key] = found
        except Undefined as error:
            reasons[measure.key] = str(error)
        except (BadInput, underway.Cancelled):
            raise
        except Exception as error:  # its message may quote data, so only its type and place are reported
            LOG.debug("%s failed", measure.key, exc_info=True)
            failures[measure.key] = type(error).__name__
            reasons[measure.key] = f"an unexpected {type(error).__name__} in {_place(error, measure)}; please report it"
    return _Results(measured, reasons, failures)


def _place(error: Exception, measure: Measure) -> str:
    """Return the last file and line of the engine or of the measure on the way to an exception."""
    files = PACKAGE, sys.modules[type(measure).__module__].__file__ or PACKAGE
    frame = [one for one in traceback.extract_tb(error.__traceback__) if one.filename.startswith(files)][-1]
    return f"{os.path.basename(frame.filename)}, line {frame.lineno}"
