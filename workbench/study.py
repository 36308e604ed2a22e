"""A study: data, roles, hierarchies, recipes and measures in one readable YAML file.

No code in it is ever executed but its query, one SELECT, which reads no file outside the study's folder. A path in it
may lead anywhere, as the analyst's own does, unless the text is somebody else's: `Study.from_yaml(..., confined=True)`.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import reduce
from itertools import product
from operator import and_
from os import PathLike
from pathlib import Path
from typing import Any

from workbench import builders, datasets
from workbench.errors import BadInput, said
from workbench.measures import Measure
from workbench.methods import Method
from workbench.models import Model
from workbench.parameters import Variant, catalog, from_dict
from workbench.recipe import Recipe
from workbench.source import Query
from workbench.table import Table
from workbench.writing import whole
from workbench.yaml_text import MOST as LONGEST
from workbench.yaml_text import read_yaml, write_yaml

FROM = ("bundled", "path", "sql", "given")  # where data may come from; `given` is a name for what is handed over
BUNDLED = "bundled"
MOST = 10_000  # recipes of one study
KINDS: dict[str, tuple[str, type[Variant]]] = {
    "method": ("workbench.methods", Method),
    "model": ("workbench.models", Model),
    "measure": ("workbench.measures", Measure),
}


@dataclass(frozen=True)
class Study:
    """What is asked, as plain data. A hierarchy is a builder's settings, `{csv: file}` beside the study, or `bundled`.

    A recipe is `{method: {...}, model: {...}}`, where a parameter may be a list: one recipe a combination; a list of
    models asks for all of them at once.
    """

    name: str = "untitled"
    data: Mapping[str, Any] = None  # type: ignore[assignment]
    quasi: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()
    levels: Mapping[str, int] = None  # type: ignore[assignment]
    hierarchies: Mapping[str, Any] = None  # type: ignore[assignment]
    recipes: tuple[Mapping[str, Any], ...] = ()
    measures: tuple[Mapping[str, Any], ...] = ()
    axes: tuple[str, ...] = ()  # the keys of the measures of privacy and of utility that are drawn
    caps: Mapping[str, float] = None  # type: ignore[assignment]
    smallest: int = 10  # a count below is shown as "fewer than"
    seed: int = 0
    folder: str = "."  # where relative names begin; not in the file

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if field.type.startswith("tuple"):
                if isinstance(value, str) or not isinstance(value, Sequence):
                    raise BadInput(f"study: {field.name} must be a list, not {said(value)}")
                object.__setattr__(self, field.name, tuple(value))
            elif field.type.startswith("Mapping"):
                if not isinstance(value, Mapping | None):
                    raise BadInput(f"study: {field.name} must be a mapping, not {said(value)}")
                object.__setattr__(self, field.name, dict(value or {}))
        origins = [key for key in FROM if key in self.data]
        if self.data and len(origins) != 1:
            raise BadInput(f"study: data must name exactly one of {', '.join(FROM)}")
        for name in ("smallest", "seed"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 0:
                raise BadInput(f"study: {name} = {said(value)} must be a whole number, 0 or above")

    # --- the file

    @classmethod
    def from_dict(cls, given: Mapping[str, Any], folder: str | PathLike[str] = ".") -> Study:
        """The study that `to_dict` described; an unknown key is an error."""
        if not isinstance(given, Mapping):
            raise BadInput("this is no study: one has lines such as 'data:' and 'roles:', each a name and a colon")
        roles = given.get("roles", {})
        if not isinstance(roles, Mapping):
            raise BadInput(f"study: roles must be a mapping, not {said(roles)}")
        known = [field.name for field in fields(cls) if field.name not in (*ROLES, "folder", "name")]
        for where, keys, known_keys in (
            ("study", given, ["study", "roles", *known]),
            ("study: roles", roles, list(ROLES)),
        ):
            for key in keys:
                if key not in known_keys:
                    near = difflib.get_close_matches(str(key), known_keys, 1)
                    hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(known_keys)}"
                    raise BadInput(f"{where} has no {said(key)}; {hint}")
        settings = {key: value for key, value in given.items() if key not in ("study", "roles")}
        named: dict[str, Any] = {
            role: (value,) if isinstance(value, str) else value for role, value in roles.items() if value
        }
        return cls(name=str(given.get("study", "untitled")), folder=str(folder), **named, **settings)

    def to_dict(self) -> dict[str, Any]:
        """Plain data in the order of the file, without what is empty."""
        roles = {role: list(getattr(self, role)) for role in ROLES if getattr(self, role)}
        said = {"study": self.name, "data": self.data, "roles": roles}
        for field in fields(self):
            if field.name not in (*ROLES, "name", "data", "folder"):
                value = getattr(self, field.name)
                said[field.name] = list(value) if isinstance(value, tuple) else value
        return {key: _plain(value) for key, value in said.items() if value not in ({}, [])}

    @classmethod
    def from_yaml(cls, text: str, folder: str | PathLike[str] = ".", *, confined: bool = False) -> Study:
        """The study in a YAML text. Of a stranger's (`confined`) every file must lie in the folder or below it."""
        study = cls.from_dict(read_yaml(text, "study"), folder)
        if confined:
            study._refuse_outside()
        return study

    def to_yaml(self) -> str:
        """The file's text."""
        return write_yaml(self.to_dict())

    @classmethod
    def open(cls, path: str | PathLike[str]) -> Study:
        """The study in a file."""
        path = Path(path)
        try:
            with path.open("rb") as file:
                text = file.read(4 * LONGEST + 1).decode("utf-8")  # four bytes a character at most, and one too many
        except (OSError, UnicodeDecodeError) as error:
            why = "it is not text" if isinstance(error, UnicodeDecodeError) else error.strerror
            raise BadInput(f"study {str(path)!r} cannot be read: {why}") from None
        return cls.from_yaml(text, path.absolute().parent)

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the file whole or not at all."""
        with whole(Path(path)) as aside:
            aside.write_text(self.to_yaml(), "utf-8")
        return Path(path)

    def with_(self, **changes: Any) -> Study:
        """The same study but for these fields."""
        return replace(self, **changes)

    # --- what it asks for

    def read(self, given: Any = None, progress: Callable[[int], None] | None = None) -> Table:
        """Every column of the data, without roles or hierarchies; `given` stands for data that no file holds."""
        options = {key: value for key, value in self.data.items() if key not in (*FROM, "drop_missing")}
        if given is None:
            given = self._source()
        elif isinstance(given, Table):
            return given
        return Table.bare(given, progress=progress, **options)

    def _source(self) -> Any:
        if not self.data:
            raise BadInput("study: there is no data; name a path, a bundled table or a query")
        if BUNDLED in self.data:
            return datasets.path(self.data[BUNDLED])
        if "sql" in self.data:
            return Query(str(self.data["sql"]), folder=str(self.folder))
        if "path" in self.data:
            return Path(self.folder) / str(self.data["path"])
        raise BadInput(
            f"study: its data {said(self.data['given'])} were handed over, and no file holds them; give them again"
        )

    def _refuse_outside(self) -> None:
        """Raise BadInput where this would read a file outside its folder; a query is kept there when it runs."""
        tables = (one.get("csv") for one in self.hierarchies.values() if isinstance(one, Mapping))
        here = Path(self.folder).resolve()
        for name in (str(one) for one in (self.data.get("path"), *tables) if one is not None):
            if "\0" in name or not (here / name).resolve().is_relative_to(here):
                raise BadInput(
                    f"study: {said(name)} lies outside the folder of the study; put it there, "
                    "or open the study by its path"
                )

    def table(self, base: Table) -> Table:
        """The table that is asked about: columns in their roles, under their hierarchies."""
        table = base.drop(self.identifiers)
        if self.data.get("drop_missing"):
            table = table.complete()
        built = {name: self.builder(name, given) for name, given in self.hierarchies.items() if name in table.names}
        return table.with_hierarchies(built).with_roles(self.quasi, self.sensitive, self.levels)

    def builder(self, name: str, given: Any) -> builders.Builder:
        """What makes the hierarchy of a column."""
        if given == BUNDLED:
            return datasets.hierarchy(str(self.data.get(BUNDLED)), name)
        if not isinstance(given, Mapping):
            raise BadInput(f"study: the hierarchy of {name!r} must be a mapping or 'bundled', not {said(given)}")
        if set(given) == {"csv"}:
            return builders.read_csv(Path(self.folder) / str(given["csv"]))
        return builders.from_dict(given)

    def candidates(self) -> list[Recipe]:
        """Every recipe, written out."""
        return [recipe for ranges in self.recipes for recipe in written_out(ranges, self.seed)]

    def measured(self) -> list[Measure]:
        """The measures."""
        return [variant("measure", given) for given in self.measures]


ROLES = ("quasi", "sensitive", "identifiers")


def results_beside(path: str | PathLike[str]) -> Path:
    """The folder of a study's results, beside its file: study.yaml -> study.results."""
    path = Path(path)
    return path.with_name(path.name.removesuffix(path.suffix).removesuffix(".study") + ".results")


def variant(kind: str, given: Mapping[str, Any]) -> Any:
    """The method, model or measure that plain data describe."""
    if not isinstance(given, Mapping):
        raise BadInput(f"study: a {kind} is a mapping such as {{name: ...}}, not {said(given)}")
    return from_dict(catalog(*KINDS[kind]), dict(given))


def written_out(ranges: Mapping[str, Any], seed: int = 0) -> list[Recipe]:
    """One recipe for each combination of the parameters that are lists."""
    if not isinstance(ranges, Mapping) or set(ranges) - {"method", "model"} or "method" not in ranges:
        raise BadInput("study: a recipe has a method and, if it has one, a model: {method: {...}, model: {...}}")
    asked = ranges.get("model") or []
    together = [asked] if isinstance(asked, Mapping) else list(asked)
    methods = _combinations("method", ranges["method"])
    models = [_combinations("model", one) for one in together]
    if len(methods) * reduce(lambda n, one: n * len(one), models, 1) > MOST:
        raise BadInput(f"study: a recipe stands for more than {MOST:,} releases; give fewer values")
    return [
        Recipe(method, reduce(and_, chosen) if chosen else None, seed)
        for method in methods
        for chosen in product(*models)
    ]


def ranges_of(recipe: Recipe) -> dict[str, Any]:
    """A single recipe as a study writes it; a parameter that is a list is a range of one."""

    def said(given: Variant) -> dict[str, Any]:
        return {k: [list(v)] if isinstance(v, (tuple, list)) else v for k, v in given.to_dict().items()}

    parts = [said(part) for part in recipe.model.parts] if recipe.model else []
    return {"method": said(recipe.method), **({"model": parts[0] if len(parts) == 1 else parts} if parts else {})}


def _combinations(kind: str, given: Any) -> list[Any]:
    if not isinstance(given, Mapping):
        raise BadInput(f"study: a {kind} is a mapping such as {{name: ...}}, not {said(given)}")
    axes = {key: value for key, value in given.items() if isinstance(value, list)}
    fixed = {key: value for key, value in given.items() if key not in axes}
    for name, values in axes.items():
        if not values:
            raise BadInput(f"study: {given.get('name')}: {name} has no values; give at least one")
    chosen = product(*axes.values())
    return [variant(kind, {**fixed, **dict(zip(axes, values, strict=True))}) for values in chosen]


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    return value
