"""The JSON Schema of the results of a published folder, generated from its types.

`python -m workbench.publication.json_schema` writes it to results.schema.json.
"""

from __future__ import annotations

import json
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

from workbench.publication.published_folder import FORMAT
from workbench.publication.published_types import Results

PLACE = Path(__file__).with_name("results.schema.json")
PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}


def results_schema() -> dict[str, Any]:
    """Return the JSON Schema of results.json."""
    kinds: dict[str, Any] = {}
    whole = _schema(Results, kinds)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Results of a published study, format {FORMAT}",
        **whole,
        "$defs": dict(sorted(kinds.items())),
    }


def _schema(kind: Any, kinds: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a type; those of named types are collected."""
    origin, parts = get_origin(kind), get_args(kind)
    if kind is Any:
        return {}
    if kind in PLAIN:
        return {"type": PLAIN[kind]}
    if origin is Literal:
        return {"enum": list(parts)}
    if origin in (Union, UnionType):
        return {"anyOf": [_schema(part, kinds) for part in parts]}
    if origin is list:
        return {"type": "array", "items": _schema(parts[0], kinds)}
    if origin is dict:
        return {"type": "object", "additionalProperties": _schema(parts[1], kinds)}
    assert is_typeddict(kind), kind
    if kind.__name__ not in kinds:
        kinds[kind.__name__] = {}  # a type may contain itself
        kinds[kind.__name__] = {
            "type": "object",
            "additionalProperties": False,
            "required": sorted(kind.__required_keys__),
            "properties": {name: _schema(part, kinds) for name, part in get_type_hints(kind).items()},
        }
    return {"$ref": f"#/$defs/{kind.__name__}"}


if __name__ == "__main__":
    PLACE.write_text(json.dumps(results_schema(), indent=1) + "\n", "utf-8")
