"""A recipe says how a release is made; a point is a recipe and its measured losses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import product
from numbers import Integral
from typing import TYPE_CHECKING, Any

from workbench.base.errors import BadInput, said
from workbench.data.table import Table
from workbench.frontier.draws import released
from workbench.methods import Method
from workbench.models import Model
from workbench.releases.base import Release

if TYPE_CHECKING:
    from workbench.frontier.store import Store


@dataclass(frozen=True)
class Recipe:
    """Method, model, parameters and seed: enough to make the same release again."""

    method: Method
    model: Model | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        for given, kind in ((self.method, Method), (self.model, Model | None), (self.seed, Integral)):
            if not isinstance(given, kind) or isinstance(given, bool):
                raise BadInput(
                    f"recipe: {said(given)} does not fit; write, for example, Recipe(Mondrian(), KAnonymity(5), seed=0)"
                )
        object.__setattr__(self, "seed", int(self.seed))  # one spelling, for keys

    def release(self, table: Table, store: Store | None = None) -> Release:
        """The release of this recipe; one that is drawn at random is drawn once, and kept in the store."""
        if self.method.draws:
            return released(self, table, store)
        return self.method(table, self.model, self.seed)

    @property
    def baseline(self) -> bool:
        """Drawn as a reference, never recommended."""
        return self.method.baseline

    @property
    def guarantee(self) -> str:
        """What its method promises by itself."""
        return self.method.guarantee

    @property
    def line(self) -> str:
        """The curve it belongs to: method and model without the model's numbers, noise without its own."""
        if self.model is not None:
            return f"{self.model.line} ({self.method})"
        return self.method.line if self.method.draws else str(self.method)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for keys and files."""
        model = None if self.model is None else self.model.to_dict()
        return {"method": self.method.to_dict(), "model": model, "seed": self.seed}

    def __str__(self) -> str:
        return str(self.method) if self.model is None else f"{self.model} ({self.method})"


@dataclass(frozen=True)
class Point:
    """Measured values by measure key; what could not be measured has a reason instead."""

    recipe: Recipe
    values: Mapping[str, float]
    reasons: Mapping[str, str] = field(default_factory=dict)
    sentences: Mapping[str, str] = field(default_factory=dict)
    key: str = ""  # where the store keeps it
    against: tuple[str, ...] = ()  # what speaks against recommending it, where that was looked at
    intervals: Mapping[str, tuple[float, float]] = field(default_factory=dict)  # of values that are estimated
    left_out: int = 0  # records that the release leaves out


def recipes(method: Method, model: type[Model] | None = None, *, seed: int = 0, **axes: Any) -> list[Recipe]:
    """One recipe a combination: `recipes(Mondrian(), KAnonymity, k=[10, 100])`; a single value stands for itself.

    Joined models are written out: `[Recipe(Mondrian(), KAnonymity(5) & TCloseness(t)) for t in (0.1, 0.2)]`.
    """
    if not isinstance(method, Method):
        raise BadInput(f"recipes: {said(method)} is not a method; write recipes(Mondrian(), KAnonymity, k=[10, 100])")
    if model is None:
        if axes:
            raise BadInput(f"recipes: {', '.join(axes)} came without a model; name the model they belong to")
        return [Recipe(method, None, seed)]
    if not isinstance(model, type):
        shown = str(model) if isinstance(model, Model) else said(model)
        raise BadInput(
            f"recipes: {shown} is not a class of models; give one and its ranges, as KAnonymity, k=[10, 100], "
            "or write [Recipe(method, model), ...]"
        )
    unknown = sorted(set(axes) - set(model.parameters()))
    if unknown:
        raise BadInput(f"{model.name} has no parameter {', '.join(unknown)}; it has {', '.join(model.parameters())}")
    ranges = [[v] if isinstance(v, str) or not isinstance(v, Iterable) else list(v) for v in axes.values()]
    return [Recipe(method, model(**dict(zip(axes, chosen, strict=True))), seed) for chosen in product(*ranges)]
