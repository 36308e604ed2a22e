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
    """Joined models (none for a method without models), or a measure; `good` are its last valid recipes."""

    parts: list[Draft]
    on: bool
    good: Sequence[dict[str, Any]] = ()
    problem: str = ""
    place: int | None = None  # position among the recipes, once it was switched on
    _last: list[dict[str, Any]] | None = None

    def settle(self, methods: Sequence[Mapping[str, Any]]) -> None:
        """Store the row's recipes if all combinations are valid; otherwise store the problem."""
        models = [part.to_dict() for part in self.parts]
        joined = {"model": models[0] if len(models) == 1 else models} if models else {}
        entries = [{"method": method, **joined} for method in methods]
        if entries == self._last:
            return
        self._last = entries
        try:
            for one in entries:
                expand_recipe(one)
            self.good, self.problem = entries or self.good, ""
        except BadInput as error:
            self.problem = str(error).removeprefix("study: ")

    @property
    def kind(self) -> type[Variant] | None:
        """The first model of the row, or the measure."""
        return self.parts[0].kind if self.parts else None


@dataclass(eq=False)
class Group:
    """A method with all models of the catalog."""

    method: Draft
    rows: list[Row]

    def fill(self, table: Table | None, before: Iterable[Row] = ()) -> None:
        """Add the missing models of the catalog, switched off, with their earlier settings."""
        models = [*catalog("workbench.models", Model).values()] if self.supports_models else []
        kinds: list[Any] = [*models, None]
        left = list(before)
        for kind in kinds:
            if not any(row.kind is kind for row in self.rows):
                had = next((row for row in left if row.kind is kind), None)
                self.rows.append(Row(had.parts if had else [Draft.proposed(kind, table)] if kind else [], False))
        self.rows.sort(key=lambda row: kinds.index(row.kind) if row.kind in kinds else len(kinds))

    @property
    def supports_models(self) -> bool:
        """Return whether the method satisfies models; others draw their releases at random."""
        return bool(getattr(self.method.kind, "supports_models", True))

    def turn_to(self, method: Draft, table: Table | None) -> None:
        """Change the method; the rows remain unless only one of the methods has models."""
        had_models, self.method = self.supports_models, method
        if had_models != self.supports_models:
            self.rows = []
            self.fill(table)
            self.rows[-1].on = not self.supports_models

    def propose(self, before: Table | None, table: Table | None) -> None:
        """Propose values for another table, for models that the user has not changed."""
        for row in self.rows:
            kind = row.kind
            if kind is not None and not row.on and row.parts == [Draft.proposed(kind, before)]:
                row.parts = [Draft.proposed(kind, table)]


def is_baseline(ranges: Mapping[str, Any]) -> bool:
    """Return whether a recipe is a baseline, which is always measured."""
    return catalog("workbench.methods", Method)[ranges["method"]["name"]].baseline


def grouped(recipes: Sequence[Mapping[str, Any]], before: Sequence[Group], table: Table | None) -> list[Group]:
    """Group the recipes of a study by method."""
    methods, models = catalog("workbench.methods", Method), catalog("workbench.models", Model)
    found: dict[str, Group] = {}
    for place, ranges in enumerate(recipes):
        if is_baseline(ranges):
            continue
        models_of = ranges.get("model") or []
        entries = [models_of] if isinstance(models_of, Mapping) else models_of
        parts = [Draft.from_settings(models[one["name"]], one) for one in entries]
        method = Draft.from_settings(methods[ranges["method"]["name"]], ranges["method"])
        group = found.setdefault(canonical(method.to_dict()), Group(method, []))
        group.rows.append(Row(parts, True, place=place))
    if not found:
        found[""] = Group(before[0].method if before else Draft.from_settings(Mondrian), [])
    for i, group in enumerate(found.values()):
        group.fill(table, before[i].rows if i < len(before) else ())
    return list(found.values())


def measure_rows(measures: Sequence[Mapping[str, Any]], before: Sequence[Row]) -> list[Row]:
    """Return one row per measure if its settings are all combinations of some values, otherwise one per setting."""
    found: list[Row] = []
    for name, kind in catalog("workbench.measures", Measure).items():
        given = [variant("measure", one).settings() for one in measures if one["name"] == name]
        values = {p: list(dict.fromkeys(one[p] for one in given)) for p in kind.parameters()}
        combined = Draft(kind, values)
        if not given:
            had = next((row for row in before if row.kind is kind), None)
            found.append(Row(had.parts if had else [Draft.from_settings(kind)], False))
        elif combined.count == len({variant("measure", one).key for one in measures if one["name"] == name}):
            found.append(Row([combined], True))
        else:
            found += [Row([Draft.from_settings(kind, one)], True) for one in given]
    return found


def in_place(found: Mapping[str, dict[str, Any]], before: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the chosen measures in their previous order; a changed measure keeps its position, a new one is last."""
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
    """Explain why this row fits no release of the table; empty if it does."""
    if table is None or table.sensitive:
        return ""
    needs = [part.kind.name for part in row.parts if getattr(part.kind, "needs_sensitive", False)]
    return (
        f"{needs[0]} needs a sensitive column, and the table has none: choose one in the step Roles." if needs else ""
    )


def usual(table: Table) -> dict[str, Any]:
    """Return default recipes, measures and axes for a table."""
    measures, axes = measures_for(table)
    return {"recipes": list(recipes_for(table)), "measures": list(measures), "axes": list(axes)}
