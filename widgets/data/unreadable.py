"""Columns that cannot be read as they are, as the data step shows them: why, and what can be done about each."""

from __future__ import annotations

from typing import Any

from widgets.base.part import with_controls
from workbench.base.errors import BadColumns
from workbench.data.reading.column_faults import Mixed, Undecided

LONGEST = 40  # characters of a text that is shown


def unreadable_columns(error: BaseException) -> list[dict[str, Any]]:
    """Each column with its message, the types to choose from, and the texts that do not fit.

    The texts are values of the data: the analyst's view shows them, and no trait or message keeps them.
    """
    columns = error.columns if isinstance(error, BadColumns) else {}
    found = [(name, _about(name, text), _mending(error, name)) for name, text in columns.items()]
    return [
        {"name": name, "text": text.partition("; ")[0] if ways["choices"] else text, **ways}  # the choices are shown
        for name, text, ways in found
    ]


def markers_in(error: BaseException) -> tuple[str, ...]:
    """The texts that were read as missing in columns that were found to be mixed."""
    faults = error.faults.values() if isinstance(error, BadColumns) else ()
    return next((fault.markers for fault in faults if isinstance(fault, Mixed)), ())


def _about(name: str, text: str) -> str:
    return with_controls(text.partition(f"column {name!r}: ")[2] or text)


def _mending(error: BaseException, name: str) -> dict[str, Any]:
    fault = error.faults.get(name) if isinstance(error, BadColumns) else None
    choices = fault.choices if isinstance(fault, Undecided) else ()
    texts = fault.texts if isinstance(fault, Mixed) else ()
    shown = [text if len(text) <= LONGEST else f"{text[:LONGEST]}…" for text in texts]
    return {"choices": choices, "texts": shown, "values": texts}
