"""Strands: the points of a line that differ in one number only, and so form a curve."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from workbench.base.parameters import canonical
from workbench.frontier.recipe import Recipe

if TYPE_CHECKING:
    from workbench.frontier.frontier import Frontier


@lru_cache(maxsize=8)
def strands(frontier: Frontier) -> list[str]:
    """Return the strand of each point; if several numbers vary, the one with the most values varies along the curve."""
    lines: dict[str, list[tuple[int, dict[str, float]]]] = {}
    for i, point in enumerate(frontier.measured):
        lines.setdefault(point.recipe.line, []).append((i, _numbers(point.recipe)))
    found = [""] * len(frontier.measured)
    for name, points in lines.items():
        values: dict[str, set[float]] = {}
        for _, numbers in points:
            for key, value in numbers.items():
                values.setdefault(key, set()).add(value)
        runs = max(values, key=lambda key: len(values[key]))
        for i, numbers in points:
            found[i] = f"{name} {canonical({key: value for key, value in numbers.items() if key != runs})}"
    return found


def _numbers(recipe: Recipe) -> dict[str, float]:
    """Return the numbers of the models, or of the noise, and the seed."""
    found: dict[str, float] = {}
    for place, one in enumerate(recipe.model.parts if recipe.model else [recipe.method][: recipe.method.draws]):
        numbers = {name: value for name, value in one.settings().items() if type(value) in (int, float)}
        found |= {f"{place}.{name}": value for name, value in numbers.items()}
    return {**found, "seed": recipe.seed}
