"""Methods, models, measures and miners as plain data, and recipes in which a parameter may be a list of values.

If a parameter names columns, a list of names is one value, and a list of lists several values.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from itertools import product
from operator import and_
from typing import Any

from workbench.base.errors import BadInput, prefix_path, safe_repr
from workbench.base.parameters import Number, Parameter
from workbench.base.variants import Variant, catalog, from_dict
from workbench.frontier.recipe import Recipe
from workbench.measures import Measure
from workbench.methods import Method
from workbench.miners import Miner
from workbench.models import Model

UNDECLARED = Parameter(help="")
MOST = 10_000  # releases of a recipe with lists
KINDS: dict[str, tuple[str, type[Variant]]] = {
    "method": ("workbench.methods", Method),
    "model": ("workbench.models", Model),
    "measure": ("workbench.measures", Measure),
    "miner": ("workbench.miners", Miner),
}


def variants(kind: str) -> dict[str, type[Variant]]:
    """Return the available methods, models, measures or miners, by name."""
    return catalog(*KINDS[kind])


def variant(kind: str, given: Mapping[str, Any]) -> Any:
    """Return the method, model, measure or miner that plain data describe."""
    return _create(kind, variants(kind), given)


def _create(kind: str, available: dict[str, type[Variant]], given: Mapping[str, Any]) -> Any:
    if not isinstance(given, Mapping):
        raise BadInput(f"study: a {kind} must be a mapping such as {{name: ...}}, not {safe_repr(given)}")
    return from_dict(kind, available, dict(given))


def expand_recipe(ranges: Mapping[str, Any], seed: int = 0) -> list[Recipe]:
    """Return one recipe per combination of the parameters that are lists."""
    if not isinstance(ranges, Mapping) or set(ranges) - {"method", "model"} or "method" not in ranges:
        raise BadInput("study: a recipe has a method and, if it has one, a model: {method: {...}, model: {...}}")
    with prefix_path("method"):
        methods = combinations("method", ranges["method"])
    models = [combinations("model", one) for one in models_of(ranges)]
    if len(methods) * reduce(lambda n, one: n * len(one), models, 1) > MOST:
        raise BadInput(f"study: a recipe expands to more than {MOST:,} releases; give fewer values")
    return [
        Recipe(method, reduce(and_, chosen) if chosen else None, seed)
        for method in methods
        for chosen in product(*models)
    ]


def models_of(ranges: Mapping[str, Any]) -> list[Any]:
    """Return the models that a recipe combines."""
    models = ranges.get("model") or []
    return list(models) if isinstance(models, (list, tuple)) else [models]


def ranges_from_recipe(recipe: Recipe) -> dict[str, Any]:
    """Return a single recipe in the form of a study."""

    def plain_settings(given: Variant) -> dict[str, Any]:
        return {k: list(v) if isinstance(v, tuple) else v for k, v in given.to_dict().items()}

    parts = [plain_settings(part) for part in recipe.model.parts] if recipe.model else []
    return {
        "method": plain_settings(recipe.method),
        **({"model": parts[0] if len(parts) == 1 else parts} if parts else {}),
    }


def combinations(kind: str, given: Any) -> list[Any]:
    """Return one method or model per combination of the parameters that are lists."""
    if not isinstance(given, Mapping):
        raise BadInput(f"study: a {kind} must be a mapping such as {{name: ...}}, not {safe_repr(given)}")
    if count_combinations(kind, given) > MOST:
        raise BadInput(f"study: a recipe expands to more than {MOST:,} releases; give fewer values")
    available, chosen = variants(kind), product(*axes(kind, given))
    return [
        _create(kind, available, reduce(lambda one, more: {**one, **more}, values, dict(given))) for values in chosen
    ]


def count_combinations(kind: str, given: Mapping[str, Any]) -> int:
    """Count the combinations of the parameters that are lists."""
    return reduce(lambda n, values: n * len(values), axes(kind, given), 1)


def axes(kind: str, given: Mapping[str, Any]) -> list[list[dict[str, Any]]]:
    """Return the alternatives of each list; two weights that count relative to each other vary together."""
    lists, found = listed_settings(kind, given), list[list[dict[str, Any]]]()
    for name, values in lists.items():
        if not values:
            raise BadInput(f"study: {given.get('name')}: {name} has no values; give at least one")
    declared = variants(kind)[given["name"]].parameters() if lists else {}
    numbers = {name: one for name, one in declared.items() if isinstance(one, Number)}
    pairs = {one.against: name for name, one in numbers.items() if one.against in lists and name in lists}
    for name, values in lists.items():
        if name in pairs:
            first, second = values, lists[pairs[name]]
            if len(first) != len(second):
                raise BadInput(
                    f"study: {given['name']}: {name} and {pairs[name]} are paired weights; give equally many of each"
                )
            found.append([{name: a, pairs[name]: b} for a, b in zip(first, second, strict=True)])
        elif name not in pairs.values():
            found.append([{name: value} for value in values])
    return found


def listed_settings(kind: str, given: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Return the settings of a method or model that are lists of values."""
    name = given.get("name")
    chosen = variants(kind).get(name) if isinstance(name, str) else None
    declared = chosen.parameters() if chosen else {}
    return {key: value for key, value in given.items() if declared.get(key, UNDECLARED).is_list(value)}
