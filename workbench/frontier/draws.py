"""Releases that were drawn at random, kept in the store: the one that was measured is the one that is exported.

A second draw would tell more than the first: the noise of several cancels. So a recipe is drawn once for a table, for
whatever measures and by whatever seed, also by another version of the workbench, and a study's other commands read it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.base.errors import BadInput
from workbench.base.variants import canonical
from workbench.data.table import Table
from workbench.releases.base import Release

if TYPE_CHECKING:
    from workbench.frontier.recipe import Recipe
    from workbench.frontier.store import Store

ENDING = ".drawn"


def released(recipe: Recipe, table: Table, store: Store | None) -> Release:
    """The one draw of a recipe's method: that in the store, else that of this table in this process."""
    about = canonical(recipe.method.to_dict())

    def drawn() -> Release:
        return table.remember(("drawn", about), lambda: recipe.method(table, recipe.model, recipe.seed))

    if store is None or recipe.model is not None:  # with a model the method says that it keeps none
        return drawn()
    key = store.keyed(canonical({"table": table.fingerprint, "drawn": recipe.method.to_dict()}).encode())
    path = store.folder / f"{key}{ENDING}"
    return table.remember(("drawn", about, str(path)), lambda: _read(recipe, table, _kept(recipe, path, store, drawn)))


def _kept(recipe: Recipe, path: Path, store: Store, drawn: Callable[[], Release]) -> Path:
    """Where the draw is: put there, if it was not; of two processes that draw, both go on with the first one's."""
    if path.exists():
        return path
    store.refuse_reading_only()
    store.put_file(path, recipe.method.kept(drawn()))
    return path


def _read(recipe: Recipe, table: Table, path: Path) -> Release:
    try:
        return recipe.method.again(table, path.read_bytes())
    except (OSError, ValueError, KeyError, TypeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it was changed"
        raise BadInput(
            f"store: {str(path)!r}, a release that was drawn at random, cannot be read ({why}). Restore it: another "
            "draw, beside what was published of the first, would tell more"
        ) from None
