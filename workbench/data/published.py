"""What is published about a table: its counts, and the regions of its quasi-identifiers."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, cast, get_args

import numpy as np

from workbench.base.errors import BadInput, Unsatisfiable, prefix_path, safe_repr, suggest
from workbench.base.result_cache import ResultCache
from workbench.data.column import Column, Regions
from workbench.data.population import OF_VALUES
from workbench.data.settings import level_range, require_columns

if TYPE_CHECKING:
    from workbench.data.table import Table


def published_total(table: Table, threshold: int) -> int:
    """Return the published number of records."""
    return table.settings.rounding.total(table.records, threshold)


def published_values(table: Table, name: str, threshold: int) -> np.ndarray:
    """Return the published number of records of each value; a sensitive column is counted at its model level."""
    if name in table.sensitive:
        return table.sensitive[name].published(threshold)
    column = table.columns[name]
    return table.settings.rounding.counts(name, column.value_labels(), column.totals, threshold)


def rounded_by(table: Table, secret: bytes) -> Table:
    """Return the table with published counts that are rounded by a secret."""
    settings = replace(table.settings, rounding=table.settings.rounding.with_secret(secret))
    return replace(table, settings=settings, remember=ResultCache())


# How generalized releases publish each quasi-identifier: as hierarchy nodes, or as ranges with allowed ends.

THRESHOLD = 10  # minimum number of records that share the end of a range
REGIONS: tuple[Regions, ...] = get_args(Regions)


def columns_with_regions(columns: Mapping[str, Column], chosen: Mapping[str, str], threshold: int) -> dict[str, Column]:
    """Return the columns with the chosen regions; the default is nodes for text with a hierarchy, else ranges."""
    with prefix_path("regions"):
        require_columns(list(chosen), list(columns))
    for name, regions in chosen.items():
        if regions not in REGIONS:
            with prefix_path("regions", name):
                raise BadInput(f"regions of {name}: {safe_repr(regions)} is unknown; {suggest(str(regions), REGIONS)}")
    found = {}
    for name, column in columns.items():
        chosen_regions = cast(Regions, chosen.get(name, default_regions(column)))
        found[name] = replace(column, regions=chosen_regions, threshold=threshold)
    return found


def default_regions(column: Column) -> Regions:
    """Return the default regions of a column; text without a hierarchy is published as ranges."""
    return "nodes" if column.kind == "text" else "ranges"


def require_levels(columns: Mapping[str, Column], chosen: Mapping[str, str]) -> None:
    """Raise BadInput if a column without a hierarchy should be published as nodes."""
    for name, regions in chosen.items():
        if name in columns and regions == "nodes" and not columns[name].has_levels:
            with prefix_path("regions", name):
                raise BadInput(f"regions of {name}: nodes need a hierarchy; add one, or choose ranges")


def published_runs(
    table: Table, low: np.ndarray, high: np.ndarray, but: Collection[str] = ()
) -> tuple[np.ndarray, np.ndarray]:
    """Return the published regions of classes that contain these runs of codes (classes x quasi-identifiers).

    Columns in `but` remain unchanged.
    """
    columns = [table.columns[name] for name in table.quasi]
    if all(column.regions == "exact" for column in columns):
        return low, high
    low, high = low.copy(), high.copy()
    for a, column in enumerate(columns):
        if column.name in but:
            continue
        if column.shows_nodes:
            low[:, a], high[:, a] = enclosing_nodes(column, low[:, a], high[:, a], level_range(table, column.name))
        elif column.ends is not None:
            low[:, a], high[:, a] = column.ends.outward(low[:, a], high[:, a])
    return low, high


def published_levels(table: Table, classes: int) -> np.ndarray:
    """Return the lowest level of published nodes, classes x quasi-identifiers; OF_VALUES for ranges."""
    columns = [table.columns[name] for name in table.quasi]
    levels = [level_range(table, one.name)[0] if one.shows_nodes else OF_VALUES for one in columns]
    return np.tile(np.array(levels, np.int64), (classes, 1))


def enclosing_nodes(
    column: Column, low: np.ndarray, high: np.ndarray, levels: tuple[int, int]
) -> tuple[np.ndarray, np.ndarray]:
    """Return the nodes that contain runs of codes, at the lowest allowed level at which a single node does."""
    first, last, wanted = low.copy(), high.copy(), np.ones(len(low), bool)
    for node in column.released_at[levels[0] : levels[1] + 1]:
        inside = wanted & (node[low] == node[high])
        first[inside] = np.searchsorted(node, node[low[inside]])
        last[inside] = np.searchsorted(node, node[low[inside]], side="right") - 1
        wanted &= ~inside
    if wanted.any():
        raise Unsatisfiable(
            f"{int(wanted.sum()):,} of {len(low):,} classes contain several nodes of {column.name!r} at the highest "
            "allowed level; allow higher levels, or use a method that starts there: Mondrian with recode = levels"
        )
    return first, last
