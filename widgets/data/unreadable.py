"""Unreadable columns in the data step: the reason for each, and the ways to read it."""

from __future__ import annotations

from typing import Any

from widgets.base.part import with_controls
from workbench.base.errors import BadColumns
from workbench.data.reading.value_types import Mixed, Undecided

LONGEST = 40  # characters of a text that is shown


def unreadable_columns(error: BaseException) -> list[dict[str, Any]]:
    """Return each column with its message, possible types, and the texts that do not fit.

    The texts are values of the data: they are sent to the analyst's view only, and not stored in a trait.
    """
    columns = error.columns if isinstance(error, BadColumns) else {}
    found = [(name, _about(name, text), _ways_to_read(error, name)) for name, text in columns.items()]
    return [
        {"name": name, "text": text.partition("; ")[0] if ways["choices"] else text, **ways}  # the choices are shown
        for name, text, ways in found
    ]


def markers_in(error: BaseException) -> tuple[str, ...]:
    """Return the texts that were read as missing in mixed columns."""
    faults = error.faults.values() if isinstance(error, BadColumns) else ()
    return next((fault.markers for fault in faults if isinstance(fault, Mixed)), ())


def _about(name: str, text: str) -> str:
    return with_controls(text.partition(f"column {name!r}: ")[2] or text)


def _ways_to_read(error: BaseException, name: str) -> dict[str, Any]:
    fault = error.faults.get(name) if isinstance(error, BadColumns) else None
    choices = fault.choices if isinstance(fault, Undecided) else ()
    texts = fault.texts if isinstance(fault, Mixed) else ()
    shown = [text if len(text) <= LONGEST else f"{text[:LONGEST]}…" for text in texts]
    return {"choices": choices, "texts": shown, "values": texts}
