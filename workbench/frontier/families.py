"""Families of recipes: a method and a model, of which one parameter says how private the release is."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from workbench.base.errors import BadInput, said
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

OPEN = 10  # times the default, where nothing says how large a parameter may be
SMALLEST = 1 / 500  # of the largest, where the least is 0
FACTORS = 20  # of ends farther apart than so many times positions are logarithmic
DIGITS = 6  # that recipes are written with


@dataclass(frozen=True)
class Family:
    """Recipes that differ in the parameter of the model that its figure is called after (k, l, t, ...).

    A position from 0, the most private, to 1 says which. `beside` is a model that holds as well.
    """

    method: Method
    model: Model
    table: Table
    beside: Model | None = None
    seed: int = 0

    def __str__(self) -> str:
        more = "" if self.beside is None else f" & {self.beside}"
        return f"{self.model.line}{more} ({self.method})"

    @cached_property
    def ends(self) -> tuple[float, float]:
        """The parameter where the release is most private, and where it is least."""
        declared, default = self.model.parameters()[self.model.figure], getattr(self.model, self.model.figure)
        low, high = declared.bounds(self.table)
        top = OPEN * default if high is None else high
        bottom = low if low else top * SMALLEST
        return (top, bottom) if self.model.at_least else (bottom, top)

    def value(self, position: float) -> float:
        """The parameter at a position, in as many digits as recipes are written with."""
        first, last = self.ends
        if max(first, last) > FACTORS * min(first, last):
            found = math.exp(math.log(first) + position * math.log(last / first))
        else:
            found = first + position * (last - first)
        whole = self.model.number_type(self.model.figure) is int
        return round(found) if whole else float(f"{found:.{DIGITS}g}")

    def recipe(self, position: float) -> Recipe:
        """The recipe at a position."""
        model = type(self.model)(**{**self.model.settings(), self.model.figure: self.value(position)})
        return Recipe(self.method, model if self.beside is None else model & self.beside, self.seed)


def proposed(table: Table, seed: int = 0) -> list[Family]:
    """Those that are tried where nothing else is said, the promising ones first."""
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


def asked(table: Table, given: Iterable[str | Recipe], seed: int = 0) -> Iterator[Family]:
    """A family for each recipe, whose parameter is then free; recipes may be written as they are printed."""
    for one in [given] if isinstance(given, (str, Recipe)) else given:
        model, method = model_and_method(one) if isinstance(one, str) else _parts(one)
        if model is None or method is None or len(model.parts) != 1:
            joined = ", and this one is joined" if model is not None and len(model.parts) > 1 else ""
            raise BadInput(
                f"families: {said(one)} is not one model and a method{joined}; write 'k-anonymity (mondrian)'"
            )
        if model.figure not in model.parameters():
            raise BadInput(f"families: {model.name} has no parameter that says how private a release is")
        yield Family(method, model, table, seed=seed)


def _parts(recipe: object) -> tuple[Model | None, Method | None]:
    return (recipe.model, recipe.method) if isinstance(recipe, Recipe) else (None, None)
