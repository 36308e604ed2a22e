"""The valid combinations of a method's options, and the reasons why others are invalid."""

from __future__ import annotations

from itertools import product
from typing import Any

from widgets.parameters.draft import Draft
from widgets.parameters.ranges import default
from workbench.base.errors import BadInput
from workbench.frontier.recipe import MOST, alternatives, count_combinations
from workbench.studies.study import variant


def compatible_options(method: Draft) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """Return the entries of a study for a method (one if all options are compatible, otherwise one per valid
    combination), and for each option the reason why a choice is in no combination. Incompatible defaults are dropped
    silently."""
    entry = method.to_dict()
    try:
        every = [_merged(entry, chosen) for chosen in product(*alternatives("method", entry))]
        if count_combinations("method", entry) > MOST:
            return [entry], {}
    except BadInput:  # reported for the whole recipe
        return [entry], {}
    good, refused = [], list[tuple[dict[str, Any], BadInput]]()
    for one in every:
        try:
            variant("method", one)
            good.append(one)
        except BadInput as error:
            refused.append((one, error))
    if not refused:
        return [entry], {}
    return [Draft.from_settings(method.kind, one).to_dict() for one in good], _wrong(method, good, refused)


def _merged(entry: dict[str, Any], chosen: tuple[dict[str, Any], ...]) -> dict[str, Any]:
    for settings in chosen:
        entry = {**entry, **settings}
    return entry


def _wrong(method: Draft, good: list[dict[str, Any]], refused: list[tuple[dict[str, Any], BadInput]]) -> dict[str, str]:
    """Explain why choices are in no valid combination, at the field that the reason names, else at the choice."""
    found: dict[str, str] = {}
    for one, error in refused:
        for name in (name for name in one if name in method.values):
            idle = one[name] != default(method.kind, name) and all(one[name] != other.get(name) for other in good)
            text = str(error).removeprefix(f"{method.kind.name}: ")
            if idle and text not in found.values():
                found.setdefault(str(error.path[0]) if error.path else name, text)
    return found
