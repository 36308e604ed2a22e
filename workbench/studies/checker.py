"""Everything that is wrong with a study, its file and its data, at once; no message has a value of the data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from workbench.base.errors import BadColumns, BadInput, Undefined, Unsatisfiable, meant
from workbench.base.figures import join_names
from workbench.data.dependencies import given_away
from workbench.data.hierarchies.hierarchy import Misfit
from workbench.data.reading.cures import STUDY, in_words
from workbench.data.roles import lacking
from workbench.data.samples import sample
from workbench.data.table import Table
from workbench.frontier.grid import combinations, variant
from workbench.measures import Measure
from workbench.methods import Method, refuse_impossible
from workbench.methods.keep import Keep
from workbench.methods.remove import Remove
from workbench.studies.faults import Fault, Faults, under
from workbench.studies.recipe_faults import parts_of, recipe_faults, variant_faults
from workbench.studies.schema import ROLES, faults
from workbench.studies.study import Study, text_in
from workbench.studies.workload_faults import asked_faults
from workbench.studies.yaml_text import lines_of, read_yaml

FORMULA = ("=", "+", "-", "@")  # what a cell begins with that a spreadsheet takes for a formula
FEW = 1000  # records that miners are tried on
MANY = 3  # limits of one model that no release keeps, said one by one


@dataclass(frozen=True)
class Problem:
    """What is wrong, where in the study, and on which line of its file."""

    text: str
    where: str
    line: int | None = None
    path: tuple[Any, ...] = ()

    def __str__(self) -> str:
        return self.text if self.line is None else f"{self.where}, line {self.line}: {self.text}"


@dataclass
class Checked:
    """What was found: the problems, in the order of the file; what is worth knowing; the study and its table."""

    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    study: Study | None = None
    table: Table | None = None

    @property
    def summary(self) -> str:
        """What the study will do."""
        study, table = self.study, self.table
        if self.problems or study is None or table is None:
            return ""
        sensitive = (
            f"what must not be learnt is {join_names(list(table.sensitive))}"
            if table.sensitive
            else "nothing is sensitive"
        )
        plain = f"; neutral columns: {join_names(list(table.neutral))}" if table.neutral else ""
        return (
            f"{study.name}: {table.records:,} records; others may know {join_names(list(table.quasi))}; "
            f"{sensitive}{plain}; "
            f"{len(study.candidates()):,} releases, measured by {join_names([one.key for one in study.measured()])}."
        )


def checked(path: str | PathLike[str]) -> Checked:
    """What is wrong with the study in a file; its data are read if the file says where they are."""
    where = str(path)
    try:
        text = text_in(path)
        given = read_yaml(text, where)
    except BadInput as error:
        return Checked([Problem(str(error), where)])
    found = list(faults(given))
    result = Checked()
    if isinstance(given, Mapping):
        bad = {fault.path[0] for fault in found if fault.path}
        bad |= {"recipes", "chosen", "measures"} if "workloads" in bad else set()  # they may name one
        good = {key: value for key, value in given.items() if key not in bad}
        try:
            result.study = Study.from_dict(good, Path(path).absolute().parent)
        except BadInput as error:  # a file of its hierarchies
            found.append(Fault(error.path, str(error).removeprefix("study: ")))
            bad.add("hierarchies")
            result.study = Study.from_dict({**good, "hierarchies": {}}, Path(path).absolute().parent)
        if "data" not in bad:
            found += _misfits(result.study, result, bad)
            if result.table is not None:
                notes = (*result.table.role_notes, *given_away(result.table))
                result.notes = [*result.notes, *(in_words(note, STUDY) for note in notes)]
    line = lines_of(text)
    problems = [
        Problem(in_words(fault.text, STUDY), where, line(fault.path) if fault.path else None, fault.path)
        for fault in found
    ]
    result.problems = sorted(_named(problems, where), key=lambda one: one.line or 0)
    return result


def _named(problems: list[Problem], where: str) -> Iterator[Problem]:
    """What concerns the whole file names the file."""
    for one in problems:
        yield one if one.line else Problem(f"{where}: {one.text}", where)


def _misfits(study: Study, result: Checked, bad: set[Any]) -> Faults:
    """What of the study does not go with its data; parts that are wrong in themselves are left aside."""
    if not study.data:
        yield Fault(("data",), "there is no data; name a path, a bundled table or a query")
        return
    base, wrong = _caught(study.read, "data")
    yield from wrong
    if base is None:
        return
    wrong = [*_columns(study, base), *(() if "roles" in bad else _roles(study))]
    yield from wrong
    if wrong or bad & {"roles", "levels", "hierarchies", "released_levels", "importance", "workloads"}:
        return
    records, wrong = _caught(lambda: study.records(base), "data")
    yield from wrong
    if records is None:
        return
    wrong = list(_fitting(study, records))
    yield from wrong
    if wrong:
        return
    plain = study.with_(released_levels={}, importance={})
    result.table, wrong = _caught(lambda: plain.table(base), "levels" if study.levels else "roles")
    if result.table is not None and (study.released_levels or study.importance):
        result.table, wrong = _caught(lambda: study.table(base))
    yield from wrong
    if result.table is not None:
        wrong = list(under(asked_faults(result.table, result.notes), "workloads"))
        yield from wrong
        yield from _recipes(study, result.table)
        yield from () if wrong else _measures(study, result.table, bad)
        if "measures" not in bad:
            yield from _drawn(study)


def _caught(make: Callable[[], Table], *path: Any) -> tuple[Table | None, list[Fault]]:
    """A table, or why there is none."""
    try:
        return make(), []
    except BadColumns as error:
        return None, [Fault(path, text) for text in error.columns.values()]
    except BadInput as error:
        return None, [Fault((*path, *error.path), str(error).removeprefix("study: "))]


def _columns(study: Study, base: Table) -> Faults:
    """Names of columns that the data don't have, and names that nobody should have to publish."""
    named: list[tuple[tuple[Any, ...], str]] = []
    named += [(("roles", role, i), name) for role in ROLES for i, name in enumerate(getattr(study, role))]
    named += [
        ((part, name), name)
        for part in ("levels", "hierarchies", "released_levels", "importance", "titles")
        for name in getattr(study, part)
    ]
    named += [(("data", "only", name), name) for name in study.data.get("only", ())]
    for path, name in named:
        if name not in base.columns:
            yield Fault(path, lacking(name, base.names, notes=base.notes))
    for i, name in enumerate(base.names, 1):
        if name.startswith(FORMULA) and name not in (*study.left_out, *study.weight):
            text = (
                f"the name of column {i} begins with {name[0]!r}: a spreadsheet would take it for a formula; rename it"
            )
            yield Fault(("data",), text)


def _roles(study: Study) -> Faults:
    if not study.quasi:
        yield Fault(("roles",), "no quasi-identifier was chosen; name at least one: what others may know of a person")


def _fitting(study: Study, records: Table) -> Faults:
    """Hierarchies that cannot be built over their columns."""
    for name, given in study.hierarchies.items():
        if name not in records.columns:
            continue  # left out
        column = records.columns[name]
        try:
            study.builder(name, given)(column)
        except Misfit as error:
            missing = (
                f"{len(error.values)} of the {len(column.labels)} values of {name!r} are missing from its hierarchy"
            )
            text = f"{missing}; list them too, or correct their spelling" if error.what == "unlisted" else error.plain
            yield Fault(("hierarchies", name), text)
        except BadInput as error:
            yield Fault(("hierarchies", name), str(error).removeprefix("study: "))


def _recipes(study: Study, table: Table) -> Faults:
    """Parameters out of the table's range, methods that refuse it, and models that no release of it can keep."""
    for i, ranges in enumerate(study.recipes):
        wrong = list(recipe_faults(ranges, table))
        for fault in wrong:
            yield Fault(("recipes", i, *fault.path), fault.text)
        for path, kind, asked in () if wrong else parts_of(ranges):
            for text in (_impossible if kind == "model" else _refused)(asked, table)[:MANY]:
                yield Fault(("recipes", i, *path), text)


def _impossible(asked: Any, table: Table) -> list[str]:
    found = []
    for model in combinations("model", asked):
        try:
            refuse_impossible(table, model)
        except Unsatisfiable as error:
            found.append(str(error))
    return found


def _refused(asked: Any, table: Table) -> list[str]:
    """Why a method makes no release of the table, whatever the model."""
    found = []
    for method in combinations("method", asked):
        try:
            method.refuse(table, None)
        except (BadInput, Undefined, Unsatisfiable) as error:
            found.append(str(error))
    return list(dict.fromkeys(found))


def _measures(study: Study, table: Table, bad: set[Any]) -> Faults:
    if not study.recipes and "recipes" not in bad:
        yield Fault((), "there are no recipes, so there would be no release; give one")
    if not study.measures and "measures" not in bad:
        yield Fault((), "there are no measures; give one of privacy and one of utility")
    for i, given in enumerate(study.measures):
        wrong = list(variant_faults("measure", given, table=table))
        for fault in wrong:
            yield Fault(("measures", i, *fault.path), fault.text)
        if wrong:
            continue
        try:
            why = undefined(variant("measure", given), table)
        except BadInput as error:  # queries that stand in the measure itself
            why = str(error)
        if why:
            yield Fault(("measures", i), f"{given['name']} cannot be measured: {why}")


def undefined(measure: Measure, table: Table) -> str:
    """Why a measure says nothing about this table, whatever the release.

    It is asked of the table without its quasi-identifiers, and where it is about these, of the table as it is. Miners
    are asked about some of the records first, since all of them may take minutes.
    """
    many = table.records > FEW and table.engine.in_memory
    if not measure.by_default and many and not undefined(measure, sample(table, FEW)):
        return ""
    found = [_reason(measure, table, method) for method in (Remove(), Keep())]
    return found[0] if all(found) else ""


def _reason(measure: Measure, table: Table, method: Method) -> str:
    """Why a measure says nothing about a release of the table; all cells may be too many to be kept as they are."""
    try:
        measure(method(table))
    except Undefined as reason:
        return str(reason)
    return ""


def _drawn(study: Study) -> Faults:
    """Axes and caps of measures that are not taken."""
    keys = {measure.key: measure.side for measure in study.measured()}
    for i, (key, side) in enumerate(zip(study.axes, ("privacy", "utility"), strict=False)):
        if key not in keys:
            yield Fault(("axes", i), f"{key!r} is not among the measures of the study; {meant(key, keys)}")
        elif keys[key] != side:
            yield Fault(
                ("axes", i), f"{key} is a measure of {keys[key]}; the axes are one of privacy, then one of utility"
            )
    for key in study.caps:
        if key not in keys:
            yield Fault(("caps", key), f"{key!r} is not among the measures of the study; {meant(key, keys)}")
