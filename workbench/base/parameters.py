"""Kinds of parameters: each declares a default, a line of help, and the allowed values."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from numbers import Real
from typing import TYPE_CHECKING, Any

from workbench.base import column_text
from workbench.base.errors import BadInput, safe_repr, suggest

if TYPE_CHECKING:
    from workbench.data.table import Table

LARGEST = 1e300
RANDOM = "random"  # the name of the workload that every table has: random queries
Bound = float | Callable[["Table"], float | None] | None


@dataclass(frozen=True)
class PythonFunction:
    """A Python function as the value of a parameter."""

    function: Callable[..., Any]

    def __str__(self) -> str:
        return getattr(self.function, "__name__", "a function")


@dataclass(frozen=True)
class Plain:
    """Plain data as the value of a parameter; hashable, and compared by content."""

    text: str  # canonical JSON

    @property
    def data(self) -> Any:
        """The data."""
        return json.loads(self.text)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """A declared parameter; its class decides which values are allowed."""

    help: str
    default: Any = None
    optional: bool = False  # omitted from texts and files at its default
    named: bool = False  # part of texts at its default, too

    def check(self, label: str, value: Any, table: Table | None) -> None:
        """Raise BadInput for a value that is not allowed; `label` is the variant's name with the parameter's."""

    def normalize(self, value: Any) -> Any:
        """Return the canonical form of an allowed value: 10.0 becomes 10, and 1 becomes True."""
        return value

    def is_list(self, value: Any) -> bool:
        """Return whether a setting in a study is a list of values."""
        return isinstance(value, list)


@dataclass(frozen=True, kw_only=True)
class Number(Parameter):
    """A number within bounds. A bound may depend on the table; None means no bound."""

    type: type[int] | type[float]
    low: Bound = None
    high: Bound = None
    above: bool = False  # the lower bound itself is not allowed
    scale: str = "linear"
    against: str | None = None  # the parameter to which this weight is relative: both are one control

    def bounds(self, table: Table | None = None) -> tuple[float | None, float | None]:
        """Return the range for a table; without a table, bounds that depend on it are open."""
        low, high = (b(table) if callable(b) and table else None if callable(b) else b for b in (self.low, self.high))
        return low, high

    def check(self, label: str, value: Any, table: Table | None) -> None:
        if value is None and self.default is None:
            return
        where, is_number = f"{label} = {safe_repr(value)}", isinstance(value, Real) and not isinstance(value, bool)
        if not is_number or not -LARGEST < value < LARGEST:
            raise BadInput(f"{where} must be a number{', and finite' if is_number else ''}")
        if self.type is int and value != int(value):
            raise BadInput(f"{where} must be a whole number")
        low, high = self.bounds(table)
        if low is not None and (value < low or (self.above and value == low)):
            raise BadInput(f"{where} must be {'above' if self.above else 'at least'} {low:g}")
        if high is not None and value > high:
            raise BadInput(f"{where} must be at most {high:g}")

    def normalize(self, value: Any) -> Any:
        return self.type(value) + 0


@dataclass(frozen=True, kw_only=True)
class Choice(Parameter):
    """One of several values."""

    choices: tuple[Any, ...]

    def check(self, label: str, value: Any, table: Table | None) -> None:
        if not (value is None or isinstance(value, (str, Real))) or value not in self.choices:
            raise BadInput(f"{label} = {safe_repr(value)} is not one of {', '.join(map(repr, self.choices))}")

    def normalize(self, value: Any) -> Any:
        return self.choices[self.choices.index(value)]


@dataclass(frozen=True, kw_only=True)
class ChoiceOrFunction(Choice):
    """One of several values, or a Python function, which no file can contain."""

    def check(self, label: str, value: Any, table: Table | None) -> None:
        if not isinstance(value, PythonFunction):
            super().check(label, value, table)

    def normalize(self, value: Any) -> Any:
        return value if isinstance(value, PythonFunction) else super().normalize(value)


@dataclass(frozen=True, kw_only=True)
class Column(Parameter):
    """The name of a column of the table, or None."""

    def check(self, label: str, value: Any, table: Table | None) -> None:
        if value is not None and not isinstance(value, str):
            raise BadInput(f"{label} = {safe_repr(value)} must be the name of a column")
        if value is not None and table is not None and value not in table.names:
            raise BadInput(f"{label} = {safe_repr(value)} is not a column of the table; it has {_names_of(table)}")


@dataclass(frozen=True, kw_only=True)
class Columns(Parameter):
    """Names of distinct columns of the table in an order, or None."""

    def check(self, label: str, value: Any, table: Table | None) -> None:
        names = _as_tuple(value)
        if value is not None and (not names or not all(isinstance(name, str) for name in names)):
            raise BadInput(f"{label} = {safe_repr(value)}; name one column or several")
        if table is not None and (unknown := [name for name in names if name not in table.names]):
            raise BadInput(f"{label}: {safe_repr(unknown[0])} is not a column of the table; it has {_names_of(table)}")

    def normalize(self, value: Any) -> Any:
        return tuple(dict.fromkeys(_as_tuple(value)))

    def is_list(self, value: Any) -> bool:
        """Return whether a setting is a list of values; names of columns are one value, several are lists in a list."""
        return isinstance(value, list) and not (value and all(isinstance(name, str) for name in value))


@dataclass(frozen=True, kw_only=True)
class ColumnBounds(Parameter):
    """A minimum and a maximum for each of some columns, as text, or None."""

    def check(self, label: str, value: Any, table: Table | None) -> None:
        names = () if value is None else column_text.parse_bounds(value)
        if table is not None and (unknown := [name for name in names if name not in table.names]):
            raise BadInput(f"{label}: {safe_repr(unknown[0])} is not a column of the table; it has {_names_of(table)}")

    def normalize(self, value: Any) -> Any:
        return column_text.format_bounds(column_text.parse_bounds(value))


@dataclass(frozen=True, kw_only=True)
class WorkloadChoice(Parameter):
    """The name of a workload of the table, or a workload, which is stored as plain data."""

    def check(self, label: str, value: Any, table: Table | None) -> None:
        where = f"{label} = {safe_repr(value)}"
        if isinstance(value, str) and table is not None and value not in (*table.settings.workloads, RANDOM):
            raise BadInput(f"{where} is not a workload; {suggest(value, [*table.settings.workloads, RANDOM])}")
        none = value is None and self.default is None
        if not none and not isinstance(value, (str, list, dict, Plain)) and not hasattr(value, "spec"):
            raise BadInput(f"{where} must be the name of a workload, or a Workload")

    def normalize(self, value: Any) -> Any:
        return value if isinstance(value, (str, Plain)) else Plain(canonical(getattr(value, "spec", value)))


@dataclass(frozen=True, kw_only=True)
class Data(Parameter):
    """Plain data in a study's file or in Python, such as weights, or None. Mappings are ordered."""

    validate: Callable[[Any, Table | None], object] | None = None  # raises BadInput
    is_ordered: bool = field(default=True, init=False)

    def check(self, label: str, value: Any, table: Table | None) -> None:
        try:
            canonical(value.data if isinstance(value, Plain) else plain_data(value))
        except (TypeError, ValueError):
            where = f"{label} = {safe_repr(value)}"
            raise BadInput(f"{where} must be plain data: names, numbers, lists and mappings") from None
        if self.validate is not None and value is not None:
            self.validate(value, table)

    def normalize(self, value: Any) -> Any:
        if isinstance(value, (str, Plain)):
            return value
        data = plain_data(value)
        while isinstance(data, list) and len(data) == 1:
            (data,) = data
        return data if isinstance(data, str) else Plain(canonical(data, self.is_ordered))

    def is_list(self, value: Any) -> bool:
        """Return False: a list is one value."""
        return False


@dataclass(frozen=True, kw_only=True)
class Miners(Data):
    """Names of miners or of sets of miners, or miners with settings, as plain data."""

    is_ordered: bool = field(default=False, init=False)


def parameter(default: Any, help: str, kind: type[Parameter] | None = None, **declared: Any) -> Any:
    """Return a dataclass field that declares a parameter: of the given kind, otherwise a choice, a number or text."""
    if kind is None:
        is_number = "type" in declared or isinstance(default, Real)
        kind = Choice if "choices" in declared else Number if is_number else Parameter
    if kind is Number:
        declared.setdefault("type", type(default))
    return field(default=default, metadata={"parameter": kind(help=help, default=default, **declared)})


def plain_data(value: Any) -> Any:
    """Return data with variants as in a study file: by name, or as a mapping if they have settings."""
    if hasattr(value, "to_dict") and hasattr(value, "parameters"):
        return value.name if value == type(value)() else value.to_dict()
    if isinstance(value, dict) and [*value] == ["name"] and isinstance(value["name"], str):
        return value["name"]  # a variant without settings
    if isinstance(value, (list, tuple)):
        return [plain_data(one) for one in value]
    return value


def canonical(value: Any, in_order: bool = False) -> str:
    """Return a canonical form of plain data, for keys; the order of mappings matters only if `in_order`."""
    return json.dumps(value, sort_keys=not in_order, separators=(",", ":"))


def _as_tuple(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, (list, tuple)) else () if value is None else (value,)


def _names_of(table: Table) -> str:
    return ", ".join(table.names)
