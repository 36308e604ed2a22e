"""The command `workbench`: its commands, one a file in `workbench/commands/`, and what becomes of their errors."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import typer

from workbench.commands.dashboard import dashboard
from workbench.commands.explore import explore
from workbench.commands.lab import lab
from workbench.errors import BadInput, Undefined, Unsatisfiable

WRONG = 2  # the exit code of everything that the user can mend

app = typer.Typer(
    help="Which anonymised version of this table should be published?",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.command(short_help="The page for those who decide.")(dashboard)
app.command(short_help="The workbench as a page, without JupyterLab.")(explore)
app.command(short_help="The workbench in JupyterLab.")(lab)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; what is wrong is one line on stderr."""
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
    print(f"workbench: {' '.join(text.split())}", file=sys.stderr)
    return WRONG


if __name__ == "__main__":
    sys.exit(main())
