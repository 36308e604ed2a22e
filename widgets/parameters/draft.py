"""A method, model or measure that is being edited, with a list of values for each parameter, and errors."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from widgets.parameters import bounds, columns, miners, ranges, shares
from workbench.base.errors import BadInput
from workbench.base.parameters import (
    RANDOM,
    Choice,
    Column,
    ColumnBounds,
    Columns,
    Miners,
    Number,
    Plain,
    WorkloadChoice,
)
from workbench.base.variants import Variant
from workbench.data.table import Table

NONE = "none"


@dataclass
class Draft:
    """`values` are the last valid values of each parameter; `wrong` are invalid texts with their errors."""

    kind: type[Variant]
    values: dict[str, list[Any]]
    wrong: dict[str, tuple[str, str]] = field(default_factory=dict)

    @classmethod
    def from_settings(cls, kind: type[Variant], given: Mapping[str, Any] | None = None) -> Draft:
        """Create a draft from the plain data of a study; missing parameters have their defaults."""
        settings = {**{name: ranges.default(kind, name) for name in kind.parameters()}, **dict(given or {})}
        settings.pop("name", None)
        lists = {name: one if kind.parameters()[name].is_list(one) else [one] for name, one in settings.items()}
        for name, against in shares.halves(kind).items():  # pairs of weights have lists of equal length
            longest = max(len(lists[name]), len(lists[against]))
            for one in (name, against):
                lists[one] = lists[one] * longest if len(lists[one]) == 1 else lists[one]
        return cls(kind, {name: [tuple(v) if isinstance(v, list) else v for v in lists[name]] for name in lists})

    @classmethod
    def proposed(cls, kind: type[Variant], table: Table | None) -> Draft:
        """Create a draft with several values for the main parameter of a model."""
        found = cls.from_settings(kind)
        figure = getattr(kind, "figure", None)
        if figure in kind.parameters() and ranges.is_number(kind, figure):
            found.values[figure] = ranges.proposed(kind, figure, table)
        return found

    def to_dict(self) -> dict[str, Any]:
        """Convert to the plain data of a study: numbers, and settings that differ from the defaults."""
        settings: dict[str, Any] = {"name": self.kind.name}
        for name, values in self.values.items():
            written = ranges.is_number(self.kind, name) and not self.kind.parameters()[name].optional
            if written or values != [ranges.default(self.kind, name)]:
                plain = [list(value) if isinstance(value, tuple) else value for value in values]
                settings[name] = plain[0] if len(plain) == 1 else plain
        return settings

    @property
    def count(self) -> int:
        """The number of variants."""
        within = shares.halves(self.kind)
        return math.prod(len(values) for name, values in self.values.items() if name not in within)

    def type(self, name: str, text: str, table: Table | None) -> None:
        """Parse typed values; if they are invalid, raise BadInput and keep the last valid values."""
        self._require_parameter(name)
        try:
            found = self._read(name, text, table)
        except BadInput as error:
            self.wrong[name] = (text, str(error))
            raise
        self.wrong.pop(name, None)
        self.values |= _turned([shares.settings(self.kind, name, value) for value in found])

    def _read(self, name: str, text: str, table: Table | None) -> list[Any]:
        """Parse numbers, columns or miners."""
        if isinstance(self.kind.parameters()[name], Columns):
            return columns.values(text, self.kind, name, table)
        if isinstance(self.kind.parameters()[name], ColumnBounds):
            return bounds.values(text, self.kind, name, table)
        if isinstance(self.kind.parameters()[name], Miners):
            return miners.values(text, self.kind, name)
        return ranges.values(text, self.kind, name, table)

    def _written(self, name: str) -> str:
        """Format the values of a parameter with a text field."""
        if isinstance(self.kind.parameters()[name], Columns):
            return columns.written(self.values[name])
        if isinstance(self.kind.parameters()[name], ColumnBounds):
            return bounds.written(self.values[name])
        if isinstance(self.kind.parameters()[name], Miners):
            return miners.written(self.values[name])
        return ranges.written(self._numbers(name), self.kind, name)

    def _numbers(self, name: str) -> list[Any]:
        """Return the numbers of a parameter; shares for a pair of weights."""
        against = self.kind.number(name).against
        if against is None:
            return self.values[name]
        return list(map(shares.share, self.values[name], self.values[against]))

    def choose(self, name: str, places: Sequence[Any], table: Table | None) -> None:
        """Set the options at these positions."""
        self._require_parameter(name)
        if self._typed(name):
            raise BadInput(f"{name} has a text field; type a value")
        options = self.options(name, table)
        found = [options[i] for i in places if isinstance(i, int) and 0 <= i < len(options)]
        if not found:
            raise BadInput(f"{name}: choose at least one")
        self.wrong.pop(name, None)
        self.values[name] = found

    def options(self, name: str, table: Table | None) -> list[Any]:
        """Return the options of a parameter (choices, columns or workloads), with its present value."""
        declared = self.kind.parameters()[name]
        if isinstance(declared, Column):
            known: list[Any] = [None, *(table.names if table else ())]
        elif isinstance(declared, WorkloadChoice):
            none = [None] if ranges.default(self.kind, name) is None else []
            known = [*none, RANDOM, *(table.settings.workloads if table else ())]
        else:
            known = list(declared.choices) if isinstance(declared, Choice) else []
        return known + [value for value in self.values[name] if value not in known]

    def recheck(self, table: Table | None) -> None:
        """Check all values for another table, and show errors at their fields."""
        for name, values in self.values.items():
            typed = self.wrong[name][0] if name in self.wrong else None
            if self._typed(name):
                try:
                    self._read(name, typed or self._written(name), table)
                    self.wrong.pop(name, None)
                except BadInput as error:
                    self.wrong[name] = (typed or self._written(name), str(error))
            elif self._names(name):
                self.wrong.pop(name, None)
                for value in values:
                    self._check_named(name, value, table)

    def _names(self, name: str) -> bool:
        """Return whether the options of a parameter come from the table."""
        return isinstance(self.kind.parameters()[name], Column | WorkloadChoice)

    def _check_named(self, name: str, value: Any, table: Table | None) -> None:
        try:
            self.kind.check_value(name, value, table)
        except BadInput as error:
            self.wrong[name] = ("", str(error).removeprefix(f"{self.kind.name}: "))

    def _typed(self, name: str) -> bool:
        """Return whether a parameter has a text field."""
        return isinstance(self.kind.parameters()[name], Number | Columns | ColumnBounds | Miners)

    def _require_parameter(self, name: str) -> None:
        if name not in self.values:
            raise BadInput(f"{self.kind.name} has no parameter {name!r}")

    def view(self, table: Table | None) -> dict[str, Any]:
        """Return the content of the view: name, summary, and a field for each parameter."""
        names = [name for name in self.kind.parameters() if name not in shares.halves(self.kind)]
        fields = [shown for name in names if (shown := self._field(name, table))]
        return {"name": self.kind.name, "about": self.kind.describe(), "count": self.count, "fields": fields}

    def _field(self, name: str, table: Table | None) -> dict[str, Any] | None:
        declared, values = self.kind.parameters()[name], self.values[name]
        text, problem = self.wrong.get(name, ("", ""))
        common = {"name": name, "help": declared.help, "problem": problem, "optional": declared.optional}
        if isinstance(declared, ColumnBounds):
            shown, options = text if name in self.wrong else self._written(name), list(table.names if table else ())
            return {**common, "type": "columns", "text": shown, "options": options, "listed": bounds.LISTED}
        if isinstance(declared, Columns | Miners):
            shown = text if name in self.wrong else self._written(name)
            if isinstance(declared, Miners):
                return {
                    **common,
                    "type": "columns",
                    "text": shown,
                    "options": miners.options(),
                    "listed": miners.LISTED,
                }
            return {**common, "type": "columns", "text": shown, "options": list(table.names if table else ())}
        if isinstance(declared, Number):
            values = self._numbers(name)
            end = ranges.ends(self.kind, name, table, max((one for one in values if one is not None), default=None))
            shown = text if name in self.wrong else ranges.written(values, self.kind, name)
            numbers = {**common, "type": "numbers", "text": shown, "values": values, **end._asdict()}
            return {**numbers, **_between(name, declared.against)}
        if not isinstance(declared, Choice) and not self._names(name):
            return None  # neither a number nor a choice: only a study's file can set it
        options = self.options(name, table)
        places = [options.index(value) for value in values]
        shown_as = "column" if isinstance(declared, Column) else "choice"
        words = [str(value) if self._names(name) and isinstance(value, str) else label(value) for value in options]
        return {**common, "type": shown_as, "options": words, "chosen": places}


def _turned(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Transpose a list of mappings to a mapping of lists."""
    return {name: [row[name] for row in rows] for name in rows[0]}


def _between(name: str, against: str | None) -> dict[str, Any]:
    """Return the names of a pair of weights, and the help of their common number."""
    if against is None:
        return {}
    help = f"the share of {name}; the rest is {against}: 0 is only {against}, 1 is only {name}"
    return {"between": [against, name], "help": help}


def label(value: Any) -> str:
    """Format an option."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Plain):
        return "own queries"
    return NONE if value is None else str(value).replace("_", " ")
