"""Many recipes to points: each release is made and measured once, and kept in the store if there is one."""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import replace
from os import PathLike

from workbench.base import progress as underway
from workbench.base.errors import BadInput, Undefined, Unsatisfiable, said
from workbench.base.variants import canonical
from workbench.data.table import Table
from workbench.frontier.frontier import Frontier
from workbench.frontier.recipe import Point, Recipe
from workbench.frontier.shelf import StorePlace, StoreShelf
from workbench.frontier.store import Store
from workbench.measures import Measure, Measured
from workbench.methods.clustering.begun import kept_at
from workbench.methods.keep import Keep
from workbench.methods.remove import Remove
from workbench.miners.keeping import kept_in
from workbench.releases.base import Release

BASELINES = (Recipe(Keep()), Recipe(Remove()))
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
    say: underway.Say | None = None,
    partly: bool = False,
) -> Frontier:
    """The points of these recipes, in their order, each distinct recipe once; the baselines come last.

    `progress(done, total, point)` is called in the calling thread after each point, also after those found in the
    store. Setting `cancel` stops it at once: what is finished comes back in a frontier that is not complete, and with
    a store the clusters of what is not finished are kept. An interrupt sets it too.
    `say(words)` is called now and then by a point that takes long, in a thread of its own.
    Recipes and measures that do not go with the table are a BadInput; with `partly` the others are made all the same,
    and the points say why these have no values.
    """
    wanted = (table, Table, "table"), (recipes, Iterable, "recipes"), (measures, Iterable, "measures")
    for given, kind, what in wanted:
        if not isinstance(given, kind):
            raise BadInput(f"sweep: {said(given)} was given as {what}; call sweep(table, [...], [...])")
    every = distinct([*recipes, *(BASELINES if baselines else ())])
    bench = Bench(table, every, measures, store, partly)
    if threads is not None and threads < 1:
        raise BadInput(f"sweep: threads = {threads} must be at least 1")
    stop = threading.Event()

    def work(recipe: Recipe) -> Point | None:
        if stop.is_set():
            return None
        try:
            with underway.listening(cancel, say):
                return bench.point(recipe)
        except underway.Cancelled:
            return None

    done: dict[int, Point] = {}
    with ThreadPoolExecutor(threads or _processors(), thread_name_prefix="sweep") as pool:
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
        finally:  # after an error, points under way are finished and no other is begun
            stop.set()
    return Frontier([done[i] for i in sorted(done)], bench.measures, complete=len(done) == len(every))


class Bench:
    """Where points are made, one by one: found in the store, or computed and kept there.

    The measures are each there once; a parameter of a measure or recipe that does not go with the table is a BadInput,
    or, `partly`, the reason why its points have no value.
    """

    def __init__(
        self,
        table: Table,
        recipes: Iterable[Recipe],
        measures: Iterable[Measure],
        store: Store | str | PathLike[str] | None,
        partly: bool = False,
    ) -> None:
        self.measures, self._partly = _each_once(measures), partly
        self._refused = _refused(table, self.measures) if partly else {}
        if not partly:
            _require_going(table, recipes, self.measures)
        self._table, self._store = table, store if store is None or isinstance(store, Store) else Store(store)
        self._shelf = None if self._store is None else StoreShelf(self._store)

    def point(self, recipe: Recipe) -> Point:
        """The recipe's point; what goes wrong says in which recipe."""
        taken = [measure for measure in self.measures if measure.key not in self._refused]
        try:
            with _named(recipe), kept_in(self._shelf):
                underway.step()
                point = _point(self._table, recipe, taken, self._store)
        except BadInput as error:
            if not self._partly:
                raise
            point = Point(
                recipe, {}, dict.fromkeys((one.key for one in taken), str(error).removeprefix(f"recipe {recipe}: "))
            )
        return replace(point, reasons={**point.reasons, **self._refused}) if self._refused else point


def distinct(recipes: Iterable[Recipe]) -> list[Recipe]:
    """Each recipe once. Baselines draw nothing: whatever their seed, they are the same."""
    found: dict[str, Recipe] = {}
    for recipe in recipes:
        if not isinstance(recipe, Recipe):
            raise BadInput(f"sweep: {said(type(recipe))} is not a recipe; write Recipe(method, model)")
        about = recipe.to_dict()
        found.setdefault(canonical({**about, "seed": 0} if recipe.baseline else about), recipe)
    if not found:
        raise BadInput("sweep: no recipe was given; give at least one, or leave the baselines in")
    return list(found.values())


def _each_once(measures: Iterable[Measure]) -> list[Measure]:
    """The measures, of which no two have the same key."""
    found: dict[str, Measure] = {}
    for measure in measures:
        if not isinstance(measure, Measure):
            given = measure if isinstance(measure, type) else type(measure)
            example = f"{said(given)}()" if given is measure else "PrivacyLoss()"
            raise BadInput(f"sweep: {said(given)} is not a measure; write {example}")
        if found.setdefault(measure.key, measure) != measure:
            raise BadInput(f"sweep: two measures are called {measure.key!r}; give one another symbol")
    if not found:
        raise BadInput("sweep: no measure was given; give one of privacy and one of utility")
    return list(found.values())


def _require_going(table: Table, recipes: Iterable[Recipe], measures: Iterable[Measure]) -> None:
    """Raise BadInput for any parameter that does not go with the table."""
    for measure in measures:
        measure.check(table)
    for recipe in recipes:
        recipe.method.check(table)


def _refused(table: Table, measures: Iterable[Measure]) -> dict[str, str]:
    """Why measures do not go with the table, by the keys of these."""
    found: dict[str, str] = {}
    for measure in measures:
        try:
            measure.check(table)
        except BadInput as error:
            found[measure.key] = str(error)
    return found


def _processors() -> int:
    """Those that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def _named(recipe: Recipe) -> Iterator[None]:
    """What goes wrong inside says in which recipe."""
    try:
        yield
    except BadInput as error:
        error.args = (f"recipe {recipe}: {error}",)
        raise
    except Exception as error:
        error.add_note(f"in the recipe {recipe}")
        raise


def _point(table: Table, recipe: Recipe, measures: Sequence[Measure], store: Store | None) -> Point:
    """A recipe's point: from the store, or computed and kept there."""
    key = "" if store is None else store.key(table, recipe, measures)
    found = None if store is None else store.get(key, recipe)
    if found is not None:
        return found
    place = None if store is None else StorePlace(store, key)
    if store is not None:
        store.refuse_reading_only()
    began = time.perf_counter()
    release: Release | None = None
    measured: dict[str, Measured] = {}
    try:
        with kept_at(place):
            release = recipe.release(table, store)
        measured, reasons = _measured(release, measures)
    except (Unsatisfiable, Undefined) as error:
        reasons = {measure.key: str(error) for measure in measures}
    point = _as_point(recipe, release, measured, reasons, key)
    if store is not None and place is not None:
        store.put(key, point, release, measured, time.perf_counter() - began)
        place.clear()
    return point


def point_of(recipe: Recipe, release: Release, measures: Iterable[Measure]) -> Point:
    """The point of a release that was made by this recipe."""
    return _as_point(recipe, release, *_measured(release, measures))


def _as_point(
    recipe: Recipe, release: Release | None, measured: dict[str, Measured], reasons: dict[str, str], key: str = ""
) -> Point:
    values = {name: float(one.value) for name, one in measured.items()}
    sentences = {name: one.sentence for name, one in measured.items()}
    intervals = {name: one.interval for name, one in measured.items() if one.interval is not None}
    gone = release.left_out if release else 0
    return Point(recipe, values, reasons, sentences, key, intervals=intervals, left_out=gone)


def _measured(release: Release, measures: Iterable[Measure]) -> tuple[dict[str, Measured], dict[str, str]]:
    """What each measure says of the release, and why some cannot say anything."""
    measured: dict[str, Measured] = {}
    reasons: dict[str, str] = {}
    for measure in measures:
        underway.step()
        try:
            found = measure(release)
            if math.isnan(found.value):
                raise Undefined(f"{measure.name} came out as no number")
            measured[measure.key] = found
        except Undefined as error:
            reasons[measure.key] = str(error)
    return measured, reasons
