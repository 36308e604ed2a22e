"""Random releases, stored: the exported release is the measured one.

A second draw would disclose more than the first, because the noise of several draws cancels. So each column is drawn
once per settings, whatever the roles, hierarchies, measures, seed or version of the workbench. Other commands on the
study read the stored draw.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from workbench.base.errors import BadInput
from workbench.base.parameters import canonical
from workbench.data.table import Table
from workbench.methods.noise import RecordNoise
from workbench.methods.raking.raked_buckets import use_draw_store
from workbench.releases import responses
from workbench.releases.base import Release
from workbench.releases.responses import Drawn

if TYPE_CHECKING:
    from workbench.frontier.recipe import Recipe
    from workbench.frontier.store import Store

ENDING = ".drawn"
T = TypeVar("T")


def draw_release(recipe: Recipe, table: Table, store: Store | None) -> Release:
    """Return the release of a random method from the one draw of each changed column: the store's, else this
    process's.
    """
    method = recipe.method
    if not isinstance(method, RecordNoise) or recipe.model is not None:  # noise reports that it satisfies no model
        with use_draw_store(None if store is None else partial(_read_or_draw, store)):
            return method(table, recipe.model, recipe.seed)
    method.check(table)
    method.refuse(table, None)

    def made() -> Release:
        return method.release_draws(
            table, {name: _column(method, table, name, store) for name in method.changed(table)}
        )

    return table.remember(("drawn", canonical(method.to_dict()), store and str(store.folder)), made)


def _column(method: RecordNoise, table: Table, name: str, store: Store | None) -> Drawn:
    about = method.draw_of(name)
    drawn = partial(table.remember, ("drawn", about), lambda: method.drawn(table, name))
    if store is None:
        return drawn()
    return _read_or_draw(
        store,
        f"{about} {responses.content(table, name, method.numbers)}",
        lambda: responses.written(table, name, drawn()),
        partial(responses.read, table, name),
    )


def _read_or_draw(store: Store, about: str, make: Callable[[], bytes], read: Callable[[bytes], T]) -> T:
    """Read the draw that the store has under this name; draw and store it first if there is none."""
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
            f"store: {str(path)!r}, a release that was drawn at random, cannot be read ({why}). Restore it: a "
            "second draw would disclose more in combination with the first"
        )
    return read(kept)
