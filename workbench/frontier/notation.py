"""The notation of models, methods and recipes: `k-anonymity, k=10 & t-closeness, t=0.2, distance=js (mondrian)`.

A variant is written as its name and its settings, `name = value`, separated by commas; omitted settings have their
defaults. Models are joined with `&`; a method follows in brackets, or is written alone. `str()` of a recipe, model or
method can be parsed again, with numbers to six digits.

    model("k-anonymity, k=10")                              a model, for an audit
    method("mondrian, strict=false")                        a method
    model_and_method("k-anonymity, k=10 (mondrian)")        both; None for an omitted one

Case and spaces do not matter except in column names. Errors are a BadInput that suggests similar names.
"""

from __future__ import annotations

import json
import re
from functools import reduce
from operator import and_
from typing import Any, TypeVar

from workbench.base.column_text import parse_names
from workbench.base.errors import BadInput, safe_repr, suggest
from workbench.base.parameters import Choice, Column, Columns, Number, WorkloadChoice
from workbench.base.variants import Variant, catalog
from workbench.methods import Method
from workbench.models import Model

V = TypeVar("V", bound=Variant)


def model(text: str) -> Model:
    """Parse a model, or several joined with `&`."""
    parsed, other = model_and_method(text)
    if parsed is None or other is not None:
        raise BadInput(f"{safe_repr(text)} names a method; for a model write, for example, 'k-anonymity, k=10'")
    return parsed


def method(text: str) -> Method:
    """Parse a method."""
    return _variant("method", catalog("workbench.methods", Method), text)


def model_and_method(text: str) -> tuple[Model | None, Method | None]:
    """Parse a recipe into its model and method, each None if omitted."""
    methods = catalog("workbench.methods", Method)
    if _named(methods, text) is not None:
        return None, method(text)
    known = "|".join(map(re.escape, methods))
    in_brackets = re.search(rf"\s\(\s*((?:{known})\s*(?:,.*)?)\)\s*$", text, re.IGNORECASE | re.DOTALL)
    in_brackets = in_brackets or re.search(r"\s\(([^()]*)\)\s*$", text)  # a method that doesn't exist
    models = catalog("workbench.models", Model)
    parts = [
        _variant("model", models, part) for part in text[: in_brackets.start() if in_brackets else None].split("&")
    ]
    return reduce(and_, parts), method(in_brackets[1]) if in_brackets else None


def _named(variants: dict[str, type[V]], text: str) -> str | None:
    """Return the longest name of a variant that the text begins with."""
    begun = text.strip().casefold()
    fitting = [name for name in variants if re.match(rf"{re.escape(name.casefold())}(?![\w-])", begun)]
    return max(fitting, key=len, default=None)


def _variant(kind: str, variants: dict[str, type[V]], text: str) -> V:
    """Parse one variant with its settings."""
    name = _named(variants, text)
    if name is None:
        wanted = re.split(r"[,\s]*\w+\s*=", text)[0].strip(" ,")
        raise BadInput(f"no {kind} is called {safe_repr(wanted)}; {suggest(wanted.casefold(), sorted(variants))}")
    chosen, rest = variants[name], text.strip()[len(name) :]
    parameters = chosen.parameters()
    first, *found = re.split(rf"(?:^[,:\s]*|,\s*)({'|'.join(parameters) or '(?!)'})\s*=\s*", rest)
    if first.strip(" ,:"):
        wanted = first.partition("=")[0].strip(" ,:")
        hint = suggest(wanted, parameters) if parameters else "it has none"
        raise BadInput(f"{name} has no parameter {safe_repr(wanted)}; {hint}")
    names, values = found[::2], found[1::2]
    twice = next((one for one in names if names.count(one) > 1), None)
    if twice is not None:
        raise BadInput(f"{name}: {twice} is given twice; remove one")
    return chosen(**{one: _value(chosen, one, value.strip()) for one, value in zip(names, values, strict=True)})


def _value(kind: type[Variant], name: str, text: str) -> Any:
    """Parse the value of a parameter; text that cannot be parsed is returned unchanged, for the variant to report."""
    declared = kind.parameters()[name]
    if isinstance(declared, Choice):
        return next((choice for choice in declared.choices if str(choice).casefold() == text.casefold()), text)
    if isinstance(declared, Column):
        return text
    if isinstance(declared, Columns):
        return parse_names(text)
    if isinstance(declared, WorkloadChoice) and text[:1] in ("[", "{"):
        return _queries(text)
    if isinstance(declared, Number):
        if text.casefold() == "none" and declared.default is None:
            return None
        try:
            return float(text)
        except ValueError:
            return text
    return text


def _queries(text: str) -> Any:
    """Parse a workload that is written as JSON."""
    try:
        return json.loads(text)
    except ValueError:
        raise BadInput(
            f"{safe_repr(text)} is not a workload; name a workload of the study, or write one as JSON"
        ) from None
