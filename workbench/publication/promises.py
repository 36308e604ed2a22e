"""The promises of models in words for decision makers: a class is a group, and distances have examples."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby

from workbench.base.figures import format_number, format_whole_percent, with_article
from workbench.data.table import Table
from workbench.data.wording import Wording
from workbench.models import Model
from workbench.releases.scale import scale

FEW = 2  # maximum number of sensitive columns that a promise names
EXAMPLE = 0.1  # overall share of the value in an example
DISTANCE_NAMES = {
    "equal": "variation distance",
    "variation": "variation distance",
    "ordered": "ordered distance",
    "hierarchical": "hierarchical distance",
    "js": "Jensen-Shannon distance",
}
ALIKE = 5  # words of a common beginning, such as "every group has at least"
ARITHMETIC: tuple[tuple[str, Callable[[float], str]], ...] = (
    (r"\b1/(\d+(?:[\d,]*\.\d+)?)", lambda x: format_whole_percent(1 / x)),
    (r"\be\^(\d+(?:[\d,]*\.\d+)?)", lambda x: format_number(math.exp(x))),
    (r"\b(\d[\d,]*) - 1\b", lambda x: format_number(x - 1)),
    (r"\b1 \+ (\d+(?:[\d,]*\.\d+)?)", lambda x: format_number(1 + x)),
)


def promise(model: Model | None, table: Table, smallest: int, examples: bool = True) -> str:
    """Return the promises of the models with their numbers, in words for decision makers.

    With `examples`, the promise of a distance includes an example of the permitted values.
    """
    sensitive, wording = list(table.sensitive), table.wording
    many = len(sensitive) > FEW
    whose = " of each sensitive column" if many else f" of {wording.columns(sensitive)}" * bool(sensitive)
    plain = {
        "classes": "groups",
        "class": "group",
        "records": wording.many,
        "distribution": f"mix{whose}",
        "the whole table": "everybody" if wording.many == "people" else "the whole table",
        "sensitive values": f"values{whose}",
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
            kind, far = part.max_distance_from_prior or ("", 0.0)
            text = (
                f"every group's {plain['distribution']} is within {format_number(far)} of that of {wording.everybody}"
            )
            text += f" ({DISTANCE_NAMES[kind]})" + (f": {example}" if examples else "")
        elif "e^" in part.promise:
            text += _times_as_common(part, wording) * examples
        promises.append(text)
    return "; ".join(_joined(promises))


def _times_as_common(part: Model, wording: Wording) -> str:
    """Explain a factor on odds or shares by the example of a value that one in ten have."""
    factor = math.exp(next(value for value in part.settings().values() if isinstance(value, float | int)))
    low, high = (
        format_whole_percent(EXAMPLE / factor, "higher"),
        format_whole_percent(min(EXAMPLE * factor, 1.0), "lower"),
    )
    low = f"{low}, if any," if part.settings().get("absent") == "allowed" else low
    return (
        f" (a value that {format_whole_percent(EXAMPLE)} of {wording.everybody} have, {low} to {high} of a "
        f"group may have)"
    )


def allows(model: Model | None, table: Table, smallest: int) -> str:
    """Explain the distances of a model by an example; empty if the model has none."""
    parts = model.parts if model else ()
    return "; ".join(one for part in parts if (one := _allowed(part, table, smallest)))


def _allowed(part: Model, table: Table, smallest: int) -> str:
    kind, far = part.max_distance_from_prior or ("", 0.0)
    example = scale(table.sensitive.values(), kind, smallest) if kind else None
    return example.allows(far, table.wording) if example else ""


def _joined(promises: Sequence[str]) -> Iterator[str]:
    """Join promises with the same beginning: every group has at least 10 people and 2 values."""
    for _, alike in groupby(promises, lambda one: one.split()[:ALIKE]):
        first, *others = alike
        yield " and ".join([first, *(" ".join(one.split()[ALIKE:]) for one in others)])


def _plain(words: Mapping[str, str], found: re.Match[str]) -> str:
    return with_article(words[found[2]]) if found[1] else words[found[2]]


def _worked_out(describe: Callable[[float], str], found: re.Match[str]) -> str:
    return describe(float(found[1].replace(",", "")))
