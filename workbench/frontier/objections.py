"""Objections to recommending a candidate, assessed when its release is computed, and stored.

They depend on the study's threshold and on the names of its columns and records, which a point does not.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence

from workbench.base.errors import Undefined
from workbench.base.figures import figures_next_to
from workbench.base.package import Sources
from workbench.base.parameters import canonical
from workbench.data.table import Table
from workbench.disclosure.recommendable import reasons_not_to_recommend
from workbench.frontier.recipe import Recipe
from workbench.frontier.store import Store
from workbench.measures import Measure
from workbench.releases.base import Release

ENDING = ".against"
SOURCES = Sources("disclosure", "frontier/objections.py")


def assess_objections(
    table: Table, recipe: Recipe, release: Callable[[], Release], smallest: int, store: Store | None, key: str
) -> tuple[str, ...]:
    """Return the objections to a recipe's release, from the store if they were assessed before.

    Parameters
    ----------
    release
        Returns the release; called only if the objections are not stored.
    smallest
        The study's threshold for numbers of people.
    key
        Key of the point in the store.
    """
    if recipe.baseline:
        return ()
    if store is None:
        return tuple(reasons_not_to_recommend(release(), smallest, recipe.model))
    wording = table.wording
    about = [key, smallest, dict(wording.titles), wording.one, wording.many, SOURCES.digest]
    path = store.folder / f"{store.keyed(canonical(about).encode())}{ENDING}"
    kept = store.unsealed(path) if path.exists() else None
    if kept is not None:
        return tuple(json.loads(kept))
    found = tuple(reasons_not_to_recommend(release(), smallest, recipe.model))
    if store.writable:
        content = json.dumps(found, ensure_ascii=False).encode()
        store.put_file(path, store.sealed(path, content), instead=True)
    return found


def reasons_against(recipe: Recipe, release: Release, smallest: int) -> list[str]:
    """Return why a release is not recommended, whatever the caps."""
    if recipe.baseline:
        return ["it is a baseline, a reference that is never recommended"]
    return reasons_not_to_recommend(release, smallest, recipe.model)


def exceeded_caps(
    release: Release, measures: Sequence[Measure], caps: Mapping[str, float], values: Mapping[str, float]
) -> list[str]:
    """Return sentences about the caps that a release violates; figures that are not in `values` are measured."""
    found = []
    for measure in (one for one in measures if one.key in caps):
        key, cap, sign = measure.key, caps[measure.key], -1 if measure.better == "higher" else 1
        try:
            value = values[key] if key in values else float(measure(release).value)
        except Undefined as why:
            found.append(f"its {key}, which has a cap, is undefined ({why})")
            continue
        if sign * value > sign * cap:
            bound = "below the floor" if sign < 0 else "above the cap"
            found.append(f"its {key} is {figures_next_to(value, cap)}, {bound} of {cap:g}")
    return found
