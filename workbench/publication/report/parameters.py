"""The parameters of the report notebook: the study of a report, and changes to that study.

papermill writes them into the notebook's parameters cell, as text, numbers, lists or mappings (YAML).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from pathlib import Path
from typing import Any

from workbench.base.column_text import parse_names
from workbench.base.errors import BadInput, safe_repr, suggest
from workbench.frontier.recipe import Recipe, models_of, parse_method, parse_model, ranges_from_recipe, variants
from workbench.methods import Keep, Method
from workbench.studies.study import Study, chart_axes, results_folder

DESCRIPTIONS = {
    "study": "a study (.yaml)",
    "data": "instead of a study: a table, with the roles of its columns",
    "quasi": "quasi-identifiers of `data`: `age, zip`, or a list",
    "sensitive": "sensitive columns of `data`: a name, or a list",
    "identifiers": "direct identifiers of `data`, which are dropped: a name, or a list",
    "hierarchy": "hierarchy files by column: `zip=zip.csv`, or a mapping",
    "only": "only the records with this label: `ward=C`, or a mapping",
    "method": "one method for all recipes: `mondrian, publish=bucketized`, or a mapping",
    "model": "one model for all recipes: `k-anonymity, k=10 & t-closeness, t=0.2`, or a mapping or list as in a study",
    "k": "k of all models that have it: a number, or a list",
    "t": "t of all models that have it: a number, or a list",
    "measures": "measures instead of the study's: `privacy loss, utility loss`, or a list of names or mappings",
    "min_support": "minimum share of the records in a large population, 0 to 1",
    "cap": "limit on the privacy measure of the chart",
    "caps": "limits on measures: `P_loss=0.1, U_loss=0.2`, or a mapping",
    "smallest": "threshold for small counts: published numbers of people are rounded to it",
    "store": "folder of the points; by default next to the study",
    "seed": "random seed of searches and evaluations; published randomness has no seed",
}


@dataclass(frozen=True, kw_only=True)
class ReportParameters:
    """The subject of a report: a study, or data with roles. All other parameters change the study for this report."""

    study: str = ""
    data: str = ""
    quasi: Any = ""
    sensitive: Any = ""
    identifiers: Any = ""
    hierarchy: Any = None
    only: Any = None
    method: Any = None
    model: Any = None
    k: Any = None
    t: Any = None
    measures: Any = ""
    min_support: float | None = None
    cap: float | None = None
    caps: Any = None
    smallest: int | None = None
    store: str = ""
    seed: int | None = None

    @classmethod
    def from_cell(cls, variables: Mapping[str, Any]) -> ReportParameters:
        """Return the parameters among a notebook's variables."""
        return cls(**{name: variables[name] for name in DESCRIPTIONS})

    def chosen(self) -> tuple[Study, Path | None]:
        """Return the study with the changes, and the folder of its results if it has a file."""
        if bool(self.study) == bool(self.data):
            raise BadInput("a report needs study (a .yaml file), or data (a table) with quasi: set one of them")
        study = Study.open(self.study) if self.study else self._proposed()
        changed = study.with_(**dict(self._changes(study)))
        changed.candidates()
        changed.measured()  # both report misspelled names before anything is computed
        caps = {**changed.caps, **self._caps(changed)}
        store = Path(self.store) if self.store else None
        return changed.with_(caps=caps), results_folder(self.study, store) if self.study else store

    def _proposed(self) -> Study:
        from workbench.studies.proposal import propose_study  # only where there is no study

        return propose_study(
            self.data, *(names(one, getattr(self, one)) for one in ("quasi", "sensitive", "identifiers"))
        )

    def _changes(self, study: Study) -> Iterator[tuple[str, Any]]:
        """Yield the changed fields of the study with their new values."""
        for name in ("smallest", "seed"):
            if getattr(self, name) is not None:
                yield name, getattr(self, name)
        if self.only:
            labels = pairs("only", self.only, "ward=C").items()
            only = {column: label if isinstance(label, (str, bool)) else str(label) for column, label in labels}
            yield "data", {**study.data, "only": {**study.data.get("only", {}), **only}}
            yield "name", f"{study.name}: {', '.join(f'{column} {label}' for column, label in only.items())}"
        if self.hierarchy:
            files = pairs("hierarchy", self.hierarchy, "zip=zip.csv").items()
            given = {column: {"csv": one} if isinstance(one, str) else one for column, one in files}
            yield "hierarchies", {**study.hierarchies, **given}
        if not all(one is None or one == "" for one in (self.method, self.model, self.k, self.t)):
            yield "recipes", self._recipes(study)
        if self.measures or self.min_support is not None:
            yield "measures", self._measures(study)
            yield "axes", () if self.measures else study.axes

    def _recipes(self, study: Study) -> tuple[Mapping[str, Any], ...]:
        """Return the study's recipes with another method, another model, or other values of k and t."""
        given = {kind: _variant(kind, getattr(self, kind)) for kind in ("method", "model") if getattr(self, kind)}
        recipes: list[dict[str, Any]] = []
        for one in study.recipes:
            changed = {**one, **given}
            if changed not in recipes:
                recipes.append(changed)
        for name, values in (("k", self.k), ("t", self.t)):
            if values is not None:
                recipes = _with_value(name, numbers(name, values), recipes)
        return tuple(recipes)

    def _measures(self, study: Study) -> tuple[Mapping[str, Any], ...]:
        """Return the named measures or the study's own, with another minimum support if one is given."""
        found: list[dict[str, Any]] = [dict(one) for one in study.measures]
        if self.measures:
            listed = parse_names(self.measures) if isinstance(self.measures, str) else _list("measures", self.measures)
            found = [dict(one) if isinstance(one, Mapping) else {"name": one} for one in listed]
        if self.min_support is not None:
            (share,) = numbers("min_support", self.min_support)
            has = [one for one in found if _has_parameter("measure", one, "min_support")]
            if not has:
                raise BadInput("min_support: no measure of this study has it; add utility loss to measures")
            found = [{**one, "min_support": share} if one in has else one for one in found]
        return tuple(found)

    def _caps(self, study: Study) -> dict[str, float]:
        """Return the limits by the key of the measure."""
        given = pairs("caps", self.caps, "P_loss=0.1").items() if self.caps else ()
        limits = [(key, f"caps: {key}", cap) for key, cap in given]
        if self.cap is not None:
            limits.append((privacy_axis(study), "cap", self.cap))
        found, keys = {}, [one.key for one in study.measured()]
        for key, where, cap in limits:
            if key not in keys:
                raise BadInput(f"{where}: the study has no such measure; {suggest(key, keys)}")
            (found[key],) = numbers(where, cap)
            if found[key] < 0:
                raise BadInput(f"{where} = {found[key]:g}: no measure is below 0; set a limit of 0 or above")
        return found


def privacy_axis(study: Study) -> str:
    """Return the key of the measure that `cap` limits."""
    if axes := chart_axes(study):
        return axes[0]
    found = next((one.key for one in study.measured() if one.side == "privacy"), None)
    if found is None:
        raise BadInput(
            "cap: the study measures no privacy, so there is nothing to limit; add a measure such as privacy loss"
        )
    return found


def names(where: str, given: Any) -> tuple[str, ...]:
    """Parse names from text with commas, or from a list."""
    if isinstance(given, str):
        return parse_names(given)
    found = _list(where, given or [])
    wrong = [one for one in found if not isinstance(one, str)]
    if wrong:
        raise BadInput(
            f"{where}: {safe_repr(wrong[0])} is not a name; write text, in quotes where it looks like a number"
        )
    return tuple(found)


def pairs(where: str, given: Any, example: str) -> dict[str, Any]:
    """Parse names with values from text (a=b, c=d), or from a mapping."""
    if isinstance(given, str):
        parts = [one.partition("=") for one in parse_names(given)]
        if not all(name.strip() and equals and value.strip() for name, equals, value in parts):
            raise BadInput(f"{where} {safe_repr(given)}: write names with their values, as in {example}, or a mapping")
        given = {name.strip(): value.strip() for name, _, value in parts}
    if not isinstance(given, Mapping):
        raise BadInput(f"{where}: must be text such as {example} or a mapping, not {safe_repr(given)}")
    return {str(name): value for name, value in given.items()}


def numbers(where: str, given: Any) -> list[float]:
    """Parse one number, or a list of numbers."""
    found = []
    for one in _list(where, given) if isinstance(given, (list, tuple)) else [given]:
        try:
            number = math.nan if isinstance(one, bool) or not isinstance(one, (str, Real)) else float(one)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise BadInput(f"{where}: {safe_repr(one)} is not a number")
        found.append(int(number) if number == int(number) else number)
    if not found:
        raise BadInput(f"{where}: the list is empty; add at least one number")
    return found


def _list(where: str, given: Any) -> list[Any]:
    if not isinstance(given, (list, tuple)):
        raise BadInput(f"{where}: must be text or a list, not {safe_repr(given)}")
    return list(given)


def _variant(kind: str, given: Any) -> Any:
    """Parse a method or a model from its notation, or return the settings of a study unchanged."""
    if not isinstance(given, str):
        return given
    made = parse_method(given) if kind == "method" else parse_model(given)
    method, model = (made, None) if isinstance(made, Method) else (Keep(), made)
    return ranges_from_recipe(Recipe(method, model, 0))[kind]


def _has_parameter(kind: str, given: Mapping[str, Any], name: str) -> bool:
    chosen = variants(kind).get(str(given.get("name")))
    return chosen is not None and name in chosen.parameters()


def _with_value(name: str, values: Sequence[float], recipes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the recipes with these values of a parameter, in every model that has it."""
    found, value = [], values[0] if len(values) == 1 else list(values)
    for recipe in recipes:
        models = [{**one, name: value} if _has_parameter("model", one, name) else one for one in models_of(recipe)]
        changed = {**recipe, "model": models[0] if len(models) == 1 else models} if models else recipe
        if changed not in found:
            found.append(changed)
    if not any(_has_parameter("model", one, name) for recipe in recipes for one in models_of(recipe)):
        raise BadInput(f"{name}: no model of this study has the parameter {name}; set model, for example model = '...'")
    return found
