"""`workbench dashboard`: the page for decision makers."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from widgets.commands.options import Address, Frames, Most, NoBrowser, NoToken, Port, Preheat, Theme
from widgets.server.serving import MOST, serve
from workbench.base.errors import BadInput
from workbench.base.files import scratch
from workbench.base.package import EXAMPLE, NOTEBOOKS
from workbench.commands.shared import StoreFolder, open_study, print_note, progress_line, refuse_inputs

PURPOSE = "The page for decision makers."
HELP = """Serve the dashboard for decision makers; it needs no microdata.

\b
workbench dashboard                                the example: Adult, as in Li & Li (2009)
workbench dashboard study.yaml                     publish privately, then serve
workbench dashboard --publish study.yaml folder    publish only
workbench dashboard folder                         serve what was published
"""


def dashboard(
    study: Annotated[
        Path | None,
        typer.Argument(metavar="STUDY|FOLDER", help="A study (.yaml) or a published folder.", show_default=False),
    ] = None,
    folder: Annotated[
        Path | None, typer.Argument(metavar="FOLDER", help="The output folder for --publish.", show_default=False)
    ] = None,
    publish_only: Annotated[bool, typer.Option("--publish", help="Write the folder without serving it.")] = False,
    port: Port = None,
    no_token: NoToken = False,
    no_browser: NoBrowser = False,
    theme: Theme = "auto",
    preheat: Preheat = 0,
    most: Most = MOST,
    address: Address = "",
    frames: Frames = "'none'",
    store: StoreFolder = None,
) -> None:
    """Run `workbench dashboard`."""
    if publish_only:
        if study is None or folder is None:
            raise BadInput("--publish needs a study and a folder: workbench dashboard --publish study.yaml folder")
        refuse_inputs([folder], study)
        published_from(study, folder, store)
        typer.echo(f"Published in {folder}. Show it with: workbench dashboard {folder}")
        return
    if folder is not None:
        raise BadInput(f"{folder}: use --publish with a study and a folder; to serve a folder, name only the folder")
    from workbench.publication.published_folder import Published

    with shown(study or EXAMPLE, store) as published:
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
            echo=typer.echo,
        )


@contextmanager
def shown(study: Path, store: Path | None = None) -> Iterator[Path]:
    """Yield the published folder: the given one, or a temporary one for a study."""
    from workbench.publication.published_folder import Published, is_published

    if study.is_dir():
        if not is_published(study):
            raise BadInput(
                f"{study}: not a published folder; create one with: workbench dashboard --publish study.yaml {study}"
            )
        try:
            Published(study)
        except BadInput as error:
            raise BadInput(f"{study}: {error}") from None
        yield study
        return
    private = scratch()
    try:
        published_from(study, private / "published", store)
        yield private / "published"
    finally:
        shutil.rmtree(private, ignore_errors=True)


def published_from(study: Path, folder: Path, store: Path | None = None) -> None:
    """Publish the study in a file; its points are stored in `store` or next to it, never inside the package."""
    from workbench.studies.study import results_folder

    place = store if study == EXAMPLE else results_folder(study, store)
    with progress_line() as report_progress:
        publish(open_study(study), folder, store=place, progress=report_progress, warn=print_note)


def publish(*arguments: Any, **options: Any) -> Path:
    """Call `workbench.publication.publish.publish`, imported late since it loads the engine."""
    from workbench.publication import publish as publishing

    return publishing.publish(*arguments, **options)
