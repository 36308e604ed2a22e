"""The command `workbench`: its commands, those of other packages, signals, and error messages."""

from __future__ import annotations

import io
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
from workbench.base.errors import OUT_OF_MEMORY, BadInput, Undefined, Unsatisfiable, missing_package, render_fixes
from workbench.commands.anonymize import anonymize
from workbench.commands.audit import audit
from workbench.commands.check import check
from workbench.commands.compare import compare
from workbench.commands.frontier import frontier
from workbench.commands.init import init
from workbench.commands.query import query
from workbench.commands.reading import option_words
from workbench.commands.report import report
from workbench.commands.search import search
from workbench.commands.shared import STUDIES
from workbench.commands.sweep import sweep
from workbench.studies.faults import study_words

READING = ("init", "anonymize", "audit")  # commands with options for reading a table
WRONG = 2  # exit status of errors that the user can fix
ENDING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
PLUGGED = "workbench.commands"  # group of entry points of other packages, such as the front end

HELP = "Which anonymized version of this table should be published?"


def plugin_commands() -> Iterator[Callable[..., Any]]:
    """Load the commands of other packages; skip declared packages that are not installed."""
    for entry in sorted(entry_points(group=PLUGGED)):
        if find_spec(entry.module.partition(".")[0]):
            yield entry.load()


app = typer.Typer(
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
OWN: tuple[Callable[..., Any], ...] = (init, check, sweep, search, frontier, anonymize, audit, query, compare, report)
for found in (*OWN, *plugin_commands()):
    words = sys.modules[found.__module__]
    app.command(short_help=words.PURPOSE, help=words.HELP)(found)


def _version(requested: bool) -> None:
    if requested:
        typer.echo(f"workbench {__version__}")
        raise typer.Exit


@app.callback(help=HELP)
def _every(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Define the options of all commands."""


@contextmanager
def signals_as_interrupt() -> Iterator[list[int]]:
    """Treat signals that end the process as Ctrl-C, and yield a list that receives their numbers.

    Otherwise temporary files with codes of records would remain on the disk. Signals that the shell ignores, as with
    nohup, remain ignored.
    """
    received: list[int] = []

    def on_signal(number: int, _: object) -> None:
        received.append(number)
        raise KeyboardInterrupt

    main_thread = threading.current_thread() is threading.main_thread()  # no other may set handlers
    taken = [one for one in ENDING if main_thread and signal.getsignal(one) is signal.SIG_DFL]
    for one in taken:
        signal.signal(one, on_signal)
    try:
        yield received
    finally:
        for one in taken:
            signal.signal(one, signal.SIG_DFL)


def prepare_streams() -> None:
    """Make output safe where the locale cannot encode a character, or where a stream is closed."""
    sys.stdout = sys.stdout or io.StringIO()
    sys.stderr = sys.stderr or io.StringIO()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return the exit status; an error is one line on stderr."""
    prepare_streams()
    with signals_as_interrupt() as received:
        code = _run(arguments)
    return 128 + received[0] if received else code


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
        text = f"{error.filename or 'standard output'}: {error.strerror or error}"
    except ModuleNotFoundError as error:
        text = missing_package(str(error.name))
    except MemoryError:
        text = OUT_OF_MEMORY
    except (KeyboardInterrupt, typer.Abort):
        return 130
    given = sys.argv[1:] if arguments is None else list(arguments)
    of_study = given[:1] != ["init"] and (not {*given[:1]} & {*READING} or any(one.endswith(STUDIES) for one in given))
    words = study_words if of_study else option_words
    print(f"workbench: {' '.join(render_fixes(text, words).split())}", file=sys.stderr)
    return WRONG


if __name__ == "__main__":
    sys.exit(main())
