"""How long the releases of a sweep take, said before they are made."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from workbench.base.errors import BadInput, Unsatisfiable
from workbench.base.progress import step
from workbench.data.table import Table
from workbench.frontier.recipe import Recipe
from workbench.frontier.store import Store
from workbench.measures import Measure


def seconds(table: Table, recipes: Iterable[Recipe], measures: Sequence[Measure], store: Store | None = None) -> float:
    """About how long a processor makes the releases that may take long and are not in the store; what measures take
    comes on top.

    Of recipes on one curve the first and the last are asked, and the others take as long as these on average.
    """
    curves: dict[str, list[Recipe]] = {}
    for recipe in recipes:
        if store is None or not (store.folder / store.key(table, recipe, measures)).exists():
            curves.setdefault(recipe.line, []).append(recipe)
    found = 0.0
    for curve in curves.values():
        asked = curve[:1] if len(curve) == 1 else [curve[0], curve[-1]]
        found += len(curve) * sum(_seconds(table, recipe) for recipe in asked) / len(asked)
    return found


def _seconds(table: Table, recipe: Recipe) -> float:
    step()
    try:
        return recipe.method.seconds(table, recipe.model, recipe.seed)
    except (BadInput, Unsatisfiable):  # there is no release; its point will say why
        return 0.0
