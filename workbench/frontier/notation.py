"""Models, methods and recipes as people write them: `k-anonymity, k=10 & t-closeness, t=0.2, distance=js (mondrian)`.

A variant is its name and its settings, `name = value`, between commas; what is not said is at its default. Models are
joined with `&`; a method stands behind them in brackets, or alone. What `str()` of a recipe, model or method prints is
read back as the same, as far as its figures go: a number has six of them there.

    model("k-anonymity, k=10")                              a model, for an audit
    method("mondrian, strict=false")                        a method
    model_and_method("k-anonymity, k=10 (mondrian)")        both; None for what is not said

Capitals and spaces don't matter but in the names of columns. What is wrong is a BadInput that names what is near.
"""

from __future__ import annotations

import json
import re
from functools import reduce
from operator import and_
from typing import Any, TypeVar

from workbench.base.errors import BadInput, meant, said
from workbench.base.names import typed_names
from workbench.base.variants import Variant, catalog
from workbench.methods import Method
from workbench.models import Model

V = TypeVar("V", bound=Variant)


def model(text: str) -> Model:
    """The model, or the models joined with `&`."""
    asked, behind = model_and_method(text)
    if asked is None or behind is not None:
        raise BadInput(f"{said(text)} names a method; for a model write, for example, 'k-anonymity, k=10'")
    return asked


def method(text: str) -> Method:
    """The method."""
    return _variant("method", catalog("workbench.methods", Method), text)


def model_and_method(text: str) -> tuple[Model | None, Method | None]:
    """What a recipe is made of, each None where the text doesn't say it."""
    methods = catalog("workbench.methods", Method)
    if _named(methods, text) is not None:
        return None, method(text)
    known = "|".join(map(re.escape, methods))
    behind = re.search(rf"\s\(\s*((?:{known})\s*(?:,.*)?)\)\s*$", text, re.IGNORECASE | re.DOTALL)
    behind = behind or re.search(r"\s\(([^()]*)\)\s*$", text)  # a method that doesn't exist
    models = catalog("workbench.models", Model)
    parts = [_variant("model", models, part) for part in text[: behind.start() if behind else None].split("&")]
    return reduce(and_, parts), method(behind[1]) if behind else None


def _named(variants: dict[str, type[V]], text: str) -> str | None:
    """The variant whose name the text begins with, the longest one."""
    begun = text.strip().casefold()
    fitting = [name for name in variants if re.match(rf"{re.escape(name.casefold())}(?![\w-])", begun)]
    return max(fitting, key=len, default=None)


def _variant(kind: str, variants: dict[str, type[V]], text: str) -> V:
    """One variant with its settings."""
    name = _named(variants, text)
    if name is None:
        wanted = re.split(r"[,\s]*\w+\s*=", text)[0].strip(" ,")
        raise BadInput(f"no {kind} is called {said(wanted)}; {meant(wanted.casefold(), sorted(variants))}")
    chosen, rest = variants[name], text.strip()[len(name) :]
    parameters = chosen.parameters()
    first, *found = re.split(rf"(?:^[,:\s]*|,\s*)({'|'.join(parameters) or '(?!)'})\s*=\s*", rest)
    if first.strip(" ,:"):
        wanted = first.partition("=")[0].strip(" ,:")
        hint = meant(wanted, parameters) if parameters else "it has none"
        raise BadInput(f"{name} has no parameter {said(wanted)}; {hint}")
    names, values = found[::2], found[1::2]
    twice = next((one for one in names if names.count(one) > 1), None)
    if twice is not None:
        raise BadInput(f"{name}: {twice} is given twice; leave one out")
    return chosen(**{one: _value(chosen, one, value.strip()) for one, value in zip(names, values, strict=True)})


def _value(kind: type[Variant], name: str, text: str) -> Any:
    """What the text says for this parameter; what it cannot be stays text, and the variant says what is wrong."""
    declared = kind.parameters()[name]
    if declared.choices is not None:
        return next((choice for choice in declared.choices if str(choice).casefold() == text.casefold()), text)
    if declared.column:
        return text
    if declared.columns:
        return typed_names(text)
    if declared.workload and text[:1] in ("[", "{"):
        return _queries(text)
    if kind.number_type(name) is not None:
        if text.casefold() == "none" and declared.number is not None:
            return None
        try:
            return float(text)
        except ValueError:
            return text
    return text


def _queries(text: str) -> Any:
    """Plain data of a workload, as they are printed."""
    try:
        return json.loads(text)
    except ValueError:
        raise BadInput(f"{said(text)} is no workload; name one of the study, or write it as JSON") from None
