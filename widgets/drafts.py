"""The rows of the recipe picker: what a study asks for, and switched off beside it what else the catalog has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from widgets.chosen import Chosen
from workbench.errors import BadInput
from workbench.measures import Measure
from workbench.methods import Method
from workbench.models import Model
from workbench.parameters import Variant, canonical, catalog
from workbench.study import variant, written_out
from workbench.table import Table


@dataclass(eq=False)
class Row:
    """Joined models (none: a method that goes without), or a measure; `good` is its last recipe that could be had."""

    parts: list[Chosen]
    on: bool
    good: dict[str, Any] | None = None
    problem: str = ""
    _asked: dict[str, Any] | None = None

    def settle(self, method: Chosen) -> None:
        """Take the row as it is, if every combination can be had."""
        models = [part.to_dict() for part in self.parts]
        asked = {"method": method.to_dict()} | ({"model": models[0] if len(models) == 1 else models} if models else {})
        if asked == self._asked:
            return
        self._asked = asked
        try:
            written_out(asked)
            self.good, self.problem = asked, ""
        except BadInput as error:
            self.problem = str(error).removeprefix("study: ")

    @property
    def kind(self) -> type[Variant] | None:
        """The model that comes first in it, or the measure."""
        return self.parts[0].kind if self.parts else None


@dataclass(eq=False)
class Group:
    """A method, and every model of the catalog under it."""

    method: Chosen
    rows: list[Row]

    def fill(self, table: Table | None, before: Iterable[Row] = ()) -> None:
        """Add, switched off, the models that have no row; with what they had before. In the order of the catalog."""
        kinds: list[Any] = [*catalog("workbench.models", Model).values(), None]
        left = list(before)
        for kind in kinds:
            if not any(row.kind is kind for row in self.rows):
                had = next((row for row in left if row.kind is kind), None)
                self.rows.append(Row(had.parts if had else [Chosen.proposed(kind, table)] if kind else [], False))
        self.rows.sort(key=lambda row: kinds.index(row.kind))


def is_baseline(ranges: Mapping[str, Any]) -> bool:
    """Whether a recipe of a study is a baseline: measured anyway, and not chosen here."""
    return catalog("workbench.methods", Method)[ranges["method"]["name"]].baseline


def grouped(recipes: Sequence[Mapping[str, Any]], before: Sequence[Group], table: Table | None) -> list[Group]:
    """The recipes of a study by their method."""
    methods, models = catalog("workbench.methods", Method), catalog("workbench.models", Model)
    found: dict[str, Group] = {}
    for ranges in recipes:
        if is_baseline(ranges):
            continue
        asked = ranges.get("model") or []
        parts = [Chosen.of(models[one["name"]], one) for one in ([asked] if isinstance(asked, Mapping) else asked)]
        method = Chosen.of(methods[ranges["method"]["name"]], ranges["method"])
        group = found.setdefault(canonical(method.to_dict()), Group(method, []))
        group.rows.append(Row(parts, True))
    if not found:
        first = next(kind for kind in methods.values() if not kind.baseline)
        found[""] = Group(before[0].method if before else Chosen.of(first), [])
    for i, group in enumerate(found.values()):
        group.fill(table, before[i].rows if i < len(before) else ())
    return list(found.values())


def measure_rows(measures: Sequence[Mapping[str, Any]], before: Sequence[Row]) -> list[Row]:
    """One row a measure where its settings are all combinations of some values, else one a setting."""
    found: list[Row] = []
    for name, kind in catalog("workbench.measures", Measure).items():
        given = [variant("measure", one).settings() for one in measures if one["name"] == name]
        values = {p: list(dict.fromkeys(one[p] for one in given)) for p in kind.parameters()}
        together = Chosen(kind, values)
        if not given:
            had = next((row for row in before if row.kind is kind), None)
            found.append(Row(had.parts if had else [Chosen.of(kind)], False))
        elif together.count == len({canonical(one) for one in given}):
            found.append(Row([together], True))
        else:
            found += [Row([Chosen.of(kind, one)], True) for one in given]
    return found
