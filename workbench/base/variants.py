"""Declared parameters: one declaration gives default, range, scale, choices and a line of help."""

from __future__ import annotations

import dataclasses
import difflib
import importlib
import inspect
import json
import pkgutil
from abc import ABC
from collections.abc import Callable, Iterator
from functools import cache
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from workbench.base import column_bounds
from workbench.base.errors import BadInput, at, meant, said
from workbench.base.names import written_names

if TYPE_CHECKING:
    from workbench.data.table import Table

LARGEST = 1e300
RANDOM = "random"  # the name of the workload that every table has: random queries
Bound = float | Callable[["Table"], float | None] | None


@dataclasses.dataclass(frozen=True)
class Parameter:
    """What a parameter may be. A bound may depend on the table, `None` is no bound."""

    help: str
    low: Bound = None
    high: Bound = None
    above: bool = False  # the lower bound itself is not allowed
    choices: tuple[Any, ...] | None = None
    named: bool = False  # a choice that nobody should miss: said also where it is the default
    column: bool = False  # names a column of the table (None: none)
    columns: bool = False  # names several, each once, in an order (None: none)
    column_bounds: bool = False  # a least and a greatest number of each of some columns, as a text (None: none)
    workload: bool = False  # names a workload of the table, or is one, of which its plain data are kept
    miners: bool = False  # names miners, or sets of them, or says them one by one; kept as plain data
    data: bool = False  # plain data that a study's file or Python says, such as weights (None: none)
    own: bool = False  # or a function of Python, which no file can hold
    check: Callable[[Any, Table | None], object] | None = None  # raises BadInput for what else it may not be
    scale: str = "linear"
    optional: bool = False  # not said, nor written, where it has its default
    against: str | None = None  # a weight, relative to that of this parameter: one control, and lists that run together
    number: type | None = None  # int or float, where None is the default: what it stands for is found elsewhere

    @property
    def plain(self) -> bool:
        """Whether its value is plain data: a list is one value."""
        return self.miners or self.data

    def bounds(self, table: Table | None = None) -> tuple[float | None, float | None]:
        """The range on this table; without a table, what depends on one is open."""
        low, high = (b(table) if callable(b) and table else None if callable(b) else b for b in (self.low, self.high))
        return low, high

    def listed(self, value: Any) -> bool:
        """Whether a setting in a study is a list of values. Names of columns are one value: several are lists in it."""
        if not isinstance(value, list) or self.plain:
            return False
        return not (self.columns and value and all(isinstance(name, str) for name in value))


@dataclasses.dataclass(frozen=True)
class Own:
    """A function of Python as the value of a parameter."""

    function: Callable[..., Any]

    def __str__(self) -> str:
        return getattr(self.function, "__name__", "a function")


@dataclasses.dataclass(frozen=True)
class Plain:
    """Plain data as the value of a parameter: it is equal to the same data, and can be hashed."""

    text: str  # as JSON, in one spelling

    @property
    def data(self) -> Any:
        """The data."""
        return json.loads(self.text)

    def __str__(self) -> str:
        return self.text


def parameter(default: Any, help: str, **declared: Any) -> Any:
    """A dataclass field with a declared parameter."""
    return dataclasses.field(default=default, metadata={"parameter": Parameter(help, **declared)})


class Variant(ABC):
    """A model, method, measure or miner: a frozen dataclass of declared parameters."""

    name: ClassVar[str]

    def __post_init__(self) -> None:
        for name, its in self.parameters().items():
            if its.own and callable(getattr(self, name)):
                object.__setattr__(self, name, Own(getattr(self, name)))
        self.check()
        for field in dataclasses.fields(self):  # type: ignore[arg-type]  # one spelling: 10.0 is 10, and 1 is True
            declared, value = field.metadata.get("parameter"), getattr(self, field.name)
            if isinstance(value, Own):
                continue
            if declared is not None and declared.choices is not None:
                object.__setattr__(self, field.name, declared.choices[declared.choices.index(value)])
            elif declared is not None and declared.columns and value is not None:
                object.__setattr__(self, field.name, tuple(dict.fromkeys(_names(value))))
            elif declared is not None and declared.column_bounds and value is not None:
                object.__setattr__(self, field.name, column_bounds.written(column_bounds.read(value)))
            elif declared is not None and declared.workload and not isinstance(value, (str, Plain, type(None))):
                object.__setattr__(self, field.name, Plain(canonical(getattr(value, "spec", value))))
            elif declared is not None and declared.plain and not isinstance(value, (str, Plain, type(None))):
                object.__setattr__(self, field.name, _plain(value, declared.data))
            elif value is not None and (number := self.number_type(field.name)):
                object.__setattr__(self, field.name, number(value) + 0)

    @classmethod
    def parameters(cls) -> dict[str, Parameter]:
        """The declared parameters by name."""
        return dict(_declared(cls))

    @classmethod
    def number_type(cls, name: str) -> type[int] | type[float] | None:
        """Whether a field is a parameter that is a number, whole or not."""
        field = cls.__dataclass_fields__[name]  # type: ignore[attr-defined]
        declared = field.metadata.get("parameter")
        if declared is None or declared.choices is not None or declared.column:
            return None
        kind = declared.number or type(field.default)
        return kind if kind in (int, float) else None

    def settings(self) -> dict[str, Any]:
        """The value of each declared parameter."""
        return {name: getattr(self, name) for name in self.parameters()}

    def check(self, table: Table | None = None) -> None:
        """Raise BadInput for a value outside its declaration; with a table, bounds that depend on it count too."""
        for field in dataclasses.fields(self):  # type: ignore[arg-type]
            declared = field.metadata.get("parameter")
            if declared is not None:
                with at(field.name):
                    self._check_one(field, declared, getattr(self, field.name), table)

    @classmethod
    def check_value(cls, name: str, value: Any, table: Table | None = None) -> None:
        """Raise BadInput where that parameter may not have this value."""
        field = cls.__dataclass_fields__[name]  # type: ignore[attr-defined]
        cls._check_one(field, field.metadata["parameter"], value, table)

    @classmethod
    def _check_one(cls, field: dataclasses.Field, declared: Parameter, value: Any, table: Table | None) -> None:
        where = f"{cls.name}: {field.name} = {said(value)}"
        if declared.own and isinstance(value, Own):
            return
        if declared.choices is not None:
            if not (value is None or isinstance(value, (str, Real))) or value not in declared.choices:
                raise BadInput(f"{where} is not one of {', '.join(map(repr, declared.choices))}")
            return
        if declared.columns:
            cls._check_columns(field.name, value, table)
            return
        if declared.column_bounds:
            names = () if value is None else column_bounds.read(value)
            if table is not None and (unknown := [name for name in names if name not in table.names]):
                there = ", ".join(table.names)
                raise BadInput(
                    f"{cls.name}: {field.name}: {said(unknown[0])} is not a column of the table; it has {there}"
                )
            return
        if declared.column:
            if value is not None and not isinstance(value, str):
                raise BadInput(f"{where} must be the name of a column")
            if value is not None and table is not None and value not in table.names:
                raise BadInput(f"{where} is not a column of the table; it has {', '.join(table.names)}")
            return
        if declared.workload:
            if isinstance(value, str) and table is not None and value not in (*table.workloads, RANDOM):
                raise BadInput(f"{where} is no workload; {meant(value, [*table.workloads, RANDOM])}")
            none = value is None and field.default is None
            if not none and not isinstance(value, (str, list, dict, Plain)) and not hasattr(value, "spec"):
                raise BadInput(f"{where} must be the name of a workload, or a Workload")
            return
        if declared.plain:
            _refuse_no_data(where, value)
            if declared.check is not None and value is not None:
                declared.check(value, table)
            return
        kind = cls.number_type(field.name)
        if kind is None or (value is None and field.default is None):
            return
        number = isinstance(value, Real) and not isinstance(value, bool)
        if not number or not -LARGEST < value < LARGEST:
            raise BadInput(f"{where} must be a number{', and finite' if number else ''}")
        if kind is int and value != int(value):
            raise BadInput(f"{where} must be a whole number")
        low, high = declared.bounds(table)
        if low is not None and (value < low or (declared.above and value == low)):
            raise BadInput(f"{where} must be {'above' if declared.above else 'at least'} {low:g}")
        if high is not None and value > high:
            raise BadInput(f"{where} must be at most {high:g}")

    @classmethod
    def _check_columns(cls, parameter: str, value: Any, table: Table | None) -> None:
        names = _names(value)
        if value is not None and (not names or not all(isinstance(name, str) for name in names)):
            raise BadInput(f"{cls.name}: {parameter} = {said(value)}; name one column or several")
        for name in names if table is not None else ():
            if name not in table.names:  # type: ignore[union-attr]
                there = ", ".join(table.names)  # type: ignore[union-attr]
                raise BadInput(f"{cls.name}: {parameter}: {said(name)} is not a column of the table; it has {there}")

    def to_dict(self) -> dict[str, Any]:
        """Name and settings, ready for YAML or JSON."""
        said = self.said_settings()
        for name, value in said.items():
            if isinstance(value, Own):
                raise BadInput(
                    f"{self.name}: {name} = {value} is a Python function, which no study or store can hold; choose one "
                    f"of {', '.join(self.parameters()[name].choices or ())}, or measure without a store"
                )
        return {"name": self.name, **{n: v.data if isinstance(v, Plain) else v for n, v in said.items()}}

    def said_settings(self) -> dict[str, Any]:
        """The settings without those that are optional and have their default."""
        declared, plain = self.parameters(), _defaults(type(self))
        return {n: v for n, v in self.settings().items() if not declared[n].optional or v != plain[n]}

    def __str__(self) -> str:
        """The name, its numbers, and the other settings that differ from the default."""
        return ", ".join([self.name, *self._said(numbers=True)])

    @property
    def line(self) -> str:
        """The same without the numbers: what a curve is called whose points differ in them."""
        return ", ".join([self.name, *self._said(numbers=False)])

    def _said(self, numbers: bool) -> Iterator[str]:
        declared, defaults = self.parameters(), _defaults(type(self))
        for name, value in self.said_settings().items():
            number = self.number_type(name) is not None
            if (number and numbers) or (not number and (declared[name].named or value != defaults[name])):
                yield f"{name} = {_told(value)}"


@cache
def _declared(kind: type[Variant]) -> dict[str, Parameter]:
    return {f.name: f.metadata["parameter"] for f in dataclasses.fields(kind) if "parameter" in f.metadata}  # type: ignore[arg-type]


@cache
def _defaults(kind: type[Variant]) -> dict[str, Any]:
    return {f.name: f.default for f in dataclasses.fields(kind)}  # type: ignore[arg-type]


def _told(value: Any) -> str:
    if isinstance(value, tuple):
        return written_names(value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def _names(value: Any) -> tuple[Any, ...]:
    """The columns that a value names, one or several."""
    return tuple(value) if isinstance(value, (list, tuple)) else () if value is None else (value,)


def _plain(value: Any, in_order: bool) -> str | Plain:
    """Data in one spelling; variants as a study says them, and one alone without a list around it.

    Mappings stay in their order where that may tell: of weights the first condition that is met counts.
    """
    said = _said(value)
    while isinstance(said, list) and len(said) == 1:
        (said,) = said
    return said if isinstance(said, str) else Plain(canonical(said, in_order))


def _said(value: Any) -> Any:
    if isinstance(value, Variant):
        return value.name if value == type(value)() else value.to_dict()
    if isinstance(value, dict) and [*value] == ["name"] and isinstance(value["name"], str):
        return value["name"]  # a variant without settings
    if isinstance(value, (list, tuple)):
        return [_said(one) for one in value]
    return value


def _refuse_no_data(where: str, value: Any) -> None:
    """Raise BadInput for what cannot be written in a study."""
    try:
        canonical(value.data if isinstance(value, Plain) else _said(value))
    except (TypeError, ValueError):
        raise BadInput(f"{where} must be plain data: names, numbers, lists and mappings") from None


V = TypeVar("V", bound=Variant)


def catalog(package: str, base: type[V]) -> dict[str, type[V]]:
    """Every public variant defined in a module of the package or its folders, by name: adding one is adding a file.

    The files are looked for once a process.
    """
    return dict(_catalog(package, base, tuple(importlib.import_module(package).__path__)))


@cache
def _catalog(package: str, base: type[V], path: tuple[str, ...]) -> dict[str, type[V]]:
    found: dict[str, type[V]] = {}
    files = (info for info in pkgutil.walk_packages(path, f"{package}.") if not info.ispkg)
    for info in sorted(files, key=lambda m: m.name.rpartition(".")[2]):
        module = importlib.import_module(info.name)
        for name, kind in vars(module).items():
            own = inspect.isclass(kind) and issubclass(kind, base) and kind.__module__ == module.__name__
            if own and not name.startswith("_") and not inspect.isabstract(kind) and hasattr(kind, "name"):
                if kind.name in found:
                    raise BadInput(f"{package}: two variants are called {kind.name!r}; give one another name")
                found[kind.name] = kind
    return found


def about(kind: type) -> str:
    """The first line of a variant's file: name, paper, what it asks for."""
    return (inspect.getdoc(inspect.getmodule(kind)) or inspect.getdoc(kind) or "").strip().split("\n")[0]


def meaning(kind: type) -> str:
    """What that line says after name and paper."""
    return about(kind).partition(": ")[2].rstrip(".")


def from_package(package: str, base: type[V], name: str) -> type[V]:
    """The variant of that class name, for a package's `__getattr__`."""
    if name[:1].isupper():  # its modules are no variants
        found = {kind.__name__: kind for kind in catalog(package, base).values()}
        if name in found:
            return found[name]
        near = difflib.get_close_matches(name, found, 1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise AttributeError(f"module {package!r} has no attribute {name!r}{hint}")
    raise AttributeError(f"module {package!r} has no attribute {name!r}")


def from_dict(what: str, variants: dict[str, type[V]], given: dict[str, Any]) -> V:
    """The variant that `to_dict` described; `what` people call it."""
    settings = dict(given)
    name = settings.pop("name", None)
    if name not in variants:
        wrong = f"a {what} has a name" if name is None else f"no {what} is called {said(name)}"
        raise BadInput(f"{wrong}; there are {', '.join(sorted(variants))}")
    kind = variants[name]
    unknown = sorted(set(settings) - set(kind.parameters()))
    if unknown:
        raise BadInput(f"{name} has no parameter {', '.join(unknown)}; it has {', '.join(kind.parameters()) or 'none'}")
    return kind(**settings)


def canonical(value: Any, in_order: bool = False) -> str:
    """One spelling of plain data, for keys; mappings in another order are the same, unless it tells."""
    return json.dumps(value, sort_keys=not in_order, separators=(",", ":"))
