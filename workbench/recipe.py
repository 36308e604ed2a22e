"""A recipe says how a release is made; a point is a recipe and its measured losses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from workbench.errors import BadInput
from workbench.methods import Method
from workbench.models import Model
from workbench.release import Release
from workbench.table import Table


@dataclass(frozen=True)
class Recipe:
    """Method, model, parameters and seed: enough to make the same release again."""

    method: Method
    model: Model | None = None
    seed: int = 0

    def release(self, table: Table) -> Release:
        """The release of this recipe."""
        return self.method(table, self.model, self.seed)

    @property
    def baseline(self) -> bool:
        """Drawn as a reference, never recommended."""
        return self.method.baseline

    @property
    def line(self) -> str:
        """The curve it belongs to: method and model without the model's numbers."""
        return str(self.method) if self.model is None else f"{self.model.line} ({self.method})"

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


def recipes(method: Method, model: type[Model] | None = None, seed: int = 0, **axes: Any) -> list[Recipe]:
    """One recipe a combination: `recipes(Mondrian(), KAnonymity, k=[10, 100])`; a single value stands for itself."""
    if model is None:
        if axes:
            raise BadInput(
                f"parameters {', '.join(axes)} were given without a model; name the model that they belong to"
            )
        return [Recipe(method, None, seed)]
    unknown = sorted(set(axes) - set(model.parameters()))
    if unknown:
        raise BadInput(f"{model.name} has no parameter {', '.join(unknown)}; it has {', '.join(model.parameters())}")
    values: list[Sequence[Any]] = [
        list(given) if isinstance(given, Iterable) and not isinstance(given, str) else [given]
        for given in axes.values()
    ]
    return [Recipe(method, model(**dict(zip(axes, chosen, strict=True))), seed) for chosen in product(*values)]
