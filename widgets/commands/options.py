"""The options of the commands that open a page."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from workbench.commands.shared import between

Port = Annotated[
    int | None,
    typer.Option(metavar="NUMBER", help="The port; default: 8866, or a free one.", parser=between(1, 65535)),
]
NoToken = Annotated[bool, typer.Option("--no-token", help="Open to every user of this machine.")]
NoBrowser = Annotated[bool, typer.Option("--no-browser", help="Only print the link.")]
Theme = Annotated[
    Literal["auto", "light", "dark"],
    typer.Option(metavar="light|dark|auto", help="Light, dark, or the setting of each reader's machine."),
]
Preheat = Annotated[
    int,
    typer.Option(
        metavar="NUMBER",
        help="Number of preloaded pages, which open faster and use memory.",
        parser=between(0, 20),
    ),
]
Most = Annotated[
    int,
    typer.Option(
        metavar="NUMBER",
        help="Maximum number of open pages; each needs the memory of a kernel.",
        parser=between(1, 1000),
    ),
]
Address = Annotated[str, typer.Option(metavar="URL", help="The address of the page for readers, behind a proxy.")]
Frames = Annotated[
    str, typer.Option(metavar="SITES", help="Sites that may show the page in a frame.", show_default=False)
]
