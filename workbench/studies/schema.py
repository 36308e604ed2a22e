"""What a study's plain data may be: every fault, with the path to it, before anything is read or made."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from datetime import date
from numbers import Real
from typing import Any

from workbench.base.errors import meant, said
from workbench.base.small_counts import FINEST
from workbench.data import datasets
from workbench.data.engines import ENGINES
from workbench.data.engines.spark_session import refuse_secrets
from workbench.data.hierarchies import builders
from workbench.data.importance import weight
from workbench.data.reading.formats import FORMATS
from workbench.data.reading.opening import open_source
from workbench.data.reading.value_types import KINDS as COLUMN_KINDS
from workbench.frontier.grid import listed, variant, variants
from workbench.measures import Measure
from workbench.studies.faults import Fault, Faults, caught, must_be, under, unknown_keys
from workbench.studies.hierarchy_files import FILE as HIERARCHY_FILE
from workbench.studies.recipe_faults import parts_of, recipe_faults, variant_faults
from workbench.studies.workload_faults import missing_workloads, workload_faults

# where data may come from; `given` is a name for what is handed over, `spark` that of a table there
FROM = ("bundled", "path", "sql", "spark", "given")
BUNDLED = "bundled"
CSV = "csv"  # a file of the population, or of a hierarchy
ROLES = ("quasi", "sensitive", "identifiers", "dropped", "weight")
# what else may be said of data, beside how a file is written
CHOICES = ("engine", "drop_missing", "sample", "only", "types", "missing", "seconds")
LEAVES_OUT = ("drop_missing", "sample")  # records, of the data that are read
FILE = tuple(name for name in inspect.signature(open_source).parameters if name != "data")
PERSON = ("person", "people")  # what a record is, unless the study says otherwise
FORMAT = 1  # of the file; a newer one is refused


def faults(given: Any) -> Faults:
    """Everything that is wrong with a study as plain data; the first is what opening it says."""
    if not isinstance(given, Mapping):
        yield Fault((), "this is not a study: one has lines such as 'data:' and 'roles:', each a name and a colon")
        return
    parts: dict[str, Callable[[Any], Faults]] = {
        "study": _title,
        "data": _data,
        "roles": _roles,
        "population": _population,
        "levels": _levels,
        "hierarchies": lambda asked: _hierarchies(asked, given.get("data")),
        "released_levels": _released_levels,
        "importance": _importance,
        "workloads": workload_faults,
        "recipes": _recipes,
        "measures": _measures,
        "axes": _axes,
        "caps": _caps,
        "intervals": _intervals,
        "chosen": _chosen,
        "titles": _titles,
        "record": _record,
        "smallest": lambda asked: _whole("smallest", asked, FINEST),
        "seed": lambda asked: _whole("seed", asked),
        "versions": _versions,
    }
    yield from unknown_keys("study", given, list(parts))
    for key, look in parts.items():
        if key in given:
            yield from under(look(given[key]), key)
    yield from missing_workloads(given)


def _named(where: str, given: Any) -> Faults:
    """A list of names, each once."""
    if wrong := must_be(list, where, given):
        yield Fault((), wrong)
        return
    for i, name in enumerate(given):
        if wrong := must_be(str, f"{where}: a name", name):
            yield Fault((i,), wrong)
        elif name in given[:i]:
            yield Fault((i,), f"{where} names {said(name)} twice; keep one")


# --- the parts


def _title(given: Any) -> Faults:
    if isinstance(given, (Mapping, list)):
        yield Fault((), f"study must be a name, not {said(given)}")


def _whole(name: str, given: Any, least: int = 0) -> Faults:
    if isinstance(given, bool) or not isinstance(given, int) or given < least:
        yield Fault((), f"{name} = {said(given)} must be a whole number, {least} or above")


def _data(given: Any) -> Faults:
    if wrong := must_be(Mapping, "data", given):
        yield Fault((), wrong)
        return
    yield from unknown_keys("data", given, (*FROM, *CHOICES, *FILE))
    if given and sum(key in given for key in FROM) != 1:
        yield Fault((), f"data must name exactly one of {', '.join(FROM)}")
    for key in (*FROM, *FILE):
        kind = bool if key == "header" else str
        if key in given and (wrong := must_be(kind, f"data: {key}", given[key])):
            yield Fault((key,), wrong)
    if isinstance(given.get(BUNDLED), str):
        yield from caught(lambda: datasets.path(given[BUNDLED]), BUNDLED)
    if isinstance(given.get("remote"), str):
        yield from caught(lambda: refuse_secrets(given["remote"]), "remote")
    if ("spark" in given) != ("remote" in given):
        yield Fault((), "data: spark names a table, and remote the server that has it: both, or neither")
    if "table" in given and "path" not in given:
        yield Fault(("table",), "data: table names one in a file of DuckDB's, which path names; name both, or neither")
    if isinstance(given.get("format"), str) and given["format"] not in FORMATS:
        yield Fault(
            ("format",), f"data: no format is called {said(given['format'])}; {meant(given['format'], FORMATS)}"
        )
    if given.get("engine", ENGINES[0]) not in ENGINES:
        yield Fault(("engine",), f"data: there is no engine {said(given['engine'])}; {meant(given['engine'], ENGINES)}")
    if "drop_missing" in given and (wrong := must_be(bool, "data: drop_missing", given["drop_missing"])):
        yield Fault(("drop_missing",), wrong)
    if "sample" in given:
        yield from under(_whole("data: sample", given["sample"], 1), "sample")
    if "seconds" in given:
        seconds = given["seconds"]
        if "sql" not in given or isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not seconds > 0:
            yield Fault(("seconds",), f"data: seconds = {said(seconds)} must be a number above 0, of a query (sql)")
    if "missing" in given:
        yield from under(_named("data: missing", given["missing"]), "missing")
    for key in ("types", "only"):
        if key in given:
            yield from under(_by_column(key, given[key]), key)


def _by_column(key: str, given: Any) -> Faults:
    """What is said of columns: which kind they are, or the one value that their records have."""
    if wrong := must_be(Mapping, f"data: {key}", given):
        yield Fault((), wrong)
        return
    for name, value in given.items():
        if wrong := must_be(str, f"data: {key}: the name of a column", name):
            yield Fault((name,), wrong)
        elif key == "types" and value not in COLUMN_KINDS:
            yield Fault((name,), f"data: types: a column is one of {', '.join(COLUMN_KINDS)}, not {said(value)}")
        elif key == "only" and (isinstance(value, bool) or not isinstance(value, (str, Real, date))):
            yield Fault((name,), f"data: only: give one value of {name!r}, as text or a number; true and no in quotes")


def _roles(given: Any) -> Faults:
    if wrong := must_be(Mapping, "roles", given):
        yield Fault((), wrong)
        return
    yield from unknown_keys("study: roles", given, ROLES)
    taken: dict[str, str] = {}
    for role in (role for role in ROLES if role in given):
        asked = given[role]
        names = [asked] if isinstance(asked, str) else asked
        yield from under(_named(f"roles: {role}", names), role)
        if role == "weight" and isinstance(names, list) and len(names) > 1:
            yield Fault((role,), "roles: weight names several columns; one says how many people a record stands for")
        for i, name in enumerate(names if isinstance(names, list) else []):
            if isinstance(name, str) and taken.setdefault(name, role) != role:
                yield Fault((role, i), f"column {said(name)} is in two roles, {taken[name]} and {role}; give it one")


def _population(given: Any) -> Faults:
    if wrong := must_be(Mapping, "population", given):
        yield Fault((), wrong)
        return
    yield from unknown_keys("population", given, (CSV,))
    if CSV not in given:
        yield Fault((), "population names the file of those whom the records were drawn from: {csv: voters.csv}")
    elif wrong := must_be(str, "population: csv", given[CSV]):
        yield Fault((CSV,), wrong)


def _levels(given: Any) -> Faults:
    if wrong := must_be(Mapping, "levels", given):
        yield Fault((), wrong)
        return
    for name, level in given.items():
        yield from under(_whole(f"levels: {name}", level), name)


def _released_levels(given: Any) -> Faults:
    if wrong := must_be(Mapping, "released_levels", given):
        yield Fault((), wrong)
        return
    for name, levels in given.items():
        where = f"released_levels: {name}"
        if wrong := must_be(list, where, levels):
            yield Fault((name,), wrong)
        elif len(levels) != 2 or any(list(_whole(where, level)) for level in levels) or levels[0] > levels[1]:
            yield Fault((name,), f"{where} must be the lowest level and the highest: [0, 2]")


def _importance(given: Any) -> Faults:
    if wrong := must_be(Mapping, "importance", given):
        yield Fault((), wrong)
        return
    for name, one in given.items():
        yield from caught(lambda name=name, one=one: weight(name, one), name)  # type: ignore[misc]


def _hierarchies(given: Any, data: Any) -> Faults:
    if wrong := must_be(Mapping, "hierarchies", given):
        yield Fault((), wrong)
        return
    table = data.get(BUNDLED) if isinstance(data, Mapping) else None
    for name, asked in given.items():
        if wrong := must_be(str, "hierarchies: the name of a column", name):
            yield Fault((name,), wrong)
        elif asked == BUNDLED:
            yield from _bundled(name, table)
        elif not isinstance(asked, Mapping):
            yield Fault((name,), f"the hierarchy of {name!r} must be a mapping or 'bundled', not {said(asked)}")
        elif key := next((key for key in ("csv", HIERARCHY_FILE) if key in asked), ""):
            yield from under(unknown_keys(f"the hierarchy of {name!r} beside {key}", asked, (key,)), name)
            if wrong := must_be(str, f"hierarchies: {name}: {key}", asked[key]):
                yield Fault((name, key), wrong)
        else:
            for fault in caught(lambda asked=asked: builders.from_dict(asked), name):  # type: ignore[misc]
                yield Fault(fault.path, f"the hierarchy of {name!r}: {fault.text}")


def _bundled(name: str, table: Any) -> Faults:
    if table is None:
        yield Fault((name,), f"the hierarchy of {name!r} is to be bundled, but the data are your own; name a builder")
    elif name not in datasets.ADULT_HIERARCHIES:
        yield Fault((name,), f"no hierarchy of {name!r} is bundled; {meant(name, datasets.ADULT_HIERARCHIES)}")


def _recipes(given: Any) -> Faults:
    if wrong := must_be(list, "recipes", given):
        yield Fault((), wrong)
        return
    for i, ranges in enumerate(given):
        yield from under(recipe_faults(ranges), i)


def _chosen(given: Any) -> Faults:
    wrong = list(recipe_faults(given))
    yield from wrong
    if not wrong and any(listed(kind, asked) for _, kind, asked in parts_of(given)):
        yield Fault((), "chosen is one recipe: no parameter of it is a list")


def _measures(given: Any) -> Faults:
    if wrong := must_be(list, "measures", given):
        yield Fault((), wrong)
        return
    taken: list[Measure] = []
    for i, asked in enumerate(given):
        found = list(variant_faults("measure", asked))
        yield from under(iter(found), i)
        if not found and (measure := variant("measure", asked)) in taken:
            yield Fault((i,), f"measures has {measure.key} twice; keep one")
        elif not found:
            taken.append(measure)


def _axes(given: Any) -> Faults:
    if wrong := must_be(list, "axes", given):
        yield Fault((), wrong)
        return
    if len(given) not in (0, 2):
        yield Fault((), "axes name two measures, one of privacy and one of utility")
    for i, key in enumerate(given):
        yield from under(_key("axes", key), i)


def _caps(given: Any) -> Faults:
    if wrong := must_be(Mapping, "caps", given):
        yield Fault((), wrong)
        return
    for key, cap in given.items():
        yield from under(_key("caps", key), key)
        if isinstance(cap, bool) or not isinstance(cap, Real) or not math.isfinite(cap):
            yield Fault((key,), f"the cap on {said(key)} is {said(cap)}; give a finite number, or leave the cap out")
        elif cap < 0:
            yield Fault((key,), f"the cap on {said(key)} is {said(cap)}; no measure is below 0: give 0 or above")


def _intervals(given: Any) -> Faults:
    from workbench.frontier.intervals import LEARNING, TIMES, refuse  # it loads what makes points

    if wrong := must_be(Mapping, "intervals", given):
        yield Fault((), wrong)
        return
    yield from unknown_keys("intervals", given, ("over", "times"))
    if given:
        yield from caught(lambda: refuse(given.get("over"), given.get("times", TIMES)))
    if given.get("over") == LEARNING and "times" in given:
        yield Fault(("times",), "intervals over learning try nothing several times; leave out times")


def _key(where: str, key: Any) -> Faults:
    """A measure as charts call it; with settings of its own it ends in a bracket, and is looked for in the data."""
    symbols = [kind.symbol for kind in variants("measure").values() if issubclass(kind, Measure)]
    if not isinstance(key, str) or not ("(" in key or key in (*symbols, "")):
        yield Fault((), f"{where}: no measure is called {said(key)} in a chart; {meant(key, symbols)}")


def _titles(given: Any) -> Faults:
    if wrong := must_be(Mapping, "titles", given):
        yield Fault((), wrong)
        return
    for name, title in given.items():
        if wrong := must_be(str, "titles: the name of a column", name) or must_be(str, f"titles: {name}", title):
            yield Fault((name,), wrong)
        elif not title.strip():
            yield Fault((name,), f"titles: {name} is empty; say what the column is, or leave the line out")
        elif title in [other for key, other in given.items() if key != name]:
            yield Fault((name,), f"titles: two columns are called {said(title)}; give each a title of its own")


def _record(given: Any) -> Faults:
    if (
        not isinstance(given, (list, tuple))
        or len(given) != 2
        or not all(isinstance(w, str) and w.strip() for w in given)
    ):
        yield Fault((), "record must say what one record is, and what several are: [visit, visits]")


def _versions(given: Any) -> Faults:
    if wrong := must_be(Mapping, "versions", given):
        yield Fault((), wrong)
        return
    yield from unknown_keys("versions", given, ("format", "workbench"))
    written = given.get("format", FORMAT)
    if isinstance(written, bool) or not isinstance(written, int) or written < 1:
        yield Fault(("format",), f"versions: format = {said(written)} must be a whole number, 1 or above")
    elif written > FORMAT:
        yield Fault(
            ("format",),
            f"the file was written by a newer workbench (format {written}, this one reads {FORMAT}); update it",
        )
