"""Find faults of recipes, methods, models and measures as plain data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from workbench.base.errors import safe_repr, suggest
from workbench.data.table import Table
from workbench.frontier.recipe import MOST, combinations, count_combinations, listed_settings, models_of, variants
from workbench.studies.faults import Fault, Faults, catch_faults, prefix_faults, unknown_keys


def recipe_faults(ranges: Any, table: Table | None = None) -> Faults:
    """Yield the faults of one recipe; with a table, also the parameters that do not fit it."""
    if not isinstance(ranges, Mapping) or "method" not in ranges:
        yield Fault((), "a recipe has a method and, if it has one, a model: {method: {...}, model: {...}}")
        return
    yield from unknown_keys("a recipe", ranges, ("method", "model"))
    count = 1
    for path, kind, spec in parts_of(ranges):
        wrong = list(variant_faults(kind, spec, several=True, table=table))
        yield from prefix_faults(iter(wrong), *path)
        if not wrong:
            count *= count_combinations(kind, spec)
    if count > MOST:
        yield Fault((), f"a recipe expands to more than {MOST:,} releases; give fewer values")


def parts_of(ranges: Mapping[str, Any]) -> Iterator[tuple[tuple[Any, ...], str, Any]]:
    """Yield the method and each model of a recipe, with the path to it."""
    yield ("method",), "method", ranges["method"]
    listed = isinstance(ranges.get("model"), list)
    for j, spec in enumerate(models_of(ranges)):
        yield ("model", j) if listed else ("model",), "model", spec


def variant_faults(kind: str, given: Any, several: bool = False, table: Table | None = None) -> Faults:
    """Yield the faults of a method, model or measure; `several`: a parameter may be a list of values."""
    if not isinstance(given, Mapping):
        yield Fault((), f"a {kind} must be a mapping such as {{name: ...}}, not {safe_repr(given)}")
        return
    available, name = variants(kind), given.get("name")
    if not isinstance(name, str) or name not in available:
        known = suggest(name, available) if isinstance(name, str) else f"there are {', '.join(available)}"
        yield Fault(
            ("name",),
            f"no {kind} is called {safe_repr(name)}; {known}" if "name" in given else f"a {kind} needs a name; {known}",
        )
        return
    wrong = [*unknown_keys(name, given, ["name", *available[name].parameters()])]
    for key, value in given.items():
        if key in available[name].parameters():
            wrong += _values(available[name], key, value, several, table)
    yield from wrong
    if not wrong:  # faults that concern several parameters jointly
        yield from catch_faults(
            lambda: [one.check(table) for one in combinations(kind, given if several else _one(kind, given))]
        )


def _one(kind: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Wrap lists, so that each counts as one value."""
    return {**given, **{key: [value] for key, value in listed_settings(kind, given).items()}}


def _values(variant: Any, key: str, value: Any, several: bool, table: Table | None) -> Faults:
    if not (several and variant.parameters()[key].is_list(value)):
        yield from catch_faults(lambda: variant.check_value(key, value, table), key)
        return
    if not value:
        yield Fault((key,), f"{variant.name}: {key} has no values; give at least one")
    for i, one in enumerate(value[: MOST + 1]):
        yield from catch_faults(lambda one=one: variant.check_value(key, one, table), key, i)  # type: ignore[misc]
