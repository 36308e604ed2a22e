"""Python scripts that compute a release again from a study's data, roles and hierarchies and one recipe."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import fields
from os import PathLike
from pprint import pformat
from textwrap import fill
from typing import Any

from workbench.base.errors import BadInput, safe_repr
from workbench.base.parameters import Plain
from workbench.base.variants import Variant
from workbench.data.hierarchies import builders
from workbench.frontier.recipe import Recipe
from workbench.studies import hierarchy_files
from workbench.studies.hierarchy_files import FILE
from workbench.studies.schema import CSV
from workbench.studies.study import BUNDLED, FROM, Study, plain_file_name, unpublished_columns

SCRIPT = '''"""Reproduces one release of the study {name}: {recipe}.{warning}{how}"""

{imports}

table = Table.read(
{table}
){settings}
release = {release}

if __name__ == "__main__":
    print(release)
{audit}    release.export("release.csv"{giveaways})
'''
HANDED_OVER = """

The study was created from in-memory data: name a file with the same data, as in `python release.py data.csv`.
"""
WIDTH = 110
Imports = set[tuple[str, str]]  # module and name


def python_code(
    study: Study, recipe: Recipe, giveaways: bool = False, results: str | PathLike[str] | None = None
) -> str:
    """Return a script that computes `release`, and writes it to release.csv when it is run.

    With `giveaways` it is written although neutral columns disclose generalized values: see `Release.export`. A random
    release is read from the study's `results`: otherwise the script would draw another.
    """
    imports: Imports = {("workbench.data.table", "Table")}
    parts = recipe.model.parts if recipe.model else ()
    model = " & ".join(_call(part, "models", imports) for part in parts)
    arguments = [_data(study, imports), *_roles(study), *_hierarchies(study, imports), *_options(study)]
    return SCRIPT.format(
        name=_in_docstring(study.name),
        recipe=_in_docstring(str(recipe)),
        warning=_in_paragraph(recipe.method.warning),
        how=HANDED_OVER if "given" in study.data else "",
        table="\n".join(f"    {line}," for line in arguments),
        settings=_settings(study),
        release=_release(study, recipe, model, imports, results),
        audit=f"    print(release.audit({model}))\n" if model else "",
        giveaways=", giveaways=True" if giveaways else "",
        imports=_written(imports),
    )


def _settings(study: Study) -> str:
    """Return the call that sets ranges of levels, weights, workloads and the population; empty if there are none."""
    given = {
        "level_ranges": {name: list(levels) for name, levels in study.released_levels.items()},
        "importance": dict(study.importance),
        "workloads": dict(study.workloads),
        "population": study.population.get(CSV),
    }
    arguments = [_argument(name, value) for name, value in given.items() if value]
    if not arguments:
        return ""
    call = f".with_settings({', '.join(arguments)})"
    if len(call) <= WIDTH and "\n" not in call:
        return call
    lines = ",\n    ".join(arguments)
    return f".with_settings(\n    {lines},\n)"


def _release(study: Study, recipe: Recipe, model: str, imports: Imports, results: str | PathLike[str] | None) -> str:
    """Return the expression for the release; a random one is read from the study's results."""
    method, modelled = _call(recipe.method, "methods", imports), f"{model}, " if model else ""
    if not recipe.method.draws:
        given = f"table, {modelled}seed={recipe.seed}"
        return f"{method}({given})" if len(method) + len(given) < WIDTH else f"{method}(\n    {given}\n)"
    if results is None:
        raise BadInput(
            "this release was drawn at random, and without the stored draw a script would compute "
            "another: save the study to a file, so that its results are stored next to it"
        )
    imports |= {("workbench.frontier.store", "Store"), ("workbench.frontier.recipe", "Recipe")}
    made = f"Recipe({method}, {modelled}seed={recipe.seed})" if recipe.method.supports_models else f"Recipe({method})"
    return f"{made}.release(table, Store({os.path.relpath(results, study.folder)!r}))"


def _written(imports: Imports) -> str:
    """Return the import lines, one per module; the library's own last."""
    names: dict[str, list[str]] = {}
    for module, name in sorted(imports):
        names.setdefault(module, []).append(name)
    ours = {module: found for module, found in names.items() if module.startswith("workbench")}
    own = [f"from {module} import {', '.join(found)}" for module, found in ours.items()]
    others = [f"import {module}" for module in names if module not in ours]
    return "\n\n".join("\n".join(block) for block in (others, own) if block)


def _in_docstring(text: str) -> str:
    """Return text that cannot end the docstring around it."""
    return re.sub(r"\s+", " ", text).replace("\\", "/").replace('"', "'")


def _in_paragraph(warning: str) -> str:
    """Return the notices for recipients of the release, below the first line of the docstring."""
    return f"\n\n{fill(f'Tell recipients: {warning}.', WIDTH)}\n" if warning else ""


def _call(variant: Variant, room: str, imports: Imports) -> str:
    """Return the expression for a variant, with settings that differ from the defaults; numbers are always written."""
    kind = type(variant)
    if not kind.__module__.startswith(f"workbench.{room}."):
        raise BadInput(
            f"{variant.name} was defined in {kind.__module__!r}, which a script cannot import; "
            f"put it into a file of workbench/{room}/"
        )
    imports.add((f"workbench.{room}", kind.__name__))
    defaults = {field.name: field.default for field in fields(kind)}  # type: ignore[arg-type]
    settings = variant.settings().items()
    told = {name: value.data if isinstance(value, Plain) else value for name, value in variant.settings().items()}
    given = [
        f"{name}={told[name]!r}" for name, value in settings if value != defaults[name] or type(value) in (int, float)
    ]
    return f"{kind.__name__}({', '.join(given)})"


def _data(study: Study, imports: Imports) -> str:
    """Return the expression for the source of the records."""
    data = study.data
    if BUNDLED in data:
        imports.add(("workbench", "datasets"))
        return f"datasets.path({str(data[BUNDLED])!r})"
    if "path" in data:
        return repr(str(data["path"]))
    if "sql" in data:
        imports.add(("workbench.data.reading.source", "Query"))
        return f"Query({str(data['sql'])!r})"
    if "spark" in data:
        return repr(f"spark:{data['spark']}")
    if "given" in data:
        imports.add(("sys", ""))
        return "sys.argv[1]"
    raise BadInput("study: there is no data; name a path, a bundled table or a query")


def _roles(study: Study) -> list[str]:
    roles = {"quasi": study.quasi, "sensitive": study.sensitive, "identifiers": unpublished_columns(study)}
    weight = [_argument("weight", study.weight[0])] if study.weight else []
    return [_argument(name, list(chosen)) for name, chosen in roles.items() if chosen] + weight


def _options(study: Study) -> list[str]:
    """Return the arguments for levels and for reading the data."""
    options = {"levels": dict(study.levels), **{k: v for k, v in study.data.items() if k not in FROM}}
    shown = [_argument("regions", dict(study.regions)), _argument("threshold", study.smallest)]
    return [_argument(name, value) for name, value in options.items() if value not in ({}, None)] + shown


def _hierarchies(study: Study, imports: Imports) -> list[str]:
    hidden = set(unpublished_columns(study))
    files = hierarchy_files.name_files(study.hierarchies, plain_file_name(study.name))
    long = hierarchy_files.refer_to_files(
        study.hierarchies, {column: study.files.get(column, files[column]) for column in files}
    )
    made = {name: _hierarchy(study, name, given, imports) for name, given in long.items()}
    lines = "".join(f"        {name!r}: {call},\n" for name, call in made.items() if name not in hidden)
    return [f"hierarchies={{\n{lines}    }}"] if lines else []


def _hierarchy(study: Study, name: str, given: Any, imports: Imports) -> str:
    """Return the expression for one hierarchy."""
    if given == BUNDLED:
        imports.add(("workbench", "datasets"))
        return f"datasets.hierarchy({str(study.data.get(BUNDLED))!r}, {name!r})"
    if isinstance(given, Mapping) and set(given) == {"csv"}:
        imports.add(("workbench.data.hierarchies.builders", "read_csv"))
        return f"read_csv({str(given['csv'])!r})"
    if isinstance(given, Mapping) and set(given) == {FILE}:
        imports.add(("workbench.studies.hierarchy_files", "read_hierarchy"))
        return f"read_hierarchy({str(given[FILE])!r})"
    if not isinstance(given, Mapping):
        raise BadInput(f"study: the hierarchy of {name!r} must be a mapping or 'bundled', not {safe_repr(given)}")
    builder = builders.from_dict(given)
    imports.add(("workbench.data.hierarchies.builders", type(builder).__name__))
    settings = {key: value for key, value in builder.to_dict().items() if key != "builder"}
    arguments = ", ".join(_argument(key, value, indent=12) for key, value in settings.items())
    return f"{type(builder).__name__}({arguments})"


def _argument(name: str, value: Any, indent: int = 8) -> str:
    """Return name=value, over several lines if it is long."""
    text = f"{name}={value!r}"
    if len(text) + indent <= WIDTH:
        return text
    lines = pformat(value, width=WIDTH - indent, compact=True, sort_dicts=False).split("\n")
    return f"{name}=" + ("\n" + " " * indent).join(lines)
