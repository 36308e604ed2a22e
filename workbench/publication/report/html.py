"""Text and tables as HTML."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import Any


class Html(str):
    """Text that is HTML already."""


def safe(text: Any) -> str:
    """Text that is no HTML."""
    return html.escape(str(text))


def firm(text: Any) -> str:
    """Text whose shares stay on one line."""
    return str(text) if isinstance(text, Html) else safe(text).replace(" %", "\u00a0%")


def paragraph(said: str, kind: str = "") -> str:
    """A paragraph, or nothing."""
    return f"<p{f' class={kind}' if kind else ''}>{firm(said)}</p>" if said else ""


def table(head: Sequence[str], rows: Iterable[Sequence[Any]], bars: int | None = None) -> str:
    """A table; in the column `bars` are shares, which are drawn."""
    titles = "".join(f'<th scope="col">{safe(name)}</th>' for name in head)
    lines = []
    for row in rows:
        cells = (_bar(cell) if i == bars else firm(cell) for i, cell in enumerate(row))
        lines.append(
            "<tr>"
            + "".join(f'<td data-head="{safe(name)}">{cell}</td>' for name, cell in zip(head, cells, strict=True))
            + "</tr>"
        )
    return f'<div class="wide"><table><thead><tr>{titles}</tr></thead><tbody>{"".join(lines)}</tbody></table></div>'


def _bar(cell: tuple[float, str]) -> str:
    """A share as a bar, beside its words."""
    share, said = cell
    return f'<span class="bar" aria-hidden="true"><i style="width:{100 * share:.1f}%"></i></span>{firm(said)}'
