"""Validate a study's plain data: yield every fault with its path, before anything is read or computed."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from functools import partial
from numbers import Real
from typing import Any

from workbench.base.errors import BadInput, safe_repr, suggest
from workbench.base.parameters import RANDOM, WorkloadChoice
from workbench.data import datasets
from workbench.data.engines import ENGINES
from workbench.data.engines.spark_session import refuse_secrets
from workbench.data.hierarchies import builders
from workbench.data.published import REGIONS
from workbench.data.reading.column_types import parse_type
from workbench.data.reading.formats import FORMATS
from workbench.data.reading.opening import open_source
from workbench.data.settings import check_importance_weight, check_workloads
from workbench.data.table import Table
from workbench.frontier.recipe import (
    MOST,
    combinations,
    count_combinations,
    listed_settings,
    models_of,
    variant,
    variants,
)
from workbench.measures import Measure
from workbench.queries.parser import parse
from workbench.queries.random_queries import Settings
from workbench.queries.workload import Workload
from workbench.redaction.controlled_rounding import FINEST
from workbench.studies.faults import Fault, Faults, catch_faults, prefix_faults, type_fault, unknown_keys
from workbench.studies.hierarchy_files import FILE as HIERARCHY_FILE

# sources of data; `given` is a name for in-memory data, `spark` the name of a table in Spark
FROM = ("bundled", "path", "sql", "spark", "given")
BUNDLED = "bundled"
CSV = "csv"  # a file of the population, or of a hierarchy
ROLES = ("quasi", "sensitive", "identifiers", "dropped", "weight")
# other settings of data, in addition to the format of a file
CHOICES = ("engine", "drop_missing", "sample", "only", "types", "missing", "seconds")
LEAVES_OUT = ("drop_missing", "sample")  # settings that exclude records
FILE = tuple(name for name in inspect.signature(open_source).parameters if name != "data")
PERSON = ("person", "people")  # default words for one record and for several
FORMAT = 1  # of the file; newer formats are refused


def study_faults(given: Any) -> Faults:
    """Yield all faults of a study as plain data; opening the study reports the first."""
    if not isinstance(given, Mapping):
        yield Fault((), "this is not a study: one has lines such as 'data:' and 'roles:', each a name and a colon")
        return
    parts: dict[str, tuple[type, Callable[[Any], Faults]]] = {
        "study": (object, _title),
        "data": (object, _data),
        "roles": (Mapping, _roles),
        "population": (Mapping, _population),
        "levels": (Mapping, _levels),
        "hierarchies": (Mapping, lambda value: _hierarchies(value, given.get("data"))),
        "regions": (Mapping, _regions),
        "released_levels": (Mapping, _released_levels),
        "importance": (Mapping, _importance),
        "workloads": (Mapping, _workloads),
        "recipes": (list, _recipes),
        "measures": (list, _measures),
        "axes": (list, _axes),
        "caps": (Mapping, _caps),
        "intervals": (Mapping, _intervals),
        "chosen": (object, _chosen),
        "titles": (Mapping, _titles),
        "harmful": (Mapping, lambda value: _harmful(value, given.get("roles"))),
        "record": (object, _record),
        "smallest": (object, lambda value: _whole("smallest", value, FINEST)),
        "seed": (object, lambda value: _whole("seed", value)),
        "versions": (Mapping, _versions),
    }
    yield from unknown_keys("study", given, list(parts))
    for key, (kind, look) in parts.items():
        if key in given:
            wrong = type_fault(kind, key, given[key])
            yield from prefix_faults([Fault((), wrong)] if wrong else look(given[key]), key)
    yield from missing_workloads(given)


def _named(where: str, given: Any) -> Faults:
    """Yield the faults of a list of distinct names."""
    if wrong := type_fault(list, where, given):
        yield Fault((), wrong)
        return
    for i, name in enumerate(given):
        if wrong := type_fault(str, f"{where}: a name", name):
            yield Fault((i,), wrong)
        elif name in given[:i]:
            yield Fault((i,), f"{where} names {safe_repr(name)} twice; keep one")


# --- the parts


def _title(given: Any) -> Faults:
    if isinstance(given, (Mapping, list)):
        yield Fault((), f"study must be a name, not {safe_repr(given)}")


def _whole(name: str, given: Any, least: int = 0) -> Faults:
    if isinstance(given, bool) or not isinstance(given, int) or given < least:
        yield Fault((), f"{name} = {safe_repr(given)} must be a whole number, {least} or above")


def _data(given: Any) -> Faults:
    if isinstance(given, str):  # the short form of a path
        return
    if wrong := type_fault(Mapping, "data", given):
        yield Fault((), wrong)
        return
    yield from unknown_keys("data", given, (*FROM, *CHOICES, *FILE))
    if given and sum(key in given for key in FROM) != 1:
        yield Fault((), f"data must name exactly one of {', '.join(FROM)}")
    for key in (*FROM, *FILE):
        kind = bool if key == "header" else str
        if key in given and (wrong := type_fault(kind, f"data: {key}", given[key])):
            yield Fault((key,), wrong)
    if isinstance(given.get(BUNDLED), str):
        yield from catch_faults(lambda: datasets.path(given[BUNDLED]), BUNDLED)
    if isinstance(given.get("remote"), str):
        yield from catch_faults(lambda: refuse_secrets(given["remote"]), "remote")
    if ("spark" in given) != ("remote" in given):
        yield Fault((), "data: spark names a table, and remote the server that has it: both, or neither")
    if "table" in given and "path" not in given:
        yield Fault(("table",), "data: table names one in the file that path names; name both, or neither")
    if isinstance(given.get("format"), str) and given["format"] not in FORMATS:
        yield Fault(
            ("format",), f"data: no format is called {safe_repr(given['format'])}; {suggest(given['format'], FORMATS)}"
        )
    if given.get("engine", ENGINES[0]) not in ENGINES:
        yield Fault(
            ("engine",), f"data: there is no engine {safe_repr(given['engine'])}; {suggest(given['engine'], ENGINES)}"
        )
    if "drop_missing" in given and (wrong := type_fault(bool, "data: drop_missing", given["drop_missing"])):
        yield Fault(("drop_missing",), wrong)
    if "sample" in given:
        yield from prefix_faults(_whole("data: sample", given["sample"], 1), "sample")
    if "seconds" in given:
        seconds = given["seconds"]
        if "sql" not in given or isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not seconds > 0:
            yield Fault(
                ("seconds",), f"data: seconds = {safe_repr(seconds)} must be a number above 0, of a query (sql)"
            )
    if "missing" in given:
        yield from prefix_faults(_named("data: missing", given["missing"]), "missing")
    for key in ("types", "only"):
        if key in given:
            yield from prefix_faults(_by_column(key, given[key]), key)


def _by_column(key: str, given: Any) -> Faults:
    """Yield the faults of settings by column: the type of each, or the one value that selects records."""
    if wrong := type_fault(Mapping, f"data: {key}", given):
        yield Fault((), wrong)
        return
    for name, value in given.items():
        if wrong := type_fault(str, f"data: {key}: the name of a column", name):
            yield Fault((name,), wrong)
        elif key == "types":
            for fault in catch_faults(partial(parse_type, value), name):
                yield Fault(fault.path, f"data: types: {fault.text}")
        elif key == "only" and (isinstance(value, bool) or not isinstance(value, (str, Real, date))):
            yield Fault((name,), f"data: only: specify one value of {name!r}, as text or a number; quote true and no")


def _roles(given: Any) -> Faults:
    yield from unknown_keys("study: roles", given, ROLES)
    taken: dict[str, str] = {}
    for role in (role for role in ROLES if role in given):
        given_names = given[role]
        names = [given_names] if isinstance(given_names, str) else given_names
        yield from prefix_faults(_named(f"roles: {role}", names), role)
        if role == "weight" and isinstance(names, list) and len(names) > 1:
            yield Fault(
                (role,),
                "roles: weight names several columns; name the one that counts the people of each record",
            )
        for i, name in enumerate(names if isinstance(names, list) else []):
            if isinstance(name, str) and taken.setdefault(name, role) != role:
                yield Fault(
                    (role, i), f"column {safe_repr(name)} is in two roles, {taken[name]} and {role}; choose one"
                )


def _population(given: Any) -> Faults:
    yield from unknown_keys("population", given, (CSV,))
    if CSV not in given:
        yield Fault(
            (), "population names the file of the population from which the records were sampled: {csv: voters.csv}"
        )
    elif wrong := type_fault(str, "population: csv", given[CSV]):
        yield Fault((CSV,), wrong)


def _levels(given: Any) -> Faults:
    for name, level in given.items():
        yield from prefix_faults(_whole(f"levels: {name}", level), name)


def _regions(given: Any) -> Faults:
    for name, shown in given.items():
        if wrong := type_fault(str, "regions: the name of a column", name):
            yield Fault((name,), wrong)
        elif shown not in REGIONS:
            yield Fault((name,), f"regions: {name} is {safe_repr(shown)}; {suggest(str(shown), REGIONS)}")


def _released_levels(given: Any) -> Faults:
    for name, levels in given.items():
        where = f"released_levels: {name}"
        if wrong := type_fault(list, where, levels):
            yield Fault((name,), wrong)
        elif len(levels) != 2 or any(list(_whole(where, level)) for level in levels) or levels[0] > levels[1]:
            yield Fault((name,), f"{where} must be the lowest level and the highest: [0, 2]")


def _importance(given: Any) -> Faults:
    for name, one in given.items():
        yield from catch_faults(partial(check_importance_weight, name, one), name)


def _hierarchies(given: Any, data: Any) -> Faults:
    table = data.get(BUNDLED) if isinstance(data, Mapping) else None
    for name, spec in given.items():
        if wrong := type_fault(str, "hierarchies: the name of a column", name):
            yield Fault((name,), wrong)
        elif spec == BUNDLED:
            yield from _bundled(name, table)
        elif not isinstance(spec, Mapping):
            yield Fault((name,), f"the hierarchy of {name!r} must be a mapping or 'bundled', not {safe_repr(spec)}")
        elif key := next((key for key in ("csv", HIERARCHY_FILE) if key in spec), ""):
            yield from prefix_faults(unknown_keys(f"the hierarchy of {name!r} next to {key}", spec, (key,)), name)
            if wrong := type_fault(str, f"hierarchies: {name}: {key}", spec[key]):
                yield Fault((name, key), wrong)
        else:
            for fault in catch_faults(partial(builders.from_dict, spec), name):
                yield Fault(fault.path, f"the hierarchy of {name!r}: {fault.text}")


def _bundled(name: str, table: Any) -> Faults:
    if table is None:
        yield Fault(
            (name,),
            f"the hierarchy of {name!r} is set to 'bundled', but the data are not a bundled table; name a builder",
        )
    elif name not in datasets.ADULT_HIERARCHIES:
        yield Fault((name,), f"no hierarchy of {name!r} is bundled; {suggest(name, datasets.ADULT_HIERARCHIES)}")


def _workloads(given: Any) -> Faults:
    """Yield the faults of workloads that are visible without a table."""
    for name, spec in given.items():
        found = list(catch_faults(partial(check_workloads, {name: spec})))
        yield from found
        if not found and isinstance(spec, Mapping) and RANDOM in spec:
            yield from catch_faults(partial(Settings.from_spec, spec[RANDOM]), name, RANDOM)


def _recipes(given: Any) -> Faults:
    for i, ranges in enumerate(given):
        yield from prefix_faults(recipe_faults(ranges), i)


def _chosen(given: Any) -> Faults:
    wrong = list(recipe_faults(given))
    yield from wrong
    if not wrong and any(listed_settings(kind, spec) for _, kind, spec in parts_of_recipe(given)):
        yield Fault((), "chosen must be a single recipe, without lists of parameters")


def _measures(given: Any) -> Faults:
    taken: list[Measure] = []
    for i, spec in enumerate(given):
        found = list(variant_faults("measure", spec))
        yield from prefix_faults(found, i)
        if not found and (measure := variant("measure", spec)) in taken:
            yield Fault((i,), f"measures has {measure.key} twice; keep one")
        elif not found:
            taken.append(measure)


def _axes(given: Any) -> Faults:
    if len(given) not in (0, 2):
        yield Fault((), "axes name two measures, one of privacy and one of utility")
    for i, key in enumerate(given):
        yield from prefix_faults(_key("axes", key), i)


def _caps(given: Any) -> Faults:
    for key, cap in given.items():
        yield from prefix_faults(_key("caps", key), key)
        if isinstance(cap, bool) or not isinstance(cap, Real) or not math.isfinite(cap):
            yield Fault(
                (key,), f"the cap on {safe_repr(key)} is {safe_repr(cap)}; use a finite number, or remove the cap"
            )
        elif cap < 0:
            yield Fault(
                (key,), f"the cap on {safe_repr(key)} is {safe_repr(cap)}; no measure is below 0: use 0 or above"
            )


def _intervals(given: Any) -> Faults:
    from workbench.frontier.intervals import LEARNING, TIMES, refuse_intervals  # it loads what makes points

    yield from unknown_keys("intervals", given, ("over", "times"))
    if given:
        yield from catch_faults(lambda: refuse_intervals(given.get("over"), given.get("times", TIMES)))
    if given.get("over") == LEARNING and "times" in given:
        yield Fault(("times",), "intervals over learning have no repetitions; remove times")


def _key(where: str, key: Any) -> Faults:
    """Check a measure's key in charts; one with settings ends in a bracket and is checked against the data."""
    symbols = [kind.symbol for kind in variants("measure").values() if issubclass(kind, Measure)]
    if not isinstance(key, str) or not ("(" in key or key in (*symbols, "")):
        yield Fault((), f"{where}: no measure is called {safe_repr(key)} in a chart; {suggest(key, symbols)}")


def _titles(given: Any) -> Faults:
    for name, title in given.items():
        if wrong := type_fault(str, "titles: the name of a column", name) or type_fault(str, f"titles: {name}", title):
            yield Fault((name,), wrong)
        elif not title.strip():
            yield Fault((name,), f"titles: {name} is empty; add a title, or remove the line")
        elif title in [other for key, other in given.items() if key != name]:
            yield Fault((name,), f"titles: two columns are called {safe_repr(title)}; use distinct titles")


def _harmful(given: Any, roles: Any) -> Faults:
    declared = roles.get("sensitive", []) if isinstance(roles, Mapping) else []
    sensitive = [declared] if isinstance(declared, str) else declared
    for name, values in given.items():
        if name not in sensitive:
            yield Fault(
                (name,), f"harmful: {safe_repr(name)} is not a sensitive column; name one, with a list of its values"
            )
        elif not isinstance(values, list) or not values or not all(isinstance(one, str) for one in values):
            yield Fault((name,), f"harmful: {name} must be a list of values as text, such as [HIV, hepatitis]")


def _record(given: Any) -> Faults:
    if (
        not isinstance(given, (list, tuple))
        or len(given) != 2
        or not all(isinstance(w, str) and w.strip() for w in given)
    ):
        yield Fault((), "record must list the words for one record and for several: [visit, visits]")


def _versions(given: Any) -> Faults:
    yield from unknown_keys("versions", given, ("format", "workbench"))
    written = given.get("format", FORMAT)
    if isinstance(written, bool) or not isinstance(written, int) or written < 1:
        yield Fault(("format",), f"versions: format = {safe_repr(written)} must be a whole number, 1 or above")
    elif written > FORMAT:
        yield Fault(
            ("format",),
            f"the file was written by a newer workbench (format {written}, this one reads {FORMAT}); update it",
        )


def recipe_faults(ranges: Any, table: Table | None = None) -> Faults:
    """Yield the faults of one recipe; with a table, also the parameters that do not fit it."""
    if not isinstance(ranges, Mapping) or "method" not in ranges:
        yield Fault((), "a recipe has a method and, if it has one, a model: {method: {...}, model: {...}}")
        return
    yield from unknown_keys("a recipe", ranges, ("method", "model"))
    count = 1
    for path, kind, spec in parts_of_recipe(ranges):
        wrong = list(variant_faults(kind, spec, several=True, table=table))
        yield from prefix_faults(wrong, *path)
        if not wrong:
            count *= count_combinations(kind, spec)
    if count > MOST:
        yield Fault((), f"a recipe expands to more than {MOST:,} releases; use fewer values")


def parts_of_recipe(ranges: Mapping[str, Any]) -> Iterator[tuple[tuple[Any, ...], str, Any]]:
    """Yield the method and each model of a recipe, with the path to it."""
    yield ("method",), "method", ranges["method"]
    listed = isinstance(ranges.get("model"), list)
    for j, spec in enumerate(models_of(ranges)):
        yield ("model", j) if listed else ("model",), "model", spec


def variant_faults(kind: str, given: Any, several: bool = False, table: Table | None = None) -> Faults:
    """Yield the faults of a method, model or measure; `several`: a parameter may be a list of values."""
    if not isinstance(given, Mapping):
        yield Fault((), f"a {kind} must be a mapping such as {{name: ...}}, not {safe_repr(given)}")
        return
    available, name = variants(kind), given.get("name")
    if not isinstance(name, str) or name not in available:
        known = suggest(name, available) if isinstance(name, str) else f"there are {', '.join(available)}"
        yield Fault(
            ("name",),
            f"no {kind} is called {safe_repr(name)}; {known}" if "name" in given else f"a {kind} needs a name; {known}",
        )
        return
    wrong = [*unknown_keys(name, given, ["name", *available[name].parameters()])]
    for key, value in given.items():
        if key in available[name].parameters():
            wrong += _values(available[name], key, value, several, table)
    yield from wrong
    if not wrong:  # faults that concern several parameters jointly
        yield from catch_faults(
            lambda: [
                one.check(table) for one in combinations(kind, given if several else _as_single_values(kind, given))
            ]
        )


def _as_single_values(kind: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Wrap lists, so that each counts as one value."""
    return {**given, **{key: [value] for key, value in listed_settings(kind, given).items()}}


def _values(variant: Any, key: str, value: Any, several: bool, table: Table | None) -> Faults:
    if not (several and variant.parameters()[key].is_list(value)):
        yield from catch_faults(partial(variant.check_value, key, value, table), key)
        return
    if not value:
        yield Fault((key,), f"{variant.name}: {key} has no values; add at least one")
    for i, one in enumerate(value[: MOST + 1]):
        yield from catch_faults(partial(variant.check_value, key, one, table), key, i)


def query_faults(table: Table, notes: list[str]) -> Faults:
    """Yield the queries that a table cannot answer; append notes to `notes`."""
    for name, spec in table.settings.workloads.items():
        if isinstance(spec, list):
            for number, text in enumerate(spec):
                yield from _faults_of_query(
                    table, f"workload {safe_repr(name)}, query {number + 1}", text, notes, name, number
                )
            continue
        found = list(catch_faults(partial(Workload.named, table, name), name))
        yield from found
        if not found:
            notes += [f"workload {safe_repr(name)}: {note}" for note in Workload.named(table, name).notes]


def _faults_of_query(table: Table, which: str, text: str, notes: list[str], *path: Any) -> Faults:
    try:
        query = parse(text, table)
    except BadInput as error:
        yield Fault(path, f"{which}, {error}")
        return
    for column in dict.fromkeys(column for column, _ in query.absent):
        notes.append(f"{which}: no record has a requested value of {column}")


def missing_workloads(given: Mapping[str, Any]) -> Faults:
    """Yield the names of workloads that the measures and methods of a study use but the study does not define."""
    workloads = given.get("workloads", {})
    known = [*workloads, RANDOM] if isinstance(workloads, Mapping) else []
    for path, kind, one in _valid_variants(given):
        declared, several = variants(kind)[one["name"]].parameters(), kind == "method"
        for key in (key for key in one if known and key in declared and isinstance(declared[key], WorkloadChoice)):
            axis = listed_settings(kind, one).get(key) if several else None
            for place, name in [((key,), one[key])] if axis is None else [((key, i), v) for i, v in enumerate(axis)]:
                if isinstance(name, str) and name not in known:
                    text = f"{one['name']}: {safe_repr(name)} is not a workload of the study; {suggest(name, known)}"
                    yield Fault((*path, *place), text)
                if isinstance(name, (Mapping, list)):  # inline queries would be part of every name of the figure
                    yield Fault(
                        (*path, *place), f"{one['name']}: name the queries in workloads, and use that name here"
                    )


def _valid_variants(given: Mapping[str, Any]) -> Iterator[tuple[tuple[Any, ...], str, Mapping[str, Any]]]:
    """Yield the valid methods and measures of a study, each with the path to it."""
    recipes: list[tuple[tuple[Any, ...], Any]] = [(("recipes", i), one) for i, one in _items(given.get("recipes"))]
    recipes.append((("chosen",), given.get("chosen")))
    found = [((*path, "method"), "method", one.get("method")) for path, one in recipes if isinstance(one, Mapping)]
    found += [(("measures", i), "measure", one) for i, one in _items(given.get("measures"))]
    for path, kind, one in found:
        if isinstance(one, Mapping) and isinstance(one.get("name"), str) and one["name"] in variants(kind):
            yield path, kind, one


def _items(given: Any) -> Iterator[tuple[int, Any]]:
    return enumerate(given if isinstance(given, list) else ())
