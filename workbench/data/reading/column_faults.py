"""Reasons why a column cannot be read unchanged, with the details that a fix needs."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.base.errors import BadInput, Fix


class Empty(BadInput):
    """A column without a value."""


class Undecided(BadInput):
    """A column that can be read in several ways; `choices` and the message have the possible types."""

    choices: tuple[str, ...] = ()


class Mixed(BadInput):
    """A column of numbers with some text. `texts` has the first of them; no message may, since they are values."""

    texts: tuple[str, ...] = ()
    markers: tuple[str, ...] = ()  # texts that are read as missing in the whole file

    def name_markers(self, markers: Sequence[str]) -> None:
        """Add the known markers to the suggested list, since a list replaces those that were found."""
        self.markers = tuple(markers)
        self.args = (str(self).replace(Fix.MISSING([]), Fix.MISSING([*markers])),)
