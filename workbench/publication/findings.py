"""What is said of a release in plain sentences: its promise, how sure a guess can be, why something is undefined."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import groupby

import numpy as np

from workbench.base.errors import Undefined
from workbench.base.figures import about_per_cent, figures
from workbench.base.thresholds import QUARTERS, STEPS, about_share, listed, named
from workbench.base.variants import about as first_line
from workbench.data.table import Table
from workbench.data.wording import Wording
from workbench.disclosure.safety import nearly
from workbench.disclosure.several_releases import certain
from workbench.models import Model
from workbench.publication.format import Surest
from workbench.releases.base import Release
from workbench.releases.coarsened import rounded, told_values
from workbench.releases.scale import scale

FEW = 2  # sensitive columns that a promise names
ALIKE = 5  # words: every group has at least
UNDEFINED = "it is undefined for this release"
NOTHING = "there is nothing to publish, since no release could be measured on both axes"
ARITHMETIC: tuple[tuple[str, Callable[[float], str]], ...] = (
    (r"\b1/(\d+(?:[\d,]*\.\d+)?)", lambda x: about_per_cent(1 / x)),
    (r"\be\^(\d+(?:[\d,]*\.\d+)?)", lambda x: figures(math.exp(x))),
    (r"\b1 \+ (\d+(?:[\d,]*\.\d+)?)", lambda x: figures(1 + x)),
)
NUMBER, COLUMN, MODEL = r"[\d,.]+(?:e[-+]?\d+)?", r"'(?P<column>[^']+)'", r"[^:']+"
KEEPS = f"no release of this table keeps {MODEL}: "
# reasons that are told with their numbers, which stand in the study: what they are, and what of them is told
ADVICE = (
    (rf"no population has {NUMBER} % of the records; lower min_support", r"\g<0>"),
    (
        rf"more than {NUMBER} populations have at least {NUMBER} % of the records; "
        r"raise min_support, or choose fewer quasi-identifiers",
        r"\g<0>",
    ),
    (
        rf"({KEEPS}the table has) (?:{NUMBER} records, fewer|fewer records) than (k = {NUMBER})",
        r"\1 fewer records than \2",
    ),
    (rf"({KEEPS}{COLUMN} has) (?:{NUMBER} values, fewer|fewer values) than (l = {NUMBER})", r"\1 fewer values than \3"),
    (
        rf"{KEEPS}the commonest value of {COLUMN} holds more of the records than (?:alpha|1/l) = {NUMBER}(?: %)?",
        r"\g<0>",
    ),
)


# --- what it promises


def about(kind: type) -> str:
    """What a model or measure says of itself after its name."""
    return first_line(kind).partition(": ")[2].rstrip(".")


def promise(model: Model | None, table: Table, smallest: int, examples: bool = True) -> str:
    """What the models say of themselves, with their numbers, in words for people: a class is a group.

    Of a distance it says what that allows, unless no `examples` are asked for.
    """
    sensitive, wording = list(table.sensitive), table.wording
    many = len(sensitive) > FEW
    of = " of each sensitive column" if many else f" of {wording.columns(sensitive)}" * bool(sensitive)
    plain = {
        "classes": "groups",
        "class": "group",
        "records": wording.many,
        "distribution": f"mix{of}",
        "the whole table": "everybody" if wording.many == "people" else "the whole table",
        "sensitive values": f"values{of}",
        "value": wording.column(sensitive[0]) if len(sensitive) == 1 else "value",
    }
    promises = []
    for part in model.parts if model else ():
        said = about(type(part))
        for name, number in part.settings().items():
            if isinstance(number, (int, float)) and not isinstance(number, bool):
                said = re.sub(rf"\b{name}\b", f"{number:,g}", said)
        for pattern, worked_out in ARITHMETIC:
            said = re.sub(pattern, partial(_worked_out, worked_out), said)
        said = re.sub(rf"\b({'|'.join(plain)})\b", lambda found: plain[found[0]], said)
        if example := _allowed(part, table, smallest):
            said = f"every group's {plain['distribution']} stays close to that of {wording.everybody}"
            said += f": {example}" if examples else ""
        promises.append(said)
    return "; ".join(_joined(promises))


def allows(model: Model | None, table: Table, smallest: int) -> str:
    """What the distances that a model asks for allow, by an example; nothing where it asks for none."""
    parts = model.parts if model else ()
    return "; ".join(said for part in parts if (said := _allowed(part, table, smallest)))


def _allowed(part: Model, table: Table, smallest: int) -> str:
    kind, far = part.far or ("", 0.0)
    example = scale(table.sensitive.values(), kind, smallest) if kind else None
    return example.allows(far, table.wording) if example else ""


def _joined(promises: Sequence[str]) -> Iterator[str]:
    """Promises, of which those that begin alike are one: every group has at least 10 people and 2 values."""
    for _, alike in groupby(promises, lambda said: said.split()[:ALIKE]):
        first, *others = alike
        yield " and ".join([first, *(" ".join(said.split()[ALIKE:]) for said in others)])


def _worked_out(of: Callable[[float], str], found: re.Match[str]) -> str:
    return of(float(found[1].replace(",", "")))


# --- who is exposed


def surest(release: Release, smallest: int, model: Model | None = None) -> Surest:
    """Of how many people a value is certain, or may nearly be; if of nobody's, how far the surest guess is to be
    trusted."""
    if not release.table.sensitive:
        raise Undefined("no column of the study is sensitive")
    wording, sensitive = release.table.wording, list(release.table.sensitive)
    alone = certain(release.table, [release]).alone
    of = certain_of(release.table, alone, smallest)
    if alone:
        figure = wording.people(alone, smallest)
        unit = f"whose {values_of(sensitive, wording)} is certain"
        return {"certain": of, "figure": f"{figure[:1].upper()}{figure[1:]}", "unit": unit, "sentence": ""}
    best = max(_guess(release, name, smallest) for name in release.table.sensitive)
    almost = "".join(f"; {said}" for said in nearly(release, smallest, model))
    sentence = f"{of[:1].upper()}{of[1:]} is certain{almost}. {best[1]}"
    return {"certain": of, "figure": "", "unit": "", "sentence": sentence}


def certain_of(table: Table, count: int, smallest: int) -> str:
    """Whose value is certain, of so many."""
    wording, value = table.wording, values_of(list(table.sensitive), table.wording)
    return (
        f"the {value} of {wording.some_of(count, table.records, smallest)}" if count else f"{wording.nobody}’s {value}"
    )


def values_of(sensitive: Sequence[str], wording: Wording) -> str:
    """Which value is or is not certain."""
    if len(sensitive) > FEW:
        return f"sensitive value (of any of {len(sensitive)} columns)"
    return wording.columns(sensitive, "or")


def _guess(release: Release, name: str, smallest: int) -> tuple[float, str]:
    """The surest guess of a sensitive column: how sure at most, and a sentence."""
    seen, (sizes, beliefs) = release.table.sensitive[name], release.posterior(name)
    many = rounded(sizes, smallest)
    upper = (np.minimum(np.floor(QUARTERS * beliefs), QUARTERS - 1) + 1) / QUARTERS
    for parts in reversed(STEPS):
        fine = many >= parts * max(smallest, 1)
        upper[fine] = np.round(parts * beliefs[fine]) / parts
    group, value = np.unravel_index(int(upper.argmax()), upper.shape)
    told = about_share(round(float(beliefs[group, value]) * int(sizes[group])), int(sizes[group]), smallest)
    told = "nearly all" if told == about_per_cent(1) and beliefs[group, value] < 1 else told
    wording = release.table.wording
    if not listed(release.table.records, smallest):
        guess, usual = f"of a {wording.column(name)}", ""
    elif not named(seen.totals, smallest)[value]:
        guess, usual = f"a {wording.column(name)} that few {wording.many} have", ""
    else:
        guess = f"{wording.column(name)} {seen.labels[value]}"
        usual = f" (of {wording.everybody}: {about_per_cent(float(told_values(seen, smallest).prior[value]))})"
    return float(upper.max()), f"The surest guess: {guess}, right for {told} of a group{usual}."


def reason(said: str, table: Table, instead: str = UNDEFINED) -> str:
    """Why something is undefined, on its way out: known advice, with the study's own numbers; anything else only
    where no number and no value of the data can be in it.

    Every text of an exception that somebody else than the analyst may read passes here.
    """
    if said.startswith(f"{NOTHING}: "):
        return f"{NOTHING}: {reason(said.removeprefix(f'{NOTHING}: '), table, instead)}"
    for known, told in ADVICE:
        found = re.fullmatch(known, said)
        if found and found.groupdict().get("column", table.names[0]) in table.names:
            return found.expand(told)
    labels = (label for column in table.columns.values() for label in column.labels if label in said)
    named = any(re.search(rf"(?<!\w){re.escape(one)}(?!\w)", said) for one in labels)
    return instead if named or re.search(r"\d|['\"]", said) else said
