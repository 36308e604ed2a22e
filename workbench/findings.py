"""What is said of a release in plain sentences: its promise, how sure a guess can be, why something is undefined."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from functools import partial

import numpy as np

from workbench.figures import about_per_cent, figures, listed, words
from workbench.models import Model
from workbench.parameters import about as first_line
from workbench.release import Release
from workbench.table import Table
from workbench.telling import rounded
from workbench.thresholds import QUARTERS, STEPS, about_share, named, people
from workbench.together import certain

UNDEFINED = "it is undefined for this release"
ARITHMETIC: tuple[tuple[str, Callable[[float], str]], ...] = (
    (r"\b1/(\d+(?:[\d,]*\.\d+)?)", lambda x: about_per_cent(1 / x)),
    (r"\be\^(\d+(?:[\d,]*\.\d+)?)", lambda x: figures(math.exp(x))),
    (r"\b1 \+ (\d+(?:[\d,]*\.\d+)?)", lambda x: figures(1 + x)),
)


# --- what it promises


def about(kind: type) -> str:
    """What a model or measure says of itself after its name."""
    return first_line(kind).partition(": ")[2].rstrip(".")


def promise(model: Model | None, sensitive: Iterable[str]) -> str:
    """What the models say of themselves, with their numbers, in words for people: a class is a group."""
    names = [words(name) for name in sensitive]
    of = f" of {listed(names)}" if names else ""
    plain = {
        "classes": "groups",
        "class": "group",
        "records": "people",
        "distribution": f"mix{of}",
        "the whole table": "everybody",
        "sensitive values": f"values{of}",
        "value": names[0] if len(names) == 1 else "value",
    }
    promises = []
    for part in model.parts if model else ():
        said = about(type(part))
        for name, number in part.settings().items():
            if isinstance(number, (int, float)) and not isinstance(number, bool):
                said = re.sub(rf"\b{name}\b", f"{number:,g}", said)
        for pattern, worked_out in ARITHMETIC:
            said = re.sub(pattern, partial(_worked_out, worked_out), said)
        promises.append(re.sub(rf"\b({'|'.join(plain)})\b", lambda found: plain[found[0]], said))
    return "; ".join(promises)


def _worked_out(of: Callable[[float], str], found: re.Match[str]) -> str:
    return of(float(found[1].replace(",", "")))


# --- who is exposed


def surest(release: Release, smallest: int) -> dict[str, str]:
    """Of how many people a value is certain, as a figure; if of nobody's, how far the surest guess is to be trusted."""
    if not release.table.sensitive:
        return {}
    names = listed([words(name) for name in release.table.sensitive], "or")
    alone = certain(release.table, [release]).alone
    if alone:
        figure = people(alone, smallest)
        return {"figure": f"{figure[:1].upper()}{figure[1:]}", "unit": f"whose {names} is certain", "sentence": ""}
    best = max(_guess(release, name, smallest) for name in release.table.sensitive)
    return {"figure": "Nobody’s", "unit": f"{names} is certain", "sentence": best[1]}


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
    label = f" ({seen.labels[value]})" if named(seen.totals, smallest)[value] else ""
    return float(upper.max()), f"The surest guess of anybody's {words(name)}{label} is right for {told} of a group."


def reason(said: str, table: Table, instead: str = UNDEFINED) -> str:
    """Why something is undefined, on its way out: only where no number and no value of the data can be in it.

    Every text of an exception that somebody else than the analyst may read passes here.
    """
    labels = (label for column in table.columns.values() for label in column.labels if label in said)
    named = any(re.search(rf"(?<!\w){re.escape(one)}(?!\w)", said) for one in labels)
    return instead if named or re.search(r"\d|['\"]", said) else said
