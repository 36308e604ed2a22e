"""A study: data, roles, hierarchies, recipes and measures in one readable YAML file.

No code in it is ever executed but its query, one SELECT, which reads no file outside the study's folder. A path in it
may lead anywhere, as the analyst's own does, unless the text is somebody else's: `Study.from_yaml(..., confined=True)`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from glob import glob
from os import PathLike
from pathlib import Path
from typing import Any

from workbench import __version__
from workbench.base.errors import BadInput, at, said
from workbench.base.files import whole
from workbench.base.small_counts import FINEST, SMALLEST
from workbench.base.variants import canonical
from workbench.data import datasets
from workbench.data.hierarchies import builders
from workbench.data.hierarchies.hierarchy import Misfit
from workbench.data.reading.source import Query
from workbench.data.reading.spark_source import NAMED, places_of
from workbench.data.table import Table
from workbench.data.wording import Wording
from workbench.frontier.grid import MOST as MOST
from workbench.frontier.grid import ranges_of as ranges_of
from workbench.frontier.grid import variant, written_out
from workbench.frontier.recipe import Recipe
from workbench.measures import Measure
from workbench.studies import hierarchy_files
from workbench.studies.faults import first
from workbench.studies.hierarchy_files import FILE, gathered
from workbench.studies.schema import BUNDLED, CSV, FORMAT, FROM, LEAVES_OUT, PERSON, ROLES, faults
from workbench.studies.yaml_text import MOST as LONGEST
from workbench.studies.yaml_text import lines_of, read_yaml, write_yaml

RESULTS = ".results"  # the end of the name of a study's store, beside its file


OF_SAMPLES = {"over": "records"}  # intervals, unless others are asked for, or none


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
    dropped: tuple[str, ...] = ()  # left out like identifiers, though they are none
    weight: tuple[str, ...] = ()  # the column that says how many people a record stands for, if one does
    population: Mapping[str, str] = None  # type: ignore[assignment] # the file of those whom the records were drawn from
    levels: Mapping[str, int] = None  # type: ignore[assignment]
    hierarchies: Mapping[str, Any] = None  # type: ignore[assignment]
    released_levels: Mapping[str, Any] = None  # type: ignore[assignment] # the lowest and the highest, by column
    importance: Mapping[str, float] = None  # type: ignore[assignment] # how many times quasi-identifiers count
    workloads: Mapping[str, Any] = None  # type: ignore[assignment] # by name: queries, random ones, or a file of them
    recipes: tuple[Mapping[str, Any], ...] = ()
    measures: tuple[Mapping[str, Any], ...] = ()
    axes: tuple[str, ...] = ()  # the keys of the measures of privacy and of utility that are drawn
    caps: Mapping[str, float] = None  # type: ignore[assignment]
    intervals: Mapping[str, Any] = None  # type: ignore[assignment] # `over` records or seeds, so many `times`
    chosen: Mapping[str, Any] = None  # type: ignore[assignment] # the recipe whose release was chosen; none: empty
    titles: Mapping[str, str] = None  # type: ignore[assignment] # of columns, where a page says what they are
    record: tuple[str, ...] = PERSON  # what one record is, and what several are
    smallest: int = SMALLEST  # every number of people is rounded to it
    seed: int = 0
    folder: str = "."  # where relative names begin; not in the file
    files: Mapping[str, str] = None  # type: ignore[assignment] # columns whose hierarchy has one; not in the file

    def __post_init__(self) -> None:
        if self.intervals is None:
            object.__setattr__(self, "intervals", OF_SAMPLES if "sample" in (self.data or {}) else {})
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
        for name, least in (("smallest", FINEST), ("seed", 0)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise BadInput(f"study: {name} = {said(value)} must be a whole number, {least} or above")

    # --- the file

    @classmethod
    def from_dict(cls, given: Mapping[str, Any], folder: str | PathLike[str] = ".", *, confined: bool = False) -> Study:
        """The study that `to_dict` described, with its hierarchies that lie in files; an unknown key is an error."""
        first(faults(given))
        settings = {key: value for key, value in given.items() if key not in ("study", "roles", "versions")}
        named: dict[str, Any] = {
            role: (value,) if isinstance(value, str) else value for role, value in given.get("roles", {}).items()
        }
        study = cls(name=str(given.get("study", "untitled")), folder=str(folder), **named, **settings)
        if confined:
            study._refuse_outside()
        hierarchies, files = gathered(study.hierarchies, folder)
        return study.with_(hierarchies=hierarchies, files=files)

    def to_dict(self) -> dict[str, Any]:
        """Plain data in the order of the file, without what is empty."""
        roles: dict[str, Any] = {role: list(getattr(self, role)) for role in ROLES if getattr(self, role)}
        roles |= {"weight": self.weight[0]} if len(self.weight) == 1 else {}
        said = {"study": self.name, "data": self.data, "roles": roles}
        for field in fields(self):
            if field.name not in (*ROLES, "name", "data", "folder", "files"):
                value = getattr(self, field.name)
                said[field.name] = list(value) if isinstance(value, tuple) else value
        if self.record == PERSON:
            del said["record"]
        kept = {"intervals"} if "sample" in self.data else set()  # to say that there are none
        return {key: _plain(value) for key, value in said.items() if value not in ({}, []) or key in kept}

    @classmethod
    def from_yaml(
        cls, text: str, folder: str | PathLike[str] = ".", *, confined: bool = False, where: str = "study"
    ) -> Study:
        """The study in a YAML text. Of a stranger's (`confined`) every file must lie in the folder or below it."""
        given, failure = read_yaml(text, where), None
        try:
            return cls.from_dict(given, folder, confined=confined)
        except BadInput as error:
            failure = BadInput(said_at(error, lines_of(text), where))
            failure.path = error.path
        raise failure

    def to_yaml(self) -> str:
        """The file's text."""
        return write_yaml({**self.to_dict(), "versions": VERSIONS})

    @classmethod
    def open(cls, path: str | PathLike[str]) -> Study:
        """The study in a file."""
        return cls.from_yaml(text_in(path), Path(path).absolute().parent, where=str(path))

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the file whole or not at all; long hierarchies first, each into a file beside it."""
        path = Path(path)
        parted = self.parted(path)
        hierarchy_files.write(self.hierarchies, parted.files, path.parent)
        with whole(path) as aside:
            aside.write_text(parted.to_yaml(), "utf-8")
        return path

    def parted(self, path: str | PathLike[str]) -> Study:
        """The study as it stands in this file: long hierarchies by the names of their own."""
        files = hierarchy_files.names(self.hierarchies, stem(path))
        return self.with_(hierarchies=hierarchy_files.part(self.hierarchies, files), files=files)

    def with_(self, **changes: Any) -> Study:
        """The same study but for these fields."""
        return replace(self, **changes)

    def of(self, data: Mapping[str, Any]) -> Study:
        """The same study of other data; where these become a sample, its figures get intervals."""
        begins = "sample" in data and "sample" not in self.data
        return self.with_(data=data, intervals=self.intervals or (OF_SAMPLES if begins else {}))

    # --- what it asks for

    def read(self, given: Any = None, progress: Callable[[int], None] | None = None) -> Table:
        """Every column of the data, without roles or hierarchies; `given` stands for data that no file holds."""
        options = {key: value for key, value in self.data.items() if key not in (*FROM, *LEAVES_OUT, "only", "seconds")}
        if "temp_directory" in options:
            options["temp_directory"] = Path(self.folder) / str(options["temp_directory"])
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
            return Query(str(self.data["sql"]), folder=str(self.folder), seconds=self.data.get("seconds"))
        if "path" in self.data:
            return Path(self.folder) / str(self.data["path"])
        if "spark" in self.data:
            return f"{NAMED}{self.data['spark']}"
        raise BadInput(
            f"study: its data {said(self.data['given'])} were handed over, and no file holds them; give them again"
        )

    def _refuse_outside(self) -> None:
        """Raise BadInput where this would read a file outside its folder; a query is kept there when it runs."""
        here = Path(self.folder).resolve()
        if "spark" in self.data:
            with at("data", "spark"):
                raise BadInput("study: its data are on a server; open the study by its path")
        named: dict[tuple[str, ...], Any] = {
            ("data", key): self.data.get(key, "") for key in ("path", "temp_directory")
        }
        named |= {("population", key): name for key, name in self.population.items()}
        for column, given in self.hierarchies.items():
            for key in {"csv", FILE} & set(given if isinstance(given, Mapping) else ()):
                named["hierarchies", column] = given[key]
        named |= {("workloads", name, FILE): path for name, path in self._logs.items()}
        for path, name in named.items():
            if "\0" in str(name) or not (here / str(name)).resolve().is_relative_to(here):
                with at(*path):
                    raise BadInput(
                        f"study: {said(name)} lies outside the folder of the study; put it there, "
                        "or open the study by its path"
                    )

    @property
    def left_out(self) -> tuple[str, ...]:
        """The columns that no release has: identifiers, and what is dropped."""
        return (*self.identifiers, *self.dropped)

    def reads(self) -> list[Path]:
        """The files that its data and hierarchies are read from; of a query those that a text in it may mean."""
        named = [str(self.data["path"])] if "path" in self.data else []
        named += [str(one["csv"]) for one in self.hierarchies.values() if isinstance(one, Mapping) and "csv" in one]
        named += [str(name) for name in self.population.values()]
        named += map(str, self._logs.values())
        there = places_of(str(self.data.get("spark", "")))
        return [Path(self.folder) / name for name in (*named, *self.files.values())] + there + list(self._asked())

    def _asked(self) -> Iterator[Path]:
        """The names and patterns of files in a query, below the folder, and the files that they stand for."""
        here = os.path.realpath(self.folder)
        for name in map("".join, re.findall(r"""'([^']+)'|"([^"]+)\"""", str(self.data.get("sql", "")))):
            for start in {here, os.getcwd()}:  # DuckDB takes names from where it runs
                path = os.path.normpath(os.path.join(start, name))
                if Path(path).is_relative_to(here):
                    yield from map(Path, [path, *glob(path, recursive=True)])

    def records(self, base: Table) -> Table:
        """The records and columns that are asked about, all neutral yet."""
        if (many := self.data.get("sample")) is None:
            return self._whole(base)
        known = ("sample", canonical(self.data), self.left_out)
        return base.remember(known, lambda: self._whole(base).sample(many))

    def _whole(self, base: Table) -> Table:
        table = base.only(self.data["only"]) if self.data.get("only") else base
        table = table.drop(self.left_out)
        return table.complete() if self.data.get("drop_missing") else table

    def table(self, base: Table) -> Table:
        """The table that is asked about: columns in their roles, under their hierarchies."""
        table = self.records(base)
        built = {name: self.builder(name, given) for name, given in self.hierarchies.items() if name in table.names}
        try:
            table = table.with_hierarchies(built)
        except Misfit as error:
            raise BadInput(error.plain) from None
        table = table.with_roles(self.quasi, self.sensitive, self.levels, self.weight)
        with at("released_levels"):
            chosen = {name: levels for name, levels in self.released_levels.items() if name in self.quasi}
            table = table.with_level_ranges(chosen)  # others wait until they are quasi-identifiers
        if self.population:
            path, known = Path(self.folder) / self.population[CSV], ("population", self.population[CSV], self.quasi)
            table = replace(table, drawn_from=base.remember(known, lambda: self._population(table, path)))
        with at("importance"):
            table = table.with_importance(self.importance)
        with at("workloads"):
            logs = {name: {FILE: str(Path(self.folder) / path)} for name, path in self._logs.items()}
            table = table.with_workloads({**self.workloads, **logs})
        return replace(table, wording=self.wording)

    @property
    def _logs(self) -> dict[str, str]:
        """The workloads that are files of queries."""
        return {name: spec[FILE] for name, spec in self.workloads.items() if isinstance(spec, Mapping) and FILE in spec}

    def _population(self, table: Table, path: Path) -> Table | None:
        with at("population"):
            return table.with_population(path).drawn_from

    @property
    def wording(self) -> Wording:
        """What pages call its columns and records."""
        return Wording(self.titles, *self.record)

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

    def choice(self) -> Recipe | None:
        """The recipe whose release was chosen, if one was."""
        return written_out(self.chosen, self.seed)[0] if self.chosen else None

    def measured(self) -> list[Measure]:
        """The measures."""
        return [variant("measure", given) for given in self.measures]


VERSIONS = {"format": FORMAT, "workbench": __version__}


def text_in(path: str | PathLike[str]) -> str:
    """The text of a study's file."""
    path, why = Path(path), ""
    try:
        if path.is_fifo():
            raise BadInput(f"study {str(path)!r} cannot be read: it is a pipe; write the study to a file")
        with path.open("rb") as file:
            return file.read(4 * LONGEST + 1).decode("utf-8-sig")  # four bytes a character at most, and one too many
    except UnicodeDecodeError as error:
        why = "it is not UTF-8 text" if error.end < 4 * LONGEST else f"the text is longer than {LONGEST:,} characters"
    except OSError as error:
        why = str(error.strerror)
    except ValueError:
        why = "that is no name of a file"
    raise BadInput(f"study {str(path)!r} cannot be read: {why}; name the file of a study")


def said_at(error: BadInput, line: Callable[[Sequence[Any]], int], where: str) -> str:
    """What is wrong with a study, with the line that its path leads to."""
    text = str(error).removeprefix("study: ")
    return (
        f"{where}, line {line(error.path)}: {text}" if error.path else text if where == "study" else f"{where}: {text}"
    )


def results_beside(path: str | PathLike[str]) -> Path:
    """The folder of a study's results, beside its file: study.yaml -> study.results."""
    return Path(path).with_name(stem(path) + RESULTS)


def plain(name: str) -> str:
    """A study's name as a file may be called."""
    return re.sub(r"[^\w-]+", "-", name.lower()).strip("-") or "untitled"


def stem(path: str | PathLike[str]) -> str:
    """What all that belongs to a study begins with: that of people.study.yaml with people."""
    path = Path(path)
    return path.name.removesuffix(path.suffix).removesuffix(".study")


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    return value
