"""Recipes, which define a release, and points: recipes with their measured losses.

In a study a recipe is plain data, and a parameter may be a list of values. If a parameter names columns, a list of
names is one value, and a list of lists several values.

As text a recipe is `k-anonymity, k=10 & t-closeness, t=0.2, distance=js (mondrian)`: each variant is its name and its
settings, separated by commas; omitted settings have their defaults. Models are joined with `&`; a method follows in
brackets, or is written alone. `str()` of a recipe, model or method can be parsed again, with numbers to six digits.
Case and spaces do not matter except in column names.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import product
from numbers import Integral
from operator import and_, or_
from typing import TYPE_CHECKING, Any

from workbench.base.column_text import parse_names
from workbench.base.convergence import Fit
from workbench.base.errors import BadInput, prefix_path, safe_repr, suggest
from workbench.base.parameters import Choice, Column, Columns, Number, Parameter, WorkloadChoice, canonical
from workbench.base.variants import Variant, catalog, from_dict
from workbench.data.table import Table
from workbench.disclosure.recommendable import LEAST
from workbench.frontier.draws import draw_release
from workbench.measures import Measure
from workbench.methods import Method
from workbench.miners import Miner
from workbench.models import Model
from workbench.releases.base import Release

if TYPE_CHECKING:
    from workbench.frontier.store import Store


UNDECLARED = Parameter(help="")
MOST = 10_000  # releases of a recipe with lists
KINDS: dict[str, tuple[str, type[Variant]]] = {
    "method": ("workbench.methods", Method),
    "model": ("workbench.models", Model),
    "measure": ("workbench.measures", Measure),
    "miner": ("workbench.miners", Miner),
}


@dataclass(frozen=True)
class Recipe:
    """Method, model, parameters and seed: enough to compute the same release again.

    Parameters
    ----------
    method
        The method, such as `Mondrian()`.
    model
        The privacy model, or several joined with `&`; None for baselines and noise.
    seed
        Seed of the method's search.

    Examples
    --------
    >>> from workbench import Recipe, methods, models
    >>> str(Recipe(methods.Mondrian(), models.KAnonymity(10)))
    'k-anonymity, k = 10 (mondrian)'
    """

    method: Method
    model: Model | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        for given, kind in ((self.method, Method), (self.model, Model | None), (self.seed, Integral)):
            if not isinstance(given, kind) or isinstance(given, bool):
                raise BadInput(
                    f"recipe: {safe_repr(given)} is not a valid argument; write, for example, Recipe(Mondrian(), "
                    f"KAnonymity(5), seed=0)"
                )
        object.__setattr__(self, "seed", int(self.seed))  # equal seeds must yield equal keys

    def release(self, table: Table, store: Store | None = None) -> Release:
        """Compute the release; a random release is drawn once and stored."""
        if self.method.draws:
            return draw_release(self, table, store)
        return self.method(table, self.model, self.seed)

    @property
    def baseline(self) -> bool:
        """True for a reference, which is never recommended."""
        return self.method.baseline

    @property
    def guarantee(self) -> str:
        """The privacy guarantee of its method."""
        return self.method.guarantee

    @property
    def small_classes(self) -> str:
        """The reason why very small classes are possible, as a clause; empty if the recipe sets a minimum size."""
        sized = hasattr(self.method, "smallest")  # by the method itself
        if self.baseline or self.model is None or self.model.min_class_size >= LEAST or sized:
            return ""
        return f"classes of fewer than {LEAST} records are possible: its model allows them"

    @property
    def line(self) -> str:
        """The name of its curve: method and model without the model's numbers, noise without its own."""
        if self.model is not None:
            return f"{self.model.line} ({self.method})"
        return self.method.line if self.method.draws else str(self.method)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, for keys and files."""
        model = None if self.model is None else self.model.to_dict()
        return {"method": self.method.to_dict(), "model": model, "seed": self.seed}

    @property
    def identity(self) -> str:
        """A key that is equal for recipes that a sweep computes once: baselines are not random, so their seeds are
        ignored.
        """
        about = self.to_dict()
        return canonical({**about, "seed": 0} if self.baseline else about)

    def __str__(self) -> str:
        return str(self.method) if self.model is None else f"{self.model} ({self.method})"


@dataclass(frozen=True)
class Point:
    """The measured values of a recipe, by measure key; undefined ones have a reason instead.

    Examples
    --------
    >>> from workbench import Point, Recipe, methods
    >>> Point(Recipe(methods.Keep()), {"P_loss": 0.4}).values["P_loss"]
    0.4
    """

    recipe: Recipe
    values: Mapping[str, float]
    reasons: Mapping[str, str] = field(default_factory=dict)
    sentences: Mapping[str, str] = field(default_factory=dict)
    key: str = ""  # in the store
    against: tuple[str, ...] = ()  # objections to recommending it, by the study's threshold
    intervals: Mapping[str, tuple[float, float]] = field(default_factory=dict)  # of estimated values
    left_out: int = 0  # number of suppressed records
    fits: Mapping[str, Sequence[Fit]] = field(default_factory=dict)  # by measure or "release"
    failures: Mapping[str, str] = field(default_factory=dict)  # types of unexpected exceptions, by measure


def recipes(method: Method, model: type[Model] | None = None, *, seed: int = 0, **axes: Any) -> list[Recipe]:
    """Return one recipe per combination of parameters; a single value is used in all of them.

    Write joined models explicitly: `[Recipe(Mondrian(), KAnonymity(5) & TCloseness(t)) for t in (0.1, 0.2)]`.

    Parameters
    ----------
    method
        The method of all recipes.
    model
        The class of the model; None for baselines and noise.
    seed
        Seed of the method's search.
    **axes
        Values of the model's parameters.

    Examples
    --------
    >>> from workbench import methods, models, recipes
    >>> [str(one) for one in recipes(methods.Mondrian(), models.KAnonymity, k=[10, 100])]
    ['k-anonymity, k = 10 (mondrian)', 'k-anonymity, k = 100 (mondrian)']
    """
    if not isinstance(method, Method):
        raise BadInput(
            f"recipes: {safe_repr(method)} is not a method; write recipes(Mondrian(), KAnonymity, k=[10, 100])"
        )
    if model is None:
        if axes:
            raise BadInput(f"recipes: {', '.join(axes)}: parameters need a model; name the model that they belong to")
        return [Recipe(method, None, seed)]
    if not isinstance(model, type):
        shown = str(model) if isinstance(model, Model) else safe_repr(model)
        raise BadInput(
            f"recipes: {shown} is not a class of models; pass one with its ranges, as KAnonymity, k=[10, 100], "
            "or write [Recipe(method, model), ...]"
        )
    unknown = sorted(set(axes) - set(model.parameters()))
    if unknown:
        raise BadInput(f"{model.name} has no parameter {', '.join(unknown)}; it has {', '.join(model.parameters())}")
    ranges = [[v] if isinstance(v, str) or not isinstance(v, Iterable) else list(v) for v in axes.values()]
    return [Recipe(method, model(**dict(zip(axes, chosen, strict=True))), seed) for chosen in product(*ranges)]


def variants(kind: str) -> dict[str, type[Variant]]:
    """Return the available methods, models, measures or miners, by name."""
    return catalog(*KINDS[kind])


def variant(kind: str, given: Mapping[str, Any]) -> Any:
    """Return the method, model, measure or miner that plain data describe."""
    _refuse_other_than_mapping(kind, given)
    return from_dict(kind, variants(kind), dict(given))


def _refuse_other_than_mapping(kind: str, given: object) -> None:
    if not isinstance(given, Mapping):
        raise BadInput(f"study: a {kind} must be a mapping such as {{name: ...}}, not {safe_repr(given)}")


def expand_recipe(ranges: Mapping[str, Any], seed: int = 0) -> list[Recipe]:
    """Return one recipe per combination of the parameters that are lists."""
    if not isinstance(ranges, Mapping) or set(ranges) - {"method", "model"} or "method" not in ranges:
        raise BadInput("study: a recipe has a method and, if it has one, a model: {method: {...}, model: {...}}")
    with prefix_path("method"):
        methods = combinations("method", ranges["method"])
    models = [combinations("model", one) for one in models_of(ranges)]
    if len(methods) * reduce(lambda n, one: n * len(one), models, 1) > MOST:
        raise BadInput(f"study: a recipe expands to more than {MOST:,} releases; use fewer values")
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
    _refuse_other_than_mapping(kind, given)
    if count_combinations(kind, given) > MOST:
        raise BadInput(f"study: a recipe expands to more than {MOST:,} releases; use fewer values")
    available, chosen = variants(kind), product(*alternatives(kind, given))
    return [from_dict(kind, available, reduce(or_, values, dict(given))) for values in chosen]


def count_combinations(kind: str, given: Mapping[str, Any]) -> int:
    """Count the combinations of the parameters that are lists."""
    return reduce(lambda n, values: n * len(values), alternatives(kind, given), 1)


def alternatives(kind: str, given: Mapping[str, Any]) -> list[list[dict[str, Any]]]:
    """Return the alternatives of each list; two weights that count relative to each other vary together."""
    lists, found = listed_settings(kind, given), list[list[dict[str, Any]]]()
    for name, values in lists.items():
        if not values:
            raise BadInput(f"study: {given.get('name')}: {name} has no values; add at least one")
    declared = variants(kind)[given["name"]].parameters() if lists else {}
    numbers = {name: one for name, one in declared.items() if isinstance(one, Number)}
    pairs = {one.against: name for name, one in numbers.items() if one.against in lists and name in lists}
    for name, values in lists.items():
        if name in pairs:
            first, second = values, lists[pairs[name]]
            if len(first) != len(second):
                raise BadInput(
                    f"study: {given['name']}: {name} and {pairs[name]} are paired weights; list equally many of each"
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


def parse_model(text: str) -> Model:
    """Parse a model, or several joined with `&`."""
    parsed, other = parse_recipe(text)
    if parsed is None or other is not None:
        raise BadInput(f"{safe_repr(text)} names a method; for a model write, for example, 'k-anonymity, k=10'")
    return parsed


def parse_method(text: str) -> Method:
    """Parse a method."""
    return _parse_variant("method", text)


def parse_recipe(text: str) -> tuple[Model | None, Method | None]:
    """Parse a recipe into its model and method, each None if omitted."""
    methods = variants("method")
    if _name_at_start(methods, text) is not None:
        return None, parse_method(text)
    known = "|".join(map(re.escape, methods))
    in_brackets = re.search(rf"\s\(\s*((?:{known})\s*(?:,.*)?)\)\s*$", text, re.IGNORECASE | re.DOTALL)
    in_brackets = in_brackets or re.search(r"\s\(([^()]*)\)\s*$", text)  # a method that doesn't exist
    models = text[: in_brackets.start() if in_brackets else None].split("&")
    parts = [_parse_variant("model", one) for one in models]
    return reduce(and_, parts), parse_method(in_brackets[1]) if in_brackets else None


def _name_at_start(available: Iterable[str], text: str) -> str | None:
    """Return the longest name of a variant that the text begins with."""
    begun = text.strip().casefold()
    fitting = [name for name in available if re.match(rf"{re.escape(name.casefold())}(?![\w-])", begun)]
    return max(fitting, key=len, default=None)


def _parse_variant(kind: str, text: str) -> Any:
    """Parse one variant with its settings."""
    available = variants(kind)
    name = _name_at_start(available, text)
    if name is None:
        wanted = re.split(r"[,\s]*\w+\s*=", text)[0].strip(" ,")
        raise BadInput(f"no {kind} is called {safe_repr(wanted)}; {suggest(wanted.casefold(), sorted(available))}")
    chosen, rest = available[name], text.strip()[len(name) :]
    parameters = chosen.parameters()
    first, *found = re.split(rf"(?:^[,:\s]*|,\s*)({'|'.join(parameters) or '(?!)'})\s*=\s*", rest)
    if first.strip(" ,:"):
        wanted = first.partition("=")[0].strip(" ,:")
        hint = suggest(wanted, parameters) if parameters else "it has none"
        raise BadInput(f"{name} has no parameter {safe_repr(wanted)}; {hint}")
    names, values = found[::2], found[1::2]
    twice = next((one for one in names if names.count(one) > 1), None)
    if twice is not None:
        raise BadInput(f"{name}: {twice} occurs twice; remove one")
    return chosen(**{one: _parse_value(chosen, one, value.strip()) for one, value in zip(names, values, strict=True)})


def _parse_value(kind: type[Variant], name: str, text: str) -> Any:
    """Parse the value of a parameter; text that cannot be parsed is returned unchanged, for the variant to report."""
    declared = kind.parameters()[name]
    if isinstance(declared, Choice):
        return next((choice for choice in declared.choices if str(choice).casefold() == text.casefold()), text)
    if isinstance(declared, Column):
        return text
    if isinstance(declared, Columns):
        return parse_names(text)
    if isinstance(declared, WorkloadChoice) and text[:1] in ("[", "{"):
        return _parse_queries(text)
    if isinstance(declared, Number):
        if text.casefold() == "none" and declared.default is None:
            return None
        try:
            return float(text)
        except ValueError:
            return text
    return text


def _parse_queries(text: str) -> Any:
    """Parse a workload that is written as JSON."""
    try:
        return json.loads(text)
    except ValueError:
        raise BadInput(
            f"{safe_repr(text)} is not a workload; name a workload of the study, or write one as JSON"
        ) from None
