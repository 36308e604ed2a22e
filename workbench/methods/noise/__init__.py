"""Methods that change the values of each record at random, by a draw of the operating system."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import partial
from typing import ClassVar

import numpy as np

from workbench.base.errors import BadInput, Unsatisfiable
from workbench.base.figures import join_names
from workbench.base.variants import canonical
from workbench.data.table import Table
from workbench.methods import ALONE, Method, Spent
from workbench.models import Model
from workbench.releases.perturbed import Perturbed
from workbench.releases.responses import Drawn, Response

AS_THEY_ARE = f"every other column is published unchanged, and is not protected; {ALONE}"


class RecordNoise(Method):
    """The seed has no part in the draw: whoever guessed it would undo the noise."""

    keeps_models = False
    draws = True
    numbers: ClassVar[bool] = False  # whether it changes numbers, whatever the level that models see

    def refuse(self, table: Table, model: Model | None) -> None:
        """Raise where there are no records to change, or a model is asked for."""
        if model is not None:
            raise Unsatisfiable(f"{self.name} makes no classes, so it cannot keep {model.name}: leave the model out")
        table.engine.require_memory(f"{self.name} changes records one by one")

    def release(self, table: Table, model: Model | None, seed: int) -> Perturbed:
        return self.of(table, {name: self.drawn(table, name) for name in self.changed(table)})

    def of(self, table: Table, drawn: Mapping[str, Drawn]) -> Perturbed:
        """The release of what was drawn."""
        return Perturbed(table, drawn, self.promise(table, {name: one.response for name, one in drawn.items()}))

    def drawn(self, table: Table, name: str) -> Drawn:
        """What is released of a column, drawn anew."""
        response = self.response(table, name)
        return Drawn.of(response, self.draw(table, name, response))

    def draw_of(self, name: str) -> str:
        """What names a column's draw: what is called alike, of the same values, is one and the same draw."""
        return canonical({"column": name, **self.settings_of(name)})

    def spends(self, table: Table) -> dict[str, Spent]:
        return {
            name: Spent(self.draw_of(name), "epsilon", partial(self._epsilon, table, name), self.epsilon_is_told)
            for name in self.changed(table)
        }

    def _epsilon(self, table: Table, name: str) -> float:
        """What a column's draw spends of each record, at most: what it is set to, which is never less than what OpenDP
        counts, or what its matrix of chances amounts to."""
        budget = self.settings_of(name).get("epsilon")
        if isinstance(budget, float):
            return budget
        return table.remember(("epsilon", self.draw_of(name)), lambda: self.response(table, name).epsilon)

    @property
    def epsilon_is_told(self) -> bool:
        """Whether who has the file and its codebook knows epsilon anyway, so that pages may say it."""
        return True

    @abstractmethod
    def changed(self, table: Table) -> tuple[str, ...]:
        """The columns that are changed; BadInput where they cannot be."""

    @abstractmethod
    def settings_of(self, name: str) -> dict[str, object]:
        """What decides, with a column's values, how it is changed: what was drawn by the same is not drawn again."""

    @abstractmethod
    def response(self, table: Table, name: str) -> Response:
        """How a column is changed."""

    @abstractmethod
    def draw(self, table: Table, name: str, response: Response) -> np.ndarray:
        """What is released of a column, record by record."""

    @abstractmethod
    def promise(self, table: Table, responses: Mapping[str, Response]) -> str:
        """What the release promises by itself, as part of a sentence."""


def unprotected(table: Table, changed: Sequence[str]) -> str:
    """Which columns it says nothing about, those first by which people are found."""
    gone = [name for name in (*table.quasi, *table.sensitive, *table.neutral) if name not in changed]
    if not gone:
        return f"no column is published unchanged; {ALONE}"
    return f"published unchanged, and not protected: {join_names(gone)}; {ALONE}"


def refuse_roles(table: Table, names: Sequence[str], what: str) -> None:
    """Raise BadInput for a column that is not published."""
    for name in names:
        if name not in (*table.quasi, *table.sensitive, *table.neutral):
            raise BadInput(f"{what}: {name!r} is not published, so there is nothing to change; choose another column")
