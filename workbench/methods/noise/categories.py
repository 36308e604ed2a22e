"""Columns whose values are drawn by a transition matrix: the choice of columns, the draw, and its epsilon."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from workbench.base.errors import BadInput
from workbench.base.figures import format_guarantee, format_number, join_names
from workbench.base.randomness import draw_columns, exact_chances
from workbench.base.small_counts import SMALLEST
from workbench.data.published import published_values
from workbench.data.sensitive import MANY_VALUES
from workbench.data.table import Table
from workbench.methods.noise import refuse_roles
from workbench.releases.responses import Categorical, Response


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
