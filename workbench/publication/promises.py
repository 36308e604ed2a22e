"""What models promise, in words for people: a class is a group, and of a distance is said what it allows."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby

from workbench.base.figures import about_per_cent, an, figures
from workbench.data.table import Table
from workbench.models import Model
from workbench.releases.scale import scale

FEW = 2  # sensitive columns that a promise names
ALIKE = 5  # words: every group has at least
ARITHMETIC: tuple[tuple[str, Callable[[float], str]], ...] = (
    (r"\b1/(\d+(?:[\d,]*\.\d+)?)", lambda x: about_per_cent(1 / x)),
    (r"\be\^(\d+(?:[\d,]*\.\d+)?)", lambda x: figures(math.exp(x))),
    (r"\b(\d[\d,]*) - 1\b", lambda x: figures(x - 1)),
    (r"\b1 \+ (\d+(?:[\d,]*\.\d+)?)", lambda x: figures(1 + x)),
)


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
        text = part.promise
        for name, number in part.settings().items():
            if isinstance(number, (int, float)) and not isinstance(number, bool):
                text = re.sub(rf"\b{name}\b", f"{number:,g}", text)
        for pattern, worked_out in ARITHMETIC:
            text = re.sub(pattern, partial(_worked_out, worked_out), text)
        text = re.sub(rf"\b(an? )?({'|'.join(plain)})\b", partial(_plain, plain), text)
        if example := _allowed(part, table, smallest):
            text = f"every group's {plain['distribution']} stays close to that of {wording.everybody}"
            text += f": {example}" if examples else ""
        promises.append(text)
    return "; ".join(_joined(promises))


def allows(model: Model | None, table: Table, smallest: int) -> str:
    """What the distances that a model asks for allow, by an example; nothing where it asks for none."""
    parts = model.parts if model else ()
    return "; ".join(one for part in parts if (one := _allowed(part, table, smallest)))


def _allowed(part: Model, table: Table, smallest: int) -> str:
    kind, far = part.far or ("", 0.0)
    example = scale(table.sensitive.values(), kind, smallest) if kind else None
    return example.allows(far, table.wording) if example else ""


def _joined(promises: Sequence[str]) -> Iterator[str]:
    """Promises, of which those that begin alike are one: every group has at least 10 people and 2 values."""
    for _, alike in groupby(promises, lambda one: one.split()[:ALIKE]):
        first, *others = alike
        yield " and ".join([first, *(" ".join(one.split()[ALIKE:]) for one in others)])


def _plain(words: Mapping[str, str], found: re.Match[str]) -> str:
    return an(words[found[2]]) if found[1] else words[found[2]]


def _worked_out(of: Callable[[float], str], found: re.Match[str]) -> str:
    return of(float(found[1].replace(",", "")))
