"""Methods that change the values of each record at random, by a draw of the operating system."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence

import numpy as np

from workbench.base.errors import BadInput, Unsatisfiable
from workbench.base.figures import join_names
from workbench.data.table import Table
from workbench.methods import Method
from workbench.models import Model
from workbench.releases import kept_draws
from workbench.releases.base import Release
from workbench.releases.perturbed import Perturbed
from workbench.releases.responses import Drawn, Response

AS_THEY_ARE = "every other column is published unchanged, and is not protected"


class RecordNoise(Method):
    """The seed has no part in the draw: whoever guessed it would undo the noise."""

    draws = True

    def refuse(self, table: Table, model: Model | None) -> None:
        """Raise where there are no records to change, or a model is asked for."""
        if model is not None:
            raise Unsatisfiable(f"{self.name} makes no classes, so it cannot keep {model.name}: leave the model out")
        table.engine.require_memory(f"{self.name} changes records one by one")

    def release(self, table: Table, model: Model | None, seed: int) -> Perturbed:
        responses = self.responses(table)
        drawn = {name: Drawn.of(one, self.draw(table, name, one)) for name, one in responses.items()}
        return Perturbed(table, drawn, self.promise(table, responses))

    def kept(self, release: Release) -> bytes:
        assert isinstance(release, Perturbed)
        return kept_draws.written(release.drawn)

    def again(self, table: Table, kept: bytes) -> Release:
        drawn = kept_draws.read(table, kept)
        return Perturbed(table, drawn, self.promise(table, {name: one.response for name, one in drawn.items()}))

    @abstractmethod
    def responses(self, table: Table) -> dict[str, Response]:
        """How each column that is changed is changed."""

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
        return "no column is published unchanged"
    return f"published unchanged, and not protected: {join_names(gone)}"


def refuse_roles(table: Table, names: Sequence[str], what: str) -> None:
    """Raise BadInput for a column that is not published."""
    for name in names:
        if name not in (*table.quasi, *table.sensitive, *table.neutral):
            raise BadInput(f"{what}: {name!r} is not published, so there is nothing to change; choose another column")
