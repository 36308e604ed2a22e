"""Check a study, its file and its data, and report all problems at once; no message contains a value of the data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from workbench.base.errors import BadColumns, BadInput, NotInMemory, Undefined, Unsatisfiable, render_fixes, suggest
from workbench.base.figures import join_names
from workbench.data.dependencies import describe_dependencies
from workbench.data.hierarchies.hierarchy import Misfit
from workbench.data.records import sample
from workbench.data.settings import lacking, role_notes
from workbench.data.table import Table
from workbench.frontier.recipe import combinations, variant
from workbench.measures import Measure
from workbench.methods import Method, refuse_impossible
from workbench.methods.keep import Keep
from workbench.methods.remove import Remove
from workbench.studies.faults import Fault, Faults, prefix_faults, study_words
from workbench.studies.schema import ROLES, parts_of_recipe, query_faults, recipe_faults, study_faults, variant_faults
from workbench.studies.study import (
    Study,
    chart_axes,
    hierarchy_builder,
    read_study_text,
    records_of_study,
    unpublished_columns,
)
from workbench.studies.yaml_text import lines_of, read_yaml

FORMULA = ("=", "+", "-", "@")  # first characters that make a spreadsheet treat a cell as a formula
SIZES = (200, 1_000, 100_000)  # numbers of records on which measures are tried; all records of a smaller table
MANY = 3  # maximum number of unsatisfiable limits of one model that are listed one by one


@dataclass(frozen=True)
class Problem:
    """A problem, its place in the study, and its line in the file."""

    text: str
    where: str
    line: int | None = None
    path: tuple[Any, ...] = ()

    def __str__(self) -> str:
        return self.text if self.line is None else f"{self.where}, line {self.line}: {self.text}"


@dataclass
class StudyCheck:
    """The results of a check: problems in the order of the file, notes, the study and its table."""

    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    study: Study | None = None
    table: Table | None = None

    @property
    def summary(self) -> str:
        """A description of what the study will do."""
        study, table = self.study, self.table
        if self.problems or study is None or table is None:
            return ""
        sensitive = (
            f"what must not be learned is {join_names(list(table.sensitive))}"
            if table.sensitive
            else f"nothing is sensitive, so charts show {join_names(list(chart_axes(study)))}"
        )
        plain = f"; neutral columns: {join_names(list(table.neutral))}" if table.neutral else ""
        return (
            f"{study.name}: {table.records:,} records; others may know {join_names(list(table.quasi))}; "
            f"{sensitive}{plain}; "
            f"{len(study.candidates()):,} releases, measured by {join_names([one.key for one in study.measured()])}."
        )


def check_study(path: str | PathLike[str]) -> StudyCheck:
    """Check the study in a file; its data are read if the file names them."""
    where = str(path)
    try:
        text = read_study_text(path)
        given = read_yaml(text, where)
    except BadInput as error:
        return StudyCheck([Problem(str(error), where)])
    found = list(study_faults(given))
    result = StudyCheck()
    if isinstance(given, Mapping):
        bad = {fault.path[0] for fault in found if fault.path}
        bad |= {"recipes", "chosen", "measures"} if "workloads" in bad else set()  # they may name a workload
        good = {key: value for key, value in given.items() if key not in bad}
        try:
            result.study = Study.from_dict(good, Path(path).absolute().parent)
        except BadInput as error:  # from a hierarchy file
            found.append(Fault(error.path, str(error).removeprefix("study: ")))
            bad.add("hierarchies")
            result.study = Study.from_dict({**good, "hierarchies": {}}, Path(path).absolute().parent)
        if "data" not in bad:
            found += _misfits(result.study, result, bad)
            if result.table is not None:
                notes = (*role_notes(result.table), *describe_dependencies(result.table))
                result.notes = [*result.notes, *(render_fixes(note, study_words) for note in notes)]
    line = lines_of(text)
    problems = [
        Problem(render_fixes(fault.text, study_words), where, line(fault.path) if fault.path else None, fault.path)
        for fault in found
    ]
    result.problems = sorted(_named(problems, where), key=lambda one: one.line or 0)
    return result


def _named(problems: list[Problem], where: str) -> Iterator[Problem]:
    """Name the file in problems that concern the whole file."""
    for one in problems:
        yield one if one.line else Problem(f"{where}: {one.text}", where)


def _misfits(study: Study, result: StudyCheck, bad: set[Any]) -> Faults:
    """Yield what does not fit the data; parts of the study that are invalid by themselves are skipped."""
    if not study.data:
        yield Fault(("data",), "there is no data; name a path, a bundled table or a query")
        return
    base, wrong = _try_table(study.read, "data")
    yield from wrong
    if base is None:
        return
    wrong = [*_columns(study, base), *(() if "roles" in bad else _roles(study))]
    yield from wrong
    if wrong or bad & {"roles", "levels", "hierarchies", "regions", "released_levels", "importance", "workloads"}:
        return
    records, wrong = _try_table(lambda: records_of_study(study, base), "data")
    yield from wrong
    if records is None:
        return
    wrong = list(_fitting(study, records))
    yield from wrong
    if wrong:
        return
    plain = study.with_(regions={}, released_levels={}, importance={})
    result.table, wrong = _try_table(lambda: plain.table(base), "levels" if study.levels else "roles")
    if result.table is not None and (study.regions or study.released_levels or study.importance):
        result.table, wrong = _try_table(lambda: study.table(base))
    yield from wrong
    if result.table is not None:
        wrong = list(prefix_faults(query_faults(result.table, result.notes), "workloads"))
        yield from wrong
        yield from _recipes(study, result.table)
        yield from () if wrong else _measures(study, result.table, bad)
        if "measures" not in bad:
            yield from _drawn(study)


def _try_table(make: Callable[[], Table], *path: Any) -> tuple[Table | None, list[Fault]]:
    """Return a table, or the faults that prevent it."""
    try:
        return make(), []
    except BadColumns as error:
        return None, [Fault(path, text) for text in error.columns.values()]
    except BadInput as error:
        return None, [Fault((*path, *error.path), str(error).removeprefix("study: "))]


def _columns(study: Study, base: Table) -> Faults:
    """Yield names of columns that the data do not have, and names that are unsafe to publish."""
    named: list[tuple[tuple[Any, ...], str]] = []
    named += [(("roles", role, i), name) for role in ROLES for i, name in enumerate(getattr(study, role))]
    named += [
        ((part, name), name)
        for part in ("levels", "hierarchies", "regions", "released_levels", "importance")
        for name in getattr(study, part)
    ]
    named += [(("titles", name), name) for name in study.wording.titles]
    named += [(("data", "only", name), name) for name in study.data.get("only", ())]
    for path, name in named:
        if name not in base.columns:
            yield Fault(path, lacking(name, base.names, notes=base.notes))
    for i, name in enumerate(base.names, 1):
        if name.startswith(FORMULA) and name not in (*unpublished_columns(study), *study.weight):
            text = (
                f"the name of column {i} begins with {name[0]!r}: a spreadsheet would treat it as a formula; rename it"
            )
            yield Fault(("data",), text)


def _roles(study: Study) -> Faults:
    if not study.quasi:
        yield Fault(("roles",), "no quasi-identifier was chosen; name at least one column that others may know")


def _fitting(study: Study, records: Table) -> Faults:
    """Yield hierarchies that cannot be built for their columns."""
    for name, given in study.hierarchies.items():
        if name not in records.columns:
            continue  # not published
        column = records.columns[name]
        try:
            hierarchy_builder(study, name, given)(column)
        except Misfit as error:
            missing = (
                f"{len(error.values)} of the {len(column.labels)} values of {name!r} are missing from its hierarchy"
            )
            text = f"{missing}; add them, or correct their spelling" if error.what == "unlisted" else error.plain
            yield Fault(("hierarchies", name), text)
        except BadInput as error:
            yield Fault(("hierarchies", name), str(error).removeprefix("study: "))


def _recipes(study: Study, table: Table) -> Faults:
    """Yield parameters out of the table's range, methods that refuse it, and models that no release of it can
    satisfy.
    """
    for i, ranges in enumerate(study.recipes):
        wrong = list(recipe_faults(ranges, table))
        yield from prefix_faults(wrong, "recipes", i)
        for path, kind, spec in () if wrong else parts_of_recipe(ranges):
            if kind == "model":
                found = _without_classes(ranges["method"]) or _impossible(spec, table)
            else:
                found = _refused(spec, table)
            for text in found[:MANY]:
                yield Fault(("recipes", i, *path), text)


def _without_classes(spec: Any) -> list[str]:
    """Return why the methods satisfy no model at all."""
    methods: list[Method] = combinations("method", spec)
    names = dict.fromkeys(one.name for one in methods if not one.supports_models)
    return [f"{name} makes no classes, so it cannot satisfy a model; remove the model" for name in names]


def _impossible(spec: Any, table: Table) -> list[str]:
    found = []
    for model in combinations("model", spec):
        try:
            refuse_impossible(table, model)
        except Unsatisfiable as error:
            found.append(str(error))
    return found


def _refused(spec: Any, table: Table) -> list[str]:
    """Return why a method cannot release the table under any model."""
    found = []
    for method in combinations("method", spec):
        try:
            method.refuse(table, None)
        except (BadInput, Undefined, Unsatisfiable) as error:
            found.append(str(error))
    return list(dict.fromkeys(found))


def _measures(study: Study, table: Table, bad: set[Any]) -> Faults:
    if not study.recipes and "recipes" not in bad:
        yield Fault((), "there are no recipes, so there would be no release; add one")
    if not study.measures and "measures" not in bad:
        yield Fault((), "there are no measures; add one of privacy and one of utility")
    for i, given in enumerate(study.measures):
        wrong = list(variant_faults("measure", given, table=table))
        yield from prefix_faults(wrong, "measures", i)
        if wrong or (not table.sensitive and variant("measure", given).needs_sensitive):
            continue  # the charts show measures that are defined
        try:
            why = reason_undefined(variant("measure", given), table)
        except BadInput as error:  # queries that are part of the measure itself
            why = str(error)
        if why:
            yield Fault(("measures", i), f"{given['name']} cannot be measured: {why}")


def reason_undefined(measure: Measure, table: Table) -> str:
    """Return why a measure is undefined for this table under every release; empty if it is defined.

    The measure is tried on the table without its quasi-identifiers and, if it needs these, on the unchanged table:
    first on few records, then on more, since all cells of a large table would take gigabytes. A sample is always in
    memory, so a measure that needs records in memory is tried on the table itself, without its quasi-identifiers.
    """
    if not table.engine.in_memory:
        try:
            measure(Remove()(table))
        except NotInMemory as reason:
            return str(reason)
        except Undefined:
            pass  # the unchanged table may be more informative
    tries = [size for size in SIZES if size < table.records]
    for size in [*tries, None][: len(SIZES)]:
        some = table if size is None else table.remember(("check", size), lambda size=size: sample(table, size))  # type: ignore[misc]
        why = _reason(measure, some, Remove())
        if not (why and _reason(measure, some, Keep())):
            return ""
    return why


def _reason(measure: Measure, table: Table, method: Method) -> str:
    """Return why a measure is undefined for a release of the table; empty if it is defined."""
    try:
        measure(method(table))
    except Undefined as reason:
        return str(reason)
    return ""


def _drawn(study: Study) -> Faults:
    """Yield axes and caps of measures that the study does not have."""
    keys = {measure.key: measure.side for measure in study.measured()}
    for i, (key, side) in enumerate(zip(study.axes, ("privacy", "utility"), strict=False)):
        if key not in keys:
            yield Fault(("axes", i), f"{key!r} is not among the measures of the study; {suggest(key, keys)}")
        elif keys[key] != side:
            yield Fault(
                ("axes", i), f"{key} is a measure of {keys[key]}; the axes are one of privacy, then one of utility"
            )
    without = {} if study.sensitive else {one.key: one.name for one in study.measured() if one.needs_sensitive}
    for key in without.keys() & study.caps.keys():
        why = "no column is sensitive, so no release has this figure; remove the cap"
        yield Fault(("caps", key), f"{without[key]} cannot be measured: {why}")
    for key in study.caps:
        if key not in keys:
            yield Fault(("caps", key), f"{key!r} is not among the measures of the study; {suggest(key, keys)}")
