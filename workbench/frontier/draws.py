"""Releases that were drawn at random, kept in the store: the one that was measured is the one that is exported.

A second draw would tell more than the first: the noise of several cancels. So a column is drawn once by the same
settings, for whatever roles, hierarchies and measures, by whatever seed, also by another version of the workbench, and
a study's other commands read it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from workbench.base.errors import BadInput
from workbench.base.variants import canonical
from workbench.data.table import Table
from workbench.methods.noise import RecordNoise
from workbench.methods.raking.noisy_truth import kept_by
from workbench.releases import kept_draws
from workbench.releases.base import Release
from workbench.releases.responses import Drawn

if TYPE_CHECKING:
    from workbench.frontier.recipe import Recipe
    from workbench.frontier.store import Store

ENDING = ".drawn"
T = TypeVar("T")


def released(recipe: Recipe, table: Table, store: Store | None) -> Release:
    """The one draw of each column that a recipe changes: that in the store, else that of this table in this process."""
    method = recipe.method
    if not isinstance(method, RecordNoise) or recipe.model is not None:  # noise says that it keeps no model
        with kept_by(None if store is None else partial(_kept, store)):
            return method(table, recipe.model, recipe.seed)
    method.check(table)
    method.refuse(table, None)

    def made() -> Release:
        return method.of(table, {name: _column(method, table, name, store) for name in method.changed(table)})

    return table.remember(("drawn", canonical(method.to_dict()), store and str(store.folder)), made)


def _column(method: RecordNoise, table: Table, name: str, store: Store | None) -> Drawn:
    about = method.draw_of(name)
    drawn = partial(table.remember, ("drawn", about), lambda: method.drawn(table, name))
    if store is None:
        return drawn()
    return _kept(
        store,
        f"{about} {kept_draws.content(table, name, method.numbers)}",
        lambda: kept_draws.written(table, name, drawn()),
        partial(kept_draws.read, table, name),
    )


def _kept(store: Store, about: str, make: Callable[[], bytes], read: Callable[[bytes], T]) -> T:
    """What is read of the one draw that the store has by this name; it is made where there is none."""
    path = store.folder / f"{store.keyed(about.encode())}{ENDING}"
    if not path.exists():
        store.refuse_reading_only()
        store.put_file(path, store.sealed(path, make()))  # of two processes, both read the first one's
    why: str | None = "it was changed"
    try:
        kept = store.unsealed(path)
    except OSError as error:
        kept, why = None, error.strerror
    if kept is None:
        raise BadInput(
            f"store: {str(path)!r}, a release that was drawn at random, cannot be read ({why}). Restore it: another "
            "draw, beside what was published of the first, would tell more"
        )
    return read(kept)
