"""Variants: models, methods, measures and miners with declared parameters, and catalogs of them."""

from __future__ import annotations

import dataclasses
import difflib
import importlib
import inspect
import pkgutil
from abc import ABC
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from workbench.base.column_text import format_names
from workbench.base.errors import BadInput, prefix_path, safe_repr
from workbench.base.parameters import ChoiceOrFunction, Number, Parameter, Plain, PythonFunction

if TYPE_CHECKING:
    from workbench.data.table import Table


class Variant(ABC):
    """A model, method, measure or miner: a frozen dataclass of declared parameters."""

    name: ClassVar[str]
    title: ClassVar[str] = ""  # the usual name with its paper
    summary: ClassVar[str] = ""  # a clause without a full stop

    def __post_init__(self) -> None:
        for name, declared in self.parameters().items():
            if isinstance(declared, ChoiceOrFunction) and callable(getattr(self, name)):
                object.__setattr__(self, name, PythonFunction(getattr(self, name)))
        self.check()
        for name, declared in self.parameters().items():
            if (value := getattr(self, name)) is not None:
                object.__setattr__(self, name, declared.normalize(value))

    @classmethod
    def describe(cls) -> str:
        """Return the title and the summary in one line."""
        return ": ".join(filter(None, [cls.title or cls.name, cls.summary])) + "."

    @classmethod
    def parameters(cls) -> dict[str, Parameter]:
        """The declared parameters by name."""
        return dict(_declared(cls))

    @classmethod
    def number_type(cls, name: str) -> type[int] | type[float] | None:
        """Return int or float for a parameter that is a number, otherwise None."""
        declared = cls.parameters().get(name)
        return declared.type if isinstance(declared, Number) else None

    @classmethod
    def number(cls, name: str) -> Number:
        """Return the declaration of a parameter that is a number."""
        declared = cls.parameters()[name]
        if not isinstance(declared, Number):
            raise TypeError(f"{cls.name}: {name} is not a number")
        return declared

    def settings(self) -> dict[str, Any]:
        """The value of each declared parameter."""
        return {name: getattr(self, name) for name in self.parameters()}

    def check(self, table: Table | None = None) -> None:
        """Raise BadInput for a value that is not allowed; with a table, also check the limits that depend on it."""
        for name in self.parameters():
            with prefix_path(name):
                self.check_value(name, getattr(self, name), table)

    @classmethod
    def check_value(cls, name: str, value: Any, table: Table | None = None) -> None:
        """Raise BadInput if a parameter may not have this value."""
        cls.parameters()[name].check(f"{cls.name}: {name}", value, table)

    def to_dict(self) -> dict[str, Any]:
        """Name and settings, ready for YAML or JSON."""
        settings = self.explicit_settings()
        for name, value in settings.items():
            if isinstance(value, PythonFunction):
                raise BadInput(
                    f"{self.name}: {name} = {value} is a Python function, which cannot be saved in a study or a "
                    "store; choose one "
                    f"of {', '.join(getattr(self.parameters()[name], 'choices', ()))}, or measure without a store"
                )
        return {"name": self.name, **{n: v.data if isinstance(v, Plain) else v for n, v in settings.items()}}

    def explicit_settings(self) -> dict[str, Any]:
        """The settings without optional ones at their defaults."""
        declared, plain = self.parameters(), _defaults(type(self))
        return {n: v for n, v in self.settings().items() if not declared[n].optional or v != plain[n]}

    def __str__(self) -> str:
        """The name, its numbers, and the other settings that differ from the default."""
        return ", ".join([self.name, *self._format_settings(numbers=True)])

    @property
    def line(self) -> str:
        """The name without numbers: the label of a curve whose points differ in them."""
        return ", ".join([self.name, *self._format_settings(numbers=False)])

    def _format_settings(self, numbers: bool) -> Iterator[str]:
        declared, defaults = self.parameters(), _defaults(type(self))
        for name, value in self.explicit_settings().items():
            number = self.number_type(name) is not None
            if (number and numbers) or (not number and (declared[name].named or value != defaults[name])):
                yield f"{name} = {_format_value(value)}"


@cache
def _declared(kind: type[Variant]) -> dict[str, Parameter]:
    return {f.name: f.metadata["parameter"] for f in dataclasses.fields(kind) if "parameter" in f.metadata}  # type: ignore[arg-type]


@cache
def _defaults(kind: type[Variant]) -> dict[str, Any]:
    return {f.name: f.default for f in dataclasses.fields(kind)}  # type: ignore[arg-type]


def _format_value(value: Any) -> str:
    if isinstance(value, tuple):
        return format_names(value)
    return f"{value:g}" if isinstance(value, float) else str(value)


V = TypeVar("V", bound=Variant)


def catalog(package: str, base: type[V]) -> dict[str, type[V]]:
    """Every public variant defined in a module of the package or its folders, by name: adding one is adding a file.

    The files are listed once per process.
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
                    raise BadInput(f"{package}: two variants are called {kind.name!r}; rename one of them")
                found[kind.name] = kind
    return found


def from_package(package: str, base: type[V], name: str) -> type[V]:
    """Return the variant with this class name, for a package's `__getattr__`."""
    if name[:1].isupper():  # its modules are no variants
        found = {kind.__name__: kind for kind in catalog(package, base).values()}
        if name in found:
            return found[name]
        near = difflib.get_close_matches(name, found, 1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise AttributeError(f"module {package!r} has no attribute {name!r}{hint}")
    raise AttributeError(f"module {package!r} has no attribute {name!r}")


def from_dict(what: str, variants: dict[str, type[V]], given: dict[str, Any]) -> V:
    """Return the variant that `to_dict` described; `what` names its kind in messages."""
    settings = dict(given)
    name = settings.pop("name", None)
    if name not in variants:
        wrong = f"a {what} has a name" if name is None else f"no {what} is called {safe_repr(name)}"
        raise BadInput(f"{wrong}; choose from {', '.join(sorted(variants))}")
    kind = variants[name]
    unknown = sorted(set(settings) - set(kind.parameters()))
    if unknown:
        raise BadInput(f"{name} has no parameter {', '.join(unknown)}; it has {', '.join(kind.parameters()) or 'none'}")
    return kind(**settings)
