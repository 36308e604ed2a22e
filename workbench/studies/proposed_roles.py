"""Propose roles for the columns of a table, each with its reason; no reason contains a value of the data.

A column's role follows from its meaning. Columns of unknown meaning are not published unless nothing suggests which
columns an attacker may know: then the columns that make most records unique are proposed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from workbench.base.figures import format_percent, join_names
from workbench.data.column import Column
from workbench.data.column_meanings import OPEN, ColumnKind, guess_kind
from workbench.data.sensitive import MANY_VALUES
from workbench.data.settings import counts_records, unfit_as_weight
from workbench.data.table import Table
from workbench.data.uniqueness import Survey, agreement, alone

ADDS = 0.001  # a column matters from this additional share of unique records
QUASI = 8  # maximum number of quasi-identifiers of unknown meaning: each makes every release coarser
CHANCE = 1e-4  # maximum probability that one column follows from another by chance
HALF = 0.5  # share of unique values from which a column is identifying by itself


@dataclass(frozen=True)
class Advice:
    """The role proposed for a column, and why."""

    role: str
    reason: str


def propose_roles(table: Table, found: Survey) -> dict[str, Advice]:
    """Return a role for each column, with the reason in one sentence; only columns without information are neutral."""
    meanings = {name: meaning for name, column in table.columns.items() if (meaning := guess_kind(column))}
    by_itself = {name: _by_itself(column, meanings.get(name)) for name, column in table.columns.items()}
    known = {name: one for name, one in by_itself.items() if one}
    known |= _extra_weights(table, known)
    known |= _repeated(table, found, known)
    quasi = [name for name, one in known.items() if one.role == "quasi"]
    additions = _additions(found, quasi)
    advice = known | {name: _with_figures(known[name], additions.get(name)) for name in quasi}
    open_names = [name for name in table.names if name not in advice]
    if not quasi:
        advice |= _instead(table, found, open_names)
    return {name: advice.get(name) or _undecided(table.columns[name], meanings.get(name)) for name in table.names}


def _by_itself(column: Column, known: tuple[ColumnKind, str] | None) -> Advice | None:
    """Return the role that follows from the column alone, if one does."""
    if column.size < 2:
        return Advice("neutral", "It has the same value in every record.")
    if known and known[0].role:
        return Advice(known[0].role, f"{_sentence(*known)}.")
    records, unique = int(column.totals.sum()), alone(column).unique
    if unique < HALF * records and not counts_records(column):
        return None
    if column.kind == "number" and not counts_records(column):
        return None
    return Advice("identifier", f"It has {len(column.values):,} different values in {records:,} records, like a name.")


def _sentence(meaning: ColumnKind, by: str) -> str:
    verb = "suggests" if by == "name" else "suggest"
    return f"Its {by} {verb} {meaning.what}, {meaning.consequence}"


def _undecided(column: Column, known: tuple[ColumnKind, str] | None) -> Advice:
    """Return the advice not to publish a column whose meaning does not decide its role."""
    if known:
        return Advice("dropped", f"{_sentence(*known)}.")
    unique, records = alone(column).unique, int(column.totals.sum())
    if unique >= HALF * records:
        return Advice("dropped", f"{unique:,} of {records:,} records have a unique value; {OPEN}.")
    return Advice("dropped", f"Its meaning is unknown; {OPEN}.")


def _with_figures(advice: Advice, addition: tuple[float, list[str]] | None) -> Advice:
    """Add to the advice the share of records that the column makes unique in combination with others."""
    if addition is None:
        return advice
    share, others = addition
    more = f"with {join_names(others)} it singles out another {format_percent(share)} of the records"
    return Advice(advice.role, f"{advice.reason[:-1]}; {more}.")


def _instead(table: Table, found: Survey, names: Collection[str]) -> dict[str, Advice]:
    """Propose the columns that make most records unique if the meaning of none suggests a quasi-identifier."""
    additions = _additions(found, names)
    ranked = sorted((name for name in names if name in additions), key=lambda name: -additions[name][0])
    unsure = "An attacker might know it"
    if ranked:
        return {name: _with_figures(Advice("quasi", f"{unsure}."), additions[name]) for name in ranked[:QUASI]}
    amounts = [name for name in names if table.columns[name].kind == "number"]
    advice = {}
    for name in amounts[:QUASI]:
        unique, records = alone(table.columns[name]).unique, table.records
        own = f"{unique:,} of {records:,} records have a unique value"
        advice[name] = Advice("quasi", f"An attacker might know it approximately; {own}.")
    return advice


def _extra_weights(table: Table, known: Mapping[str, Advice]) -> dict[str, Advice]:
    """Exclude survey weights except one that every record has."""
    found = [name for name, one in known.items() if one.role == "weight"]
    whole = [name for name in found if not unfit_as_weight(table.columns[name])]
    return {
        name: Advice("dropped", f"A survey weight like {whole[0]}; one is enough.")
        if whole
        else Advice("dropped", f"Its name suggests a survey weight, but {unfit_as_weight(table.columns[name])}.")
        for name in found
        if name not in whole[:1]
    }


def _repeated(table: Table, found: Survey, known: Mapping[str, Advice]) -> dict[str, Advice]:
    """Return advice for columns that duplicate another one or follow from a sensitive one."""
    advice: dict[str, Advice] = {}
    for fine, coarse in _derived(table, found):
        roles = {name: (advice.get(name) or known.get(name) or Advice("", "")).role for name in (fine, coarse)}
        same = table.columns[fine].size == table.columns[coarse].size
        if "identifier" in roles.values() and same:
            direct, other = (fine, coarse) if roles[fine] == "identifier" else (coarse, fine)
            if roles[other] in ("", "identifier"):
                advice[other] = Advice("identifier", f"It distinguishes records exactly as {direct} does.")
            continue
        if {"dropped", "identifier", "weight"} & {*roles.values()}:
            continue
        if same:
            first, second = sorted((fine, coarse), key=lambda name: not roles[name])  # keep the one with a known role
            advice[second] = Advice("dropped", f"It distinguishes records exactly as {first} does; one is enough.")
        elif "sensitive" in roles.values() and "quasi" not in roles.values():
            distinct = len(table.columns[fine].values)
            if distinct <= MANY_VALUES or len(table.columns[coarse].values) < 2:
                follows = Advice("sensitive", f"It reveals {coarse}, which must not be disclosed.")
                advice[fine] = known.get(fine) or follows
                if coarse not in known or fine not in known:
                    advice[coarse] = Advice("dropped", f"It follows from {fine}, which is sensitive; one is enough.")
            else:
                part = Advice("sensitive", f"It is a part of {fine}, which must not be disclosed.")
                advice[coarse] = known.get(coarse) or part
                many = f"It has {distinct:,} values, too many to protect one by one"
                advice[fine] = Advice("dropped", f"{many}; {coarse} follows from it and is used instead.")
    return advice


def _derived(table: Table, found: Survey) -> Iterator[tuple[str, str]]:
    """Yield pairs of columns of which the second follows from the first in every record, and not by chance."""
    for pair in found.pairs:
        fine, coarse = sorted(pair.names, key=lambda name: -table.columns[name].size)
        repeated = table.records - found.columns[fine].distinct
        chance = agreement(table.columns[coarse]) ** repeated
        if pair.one_in == 1 and pair.distinct == found.columns[fine].distinct and chance <= CHANCE:
            yield fine, coarse


def _additions(found: Survey, names: Collection[str]) -> dict[str, tuple[float, list[str]]]:
    """Return the maximum share of records that each column makes unique in addition to one or two others, and these."""
    shares = {frozenset(one.names): one.share for one in (*found.columns.values(), *found.pairs, *found.triples)}
    most: dict[str, tuple[float, list[str]]] = {}
    for one in (*found.pairs, *found.triples):
        if not set(one.names) <= set(names):
            continue
        for name in one.names:
            others = [other for other in one.names if other != name]
            more = one.share - shares[frozenset(others)]
            if more >= ADDS and more > most.get(name, (0.0, []))[0]:
                most[name] = (more, others)
    return most
