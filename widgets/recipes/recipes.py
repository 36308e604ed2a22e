"""The methods, models, parameter ranges, measures, axes and seed of a study.

Everything is generated from the catalog and the declared parameters, so a new variant needs no code here.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import traitlets

from widgets.base.inputs import table_from_input
from widgets.base.part import Part, read_integer, script, styles
from widgets.parameters.draft import Draft
from widgets.parameters.ranges import values
from widgets.recipes.options import compatible_options
from widgets.recipes.rows import Group, Row, grouped, in_place, is_baseline, lacking, measure_rows, usual
from workbench.base.errors import BadInput, safe_repr
from workbench.base.figures import join_names
from workbench.base.parameters import Plain, canonical
from workbench.base.variants import catalog
from workbench.data.table import Table
from workbench.frontier.frontier import SIDES
from workbench.frontier.recipe import count_combinations, listed_settings
from workbench.measures import Measure
from workbench.methods import Method
from workbench.models import Model
from workbench.studies.study import MOST, expand_recipe, variant

LARGEST_SEED = 2**32 - 1


class RecipePicker(Part):
    """`recipes` and `measures` as in a study; `axes` are the keys of the two measures on the chart.

    With only a table it starts with default recipes. Errors are shown at their fields; traits keep their last
    valid values.
    """

    _esm = script("recipes/recipes")
    _css = styles("recipes/recipes")
    table = traitlets.Instance(Table, allow_none=True)
    recipes: traitlets.List = traitlets.List().tag(sync=True)
    measures: traitlets.List = traitlets.List(help="not synced, since conditions on weights quote values")
    axes: traitlets.List = traitlets.List().tag(sync=True)
    seed = traitlets.Int(0).tag(sync=True)

    def __init__(self, table: Any = None, **traits: Any) -> None:
        table = table_from_input(table)
        self._own = False  # the traits are being changed by this widget
        self._groups: list[Group] = []
        self._baselines: list[tuple[int, dict[str, Any]]] = []  # with their positions among the recipes
        self._measures: list[Row] = []
        self._seed_text = ""
        if table is not None and not {"recipes", "measures", "axes"} & set(traits):
            traits |= usual(table)
        super().__init__(table=table, **traits)
        self._read()
        self.observe(self._changed, ["table", "recipes", "measures", "axes", "seed"])

    @traitlets.validate("recipes")
    def _declared(self, proposal: Mapping[str, Any]) -> list[Any]:
        found = [dict(ranges) if isinstance(ranges, Mapping) else ranges for ranges in proposal["value"]]
        for ranges in found:
            expand_recipe(ranges)
        return found

    @traitlets.validate("measures")
    def _measured(self, proposal: Mapping[str, Any]) -> list[Any]:
        found = [one.to_dict() if isinstance(one, Measure) else dict(one) for one in proposal["value"]]
        for one in found:
            variant("measure", one)
        return found

    # --- from the traits to the draft

    def _changed(self, event: Mapping[str, Any]) -> None:
        if self._own:
            return
        if event["name"] == "table":
            for group in self._groups:
                group.propose(event["old"], self.table)
            for chosen in self._all():
                chosen.recheck(self.table)
        else:
            self._read()
        self.show()

    def _read(self) -> None:
        """Read the traits, and add all other models, switched off."""
        self._baselines = [(i, one) for i, one in enumerate(self.recipes) if is_baseline(one)]
        self._groups = grouped(self.recipes, self._groups, self.table)
        self._measures = measure_rows(self.measures, self._measures)
        for chosen in self._all():
            chosen.recheck(self.table)

    def _all(self) -> Iterator[Draft]:
        for group in self._groups:
            yield group.method
            for row in group.rows:
                yield from row.parts
        for row in self._measures:
            yield from row.parts

    # --- requests of the view

    def receive_try(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Preview typed values without using them."""
        chosen, name = self._field(content)
        found: list[Any] = []
        try:
            found = values(str(content.get("text", "")), chosen.kind, name, self.table)
        finally:
            self.send_message("tried", field=content.get("field"), values=found)

    def receive_values(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Set typed numbers or columns."""
        chosen, name = self._field(content)
        self._settle(lambda: chosen.type(name, str(content.get("text", "")), self.table))

    def receive_choices(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Set chosen options."""
        chosen, name = self._field(content)
        self._settle(lambda: chosen.choose(name, _listed(content.get("places")), self.table))

    def receive_switch(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Switch a model or measure on or off."""
        row = self._row(content)
        self._settle(lambda: setattr(row, "on", bool(content.get("on"))))

    def receive_join(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Join a model to a row with "and"."""
        row, kind = self._group(content)[1], _lookup(self._models(), content.get("model"))
        self._settle(lambda: row.parts.append(Draft.from_settings(kind)))

    def receive_part(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Remove a joined model from its row."""
        row = self._group(content)[1]
        place = read_integer(content, "part", 1, len(row.parts) - 1, "there is no such joined model; reload the page")
        self._settle(lambda: row.parts.pop(place))

    def receive_again(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Add another row with the same model, to join it with others."""
        group, row = self._group(content)
        copy = Row([Draft.from_settings(part.kind, part.to_dict()) for part in row.parts[:1]], True, place=row.place)
        self._settle(lambda: group.rows.insert(group.rows.index(row) + 1, copy))

    def receive_remove(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Remove a duplicate row of a model."""
        group, row = self._group(content)
        if sum(other.kind is row.kind for other in group.rows) > 1:
            self._settle(lambda: group.rows.remove(row))

    def receive_method(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Change the method of a group, or add a group."""
        kind, place = _lookup(self._methods(), content.get("name")), content.get("group")
        if place is None:
            new = Group(Draft.from_settings(kind), [])
            new.fill(self.table)
            new.rows[-1].on = not new.supports_models
            self._settle(lambda: self._groups.append(new))
        else:
            self._settle(lambda: _item(self._groups, place).turn_to(Draft.from_settings(kind), self.table))

    def receive_without(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Remove a group, unless it is the only one."""
        group = _item(self._groups, content.get("group"))
        if len(self._groups) > 1:
            self._settle(lambda: self._groups.remove(group))

    def receive_axis(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Set the measure of an axis."""
        side, key = str(content.get("side")), str(content.get("key"))
        if side not in SIDES or key not in self._keys(side):
            raise BadInput(f"no measure of {safe_repr(side)} is called {safe_repr(key)}; tick it first")
        self._take(axes=[key if side == one else now for one, now in zip(SIDES, self._axes(), strict=True)])

    def receive_seed(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Set the seed of the search."""
        text = str(content.get("text", "")).strip()
        if not text.isdecimal() or len(text) > len(str(LARGEST_SEED)) or int(text) > LARGEST_SEED:
            raise BadInput(f"seed: {safe_repr(text)} is not a whole number from 0 to {LARGEST_SEED:,}")
        self._take(seed=int(text))

    # --- from the draft to the traits

    def _settle(self, change: Callable[[], object]) -> None:
        """Change the draft; the traits follow as far as it is valid."""
        try:
            change()
        finally:
            recipes = self._ranges()
            if _count(recipes) <= MOST:
                measures = self._measure_dicts()
                self._take(recipes=recipes, measures=measures, axes=self._axes(measures))
            self.show()
        count = _count(recipes)
        if count > MOST:
            raise BadInput(
                f"{count:,} releases are more than {MOST:,}; use fewer values. The last valid choice remains."
            )

    def _take(self, **traits: Any) -> None:
        """Set the traits together, without reading them back."""
        self._own = True
        try:
            with self.hold_trait_notifications():
                for name, value in traits.items():
                    if canonical(value) != canonical(getattr(self, name)):
                        setattr(self, name, value)
        finally:
            self._own = False
        if any(canonical(getattr(self, name)) != canonical(value) for name, value in traits.items()):
            self._read()  # an observer has reset them

    def _ranges(self) -> list[dict[str, Any]]:
        """Return the selected rows as in a study; invalid rows keep their last valid state."""
        rows = [(group, row) for group in self._groups for row in group.rows]
        places = [row.place for _, row in rows if row.place is not None] + [place for place, _ in self._baselines]
        found: list[tuple[int, dict[str, Any]]] = list(self._baselines)
        methods = {group: compatible_options(group.method)[0] for group in self._groups}
        for group, row in rows:
            if row.on:
                row.settle(methods[group])
                if row.place is None:
                    row.place = max(places, default=-1) + 1
                    places.append(row.place)
                found += [(row.place, ranges) for ranges in row.good]
        unique: dict[str, dict[str, Any]] = {}
        for _, ranges in sorted(found, key=lambda one: one[0]):  # in the order of choice
            unique.setdefault(canonical(ranges), ranges)
        return list(unique.values())

    def _measure_dicts(self) -> list[dict[str, Any]]:
        """Return an entry for each combination of parameters; the last valid measures if a side has none."""
        found: dict[str, dict[str, Any]] = {}
        for row in self._measures:
            if row.on:
                found |= {variant("measure", one).key: one for one in _combinations(row.parts[0].to_dict())}
        there = {variant("measure", one).side for one in found.values()}
        if there != set(SIDES):
            return list(self.measures)
        return in_place(found, self.measures)

    def _keys(self, side: str, measures: Sequence[Mapping[str, Any]] | None = None) -> dict[str, str]:
        """Return the key and name of the measures of a side."""
        chosen = [variant("measure", one) for one in (self.measures if measures is None else measures)]
        return {one.key: one.name for one in chosen if one.side == side}

    def _axes(self, measures: Sequence[Mapping[str, Any]] | None = None) -> list[str]:
        """Return the chosen axes if they are still measured, otherwise the first measure of each side."""
        keys = [self._keys(side, measures) for side in SIDES]
        chosen = [next((key for key in self.axes if key in there), next(iter(there), "")) for there in keys]
        return chosen if all(chosen) else []

    # --- content of the view

    def show(self) -> None:
        """Show the draft with its errors."""
        recipes = self._ranges()
        self.send_message(
            "draft",
            groups=[self._group_view(group) for group in self._groups],
            methods=list(self._methods()),
            models=[{"name": name, "about": kind.describe()} for name, kind in self._models().items()],
            measures=[self._measure_view(row) for row in self._measures],
            axes={side: [{"key": k, "name": name} for k, name in self._keys(side).items()] for side in SIDES},
            count=_count(recipes),
            summary=_summary(recipes),
            most=MOST,
            problems=self._problems(),
        )

    def _problems(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for g, group in enumerate(self._groups):
            found |= {f"method.{g}.{name}": why for name, why in compatible_options(group.method)[1].items()}
            for r, row in enumerate(group.rows):
                why = row.problem or lacking(row, self.table)
                if row.on and why:
                    found[f"row.{g}.{r}"] = why
        on = {row.kind.side for row in self._measures if row.on}  # type: ignore[union-attr]
        if on != set(SIDES) and (on or self.recipes):  # an empty choice is not an error yet
            missing = " and one of ".join(side for side in SIDES if side not in on)
            kept = "; until then the last valid choice remains" if self.measures else ""
            found["measures"] = f"Tick at least one measure of {missing}{kept}."
        return found

    def _group_view(self, group: Group) -> dict[str, Any]:
        return {"method": group.method.view(self.table), "rows": [self._row_view(row) for row in group.rows]}

    def _row_view(self, row: Row) -> dict[str, Any]:
        parts, note = [part.view(self.table) for part in row.parts], lacking(row, self.table)
        return {"on": row.on, "parts": parts, "count": math.prod(part.count for part in row.parts), "note": note}

    def _measure_view(self, row: Row) -> dict[str, Any]:
        kind: Any = row.kind
        return {"on": row.on, "side": kind.side, "symbol": kind.symbol, "parts": [row.parts[0].view(self.table)]}

    # --- parts of a message

    def _methods(self) -> dict[str, type[Method]]:
        return {name: kind for name, kind in catalog("workbench.methods", Method).items() if not kind.baseline}

    def _models(self) -> dict[str, type[Model]]:
        return catalog("workbench.models", Model)

    def _row(self, content: Mapping[str, Any]) -> Row:
        """Return the row of a message: `row.0.2`, or `measure.3`."""
        kind, *places = str(content.get("row", "")).split(".")
        if kind == "measure" and len(places) == 1:
            return _item(self._measures, places[0])
        if kind == "row" and len(places) == 2:
            return _item(_item(self._groups, places[0]).rows, places[1])
        raise BadInput("there is no such row; reload the page")

    def _group(self, content: Mapping[str, Any]) -> tuple[Group, Row]:
        """Return the group and row of a message about models."""
        row = self._row(content)
        for group in self._groups:
            if row in group.rows and row.parts:
                return group, row
        raise BadInput("there is no model in this row; reload the page")

    def _field(self, content: Mapping[str, Any]) -> tuple[Draft, str]:
        """Return the variant and parameter of a message: a row's part, or a group's method."""
        name = str(content.get("name", ""))
        if content.get("group") is not None:
            chosen = _item(self._groups, content["group"]).method
        else:
            chosen = _item(self._row(content).parts, content.get("part", 0))
        if name not in chosen.kind.parameters():
            raise BadInput(f"{chosen.kind.name} has no parameter {safe_repr(name)}")
        return chosen, name


def _combinations(given: Mapping[str, Any]) -> list[dict[str, Any]]:
    lists = listed_settings("measure", given)
    ranges = [lists.get(name, [value]) for name, value in given.items()]
    plain = [[one.data if isinstance(one, Plain) else one for one in values] for values in ranges]
    return [dict(zip(given, chosen, strict=True)) for chosen in product(*plain)]


def _count(recipes: Sequence[Mapping[str, Any]]) -> int:
    """Return the number of releases."""
    return sum(
        math.prod(count_combinations("model" if i else "method", one) for i, one in enumerate(_variants(ranges)))
        for ranges in recipes
    )


def _variants(ranges: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the method of a recipe, followed by its models."""
    models = ranges.get("model") or []
    return [ranges["method"], *([models] if isinstance(models, Mapping) else models)]


def _summary(recipes: Sequence[Mapping[str, Any]]) -> str:
    """Summarize the choice: 32 releases of 4 models; 3 releases of 1 model and by laplace."""
    if not recipes:
        return "no model chosen"
    models = {" and ".join(one["name"] for one in rest) for _, *rest in map(_variants, recipes) if rest}
    alone = dict.fromkeys(method["name"] for method, *rest in map(_variants, recipes) if not rest)
    kinds = [f"of {_counted(len(models), 'model')}"] * bool(models) + [f"by {join_names([*alone])}"] * bool(alone)
    return f"{_counted(_count(recipes), 'release')} {' and '.join(kinds)}"


def _counted(count: int, thing: str) -> str:
    return f"{count:,} {thing}{'' if count == 1 else 's'}"


def _lookup(found: Mapping[str, Any], name: Any) -> Any:
    if not isinstance(name, str) or name not in found:
        raise BadInput(f"nothing is called {safe_repr(name)}; choose from {', '.join(found)}")
    return found[name]


def _item(found: Sequence[Any], place: Any) -> Any:
    if not re.fullmatch(r"[0-9]{1,6}", str(place)) or int(place) >= len(found):
        raise BadInput("this row no longer exists; reload the page")
    return found[int(place)]


def _listed(given: Any) -> list[Any]:
    return list(given) if isinstance(given, (list, tuple)) else []
