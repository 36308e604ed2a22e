"""The options that say how a table is read: declared once, and handed to a command as one `Reading`."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Annotated, Any, get_type_hints

import typer

from workbench.base.errors import BadInput
from workbench.base.names import typed_names


@dataclass(frozen=True)
class Reading:
    """What was said of how a table is read."""

    encoding: Annotated[str | None, typer.Option(metavar="name", help="The text's encoding, such as cp1252.")] = None
    delimiter: Annotated[str | None, typer.Option(metavar="character", help="The field delimiter.")] = None
    quote: Annotated[str | None, typer.Option(metavar="character", help="The quote character.")] = None
    format: Annotated[
        str | None, typer.Option("--format", metavar="csv|tsv|parquet|json|ndjson", help="The file format.")
    ] = None
    types: Annotated[
        list[str] | None,
        typer.Option("--types", metavar="column=type", help="number, date or text: zip=text,age=number."),
    ] = None
    missing: Annotated[
        list[str] | None,
        typer.Option("--missing", metavar="values", help="What stands for a missing value: -7,unknown."),
    ] = None
    no_header: Annotated[bool, typer.Option("--no-header", help="The file has no header row.")] = False
    hierarchy: Annotated[
        list[str] | None,
        typer.Option(
            "--hierarchy", metavar="column=file", help="A hierarchy: one row per value, one column per level."
        ),
    ] = None

    @property
    def options(self) -> dict[str, Any]:
        """What was given, by the name of the option."""
        return {f"--{field.name.replace('_', '-')}": getattr(self, field.name) for field in fields(self)}

    @property
    def of_file(self) -> dict[str, Any]:
        """How the file is written, as far as that was said."""
        said = {"encoding": self.encoding, "delimiter": self.delimiter, "quote": self.quote, "format": self.format}
        said["delimiter"] = "\t" if self.delimiter == "\\t" else self.delimiter
        return {key: one for key, one in said.items() if one is not None} | (
            {"header": False} if self.no_header else {}
        )

    @property
    def of_values(self) -> dict[str, Any]:
        """How values are read, as far as that was said."""
        kinds = dict(_pairs("--types", [one for text in self.types or () for one in text.split(",")], "zip=text"))
        markers = [one.strip() for text in self.missing or () for one in text.split(",")]
        return ({"types": kinds} if kinds else {}) | ({"missing": markers} if self.missing else {})

    @property
    def files(self) -> dict[str, str]:
        """The hierarchies' files, by column."""
        return dict(_pairs("--hierarchy", self.hierarchy or (), "zip=zip.csv"))

    @property
    def hierarchies(self) -> dict[str, Any]:
        """Builders from these files."""
        from workbench.data.hierarchies.builders import read_csv

        return {name: read_csv(file) for name, file in self.files.items()}


AS_FOUND = Reading()  # nothing was said


def reads(command: Callable[..., Any]) -> Callable[..., Any]:
    """A command whose argument `reading` becomes these options, where it stands among the others."""
    kinds = get_type_hints(Reading, include_extras=True)
    options = [
        inspect.Parameter(
            field.name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=kinds[field.name]
        )
        for field in fields(Reading)
    ]
    found = []
    for name, one in inspect.signature(command, eval_str=True).parameters.items():
        found += options if name == "reading" else [one.replace(kind=inspect.Parameter.KEYWORD_ONLY)]

    @functools.wraps(command)
    def called(**given: Any) -> Any:
        return command(reading=Reading(**{field.name: given.pop(field.name) for field in fields(Reading)}), **given)

    called.__signature__ = inspect.Signature(found)  # type: ignore[attr-defined]
    return called


def column_options(given: Sequence[str] | None) -> list[str]:
    """Columns, by commas or one by one; a name with a comma stands in double quotes."""
    return [name for one in given or () for name in typed_names(one)]


def _pairs(option: str, given: Sequence[str], example: str) -> Iterator[tuple[str, str]]:
    """Columns and what is said of them; a name may hold an equals sign."""
    for text in given:
        name, equals, value = text.rpartition("=")
        if not (equals and name.strip() and value.strip()):
            raise BadInput(f"{option} {text}: write a column, = and what it is, as in {option} {example}")
        yield name.strip(), value.strip()
