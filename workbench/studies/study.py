"""A study: data, roles, hierarchies, recipes and measures in one readable YAML file.

The only code in it that is executed is its query, one SELECT, which reads no file outside the study's folder. A path in
it may lead anywhere, as with any program of the analyst, unless the text is not trusted: `Study.from_yaml(...,
confined=True)`.
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
from workbench.base.errors import BadInput, prefix_path, safe_repr
from workbench.base.files import atomic_write
from workbench.base.parameters import canonical
from workbench.data import datasets
from workbench.data.hierarchies import builders
from workbench.data.hierarchies.hierarchy import Misfit
from workbench.data.published import require_levels
from workbench.data.reading.opening import files_of
from workbench.data.reading.source import Query
from workbench.data.reading.spark_source import NAMED, places_of
from workbench.data.table import Table
from workbench.data.uniqueness import repeats
from workbench.data.wording import PLAIN, Wording
from workbench.frontier.recipe import MOST as MOST
from workbench.frontier.recipe import Recipe, expand_recipe, variant
from workbench.frontier.recipe import ranges_from_recipe as ranges_from_recipe
from workbench.measures import Measure
from workbench.redaction.controlled_rounding import FINEST, SMALLEST
from workbench.studies import hierarchy_files
from workbench.studies.faults import raise_first
from workbench.studies.hierarchy_files import FILE, read_files
from workbench.studies.part_rounding import rounding_of
from workbench.studies.schema import BUNDLED, CSV, FORMAT, FROM, LEAVES_OUT, PERSON, ROLES, study_faults
from workbench.studies.yaml_text import MOST as LONGEST
from workbench.studies.yaml_text import lines_of, read_yaml, write_yaml

RESULTS = ".results"  # ending of the name of a study's store, next to its file
FALLBACK = {"privacy": "re-identification risk", "utility": "information loss"}  # defined without sensitive columns
OF_SAMPLES = {"over": "records"}  # default intervals


@dataclass(frozen=True)
class Study:
    """A study as plain data. A hierarchy is a builder's settings, `{csv: file}` next to the study, or `bundled`.

    A recipe is `{method: {...}, model: {...}}`, where a parameter may be a list: one recipe per combination. A list of
    models requires all of them.
    """

    name: str = "untitled"
    data: Mapping[str, Any] = None  # type: ignore[assignment]
    quasi: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()  # not published, although not identifying
    weight: tuple[str, ...] = ()  # the column with the number of people that each record represents, if any
    population: Mapping[str, str] = None  # type: ignore[assignment] # the file of the population from which the records were sampled
    levels: Mapping[str, int] = None  # type: ignore[assignment]
    hierarchies: Mapping[str, Any] = None  # type: ignore[assignment]
    regions: Mapping[str, str] = None  # type: ignore[assignment] # kinds of released values: nodes, ranges, exact ranges
    released_levels: Mapping[str, Any] = None  # type: ignore[assignment] # the lowest and the highest, by column
    importance: Mapping[str, float] = None  # type: ignore[assignment] # weights of quasi-identifiers
    workloads: Mapping[str, Any] = None  # type: ignore[assignment] # by name: queries, random ones, or a file of them
    recipes: tuple[Mapping[str, Any], ...] = ()
    measures: tuple[Mapping[str, Any], ...] = ()
    axes: tuple[str, ...] = ()  # the keys of the measures of privacy and of utility on the chart
    caps: Mapping[str, float] = None  # type: ignore[assignment]
    intervals: Mapping[str, Any] = None  # type: ignore[assignment] # `over` records, seeds or learning; `times`: number of repetitions
    chosen: Mapping[str, Any] = None  # type: ignore[assignment] # the recipe of the chosen release; empty if none is chosen
    wording: Wording = PLAIN  # titles of columns, words for records, and harmful values, for pages
    smallest: int = SMALLEST  # threshold for numbers of people, which are rounded to it
    seed: int = 0
    folder: str = "."  # base of relative paths; not in the file
    files: Mapping[str, str] = None  # type: ignore[assignment] # files of long hierarchies, by column; not in the file

    def __post_init__(self) -> None:
        if self.intervals is None:
            object.__setattr__(self, "intervals", OF_SAMPLES if "sample" in (self.data or {}) else {})
        for field in fields(self):
            value = getattr(self, field.name)
            if field.type.startswith("tuple"):
                if isinstance(value, str) or not isinstance(value, Sequence):
                    raise BadInput(f"study: {field.name} must be a list, not {safe_repr(value)}")
                object.__setattr__(self, field.name, tuple(value))
            elif field.type.startswith("Mapping"):
                if not isinstance(value, Mapping | None):
                    raise BadInput(f"study: {field.name} must be a mapping, not {safe_repr(value)}")
                object.__setattr__(self, field.name, dict(value or {}))
        if self.data and sum(key in self.data for key in FROM) != 1:
            raise BadInput(f"study: data must name exactly one of {', '.join(FROM)}")
        for name, least in (("smallest", FINEST), ("seed", 0)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise BadInput(f"study: {name} = {safe_repr(value)} must be a whole number, {least} or above")

    # --- the file

    @classmethod
    def from_dict(cls, given: Mapping[str, Any], folder: str | PathLike[str] = ".", *, confined: bool = False) -> Study:
        """Return the study that `to_dict` described, with its hierarchies in files; an unknown key is an error."""
        raise_first(study_faults(given))
        settings = {key: value for key, value in given.items() if key not in ("study", "roles", "versions")}
        if isinstance(settings.get("data"), str):
            settings["data"] = {"path": settings["data"]}
        named: dict[str, Any] = {
            role: (value,) if isinstance(value, str) else value for role, value in given.get("roles", {}).items()
        }
        one, many = settings.pop("record", PERSON)
        wording = Wording(settings.pop("titles", {}), one, many, settings.pop("harmful", {}))
        name = str(given.get("study", "untitled"))
        study = cls(name=name, folder=str(folder), wording=wording, **named, **settings)
        if confined:
            _refuse_outside(study)
        hierarchies, files = read_files(study.hierarchies, folder)
        return study.with_(hierarchies=hierarchies, files=files)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data in the order of the file, without empty settings."""
        roles: dict[str, Any] = {role: list(getattr(self, role)) for role in ROLES if getattr(self, role)}
        roles |= {"weight": self.weight[0]} if len(self.weight) == 1 else {}
        data = {"study": self.name, "data": self.data, "roles": roles}
        for field in fields(self):
            if field.name == "wording":
                data |= {"titles": self.wording.titles, "harmful": self.wording.harmful}
                record = [self.wording.one, self.wording.many]
                data |= {"record": record} if record != [*PERSON] else {}
            elif field.name not in (*ROLES, "name", "data", "folder", "files"):
                value = getattr(self, field.name)
                data[field.name] = list(value) if isinstance(value, tuple) else value
        kept = {"intervals"} if "sample" in self.data else set()  # empty: no intervals
        return {key: _plain(value) for key, value in data.items() if value not in ({}, []) or key in kept}

    @classmethod
    def from_yaml(
        cls, text: str, folder: str | PathLike[str] = ".", *, confined: bool = False, where: str = "study"
    ) -> Study:
        """Return the study in a YAML text. If it is `confined`, every file must be in the folder or below it."""
        given, failure = read_yaml(text, where), None
        try:
            return cls.from_dict(given, folder, confined=confined)
        except BadInput as error:
            failure = BadInput(locate_message(error, lines_of(text), where))
            failure.path = error.path
        raise failure

    def to_yaml(self) -> str:
        """Return the file's text."""
        return write_yaml({**self.to_dict(), "versions": VERSIONS})

    @classmethod
    def open(cls, path: str | PathLike[str]) -> Study:
        """Return the study in a file."""
        return cls.from_yaml(read_study_text(path), Path(path).absolute().parent, where=str(path))

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the file atomically; long hierarchies first, each into a file next to it."""
        path = Path(path)
        parted = with_hierarchy_files(self, path)
        hierarchy_files.write_files(self.hierarchies, parted.files, path.parent)
        with atomic_write(path) as aside:
            aside.write_text(parted.to_yaml(), "utf-8")
        return path

    def with_(self, **changes: Any) -> Study:
        """Return the study with these fields changed."""
        return replace(self, **changes)

    # --- its data, table, recipes and measures

    def read(self, given: Any = None, progress: Callable[[int], None] | None = None) -> Table:
        """Return every column of the data, without roles or hierarchies; `given` replaces in-memory data."""
        options = {key: value for key, value in self.data.items() if key not in (*FROM, *LEAVES_OUT, "only", "seconds")}
        if "temp_directory" in options:
            options["temp_directory"] = Path(self.folder) / str(options["temp_directory"])
        if given is None:
            given = _source(self)
        elif isinstance(given, Table):
            return given
        return Table.without_roles(given, progress=progress, **options)

    def table(self, base: Table) -> Table:
        """Return the study's table: columns in their roles, with their hierarchies."""
        chosen = {name: shown for name, shown in self.regions.items() if name not in unpublished_columns(self)}
        table = records_of_study(self, base).with_settings(regions=chosen, threshold=self.smallest)
        built = {
            name: hierarchy_builder(self, name, given)
            for name, given in self.hierarchies.items()
            if name in table.names
        }
        try:
            table = table.with_hierarchies(built)
        except Misfit as error:
            raise BadInput(error.plain) from None
        require_levels(table.columns, self.regions)
        table = table.with_roles(self.quasi, self.sensitive, self.levels, self.weight)
        with prefix_path("released_levels"):
            ranges = {name: levels for name, levels in self.released_levels.items() if name in self.quasi}
            table = table.with_settings(level_ranges=ranges)  # others apply once they are quasi-identifiers
        if self.population:
            path, known = Path(self.folder) / self.population[CSV], ("population", self.population[CSV], self.quasi)
            with prefix_path("population"):
                people = base.remember(known, lambda: table.with_settings(population=path).origin.population)
                table = table.with_settings(population=people)
        with prefix_path("importance"):
            table = table.with_settings(importance=self.importance)
        with prefix_path("workloads"):
            logs = {name: {FILE: str(Path(self.folder) / path)} for name, path in _logs(self).items()}
            table = table.with_settings(workloads={**self.workloads, **logs})
        settings = replace(table.settings, wording=self.wording, rounding=rounding_of(self, base))
        return replace(table, settings=settings, origin=replace(table.origin, repeats=repeats(base, self.identifiers)))

    def candidates(self) -> list[Recipe]:
        """Return every recipe, with lists of parameters expanded."""
        return [recipe for ranges in self.recipes for recipe in expand_recipe(ranges, self.seed)]

    def measured(self) -> list[Measure]:
        """Return the measures. If nothing is sensitive, a side without a defined measure gets one."""
        found: list[Measure] = [variant("measure", given) for given in self.measures]
        if self.sensitive or not self.quasi or not found:
            return found
        sides = {one.side for one in found if not one.needs_sensitive}
        return [*found, *(variant("measure", {"name": name}) for side, name in FALLBACK.items() if side not in sides)]


VERSIONS = {"format": FORMAT, "workbench": __version__}


def _refuse_outside(study: Study) -> None:
    """Raise BadInput if the study would read a file outside its folder; queries are restricted when they run."""
    here = Path(study.folder).resolve()
    if "spark" in study.data:
        with prefix_path("data", "spark"):
            raise BadInput("study: its data are on a server; open the study by its path")
    named: dict[tuple[str, ...], Any] = {("data", key): study.data.get(key, "") for key in ("path", "temp_directory")}
    named |= {("data", "path", str(file)): file for file in _parts(study)}  # a link may lead outside
    named |= {("population", key): name for key, name in study.population.items()}
    for column, given in study.hierarchies.items():
        for key in {"csv", FILE} & set(given if isinstance(given, Mapping) else ()):
            named["hierarchies", column] = given[key]
    named |= {("workloads", name, FILE): path for name, path in _logs(study).items()}
    for path, name in named.items():
        path = path[:2] if path[:2] == ("data", "path") else path
        if "\0" in str(name) or not (here / str(name)).resolve().is_relative_to(here):
            with prefix_path(*path):
                raise BadInput(
                    f"study: {safe_repr(name)} lies outside the folder of the study; put it there, "
                    "or open the study by its path"
                )


def with_hierarchy_files(study: Study, path: str | PathLike[str]) -> Study:
    """Return the study as it is written in this file: long hierarchies by the names of their files."""
    files = hierarchy_files.name_files(study.hierarchies, file_stem(path))
    return study.with_(hierarchies=hierarchy_files.refer_to_files(study.hierarchies, files), files=files)


def with_data(study: Study, data: Mapping[str, Any]) -> Study:
    """Return the study of other data; if these are a new sample, its figures get intervals."""
    begins = "sample" in data and "sample" not in study.data
    return study.with_(data=data, intervals=study.intervals or (OF_SAMPLES if begins else {}))


def _source(study: Study) -> Any:
    if not study.data:
        raise BadInput("study: there is no data; name a path, a bundled table or a query")
    if BUNDLED in study.data:
        return datasets.path(study.data[BUNDLED])
    if "sql" in study.data:
        return Query(str(study.data["sql"]), folder=str(study.folder), seconds=study.data.get("seconds"))
    if "path" in study.data:
        return Path(study.folder) / str(study.data["path"])
    if "spark" in study.data:
        return f"{NAMED}{study.data['spark']}"
    raise BadInput(
        f"study: its data {safe_repr(study.data['given'])} were in memory and are in no file; pass them again"
    )


def _parts(study: Study) -> list[Path]:
    """Return the data's files if they are a folder or a pattern."""
    return files_of(Path(study.folder) / str(study.data["path"])) if "path" in study.data else []


def unpublished_columns(study: Study) -> tuple[str, ...]:
    """The columns that are not published: identifiers and dropped columns."""
    return (*study.identifiers, *study.dropped)


def files_read(study: Study) -> list[Path]:
    """Return the files of its data and hierarchies; for a query, the files that its text may refer to."""
    named = [str(study.data["path"])] if "path" in study.data else []
    if parts := _parts(study):  # a new file among them would be read as data
        named += [f"{study.data['path']}/*", *map(str, parts)]
    named += [str(one["csv"]) for one in study.hierarchies.values() if isinstance(one, Mapping) and "csv" in one]
    named += [str(name) for name in study.population.values()]
    named += map(str, _logs(study).values())
    places = places_of(str(study.data.get("spark", "")))
    return [Path(study.folder) / name for name in (*named, *study.files.values())] + places + list(_query_files(study))


def _query_files(study: Study) -> Iterator[Path]:
    """Yield the names and patterns of files in a query, below the folder, and the files that match them."""
    here = os.path.realpath(study.folder)
    for name in map("".join, re.findall(r"""'([^']+)'|"([^"]+)\"""", str(study.data.get("sql", "")))):
        for start in {here, os.getcwd()}:  # DuckDB resolves names against the working directory
            path = os.path.normpath(os.path.join(start, name))
            if Path(path).is_relative_to(here):
                yield from map(Path, [path, *glob(path, recursive=True)])


def records_of_study(study: Study, base: Table) -> Table:
    """Return the records and columns of the study, all neutral."""
    if (many := study.data.get("sample")) is None:
        return _whole(study, base)
    known = ("sample", canonical(study.data), unpublished_columns(study))
    return base.remember(known, lambda: _whole(study, base).sample(many))


def _whole(study: Study, base: Table) -> Table:
    table = (base.only(study.data["only"]) if study.data.get("only") else base).drop(unpublished_columns(study))
    return table.complete() if study.data.get("drop_missing") else table


def _logs(study: Study) -> dict[str, str]:
    """The workloads that are files of queries."""
    return {name: spec[FILE] for name, spec in study.workloads.items() if isinstance(spec, Mapping) and FILE in spec}


def hierarchy_builder(study: Study, name: str, given: Any) -> builders.Builder:
    """Return the builder of a column's hierarchy."""
    if given == BUNDLED:
        return datasets.hierarchy(str(study.data.get(BUNDLED)), name)
    if not isinstance(given, Mapping):
        raise BadInput(f"study: the hierarchy of {name!r} must be a mapping or 'bundled', not {safe_repr(given)}")
    if set(given) == {"csv"}:
        return builders.read_csv(Path(study.folder) / str(given["csv"]))
    return builders.from_dict(given)


def chosen_recipe(study: Study) -> Recipe | None:
    """Return the recipe of the chosen release, or None."""
    return expand_recipe(study.chosen, study.seed)[0] if study.chosen else None


def chart_axes(study: Study) -> tuple[str, ...]:
    """Return the keys of the measures on the axes (empty: the first of each side), defined for this study."""
    if study.sensitive or not study.quasi or not study.measures:
        return study.axes
    chosen = dict(zip(FALLBACK, study.axes, strict=False))
    found = []
    for side in FALLBACK:
        keys = [one.key for one in study.measured() if one.side == side and not one.needs_sensitive]
        found.append(chosen[side] if chosen.get(side) in keys else keys[0])
    return tuple(found)


def read_study_text(path: str | PathLike[str]) -> str:
    """Return the text of a study's file."""
    path, why = Path(path), ""
    try:
        if path.is_fifo():
            raise BadInput(f"study {str(path)!r} cannot be read: it is a pipe; write the study to a file")
        with path.open("rb") as file:
            return file.read(4 * LONGEST + 1).decode("utf-8-sig")  # at most four bytes per character, and one byte more
    except UnicodeDecodeError as error:
        why = "it is not UTF-8 text" if error.end < 4 * LONGEST else f"the text is longer than {LONGEST:,} characters"
    except OSError as error:
        why = str(error.strerror)
    except ValueError:
        why = "this is not the name of a file"
    raise BadInput(f"study {str(path)!r} cannot be read: {why}; name the file of a study")


def locate_message(error: BadInput, line: Callable[[Sequence[Any]], int], where: str) -> str:
    """Return the message of a fault of a study, with its line."""
    text = str(error).removeprefix("study: ")
    return (
        f"{where}, line {line(error.path)}: {text}" if error.path else text if where == "study" else f"{where}: {text}"
    )


def results_folder(path: str | PathLike[str], store: str | PathLike[str] | None = None) -> Path:
    """Return the folder of a study's results: the given one, or study.results next to study.yaml."""
    return Path(store) if store is not None else Path(path).with_name(file_stem(path) + RESULTS)


def plain_file_name(name: str) -> str:
    """Return a study's name as a name of a file."""
    return re.sub(r"[^\w-]+", "-", name.lower()).strip("-") or "untitled"


def file_stem(path: str | PathLike[str]) -> str:
    """Return the common prefix of a study's files: `people` for `people.study.yaml`."""
    path = Path(path)
    return path.name.removesuffix(path.suffix).removesuffix(".study")


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    return value
