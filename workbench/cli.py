"""The commands: `workbench dashboard`, `workbench lab`, `workbench explore`."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Literal

import typer

from workbench.datasets import DATA
from workbench.errors import BadInput, Undefined, Unsatisfiable
from workbench.published import Published, is_published
from workbench.publishing import publish
from workbench.scratch import scratch
from workbench.serving import MOST, NOTEBOOKS, serve
from workbench.study import Study, results_beside

EXAMPLE = DATA / "studies" / "li_li_2009.yaml"
EXPLORE = "explore.ipynb"
WRONG = 2  # the exit code of everything that the user can mend

app = typer.Typer(
    help="Which anonymised version of this table should be published?",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def between(least: int, most: int) -> Callable[[str], int]:
    """What reads a number."""

    def number(text: str) -> int:
        if not re.fullmatch(r"-?\d{1,9}", str(text), re.ASCII) or not least <= int(text) <= most:
            raise typer.BadParameter(f"{text} is no whole number between {least} and {most:,}")
        return int(text)

    return number


Port = Annotated[
    int | None,
    typer.Option(metavar="number", help="The port; unless told 8866, or a free one.", parser=between(1, 65535)),
]
NoToken = Annotated[bool, typer.Option("--no-token", help="Open to every user of this machine.")]
NoBrowser = Annotated[bool, typer.Option("--no-browser", help="Only print the link.")]
Theme = Annotated[
    Literal["auto", "light", "dark"],
    typer.Option(metavar="light|dark|auto", help="Light, dark, or as each reader's machine is set."),
]
Preheat = Annotated[
    int,
    typer.Option(
        metavar="number",
        help="Pages that stand ready: they open faster, and cost memory.",
        parser=between(0, 20),
    ),
]
Most = Annotated[
    int,
    typer.Option(
        metavar="number",
        help="Pages that may be open at once: each costs the memory of a kernel.",
        parser=between(1, 1000),
    ),
]
Address = Annotated[
    str, typer.Option(metavar="address", help="Where readers find the page, when a proxy stands before it.")
]
Frames = Annotated[
    str, typer.Option(metavar="sites", help="Sites that may show the page in a frame.", show_default=False)
]


@app.command(short_help="The page for those who decide.")
def dashboard(
    study: Annotated[
        Path | None, typer.Argument(help="A study (.yaml) or a published folder.", show_default=False)
    ] = None,
    folder: Annotated[Path | None, typer.Argument(help="With --publish: where to.", show_default=False)] = None,
    publish_only: Annotated[bool, typer.Option("--publish", help="Write the folder, and serve nothing.")] = False,
    port: Port = None,
    no_token: NoToken = False,
    no_browser: NoBrowser = False,
    theme: Theme = "auto",
    preheat: Preheat = 0,
    most: Most = MOST,
    address: Address = "",
    frames: Frames = "'none'",
) -> None:
    """The dashboard for those who decide; it needs no microdata beside it.

    \b
    workbench dashboard                                the example: Adult, as in Li & Li (2009)
    workbench dashboard study.yaml                     publish privately, then serve
    workbench dashboard --publish study.yaml folder    publish only
    workbench dashboard folder                         serve what was published
    """
    if publish_only:
        if study is None or folder is None:
            raise BadInput("--publish needs a study and a folder: workbench dashboard --publish study.yaml folder")
        with progress() as told:
            publish(opened(study), folder, store=results_beside(study), progress=told, warn=warned)
        typer.echo(f"Published in {folder}. Show it with: workbench dashboard {folder}")
        return
    if folder is not None:
        raise BadInput(f"{folder}: a folder to publish into goes with --publish; to serve one, name it alone")
    with shown(study or EXAMPLE) as published:
        serve(
            NOTEBOOKS / "dashboard.ipynb",
            title=Published(published).results["study"],
            published=published,
            port=port,
            token=not no_token,
            browser=not no_browser,
            theme=theme,
            preheat=preheat,
            most=most,
            public=address,
            frames=frames,
            tell=typer.echo,
        )


@app.command(short_help="The workbench as a page, without JupyterLab.")
def explore(port: Port = None, no_browser: NoBrowser = False, theme: Theme = "auto") -> None:
    """The workbench as a page, for analysts without JupyterLab. Who has the link reads the files that you can read,
    so there is always a token in it.

    \b
    workbench explore
    """
    serve(NOTEBOOKS / EXPLORE, folder=Path.cwd(), port=port, browser=not no_browser, theme=theme, tell=typer.echo)


@app.command(short_help="The workbench in JupyterLab.")
def lab(port: Port = None, no_browser: NoBrowser = False) -> None:
    """JupyterLab on explore.ipynb, copied into this folder if it isn't there.

    \b
    workbench lab
    """
    if not Path(EXPLORE).exists():
        shutil.copyfile(NOTEBOOKS / EXPLORE, EXPLORE)
    flags = {
        "--allow-root": hasattr(os, "geteuid") and os.geteuid() == 0,  # in a container, say; Lab refuses unless told
        "--no-browser": no_browser,
        f"--port={port}": port is not None,
    }
    command = [sys.executable, "-m", "jupyter", "lab", EXPLORE, *(flag for flag, wanted in flags.items() if wanted)]
    os.execv(sys.executable, command)


@contextmanager
def shown(study: Path) -> Iterator[Path]:
    """A published folder: this one, or a private one made of the study."""
    if study.is_dir():
        if not is_published(study):
            raise BadInput(
                f"{study}: no study was published there; do it with: workbench dashboard --publish study.yaml {study}"
            )
        yield study
        return
    private = scratch()
    try:
        store = None if study == EXAMPLE else results_beside(study)
        with progress() as told:
            publish(opened(study), private / "published", store=store, progress=told, warn=warned)
        yield private / "published"
    finally:
        shutil.rmtree(private, ignore_errors=True)


def opened(study: Path) -> Study:
    """The study in a file; of another file the text is not even looked at, since it may hold records."""
    if study.suffix not in (".yaml", ".yml"):
        raise BadInput(f"{study} is no study: its name would end in .yaml")
    return Study.open(study)


def warned(text: str) -> None:
    """A line of its own for what the analyst should know, above the progress."""
    clear = "\r\x1b[K" if sys.stderr.isatty() else ""
    print(f"{clear}note: {' '.join(text.split())}", file=sys.stderr, flush=True)


@contextmanager
def progress() -> Iterator[Callable[[int, int, str], None]]:
    """One line on a terminal that is written over; a line for each step where nobody looks."""
    looks = sys.stderr.isatty()

    def told(done: int, total: int, words: str) -> None:
        line = f"{done}/{total} {words}"
        print(f"\r\x1b[K{line[:100]}" if looks else line, end="" if looks else "\n", file=sys.stderr, flush=True)

    try:
        yield told
    finally:
        if looks:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


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
