"""The rows of the recipe picker: those of the study, and all others of the catalog switched off."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from widgets.parameters.draft import Draft
from workbench.base.errors import BadInput
from workbench.base.parameters import canonical
from workbench.base.variants import Variant, catalog
from workbench.data.table import Table
from workbench.measures import Measure
from workbench.methods import Method, Mondrian
from workbench.models import Model
from workbench.studies.proposal import measures_for, recipes_for
from workbench.studies.study import expand_recipe, variant


@dataclass(eq=False)
class Row:
    """Joined models (none: a method that goes without), or a measure; `good` are its last recipes that could be had."""

    parts: list[Draft]
    on: bool
    good: Sequence[dict[str, Any]] = ()
    problem: str = ""
    place: int | None = None  # among the recipes, from when it was first asked for
    _asked: list[dict[str, Any]] | None = None

    def settle(self, methods: Sequence[Mapping[str, Any]]) -> None:
        """Take the row as it is, if every combination can be had; without a method it stays as it was."""
        models = [part.to_dict() for part in self.parts]
        joined = {"model": models[0] if len(models) == 1 else models} if models else {}
        asked = [{"method": method, **joined} for method in methods]
        if asked == self._asked:
            return
        self._asked = asked
        try:
            for one in asked:
                expand_recipe(one)
            self.good, self.problem = asked or self.good, ""
        except BadInput as error:
            self.problem = str(error).removeprefix("study: ")

    @property
    def kind(self) -> type[Variant] | None:
        """The model that comes first in it, or the measure."""
        return self.parts[0].kind if self.parts else None


@dataclass(eq=False)
class Group:
    """A method, and every model of the catalog under it."""

    method: Draft
    rows: list[Row]

    def fill(self, table: Table | None, before: Iterable[Row] = ()) -> None:
        """Add the missing models of the catalog, switched off, with their earlier settings."""
        models = [*catalog("workbench.models", Model).values()] if self.keeps_models else []
        kinds: list[Any] = [*models, None]
        left = list(before)
        for kind in kinds:
            if not any(row.kind is kind for row in self.rows):
                had = next((row for row in left if row.kind is kind), None)
                self.rows.append(Row(had.parts if had else [Draft.proposed(kind, table)] if kind else [], False))
        self.rows.sort(key=lambda row: kinds.index(row.kind) if row.kind in kinds else len(kinds))

    @property
    def keeps_models(self) -> bool:
        """Return whether the method satisfies models; others draw their releases at random."""
        return bool(getattr(self.method.kind, "keeps_models", True))

    def turn_to(self, method: Draft, table: Table | None) -> None:
        """Another method; the rows stay, unless it goes without models and the other does not."""
        kept, self.method = self.keeps_models, method
        if kept != self.keeps_models:
            self.rows = []
            self.fill(table)
            self.rows[-1].on = not self.keeps_models

    def propose(self, before: Table | None, table: Table | None) -> None:
        """For another table: other values for the models that nobody has touched."""
        for row in self.rows:
            kind = row.kind
            if kind is not None and not row.on and row.parts == [Draft.proposed(kind, before)]:
                row.parts = [Draft.proposed(kind, table)]


def is_baseline(ranges: Mapping[str, Any]) -> bool:
    """Return whether a recipe is a baseline, which is always measured."""
    return catalog("workbench.methods", Method)[ranges["method"]["name"]].baseline


def grouped(recipes: Sequence[Mapping[str, Any]], before: Sequence[Group], table: Table | None) -> list[Group]:
    """The recipes of a study by their method."""
    methods, models = catalog("workbench.methods", Method), catalog("workbench.models", Model)
    found: dict[str, Group] = {}
    for place, ranges in enumerate(recipes):
        if is_baseline(ranges):
            continue
        asked = ranges.get("model") or []
        parts = [Draft.of(models[one["name"]], one) for one in ([asked] if isinstance(asked, Mapping) else asked)]
        method = Draft.of(methods[ranges["method"]["name"]], ranges["method"])
        group = found.setdefault(canonical(method.to_dict()), Group(method, []))
        group.rows.append(Row(parts, True, place=place))
    if not found:
        found[""] = Group(before[0].method if before else Draft.of(Mondrian), [])
    for i, group in enumerate(found.values()):
        group.fill(table, before[i].rows if i < len(before) else ())
    return list(found.values())


def measure_rows(measures: Sequence[Mapping[str, Any]], before: Sequence[Row]) -> list[Row]:
    """One row a measure where its settings are all combinations of some values, else one a setting."""
    found: list[Row] = []
    for name, kind in catalog("workbench.measures", Measure).items():
        given = [variant("measure", one).settings() for one in measures if one["name"] == name]
        values = {p: list(dict.fromkeys(one[p] for one in given)) for p in kind.parameters()}
        together = Draft(kind, values)
        if not given:
            had = next((row for row in before if row.kind is kind), None)
            found.append(Row(had.parts if had else [Draft.of(kind)], False))
        elif together.count == len({variant("measure", one).key for one in measures if one["name"] == name}):
            found.append(Row([together], True))
        else:
            found += [Row([Draft.of(kind, one)], True) for one in given]
    return found


def in_place(found: Mapping[str, dict[str, Any]], before: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The measures chosen now, by their keys, in the order of before; a changed one stays where it was, a new one
    comes last."""
    keys = [variant("measure", one).key for one in before]
    left: dict[str, list[int]] = {}
    for place, one in enumerate(before):
        if keys[place] not in found:
            left.setdefault(one["name"], []).append(place)

    def place_of(key: str) -> int:
        if key in keys:
            return keys.index(key)
        free = left.get(found[key]["name"])
        return free.pop(0) if free else len(before)

    return [dict(before[keys.index(key)]) if key in keys else found[key] for key in sorted(found, key=place_of)]


def lacking(row: Row, table: Table | None) -> str:
    """Why no release of the table can be made by this row, and what to do; nothing if it can."""
    if table is None or table.sensitive:
        return ""
    needs = [part.kind.name for part in row.parts if getattr(part.kind, "needs_sensitive", False)]
    return (
        f"{needs[0]} needs a sensitive column, and the table has none: choose one in the step Roles." if needs else ""
    )


def usual(table: Table) -> dict[str, Any]:
    """Recipes, measures and axes to begin with, as far as this table allows them."""
    measures, axes = measures_for(table)
    return {"recipes": list(recipes_for(table)), "measures": list(measures), "axes": list(axes)}
