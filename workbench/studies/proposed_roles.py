"""The roles that are proposed for the columns of a table, each with its reason; no reason has a value of the data."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from workbench.base.figures import per_cent
from workbench.data.column import Column
from workbench.data.meaning import KNOWN, meaning_of, says
from workbench.data.roles import NEARLY_ALL, unfit_as_weight
from workbench.data.table import MANY_VALUES, Table
from workbench.data.uniqueness import Survey, agreement, alone, namelike

ADDS = 0.001  # the share of records singled out from which a column matters
QUASI = 8  # quasi-identifiers that are proposed at most: each more makes every release coarser
CHANCE = 1e-4  # how likely it is at most that one column follows from another by chance
LEFT_OUT = "published unchanged, it would only help to single people out"


@dataclass(frozen=True)
class Advice:
    """The role proposed for a column, and why."""

    role: str
    reason: str


def propose_roles(table: Table, found: Survey) -> dict[str, Advice]:
    """A role for each column, with the reason in one sentence: neutral is only what tells nothing.

    Of the columns that help to single out, those that others often know come first, then those that add most.
    """
    advice = {name: given for name, column in table.columns.items() if (given := _by_itself(column))}
    advice |= _weights(table, advice)
    advice |= _repeated(table, found, advice)
    by_meaning = [name for name, one in advice.items() if one.role == "quasi"]
    adds = _additions(found, {name for name in advice if name not in by_meaning})
    others = [name for name in table.names if name not in advice and (name in adds or says(name, KNOWN))]
    others.sort(key=lambda name: (not says(name, KNOWN), -adds.get(name, (0.0, []))[0]))
    for rank, name in enumerate(others, len(by_meaning)):
        often = "Often known to others" if says(name, KNOWN) else ""
        share, beside = adds.get(name, (0.0, []))
        single = f"beside {' and '.join(beside)} it singles out {per_cent(share)} more of the records" if beside else ""
        reason = "; ".join(filter(None, (often, single)))
        reason = f"{reason[0].upper()}{reason[1:]}"
        crowded = f"{reason}; but {QUASI} other columns come first, and {LEFT_OUT}."
        advice[name] = Advice("quasi", f"{reason}.") if rank < QUASI else Advice("dropped", crowded)
    nothing = Advice("dropped", f"It is not known to be of use to those who know a person; {LEFT_OUT}.")
    return {name: advice.get(name, nothing) for name in table.names}


def _by_itself(column: Column) -> Advice | None:
    """What follows from the column alone."""
    records, distinct = int(column.totals.sum()), len(column.values)
    if column.size < 2:
        return Advice("neutral", "It has the same value in every record.")
    if known := meaning_of(column):
        meaning, by = known
        return Advice(meaning.role, f"By its {by} {meaning.what}: {meaning.why}.")
    if not namelike(column):
        return None
    if column.values.dtype.kind == "f":
        few = f"A measured number with {distinct:,} values in {records:,} records: few people know it"
        return Advice("dropped", f"{few}, but anyone who does can identify the record.")
    if distinct >= NEARLY_ALL * records:
        return Advice("identifier", f"Nearly every record has its own value: {distinct:,} in {records:,} records.")
    share = alone(column).share
    return Advice(
        "identifier", f"By itself it singles out {per_cent(share)} of the records: {distinct:,} values, nearly a name."
    )


def _weights(table: Table, known: dict[str, Advice]) -> dict[str, Advice]:
    """The survey weights that are left out: one is enough, and it must be known of every record."""
    found = [name for name, one in known.items() if one.role == "weight"]
    whole = [name for name in found if not unfit_as_weight(table.columns[name])]
    design = "it is computed from the survey's design, and tells the group that it was computed for"
    return {name: Advice("dropped", f"A survey weight, but beside another, or not of every record: {design}.")
            for name in found if name not in whole[:1]}  # fmt: skip


def _repeated(table: Table, found: Survey, known: dict[str, Advice]) -> dict[str, Advice]:
    """Columns that tell the same as another, or what follows from a sensitive one."""
    advice: dict[str, Advice] = {}
    for fine, coarse in _derived(table, found):
        roles = {name: (advice.get(name) or known.get(name) or Advice("", "")).role for name in (fine, coarse)}
        if {"dropped", "identifier", "weight"} & {*roles.values()}:
            continue
        if table.columns[fine].size == table.columns[coarse].size:
            advice[coarse] = Advice("dropped", f"It tells the same as {fine} in every record; one of them is enough.")
        elif "sensitive" in roles.values() and not any(_kept(name, role) for name, role in roles.items()):
            distinct = len(table.columns[fine].values)
            if distinct <= MANY_VALUES or len(table.columns[coarse].values) < 2:
                advice[fine] = known.get(fine) or Advice("sensitive", f"It tells {coarse}, which must not be learnt.")
                advice[coarse] = Advice("dropped", f"It follows from {fine}, which is sensitive; one is enough.")
            else:
                advice[coarse] = known.get(coarse) or Advice(
                    "sensitive", f"It is a part of {fine}, which is sensitive."
                )
                many = f"has {distinct:,} values, too many to be learnt one by one"
                advice[fine] = Advice("dropped", f"It {many}; {coarse} follows from it, and is taken instead.")
    return advice


def _kept(name: str, role: str) -> bool:
    """Whether others know this, whatever follows from it: of a place of living an average income may."""
    return role == "quasi" or (role == "" and says(name, KNOWN))


def _derived(table: Table, found: Survey) -> Iterator[tuple[str, str]]:
    """Pairs of columns of which the second follows from the first, record by record and not by chance."""
    for pair in found.pairs:
        fine, coarse = sorted(pair.names, key=lambda name: -table.columns[name].size)
        repeated = table.records - found.columns[fine].distinct
        chance = agreement(table.columns[coarse]) ** repeated
        if pair.one_in == 1 and pair.distinct == found.columns[fine].distinct and chance <= CHANCE:
            yield fine, coarse


def _additions(found: Survey, known: Collection[str]) -> dict[str, tuple[float, list[str]]]:
    """The most that each other column adds to what a column or a pair singles out, where that matters; and to which."""
    shares = {frozenset(one.names): one.share for one in (*found.columns.values(), *found.pairs, *found.triples)}
    most: dict[str, tuple[float, list[str]]] = {}
    for one in (*found.pairs, *found.triples):
        if set(one.names) & set(known):
            continue
        for name in one.names:
            others = [other for other in one.names if other != name]
            more = one.share - shares[frozenset(others)]
            if more >= ADDS and more > most.get(name, (0.0, []))[0]:
                most[name] = (more, others)
    return most
