"""Find faults of workloads: as plain data, against a table, and names that the study does not have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from workbench.base.errors import BadInput, safe_repr, suggest
from workbench.base.parameters import RANDOM, WorkloadChoice
from workbench.data import settings
from workbench.data.table import Table
from workbench.frontier.recipe import listed_settings, variants
from workbench.queries.parser import parse
from workbench.queries.random_queries import Settings
from workbench.queries.workload import Workload
from workbench.studies.faults import Fault, Faults, catch_faults, type_fault

Notes = list[str]


def workload_faults(given: Any) -> Faults:
    """Yield the faults of workloads that are visible without a table."""
    if wrong := type_fault(Mapping, "workloads", given):
        yield Fault((), wrong)
        return
    for name, spec in given.items():
        found = list(catch_faults(lambda name=name, spec=spec: settings.check_workloads({name: spec})))  # type: ignore[misc]
        yield from found
        if not found and isinstance(spec, Mapping) and RANDOM in spec:
            yield from catch_faults(lambda spec=spec: Settings.from_spec(spec[RANDOM]), name, RANDOM)  # type: ignore[misc]


def query_faults(table: Table, notes: Notes) -> Faults:
    """Yield the queries that a table cannot answer; append notes to `notes`."""
    for name, spec in table.workloads.items():
        if isinstance(spec, list):
            for number, text in enumerate(spec):
                yield from _faults_of_query(
                    table, f"workload {safe_repr(name)}, query {number + 1}", text, notes, name, number
                )
            continue
        found = list(catch_faults(lambda name=name: Workload.named(table, name), name))  # type: ignore[misc]
        yield from found
        if not found:
            notes += [f"workload {safe_repr(name)}: {note}" for note in Workload.named(table, name).notes]


def _faults_of_query(table: Table, which: str, text: str, notes: Notes, *path: Any) -> Faults:
    try:
        query = parse(text, table)
    except BadInput as error:
        yield Fault(path, f"{which}, {error}")
        return
    for column in dict.fromkeys(column for column, _ in query.absent):
        notes.append(f"{which}: no record has a requested value of {column}")


def missing_workloads(given: Mapping[str, Any]) -> Faults:
    """Yield names of workloads in the measures and methods of a study that it does not define."""
    workloads = given.get("workloads", {})
    known = [*workloads, RANDOM] if isinstance(workloads, Mapping) else []
    for path, kind, one in _variants(given):
        declared, several = variants(kind)[one["name"]].parameters(), kind == "method"
        for key in (key for key in one if known and key in declared and isinstance(declared[key], WorkloadChoice)):
            axis = listed_settings(kind, one).get(key) if several else None
            for place, name in [((key,), one[key])] if axis is None else [((key, i), v) for i, v in enumerate(axis)]:
                if isinstance(name, str) and name not in known:
                    text = f"{one['name']}: {safe_repr(name)} is not a workload of the study; {suggest(name, known)}"
                    yield Fault((*path, *place), text)
                if isinstance(name, (Mapping, list)):  # inline queries would be part of every name of the figure
                    yield Fault(
                        (*path, *place), f"{one['name']}: give the queries a name in workloads, and name it here"
                    )


def _variants(given: Mapping[str, Any]) -> Iterator[tuple[tuple[Any, ...], str, Mapping[str, Any]]]:
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
