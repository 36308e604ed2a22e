"""Families of recipes: a method and a model with one free parameter, which sets how private the release is."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from workbench.base.errors import BadInput, safe_repr
from workbench.data.table import Table
from workbench.frontier.notation import model_and_method
from workbench.frontier.recipe import Recipe
from workbench.methods import Method
from workbench.methods.mondrian.mondrian import Mondrian
from workbench.methods.raking.raked_buckets import RakedBuckets
from workbench.models import Model
from workbench.models.beta_likeness import BetaLikeness
from workbench.models.k_anonymity import KAnonymity
from workbench.models.probabilistic_l_diversity import ProbabilisticLDiversity
from workbench.models.t_closeness import TCloseness

OPEN = 10  # times the default, for a parameter without an upper bound
SMALLEST = 1 / 500  # of the largest value, if the minimum is 0
FACTORS = 20  # the ratio of the ends above which positions are logarithmic
DIGITS = 6  # of parameters in recipes
SMALL, LARGEST = 10, 10_000  # records: range of the tried minimum sizes of buckets, which double
NEARBY = 2**0.5  # factor between neighboring sizes that are tried around the best one


@dataclass(frozen=True)
class Family:
    """Recipes that differ in the parameter that the model's figure is named after (k, l, t, ...).

    A position from 0 (most private) to 1 selects the recipe. `also_requires` is a second model that the release must
    satisfy.
    """

    method: Method
    model: Model
    table: Table
    also_requires: Model | None = None
    seed: int = 0

    def __str__(self) -> str:
        more = "" if self.also_requires is None else f" & {self.also_requires}"
        return f"{self.model.line}{more} ({self.method})"

    @cached_property
    def ends(self) -> tuple[float, float]:
        """The parameter of the most private recipe, and of the least private one."""
        declared, default = self.model.number(self.model.figure), getattr(self.model, self.model.figure)
        low, high = declared.bounds(self.table)
        top = OPEN * default if high is None else high
        bottom = low if low else top * SMALLEST
        return (top, bottom) if self.model.at_least else (bottom, top)

    def value(self, position: float) -> float:
        """Return the parameter at a position, with as many digits as recipes are written with."""
        first, last = self.ends
        if max(first, last) > FACTORS * min(first, last):
            found = math.exp(math.log(first) + position * math.log(last / first))
        else:
            found = first + position * (last - first)
        whole = self.model.number_type(self.model.figure) is int
        return round(found) if whole else float(f"{found:.{DIGITS}g}")

    def variants(self) -> Iterator[Family]:
        """Yield the family with other minimum sizes of buckets, if its method has this setting."""
        if not isinstance(self.method, RakedBuckets):
            return
        now, largest = self.method.smallest, min(self.table.records // 4, LARGEST)
        sizes = _doubled(SMALL, largest) if now is None else [round(now / NEARBY), round(now * NEARBY)]
        for size in sizes:
            if 1 <= size <= largest:
                yield replace(self, method=replace(self.method, smallest=size))

    def recipe(self, position: float) -> Recipe:
        """Return the recipe at a position."""
        model = type(self.model)(**{**self.model.settings(), self.model.figure: self.value(position)})
        return Recipe(self.method, model if self.also_requires is None else model & self.also_requires, self.seed)


def default_families(table: Table, seed: int = 0) -> list[Family]:
    """Return the families that a search tries by default, the most promising first."""
    wide, gains = Mondrian(), [Mondrian("information_gain", name, "binary") for name in table.sensitive]
    bucketized, *gain_buckets = (replace(one, publish="bucketized") for one in (wide, *gains))
    close, mixed = TCloseness(distance="js"), ProbabilisticLDiversity()
    tried: list[tuple[Method, Model]] = [
        *((method, close) for method in (RakedBuckets(), RakedBuckets(publish="dealt"))),
        *((method, close) for method in (*gain_buckets, bucketized, *gains, wide)),
        *((bucketized, model) for model in (mixed, BetaLikeness(), KAnonymity())),
        *((wide, model) for model in (KAnonymity(), mixed)),
    ]
    return [Family(method, model, table, seed=seed) for method, model in tried]


def families_from_recipes(table: Table, given: Iterable[str | Recipe], seed: int = 0) -> Iterator[Family]:
    """Yield a family for each recipe, whose parameter becomes free; recipes may be written in the notation of
    `str(recipe)`.
    """
    for one in [given] if isinstance(given, (str, Recipe)) else given:
        model, method = model_and_method(one) if isinstance(one, str) else _parts(one)
        if model is None or method is None or len(model.parts) != 1:
            joined = ", but several joined ones" if model is not None and len(model.parts) > 1 else ""
            raise BadInput(
                f"families: {safe_repr(one)} is not a method and a single model{joined}; write 'k-anonymity (mondrian)'"
            )
        if model.figure not in model.parameters():
            raise BadInput(f"families: {model.name} has no parameter that sets how private a release is")
        yield Family(method, model, table, seed=seed)


def _doubled(first: int, last: int) -> Iterator[int]:
    while first <= last:
        yield first
        first *= 2


def _parts(recipe: object) -> tuple[Model | None, Method | None]:
    return (recipe.model, recipe.method) if isinstance(recipe, Recipe) else (None, None)
