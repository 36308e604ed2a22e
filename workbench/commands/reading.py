"""Reading of a table: its options, declared once and passed to a command as one `Reading`, and standard input."""

from __future__ import annotations

import functools
import inspect
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from workbench.base.column_text import parse_names
from workbench.base.errors import BadInput, Fix
from workbench.studies.faults import study_words

TYPES = re.compile(r",(?=[^,=]+=)")  # a comma inside a number format does not precede a column


@dataclass(frozen=True)
class Reading:
    """Options for reading a table."""

    encoding: Annotated[str | None, typer.Option(metavar="NAME", help="The text's encoding, such as cp1252.")] = None
    delimiter: Annotated[str | None, typer.Option(metavar="CHARACTER", help="The field delimiter.")] = None
    quote: Annotated[str | None, typer.Option(metavar="CHARACTER", help="The quote character.")] = None
    format: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="NAME",
            help="csv, tsv, json, ndjson, parquet, xlsx, sqlite, duckdb, feather, orc, stata, "
            "spss or sas; default: by the file's name.",
        ),
    ] = None
    table: Annotated[
        str | None, typer.Option("--table", metavar="NAME", help="One of several tables or sheets in the file.")
    ] = None
    types: Annotated[
        list[str] | None,
        typer.Option(
            "--types",
            metavar="COLUMN=TYPE",
            help="number, date or text: zip=text,age=number; with a notation: 'income=number 1,234.5', "
            "'born=date dd/mm/yyyy'.",
        ),
    ] = None
    missing: Annotated[
        list[str] | None,
        typer.Option("--missing", metavar="VALUES", help="Spellings of missing values: -7,unknown."),
    ] = None
    no_header: Annotated[bool, typer.Option("--no-header", help="The file has no header row.")] = False
    hierarchy: Annotated[
        list[str] | None,
        typer.Option(
            "--hierarchy", metavar="COLUMN=FILE", help="A hierarchy: one row per value, one column per level."
        ),
    ] = None

    @property
    def options(self) -> dict[str, Any]:
        """The values of the options by name."""
        return {f"--{field.name.replace('_', '-')}": getattr(self, field.name) for field in fields(self)}

    @property
    def of_file(self) -> dict[str, Any]:
        """The given options about the file's format."""
        given = {"encoding": self.encoding, "delimiter": self.delimiter, "quote": self.quote, "format": self.format}
        given |= {"table": self.table}
        given["delimiter"] = "\t" if self.delimiter == "\\t" else self.delimiter
        return {key: one for key, one in given.items() if one is not None} | (
            {"header": False} if self.no_header else {}
        )

    @property
    def of_values(self) -> dict[str, Any]:
        """The given options about values."""
        kinds = dict(_pairs("--types", [one for text in self.types or () for one in TYPES.split(text)], "zip=text"))
        markers = [one.strip() for text in self.missing or () for one in text.split(",")]
        return ({"types": kinds} if kinds else {}) | ({"missing": markers} if self.missing else {})

    @property
    def files(self) -> dict[str, str]:
        """The files of hierarchies by column."""
        return dict(_pairs("--hierarchy", self.hierarchy or (), "zip=zip.csv"))

    @property
    def hierarchies(self) -> dict[str, Any]:
        """The builders of these files."""
        from workbench.data.hierarchies.builders import read_csv

        return {name: read_csv(file) for name, file in self.files.items()}


AS_FOUND = Reading()  # no options given


def option_words(fix: Fix, value: Any = None) -> str:
    """Return the option that applies a fix, or where it can be set if there is none."""
    if fix is Fix.TEMP_DIRECTORY:
        return "the environment variable TMPDIR"
    if fix is Fix.HEADER:
        return "--no-header"
    if f"--{fix.value}" not in AS_FOUND.options:
        return f"{study_words(fix, value)} in a study"
    parts = [f"{name}={one}" for name, one in value.items()] if isinstance(value, dict) else value
    text = ",".join(map(str, parts)) if isinstance(parts, list) else str(value or "")
    if re.search(r"[^\w=.%+-]", text):
        text = "'" + text.replace("'", "'\"'\"'") + "'"
    return f"--{fix.value} {text}".rstrip()


def reads(command: Callable[..., Any]) -> Callable[..., Any]:
    """Replace a command's parameter `reading` with these options, at the same position."""
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
    """Parse columns, separated by commas or given one by one; a name with a comma is in double quotes."""
    return [name for one in given or () for name in parse_names(one)]


def _pairs(option: str, given: Sequence[str], example: str) -> Iterator[tuple[str, str]]:
    """Parse pairs of a column and a value; a name may contain an equals sign."""
    for text in given:
        name, equals, value = text.rpartition("=")
        if not (equals and name.strip() and value.strip()):
            raise BadInput(f"{option} {text}: write a column, = and a value, as in {option} {example}")
        yield name.strip(), value.strip()


@contextmanager
def open_input(released: str) -> Iterator[Path]:
    """Yield the file itself, or a private copy of standard input, which errors do not name."""
    if released != "-":
        yield Path(released)
        return
    from workbench.base.files import scratch

    private = scratch()
    path = private / "released.csv"
    failure = None
    try:
        with path.open("xb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        yield path
    except BadInput as error:
        failure = BadInput(str(error).replace(str(path), "standard input"))
    finally:
        shutil.rmtree(private, ignore_errors=True)
    if failure:
        raise failure
