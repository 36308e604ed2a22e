"""Columns whose values are drawn by a matrix of chances: which they are, the draw, and the epsilon it amounts to."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from workbench.base.errors import BadInput
from workbench.base.figures import join_names
from workbench.base.randomness import drawn, exact_chances
from workbench.data.sensitive import MANY_VALUES
from workbench.data.table import Table
from workbench.methods.noise import refuse_roles
from workbench.releases.responses import Categorical, Response


def columns_of(table: Table, asked: Sequence[str] | None, method: str) -> tuple[str, ...]:
    """The columns that are asked for, or the sensitive ones; each with values enough and not too many."""
    names = tuple(asked or table.sensitive)
    if not names:
        raise BadInput(f"{method}: there is no sensitive column; name the columns whose values are drawn")
    refuse_roles(table, names, method)
    for name in names:
        size = len(prior(table, name))
        if not 2 <= size <= MANY_VALUES:
            raise BadInput(
                f"{method}: {name!r} has {size:,} {'value' if size == 1 else 'values'}, and needs 2 to "
                f"{MANY_VALUES:,}; choose another column, or laplace for numbers"
            )
    return names


def prior(table: Table, name: str) -> np.ndarray:
    """The distribution of a column's published values in the whole table; a missing value is one of them."""
    if name in table.sensitive:
        return table.sensitive[name].prior
    return table.columns[name].totals / table.records


def numbered(chances: np.ndarray, words: str, listed: bool = False) -> Categorical:
    """With chances that are drawn exactly as they are said."""
    return Categorical(exact_chances(chances), words, listed)


def released(table: Table, name: str, response: Response) -> np.ndarray:
    """One value a record, drawn by the operating system."""
    assert isinstance(response, Categorical)
    codes = table.sensitive_codes(name) if name in table.sensitive else table.codes[name]
    return drawn(response.chances, codes)


def epsilon_of(responses: Mapping[str, Response]) -> str:
    """The epsilons of columns, added up, in words."""
    parts = {name: one.epsilon for name, one in responses.items()}
    total = math.fsum(parts.values())
    if math.isinf(total):
        return "no epsilon, since some value is never released of another"
    each = f" ({join_names([f'{name} {one:.3f}' for name, one in parts.items()])})" if len(parts) > 1 else ""
    return f"epsilon = {total:.3f}{each}"
