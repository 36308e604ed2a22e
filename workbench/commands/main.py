"""The command `workbench`: its own commands and those of packages beside it, and what becomes of their errors."""

from __future__ import annotations

import inspect
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import entry_points
from importlib.util import find_spec
from typing import Annotated, Any

import typer

from workbench import __version__
from workbench.base.errors import BadInput, Undefined, Unsatisfiable
from workbench.commands.anonymize import anonymize
from workbench.commands.audit import audit
from workbench.commands.check import check
from workbench.commands.compare import compare
from workbench.commands.frontier import frontier
from workbench.commands.init import init
from workbench.commands.query import query
from workbench.commands.report import report
from workbench.commands.search import search
from workbench.commands.shared import STUDIES
from workbench.commands.sweep import sweep
from workbench.data.reading.cures import OPTIONS, STUDY, in_words

READING = ("init", "anonymize", "audit")  # commands whose options say how a table is read
WRONG = 2  # the exit code of everything that the user can mend
ENDING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
PLUGGED = "workbench.commands"  # the entry points of other packages, the front end's for one

HELP = "Which anonymised version of this table should be published?"


def plugged() -> Iterator[Callable[..., Any]]:
    """The commands that packages beside the engine bring; one that is declared and not there brings none."""
    for entry in sorted(entry_points(group=PLUGGED)):
        if find_spec(entry.module.partition(".")[0]):
            yield entry.load()


def purpose(command: Callable[..., Any]) -> str:
    """What a command is for: the first line of its file, behind its name."""
    text = (inspect.getdoc(inspect.getmodule(command)) or "").partition(": ")[2].partition("\n")[0]
    return text[:1].upper() + text[1:]


app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.command(short_help="Propose a study for a table, with the reasons.")(init)
app.command(short_help="Every problem of a study, at once.")(check)
app.command(short_help="Make and measure every candidate of a study.")(sweep)
app.command(short_help="Better points than a study's candidates, within a budget.")(search)
app.command(short_help="The efficient candidates of a study, as a table.")(frontier)
app.command(short_help="One release to a file, audited before it is written.")(anonymize)
app.command(short_help="What a table anonymised by any tool guarantees and discloses.")(audit)
app.command(short_help="What queries answer, in truth and from a release.")(query)
app.command(short_help="Two studies, or two released tables.")(compare)
app.command(short_help="A page about a study, or many.")(report)
for found in plugged():
    app.command(short_help=purpose(found))(found)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"workbench {__version__}")
        raise typer.Exit


@app.callback(help=HELP)
def _every(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """What goes for all commands."""


@contextmanager
def heeding() -> Iterator[list[int]]:
    """What would end the process at once is as Ctrl-C in here, or codes of records would stay on the disk; which it was
    is noted. What the caller's shell ignores, as nohup does, stays ignored."""
    heard: list[int] = []

    def told(number: int, _: object) -> None:
        heard.append(number)
        raise KeyboardInterrupt

    main_thread = threading.current_thread() is threading.main_thread()  # no other may ask for signals
    taken = [one for one in ENDING if main_thread and signal.getsignal(one) is signal.SIG_DFL]
    for one in taken:
        signal.signal(one, told)
    try:
        yield heard
    finally:
        for one in taken:
            signal.signal(one, signal.SIG_DFL)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; what is wrong is one line on stderr."""
    with heeding() as heard:
        code = _run(arguments)
    return 128 + heard[0] if heard else code


def _run(arguments: Sequence[str] | None) -> int:
    try:
        return (
            app(
                args=(sys.argv[1:] if arguments is None else list(arguments)) or ["--help"],
                prog_name="workbench",
                standalone_mode=False,
            )
            or 0
        )
    except (BadInput, Undefined, Unsatisfiable, typer.TyperException) as error:
        text = error.format_message() if isinstance(error, typer.TyperException) else str(error)
    except OSError as error:
        text = f"{error.filename or 'file'}: {error.strerror or error}"
    except (KeyboardInterrupt, typer.Abort):
        return 130
    given = sys.argv[1:] if arguments is None else list(arguments)
    of_study = given[:1] != ["init"] and (not {*given[:1]} & {*READING} or any(one.endswith(STUDIES) for one in given))
    words = STUDY if of_study else OPTIONS
    print(f"workbench: {' '.join(in_words(text, words).split())}", file=sys.stderr)
    return WRONG


if __name__ == "__main__":
    sys.exit(main())
