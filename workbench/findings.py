"""What was found of one release, in plain sentences made from numbers, each held against the threshold by itself."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from functools import partial
from typing import Any

import numpy as np

from workbench.distances import distance
from workbench.figures import about_per_cent, figures, listed, per_cent
from workbench.measures import Measure, Measured, classes_of
from workbench.measures.accuracy_gain import AccuracyGain
from workbench.measures.achieved import MODELS, Achieved
from workbench.measures.largest_quotient import LargestQuotient
from workbench.measures.privacy_loss import PrivacyLoss
from workbench.measures.reidentification_risk import ReidentificationRisk
from workbench.measures.utility_loss import UtilityLoss
from workbench.models import Model
from workbench.parameters import about as first_line
from workbench.published import words
from workbench.release import Release
from workbench.table import Table
from workbench.thresholds import band, coarse, masked, nameable, people, small, some_of, tellable, tells
from workbench.together import certain

LARGE = 10  # times the threshold: a class from which on many small counts fit a loss
NOTHING = 1e-9  # a loss that is rounding
RATIOS = ("beta-likeness", "delta-disclosure")  # whose figure is decided by a value's share against its usual one
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


def believed(
    sensitive: str, value: str | None, prior: float, count: int, of: int, smallest: int, few: bool = False
) -> str:
    """What is believed of a class's people, as the threshold allows; a value that few have goes without its name."""
    others = f"; of everybody, {about_per_cent(prior)} do." if value is not None else "."
    named = f"the {words(sensitive)} {value}" if value is not None else f"a {words(sensitive)} that few people have"
    if few or small(of, smallest):
        return f"{band(count / of).capitalize()} of them have {named}{others}"
    if small(count, smallest):
        return f"More often than others they have {named}, though fewer than {smallest} of them do{others}"
    if value is None:
        return f"More often than others they have {named}."
    if tells(count, of, smallest):
        return f"All of them but fewer than {smallest} have {named}{others}"
    return f"{'All' if count == of else about_per_cent(count / of)} of them have {named}{others}"


def most_exposed(release: Release, measure: PrivacyLoss, smallest: int) -> dict[str, Any]:
    """The group that loses most, how large it is, and from what to what belief in a value goes."""
    classes = classes_of(release)
    if not release.table.sensitive:
        hidden, fewer = masked(classes.sizes, smallest)
        least = int(classes.sizes.argmin())
        size = None if hidden[least] else int(classes.sizes[least])
        return {"people": size, "sentence": f"In the smallest group there are {people(size, fewer)}."}
    name, group, value, loss = _worst(release, measure)
    seen, posterior = release.table.sensitive[name], release.posterior(name)
    hidden, fewer = masked(posterior.sizes, smallest)
    of, belief, few = int(posterior.sizes[group]), float(posterior.beliefs[group, value]), bool(hidden[group])
    count, known = round(belief * of), bool(nameable(seen.totals, smallest)[value])
    told = known and not few and not tells(count, of, smallest)
    moves = _moves(
        words(name), seen.labels[value] if known else None, float(seen.prior[value]), count, of, smallest, few
    )
    histogram = np.round(posterior.beliefs[group] * of)
    pinned = of < LARGE * smallest and bool(((histogram > 0) & (histogram < smallest)).any())  # by size and exact loss
    many = people(None, fewer) if few else f"about {people(coarse(of, smallest), 0)}"
    about = "" if pinned and not few else f" ({many})"
    where = f"In the group that differs most from everybody{about}, "
    return {
        "sensitive": name,
        "value": seen.labels[value] if known else None,
        "prior": round(float(seen.prior[value]), 3) if known else None,
        "posterior": round(belief, 2) if told else None,
        "people": None if few or pinned else coarse(of, smallest),
        "sentence": where + moves if loss > NOTHING else f"Every group is as mixed in {words(name)} as everybody.",
    }


def _moves(name: str, value: str | None, prior: float, count: int, of: int, smallest: int, few: bool) -> str:
    """How far a belief goes, as the threshold allows."""
    if value is None:
        return f"belief moves most for a {name} that few people have."
    goes = f"belief in the {name} {value} goes from {about_per_cent(prior)}"
    if few:
        return f"{goes} to {band(count / of)}."
    if small(count, smallest):
        return f"belief in the {name} {value} grows most, from {about_per_cent(prior)}; fewer than {smallest} have it."
    return f"{goes} to nearly certain." if tells(count, of, smallest) else f"{goes} to {about_per_cent(count / of)}."


def surest(release: Release, smallest: int) -> str:
    """Of how many people a value is certain; if of nobody's, how far the surest guess of anybody's is to be trusted."""
    names, best = listed([words(name) for name in release.table.sensitive], "or"), (0.0, "")
    alone = certain(release.table, [release]).alone
    if alone:
        return f"Certain is the {names} of {some_of(alone, release.table.records, smallest)}."
    for name, seen in release.table.sensitive.items():
        posterior = release.posterior(name)
        group, value = np.unravel_index(int(posterior.beliefs.argmax()), posterior.beliefs.shape)
        belief, of = float(posterior.beliefs[group, value]), int(posterior.sizes[group])
        share = band(belief) if tells(round(belief * of), of, smallest) else about_per_cent(belief)
        label = f" ({seen.labels[value]})" if nameable(seen.totals, smallest)[value] else ""
        best = max(best, (belief, f"The surest guess of anybody's {words(name)}{label} is right with {share}."))
    return f"Certain is nobody's {names}. {best[1]}" if best[1] else ""


def _worst(release: Release, measure: PrivacyLoss) -> tuple[str, int, int, float]:
    """The sensitive column, the group and the value that a loss is largest on, and the loss."""
    found = []
    for name, seen in release.table.sensitive.items():
        beliefs = release.posterior(name).beliefs
        loss = distance(measure.distance, beliefs, seen.prior, seen.levels)
        group = int(loss.argmax())
        found.append((name, group, int((beliefs[group] - seen.prior).argmax()), float(loss[group])))
    return max(found, key=lambda one: one[3])


# --- figures and their sentences


def allowed(measure: Measure, value: float, release: Release, smallest: int) -> float:
    """A figure that tells no small count: to one digit, never flattering, where a value that few have decides it."""
    everybody = release.table.records
    if isinstance(measure, ReidentificationRisk) and measure.statistic == "alone":
        return tellable(value * everybody, everybody, smallest)
    if isinstance(measure, AccuracyGain):
        chance = measure(release).detail["baseline"]
        return tellable((chance + value) * everybody, everybody, smallest) - chance
    if not math.isfinite(value) or not any(
        not nameable(release.table.sensitive[name].totals, smallest)[v] for name, v in _deciding(measure, release)
    ):
        return value
    rounding = ROUND_FLOOR if measure.better == "higher" else ROUND_CEILING
    return float(Context(prec=1, rounding=rounding).create_decimal(repr(float(value))))


def _deciding(measure: Measure, release: Release) -> list[tuple[str, int]]:
    """The sensitive values that decide a figure of the worst-off; none for a figure that is an average."""
    if isinstance(measure, PrivacyLoss):
        name, _, value, _ = _worst(release, measure)
        return [(name, value)]
    by_ratio = isinstance(measure, LargestQuotient) or (isinstance(measure, Achieved) and measure.model in RATIOS)
    if not by_ratio and not (isinstance(measure, Achieved) and MODELS[measure.model].needs_sensitive):
        return []
    found = []
    for name, seen in release.table.sensitive.items():
        beliefs = release.posterior(name).beliefs
        if by_ratio:
            with np.errstate(divide="ignore"):
                moved = np.abs(np.log(beliefs / seen.prior))
            moved[~np.isfinite(moved)] = 0
        else:
            moved = beliefs - seen.prior
        found.append((name, int(moved.max(axis=0).argmax())))
    return found


def sentence(measure: Measure, found: Measured, release: Release, smallest: int) -> str:
    """A measure's sentence, made anew from its numbers; of a measure that is not known here, what it measures."""
    made = SENTENCES.get(type(measure))
    plain = about(type(measure))
    return made(measure, found, release, smallest) if made else f"{plain[:1].upper()}{plain[1:]}."


def _loss(measure: Any, found: Measured, release: Release, smallest: int) -> str:
    said = most_exposed(release, measure, smallest)["sentence"]
    full = cheapest(release.table, measure, smallest)
    return said if full is None else f"{said} A full disclosure would cost {figures(full)} or more."


def _guesses(measure: Any, found: Measured, release: Release, smallest: int) -> str:
    guess = guesses(release.table, found, smallest)
    if guess is None:
        return f"{about(type(measure)).capitalize()}."
    right, chance = (per_cent(guess[which]) for which in ("right", "chance"))
    name = words(found.detail["sensitive"])
    return f"An attacker's best guess of the {name} is right for {right} of the people; without the release, {chance}."


def _alone(measure: Any, found: Measured, release: Release, smallest: int) -> str:
    alone, of = int((found.detail["sizes"] == 1).sum()), release.table.records
    return (
        f"Alone with the quasi-identifiers that are released are {some_of(alone, of, smallest)}."
        if alone
        else "Nobody is alone with it."
    )


def _misled(measure: Any, found: Measured, release: Release, smallest: int) -> str:
    loss, name = found.detail["loss"], words(found.detail["sensitive"])
    return (
        f"Over {len(loss):,} groups of at least {100 * measure.min_support:g} % of everybody, what the release tells "
        f"of their {name} is {figures(loss.mean())} from the truth on average, {figures(loss.max())} at worst."
    )


SENTENCES: dict[type, Callable[[Any, Measured, Release, int], str]] = {
    PrivacyLoss: _loss,
    AccuracyGain: _guesses,
    ReidentificationRisk: _alone,
    UtilityLoss: _misled,
}


def guesses(table: Table, found: Measured, smallest: int) -> dict[str, Any] | None:
    """How often the best guess is right, with the release and without; None where few have the commonest value."""
    seen, chance = table.sensitive[found.detail["sensitive"]], found.detail["baseline"]
    commonest = int(seen.totals.argmax())
    if not nameable(seen.totals, smallest)[commonest]:
        return None
    right = tellable((chance + found.value) * table.records, table.records, smallest)
    return {"right": round(right, 4), "chance": round(chance, 4), "commonest": seen.labels[commonest]}


def cheapest(table: Table, measure: PrivacyLoss, smallest: int) -> float | None:
    """What the cheapest full disclosure costs, of a value that may be named; None where there is none."""
    found = [
        measure.revealed(seen)[known].min()
        for seen in table.sensitive.values()
        if (known := nameable(seen.totals, smallest)).any()
    ]
    return float(min(found)) if found else None


def reason(said: str, table: Table) -> str:
    """Why something is undefined, where the reason has no number and no value of the data in it."""
    labels = (label for seen in table.sensitive.values() for label in seen.labels)
    named = any(re.search(rf"(?<!\w){re.escape(label)}(?!\w)", said) for label in labels)
    return UNDEFINED if named or re.search(r"\d", said) else said
