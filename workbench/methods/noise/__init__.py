"""Methods that change the values of each record at random, with draws from the operating system."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import partial
from typing import ClassVar

import numpy as np

from workbench.base.errors import BadInput, Unsatisfiable
from workbench.base.figures import format_guarantee, format_number, join_names
from workbench.base.parameters import canonical
from workbench.base.randomness import draw_columns, exact_chances
from workbench.data.published import published_values
from workbench.data.sensitive import MANY_VALUES
from workbench.data.table import Table
from workbench.methods import ALONE, Method, Spent
from workbench.models import Model
from workbench.redaction.controlled_rounding import SMALLEST
from workbench.releases.base import About
from workbench.releases.perturbed import Perturbed
from workbench.releases.responses import Categorical, Drawn, Response

AS_THEY_ARE = f"every other column is published unchanged, and is not protected; {ALONE}"


class RecordNoise(Method):
    """Base class of the methods that add noise. The draw does not use the seed: an attacker who guesses it could undo
    the noise."""

    supports_models = False
    draws = True
    numbers: ClassVar[bool] = False  # whether it changes numbers, whatever level models use

    def refuse(self, table: Table, model: Model | None) -> None:
        """Raise if there are no records or columns to change, or a model is requested."""
        if model is not None:
            raise Unsatisfiable(f"{self.name} makes no classes, so it cannot satisfy {model.name}: remove the model")
        table.engine.require_memory(f"{self.name} changes records one by one")
        self.changed(table)

    def release(self, table: Table, model: Model | None, seed: int) -> Perturbed:
        return self.release_draws(table, {name: self.drawn(table, name) for name in self.changed(table)})

    def release_draws(self, table: Table, drawn: Mapping[str, Drawn]) -> Perturbed:
        """Return the release of these draws."""
        promise = self.promise(table, {name: one.response for name, one in drawn.items()})
        return Perturbed(table, drawn, About(promise))

    def drawn(self, table: Table, name: str) -> Drawn:
        """Draw new released values of a column."""
        response = self.response(table, name)
        return Drawn.from_released(response, self.draw(table, name, response))

    def draw_of(self, name: str) -> str:
        """Return the name of a column's draw: the same name on the same values is the same draw."""
        return canonical({"column": name, **self.settings_of(name)})

    def spent_budgets(self, table: Table) -> dict[str, Spent]:
        return {
            name: Spent(self.draw_of(name), "epsilon", partial(self._epsilon, table, name), self.is_epsilon_public)
            for name in self.changed(table)
        }

    def _epsilon(self, table: Table, name: str) -> float:
        """Return an upper bound on the epsilon that a column's draw spends of each record.

        This is the budget that is set, which is never below what OpenDP counts, or the epsilon of the transition
        matrix.
        """
        budget = self.settings_of(name).get("epsilon")
        if isinstance(budget, float):
            return budget
        return table.remember(("epsilon", self.draw_of(name)), lambda: self.response(table, name).epsilon)

    @property
    def is_epsilon_public(self) -> bool:
        """True if the file and its codebook reveal epsilon anyway, so that pages may show it."""
        return True

    @abstractmethod
    def changed(self, table: Table) -> tuple[str, ...]:
        """Return the columns that are changed; raise BadInput if they cannot be."""

    @abstractmethod
    def settings_of(self, name: str) -> dict[str, object]:
        """Return the settings that decide, with a column's values, how it is changed; equal settings share a draw."""

    @abstractmethod
    def response(self, table: Table, name: str) -> Response:
        """Return the mechanism that changes a column."""

    @abstractmethod
    def draw(self, table: Table, name: str, response: Response) -> np.ndarray:
        """Return the released values of a column, record by record."""

    @abstractmethod
    def promise(self, table: Table, responses: Mapping[str, Response]) -> str:
        """Return the guarantee of the release, as part of a sentence."""


def unprotected(table: Table, changed: Sequence[str]) -> str:
    """Name the columns that the guarantee does not cover, quasi-identifiers first."""
    unchanged = [name for name in (*table.quasi, *table.sensitive, *table.neutral) if name not in changed]
    if not unchanged:
        return f"no column is published unchanged; {ALONE}"
    return f"published unchanged, and not protected: {join_names(unchanged)}; {ALONE}"


def refuse_roles(table: Table, names: Sequence[str], what: str) -> None:
    """Raise BadInput for a column that is not published."""
    for name in names:
        if name not in (*table.quasi, *table.sensitive, *table.neutral):
            raise BadInput(f"{what}: {name!r} is not published, so there is nothing to change; choose another column")


# Columns whose values are drawn by a transition matrix: the choice of columns, the draw, and its epsilon.


def columns_of(table: Table, requested: Sequence[str] | None, method: str) -> tuple[str, ...]:
    """Return the named columns, or the sensitive ones; raise BadInput unless each has a suitable number of values."""
    names = tuple(requested or table.sensitive)
    if not names:
        raise BadInput(f"{method}: there is no sensitive column; choose the columns whose values are drawn")
    refuse_roles(table, names, method)
    for name in names:
        size = len(prior(table, name))
        if not 2 <= size <= MANY_VALUES:
            raise BadInput(
                f"{method}: {name!r} has {size:,} {'value' if size == 1 else 'values'}; it needs 2 to "
                f"{MANY_VALUES:,}. Choose another column, or laplace for numbers"
            )
    return names


def prior(table: Table, name: str) -> np.ndarray:
    """Return the distribution of a column's published values in the whole table, including missing values."""
    if name in table.sensitive:
        return table.sensitive[name].prior
    return table.columns[name].totals / table.records


def published_counts(table: Table, name: str) -> tuple[np.ndarray, int]:
    """Return the counts of a column's published values as pages show them, and the threshold of their rounding."""
    threshold = table.settings.rounding.threshold or SMALLEST
    return published_values(table, name, threshold), threshold


def numbered(
    chances: np.ndarray, words: str, listed: bool = False, keep: float | None = None, others: str = ""
) -> Categorical:
    """Return the mechanism, with probabilities that are drawn exactly as stated."""
    return Categorical(exact_chances(chances), words, listed, keep, others)


def released(table: Table, name: str, response: Response) -> np.ndarray:
    """Return one value per record, drawn by the operating system."""
    assert isinstance(response, Categorical)
    codes = table.model_view.codes[name] if name in table.sensitive else table.codes[name]
    return draw_columns(response.chances, codes)


def epsilon_of(responses: Mapping[str, Response]) -> str:
    """Return the sum of the columns' epsilons as text."""
    parts = {name: one.epsilon for name, one in responses.items()}
    total = math.fsum(parts.values())
    if math.isinf(total):
        return "no epsilon, since some value is never released for another one"
    several = join_names([f"{name} {format_number(one, 'lower')}" for name, one in parts.items()])
    return f"epsilon {format_guarantee(total)}{f' ({several})' if len(parts) > 1 else ''}"
