"""The JSON Schema of a study, generated from the catalog, for editors that complete and check YAML.

It describes each key by itself. `workbench check` also finds what depends on other keys or on the data.
"""

from __future__ import annotations

from typing import Any

from workbench.base.parameters import Choice, Column, ColumnBounds, Columns, Number, Parameter
from workbench.base.variants import Variant
from workbench.data.datasets import ADULT_HIERARCHIES
from workbench.data.engines import ENGINES
from workbench.data.hierarchies.builders import Builder
from workbench.data.published import REGIONS
from workbench.data.reading.formats import FORMATS
from workbench.frontier.intervals import MOST, OVER
from workbench.frontier.recipe import variants
from workbench.redaction.controlled_rounding import FINEST
from workbench.studies.schema import CSV, FILE, FORMAT, FROM, HIERARCHY_FILE, ROLES

Schema = dict[str, Any]
TEXT: Schema = {"type": "string"}
TEXTS: Schema = {"type": "array", "items": TEXT}


def study_schema() -> Schema:
    """Return the JSON Schema of study files."""
    whole: Schema = {"type": "integer", "minimum": 0}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"A study of the workbench, format {FORMAT}",
        **_mapping(
            {
                "study": {"type": ["string", "number", "boolean", "null"], "description": "a name"},
                "data": {"anyOf": [{**TEXT, "description": "the path of a file"}, _data()]},
                "roles": _mapping({role: {"anyOf": [TEXT, {**TEXTS, "uniqueItems": True}]} for role in ROLES}),
                "population": {**_mapping({CSV: TEXT}), "required": [CSV]},
                "levels": _by_name(whole),
                "hierarchies": _by_name(_hierarchy()),
                "regions": _by_name({"enum": list(REGIONS)}),
                "released_levels": _by_name({"type": "array", "items": whole, "minItems": 2, "maxItems": 2}),
                "importance": _by_name({"type": "number", "exclusiveMinimum": 0}),
                "workloads": _by_name({"type": ["array", "object"]}),
                "recipes": {"type": "array", "items": _recipe(several=True)},
                "measures": {"type": "array", "items": _one_of("measure", several=False)},
                "axes": {**TEXTS, "maxItems": 2},
                "caps": _by_name({"type": "number", "minimum": 0}),
                "intervals": _mapping(
                    {"over": {"enum": list(OVER)}, "times": {"type": "integer", "minimum": 2, "maximum": MOST}}
                ),
                "chosen": {"anyOf": [_recipe(several=False), {**_mapping({}), "description": "none"}]},
                "titles": _by_name({**TEXT, "minLength": 1}),
                "harmful": _by_name({**TEXTS, "minItems": 1}),
                "record": {**TEXTS, "minItems": 2, "maxItems": 2},
                "smallest": {"type": "integer", "minimum": FINEST},
                "seed": whole,
                "versions": _mapping(
                    {"format": {"type": "integer", "minimum": 1, "maximum": FORMAT}, "workbench": TEXT}
                ),
            }
        ),
    }


def _mapping(properties: Schema) -> Schema:
    """Return the schema of a mapping without other keys."""
    return {"type": "object", "additionalProperties": False, "properties": properties}


def _by_name(value: Schema) -> Schema:
    """Return the schema of a mapping from names of columns, workloads or measures."""
    return {"type": "object", "additionalProperties": value}


def _data() -> Schema:
    file = {name: {"type": "boolean"} if name == "header" else TEXT for name in FILE}
    more: Schema = {
        "engine": {"enum": list(ENGINES)},
        "format": {"enum": list(FORMATS)},
        "drop_missing": {"type": "boolean"},
        "sample": {"type": "integer", "minimum": 1},
        "seconds": {"type": "number", "exclusiveMinimum": 0},
        "missing": TEXTS,
        "types": _by_name(TEXT),
        "only": _by_name({"type": ["string", "number"]}),
    }
    return _mapping({**dict.fromkeys(FROM, TEXT), **file, **more})


def _hierarchy() -> Schema:
    builder = {"type": "object", "required": ["builder"], "properties": {"builder": {"enum": _builders()}}}
    files = [{**_mapping({key: TEXT}), "required": [key]} for key in (CSV, HIERARCHY_FILE)]
    return {"anyOf": [{"const": "bundled", "description": f"for {', '.join(ADULT_HIERARCHIES)}"}, builder, *files]}


def _builders() -> list[str]:
    return [kind.name for kind in Builder.__subclasses__()]


def _recipe(several: bool) -> Schema:
    model = _one_of("model", several)
    models = {"anyOf": [model, {"type": "array", "items": model}, {"type": "null"}]}
    return {**_mapping({"method": _one_of("method", several), "model": models}), "required": ["method"]}


def _one_of(kind: str, several: bool) -> Schema:
    """Return the schema of a method, model or measure; `several`: a parameter may be a list of values."""
    names = variants(kind)
    rules = [
        {"if": {"properties": {"name": {"const": name}}}, "then": _variant(one, several)} for name, one in names.items()
    ]
    return {"type": "object", "required": ["name"], "properties": {"name": {"enum": list(names)}}, "allOf": rules}


def _variant(variant: type[Variant], several: bool) -> Schema:
    parameters = {name: _values(declared, several) for name, declared in variant.parameters().items()}
    return {**_mapping({"name": TEXT, **parameters}), "description": variant.describe()}


def _values(declared: Parameter, several: bool) -> Schema:
    one = _value(declared)
    listed = [{"type": "array", "items": one, "minItems": 1}] if several else []
    return {"description": declared.help, "anyOf": [one, *listed]} if one else {"description": declared.help}


def _value(declared: Parameter) -> Schema:
    """Return the schema of one value; empty if any is possible."""
    match declared:
        case Number():
            low, high = declared.bounds()
            bounds = {"exclusiveMinimum" if declared.above else "minimum": low, "maximum": high}
            kinds = ["integer" if declared.type is int else "number", *(["null"] if declared.default is None else [])]
            return {"type": kinds, **{key: bound for key, bound in bounds.items() if bound is not None}}
        case Choice():
            return {"enum": list(declared.choices)}
        case Columns():
            return {"anyOf": [TEXT, TEXTS, {"type": "null"}]}
        case Column() | ColumnBounds():
            return {"type": ["string", "null"]}
    return {}
