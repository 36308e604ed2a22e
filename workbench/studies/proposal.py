"""Propose a complete study from the data alone, with a reason for each choice; no reason contains a value of the
data.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from glob import has_magic
from pathlib import Path
from typing import Any

import numpy as np

from workbench.base.errors import BadInput
from workbench.base.figures import format_percent, join_names
from workbench.data.column import Column
from workbench.data.dependencies import describe_dependencies
from workbench.data.hierarchies import proposal
from workbench.data.hierarchies.builders import Builder, Dates, Groups, Intervals, Prefixes, from_dict, integers
from workbench.data.hierarchies.proposal import SMALLEST, similar_groups
from workbench.data.lexicon import EXACT_PLACES, POSTAL, has_word, words_in
from workbench.data.reading.formats import refuse_address
from workbench.data.sensitive import MANY_VALUES
from workbench.data.settings import NEARLY_ALL
from workbench.data.table import Table
from workbench.data.uniqueness import EXACT, alone, count_unique, is_nearly_unique, survey
from workbench.data.wording import Wording
from workbench.disclosure.recommendable import LEAST as SMALLEST_CLASS
from workbench.frontier.recipe import variant
from workbench.models import TOLERANCE
from workbench.models.distribution_distances import jensen_shannon
from workbench.studies.checker import FORMULA, reason_undefined
from workbench.studies.proposed_roles import Advice, propose_roles
from workbench.studies.study import VERSIONS, Study, chart_axes
from workbench.studies.yaml_text import lines_of, write_yaml

MEASURES: tuple[dict[str, Any], ...] = (
    {"name": "privacy loss"},
    {"name": "adversary's knowledge gain"},
    {"name": "re-identification risk"},
    {"name": "utility loss"},
    {"name": "information loss"},
    {"name": "average class size"},
)
AXES = ("P_loss", "U_loss")
K = (2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
L = (1.25, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 8)
T = (0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9)  # shares of the cost of a full disclosure
MANY_LABELS = 100  # from this number of values, a sensitive column is grouped
GROUPS = 200  # maximum number of such groups, if there is a coarser level
RECORD = ("record", "records")  # unless the study defines its own words
PEOPLE = {"child": "children", "person": "people"}
REPEATED = 0.05  # share of duplicate records from which a note is added
DIGITS = "6789"  # digits of repeated-digit codes such as -99 and -888
CODES, OFTEN = 3, 0.01  # negative codes for missing: maximum number of distinct ones, minimum share of records
WIDE = 34  # column at which comments start after short lines
KEYS = {  # of a study, by role
    "quasi": "quasi", "sensitive": "sensitive", "identifier": "identifiers", "dropped": "dropped", "weight": "weight",
}  # fmt: skip
ROLE_WORDS = {
    "quasi": "quasi-identifier", "sensitive": "sensitive", "identifiers": "identifier", "dropped": "left out",
    "weight": "weight",
}  # fmt: skip
Place = tuple[Any, ...]


@dataclass(frozen=True)
class ProposedStudy:
    """A proposed study, with reasons by path, such as ("roles", "quasi", 0)."""

    study: Study
    why: Mapping[Place, str]
    head: Sequence[str]  # comments on the whole study
    hints: Sequence[str] = ()  # lines for the user to complete; they may contain values of the data

    def text(self) -> str:
        """Return the file's text, with the reasons as comments."""
        parts = {**self.study.to_dict(), "versions": VERSIONS}
        body = "".join(
            write_yaml({key: value}, short=key != "roles" and isinstance(value, (dict, list)))
            for key, value in parts.items()
        )
        above, below = ("".join(f"# {_plain(line)}\n" for line in lines) for lines in (self.head, self.hints))
        return above + _annotated(body, self.why) + below

    def reasons(self) -> list[tuple[str, str]]:
        """Return the choices and their reasons: for each column in a role, and for each hierarchy."""
        found = []
        for path, reason in self.why.items():
            if path[0] == "roles":
                found.append((f"{getattr(self.study, path[1])[path[2]]} ({ROLE_WORDS[path[1]]})", reason))
            elif path[0] in ("hierarchies", "levels", "data"):
                found.append((f"{path[1]} ({path[0]})", reason))
        return [(_plain(what), _plain(reason)) for what, reason in found]


def propose_study(
    path: str | os.PathLike[str],
    quasi: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    identifiers: Sequence[str] = (),
) -> Study:
    """Return the proposed study for the data in a file; given roles are kept."""
    return propose_with_reasons(path, quasi, sensitive, identifiers).study


def propose_with_reasons(
    path: str | os.PathLike[str],
    quasi: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    identifiers: Sequence[str] = (),
    folder: str | os.PathLike[str] = ".",
    said: Mapping[str, Any] | None = None,
    files: Mapping[str, Path] | None = None,
    weight: Sequence[str] = (),
) -> ProposedStudy:
    """Propose a study of a file, with reasons; names of files are relative to `folder`.

    `said` contains settings of the data as in a study; `files` contains hierarchies of columns.
    """
    place = Path(folder).absolute()
    name = str(path) if Path(path).is_absolute() else os.path.relpath(Path(path).absolute(), place)
    study = Study(name=name_of(path), data={"path": name, **(said or {})}, folder=str(place))
    base = study.read()
    why: dict[Place, str] = {}
    known = dict((said or {}).get("types", {}))
    types = {
        one.name: "text"
        for one in base.columns.values()
        if has_word(one.name, POSTAL) and integers(one) and one.name not in known
    }
    if types:
        study = study.with_(data={**study.data, "types": {**known, **types}})
        base = study.read()
        why |= {("data", "types"): "codes, not quantities: numbers between them have no meaning"}
    advice = _roles(base, {"quasi": quasi, "sensitive": sensitive, "identifier": identifiers, "weight": weight})
    chosen = {key: [n for n, one in advice.items() if one.role == role] for role, key in KEYS.items()}
    if not chosen["quasi"]:
        raise BadInput(
            "no column distinguishes people, so nothing was proposed; name the quasi-identifiers with --quasi"
        )
    study = study.with_(**{key: tuple(names) for key, names in chosen.items()})
    why |= {("roles", key, i): advice[n].reason for key, names in chosen.items() for i, n in enumerate(names)}
    study, reasons = _with_hierarchies(study, base)
    why |= reasons
    base.drop(files or ())  # raises BadInput if one is missing
    for column, file in (files or {}).items():
        study = study.with_(hierarchies={**study.hierarchies, column: {"csv": os.path.relpath(file.absolute(), place)}})
        why["hierarchies", column] = "Chosen by you."
    table = study.table(base)
    study, reasons = _with_recipes(study, table)
    why |= reasons
    own = [name for name, column in base.columns.items() if alone(column).share >= NEARLY_ALL]
    study = study.with_(wording=Wording({}, *record_of(own)))
    why["record",] = "The words for one record and for several, such as [person, people]."
    named = [name for name in base.names if name not in study.identifiers]
    used = [*study.quasi, *study.sensitive]
    return ProposedStudy(study, why, [*_head(table), *record_notes(base, named)], lines_to_complete(base, used))


def name_of(path: str | os.PathLike[str]) -> str:
    """Name the study of a file, a folder or a pattern: `people` for `people.csv` and for `people/*.csv`."""
    refuse_address(path)
    here = Path(path)
    name = here.parent.name if has_magic(here.name) else here.resolve().name if here.is_dir() else here.name
    return name.split(".")[0] or "untitled"


def _head(table: Table) -> list[str]:
    """Return the comments above the study."""
    lines = ["Proposed from the data alone: review and correct it, then run `workbench check`."]
    if not table.sensitive:
        lines.append("No column looks sensitive: name what must not be disclosed under roles: sensitive.")
    if table.origin.repeats:
        lines.append(table.origin.repeats)
    if table.neutral:
        lines.append(f"Neutral (published unchanged): {', '.join(table.neutral)}.")
    return lines + describe_dependencies(table)


# --- roles


def _roles(base: Table, chosen: Mapping[str, Sequence[str]]) -> dict[str, Advice]:
    """Return a role for each column; given roles take precedence."""
    given = {name: Advice(role, "Chosen by you.") for role, names in chosen.items() for name in names}
    base.drop(given)  # raises BadInput if one is missing
    if len(given) < sum(map(len, chosen.values())):
        raise BadInput("a column was given two roles; choose one")
    wanted = [chosen[role] for role in ("sensitive", "quasi", "weight")]
    near_names = [name for name, column in base.columns.items() if is_nearly_unique(column)]
    advice = propose_roles(base, survey(base, leave_out={*given, *near_names}))
    for name, one in advice.items():
        advice[name] = given.get(name) or restrict_advice(base.columns[name], one, *map(bool, wanted))
    return advice


def restrict_advice(
    column: Column, advice: Advice, has_sensitive: bool, has_quasi: bool, has_weight: bool = False
) -> Advice:
    """Return the advice, changed to "not published" if the user chose other columns for the role, or if no model could
    use it.
    """
    if column.name.startswith(FORMULA) and advice.role != "identifier":
        formula = f"Its name begins with {column.name[0]!r}, which a spreadsheet treats as a formula"
        return Advice("dropped", f"{formula}; rename it to publish it.")
    others = {"quasi": has_quasi, "sensitive": has_sensitive, "weight": has_weight}
    if others.get(advice.role):
        what = {"quasi": "among the quasi-identifiers", "sensitive": "among the sensitive columns"}
        return Advice("dropped", f"Not {what.get(advice.role, 'the weight')} that you chose. {advice.reason}")
    if advice.role == "sensitive" and column.size > MANY_VALUES and hierarchy_of(column)[0] is None:
        many = f"its {len(column.values):,} values are too many to protect one by one, and no groups can be proposed"
        return Advice("dropped", f"{advice.reason[:-1]}; but {many}.")
    return advice


# --- hierarchies


def hierarchy_of(column: Column) -> tuple[dict[str, Any] | None, str]:
    """Return a builder's settings for a column (None if its values need no groups), and the reason, without any
    value.
    """
    builder = proposal.propose(column)[0]
    return (builder.to_dict() if builder else None), _reason(builder, column)


def quasi_hierarchy(table: Table, name: str, quasi: Sequence[str]) -> tuple[dict[str, Any] | None, str]:
    """Return the settings of a hierarchy for a quasi-identifier (None if its values need no groups), and the reason."""
    given, reason = hierarchy_of(table.columns[name])
    if given is None and (groups := similar_groups(table, name, [other for other in quasi if other != name])):
        return groups.to_dict(), "values that occur with similar other quasi-identifiers, rare ones merged first"
    return given, reason


def level_of(column: Column, given: Mapping[str, Any]) -> int:
    """Return the finest level of a hierarchy at which a sensitive column has few enough groups, else the coarsest."""
    sizes = [len(level.labels) for level in from_dict(given)(column).levels]
    return next((level for level, size in enumerate(sizes, 1) if size <= GROUPS), len(sizes))


def _reason(builder: Builder | None, column: Column) -> str:
    if isinstance(builder, Intervals) and builder.origin:
        return "quarters and halves of the year"
    if isinstance(builder, Intervals):
        return "most values lie close together: groups of equal size" if builder.quantiles else "round intervals"
    if isinstance(builder, Dates):
        return "steps of the calendar"
    if isinstance(builder, Prefixes):
        return "codes: their first characters"
    if isinstance(builder, Groups):
        return "values with the same beginning"
    if len(column.values) < SMALLEST:
        return "two values need no groups"
    if column.kind != "text":
        return "few values: ranges of them are enough"
    return "its values are grouped in alphabetical order: group them by meaning if you can"


def _with_hierarchies(study: Study, base: Table) -> tuple[Study, dict[Place, str]]:
    """Add hierarchies for quasi-identifiers that benefit from one, and for sensitive columns with many values."""
    found: dict[str, Any] = {}
    levels: dict[str, int] = {}
    why: dict[Place, str] = {}
    for i, name in enumerate(study.quasi):
        given, reason = quasi_hierarchy(base, name, study.quasi)
        if given:
            found[name], why["hierarchies", name] = given, reason
        else:
            why["roles", "quasi", i, ""] = f"No hierarchy: {reason}."
    left_out = []
    for name in study.sensitive:
        column = base.columns[name]
        given, reason = hierarchy_of(column) if column.size > MANY_LABELS else (None, "")
        if given:
            found[name], levels[name], why["hierarchies", name] = given, level_of(column, given), reason
            why["levels", name] = (
                f"{len(column.values):,} values are too many to protect one by one: their groups are protected"
            )
        elif column.size > MANY_VALUES:
            left_out.append(name)
    if left_out:
        raise BadInput(
            f"{join_names(left_out)}: more than {MANY_VALUES:,} values and no groups to propose; "
            "name other sensitive columns with --sensitive, and write a hierarchy for these"
        )
    return study.with_(hierarchies=found, levels=levels), why


# --- recipes and measures


def _with_recipes(study: Study, table: Table) -> tuple[Study, dict[Place, str]]:
    """Add recipes that this table permits, and the measures that are defined for it."""
    why: dict[Place, str] = {("recipes", i, "model"): reason for i, (_, reason) in enumerate(_models(table))}
    study = study.with_(recipes=recipes_for(table), measures=MEASURES)
    defined = [(given, measure) for given, measure in zip(MEASURES, study.measured(), strict=True)]
    defined = [(given, measure) for given, measure in defined if not reason_undefined(measure, table)]
    sides = {side: [measure.key for _, measure in defined if measure.side == side] for side in ("privacy", "utility")}
    why |= {("measures", i): f"{m.key}, of {m.side}: {m.unit}" for i, (_, m) in enumerate(defined)}
    axes = tuple(keys[0] for keys in sides.values())
    return study.with_(measures=tuple(given for given, _ in defined), axes=axes), why


def measures_for(table: Table) -> tuple[tuple[Mapping[str, Any], ...], tuple[str, ...]]:
    """Return initial measures, and those on the axes."""
    if table.sensitive:
        return MEASURES, AXES
    study = Study(
        quasi=table.quasi, measures=tuple(one for one in MEASURES if not variant("measure", one).needs_sensitive)
    )
    return study.measures, chart_axes(study)


def recipes_for(table: Table) -> tuple[dict[str, Any], ...]:
    """Return initial recipes."""
    models = [model[0] if len(model) == 1 else model for model, _ in _models(table)]
    return tuple({"method": {"name": "mondrian"}, "model": model} for model in models)


def _models(table: Table) -> list[tuple[list[dict[str, Any]], str]]:
    """Return models with ranges of parameters, and reasons: each has a minimum k and leaves no sensitive value
    certain.
    """
    sizes = [k for k in K if k <= max(table.records / 4, 2)][-9:]
    sizes = [k for k in sizes if k >= SMALLEST_CLASS] or sizes
    by_size = "the size of classes: the easiest promise to explain"
    if not table.sensitive:
        return [([{"name": "k-anonymity", "k": sizes}], by_size)]
    least, two = {"name": "k-anonymity", "k": sizes[0]}, {"name": "distinct l-diversity", "l": 2}
    alike = {"name": "t-closeness", "t": _limits(table), "distance": "js"}
    found: list[tuple[list[dict[str, Any]], str]] = [
        (
            [{"name": "k-anonymity", "k": sizes}, two],
            f"{by_size}; with two values in each class, none can be inferred with certainty",
        ),
        ([least, two, alike], "every class similar to the whole table; t as shares of the cost of a full disclosure"),
    ]
    most = min(1 / float(seen.prior.max()) for seen in table.sensitive.values())
    diverse = [value for value in L if value <= most - TOLERANCE]
    if diverse:
        found.insert(1, ([least, {"name": "l-diversity", "l": diverse}], "no value more often than 1/l in a class"))
    return found


def _limits(table: Table) -> list[float]:
    """Return limits of t-closeness: shares of the loss, in the worst column, if everybody had the most common value."""
    full = max(float(jensen_shannon(np.eye(len(one)), one.prior).min()) for one in table.sensitive.values())
    return sorted({float(f"{share * full:.2g}") for share in T})


# --- the records


def record_of(names: Sequence[str]) -> tuple[str, str]:
    """Return the words for one record and for several: visit, visits for a column visit_id with unique numbers."""
    for name in names:
        *words, last = words_in(name) or [""]
        if words and last == "id":
            one = " ".join(words)
            return one, PEOPLE.get(one, _plural(one))
    return RECORD


def _plural(one: str) -> str:
    if re.search(r"[^aeiou]y$", one):
        return f"{one[:-1]}ies"
    return f"{one}es" if one.endswith(("s", "x", "ch", "sh")) else f"{one}s"


def cryptic_names(names: Sequence[str]) -> list[str]:
    """Return the names that mean little to outsiders: those that contain a number."""
    return [name for name in names if re.search(r"\d", name)]


def codes_for_missing(column: Column) -> list[str]:
    """Return frequent negative numbers among nonnegative ones: they may mean missing."""
    if column.kind != "number":
        return []
    negative = np.flatnonzero(column.values < 0)
    others = column.values[len(negative) :]
    if not 0 < len(negative) <= CODES or not len(others) or (column.values[negative] % 1 != 0).any():
        return []
    codes = [f"{-value:.0f}" for value in column.values[negative]]
    if not all(len(code) == 1 or set(code) <= set(DIGITS) for code in codes) or has_word(column.name, EXACT_PLACES):
        return []
    often = column.counts[negative].sum() >= OFTEN * column.totals.sum()
    return [f"{int(value)}" for value in column.values[negative]] if often else []


def repeated_share(table: Table, names: Sequence[str]) -> float:
    """Return the share of records that repeat another in all of these columns; 0 if the table is too large to count."""
    if table.records > EXACT or not names:
        return 0.0
    return 1 - count_unique(table, names).distinct / table.records


def record_notes(table: Table, names: Sequence[str]) -> list[str]:
    """Return what the user should know about the records before the study is used, without values of the data."""
    sentences = []
    share = repeated_share(table, table.names)
    if share >= REPEATED:
        sentences.append(
            f"{format_percent(share)} of the records repeat another one in every column: if a person may have several "
            'records, "at least k" counts records, not people.'
        )
    coded = [name for name in names if codes_for_missing(table.columns[name])]
    if coded:
        sentences.append(
            f"Does a negative number mean a missing value in {join_names(coded)}? See `missing` in the file."
        )
    return sentences


def lines_to_complete(table: Table, names: Sequence[str]) -> list[str]:
    """Return lines for the user to complete, as comments in the study."""
    lines = []
    codes = sorted({code for name in names for code in codes_for_missing(table.columns[name])}, key=int)
    if codes:
        listed = ", ".join(f"'{code}'" for code in (*table.origin.missing_texts, *codes))
        lines.append(f"missing: [{listed}]  (under data, where these mean that a value is missing)")
    if found := cryptic_names(names):
        lines.append(f"titles: {{{', '.join(f'{name}: {name}' for name in found)}}}  (names of these columns on pages)")
    return lines


# --- the file


def _annotated(text: str, why: Mapping[Place, str]) -> str:
    """Add each reason as a comment at its line; above it if the line is quoted or long."""
    line, rows = lines_of(text), text.split("\n")
    reasons: dict[int, list[str]] = {}
    for path, reason in why.items():
        reasons.setdefault(line(path) - 1, []).append(_plain(reason))
    for number in sorted(reasons, reverse=True):
        row, comment = rows[number], " ".join(reasons[number])
        if re.search(r"[\s\[{,]['\"]", row):  # a quoted name may continue on the next line
            rows.insert(number, f"{row[: len(row) - len(row.lstrip())]}# {comment}")
        else:
            rows[number] = f"{row:<{WIDE}}  # {comment}"
    return "\n".join(rows)


def _plain(text: str) -> str:
    """Return one printable line: names of columns may contain anything."""
    return "".join(sign if sign.isprintable() else "?" for sign in " ".join(text.split()))
