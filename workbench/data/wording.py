"""Wording: what pages call the columns and the records of a table; released files keep the columns' own names."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from workbench.base import small_counts
from workbench.base.figures import join_names, words

LONG = 3  # values that a sentence lists
NUMBER = r"-?\d+(?:\.\d+)?"
SET, COUNTED = re.compile(r"\{(.*)\}( or missing)?", re.S), re.compile(r" \.\. .*: (\d+) values$", re.S)
INTERVAL = re.compile(rf"\[({NUMBER})(?:-|\.\.| to )({NUMBER})[\]\[]")


@dataclass(frozen=True)
class Wording:
    """Titles of columns, and what one record is and what several are."""

    titles: Mapping[str, str] = field(default_factory=dict)
    one: str = "person"
    many: str = "people"

    def plain(self) -> dict[str, Any]:
        """Plain data: `Wording(**plain)` is the same."""
        return asdict(self)

    def column(self, name: str) -> str:
        """What a column is called in a sentence."""
        return self.titles.get(name) or words(name)

    def columns(self, names: Sequence[str], last: str = "and") -> str:
        """Columns in a sentence: age, race and sex."""
        return join_names([self.column(name) for name in names], last)

    @property
    def nobody(self) -> str:
        return "nobody" if self.many == "people" else f"no {self.one}"

    @property
    def everybody(self) -> str:
        return "everybody" if self.many == "people" else f"all {self.many}"

    @property
    def all_of_them(self) -> str:
        return "everybody’s" if self.many == "people" else f"every {self.one}’s"

    def people(self, count: int, smallest: int) -> str:
        """How many records, as the threshold allows: about 120 visits."""
        return small_counts.people(count, smallest, self.one, self.many)

    def some_of(self, count: int, of: int, smallest: int) -> str:
        """So many of all records, as the threshold allows."""
        return small_counts.some_of(count, of, smallest, self.one, self.many)

    def who(self, names: Sequence[str], labels: Sequence[str | None]) -> str:
        """A group in words; what is None may be anything."""
        return self._together(map(self._spoken, names, labels))

    def groups(self, labels: Mapping[str, Collection[str | None]]) -> list[str]:
        """Many groups in words, each of what the columns have at its place; there is at least one column."""
        parts = []
        for name, those in labels.items():
            spoken = {one: self._spoken(name, one) for one in set(those)}
            parts.append([spoken[one] for one in those])
        return list(map(self._together, zip(*parts, strict=True)))

    def _spoken(self, name: str, label: str | None) -> str:
        return "" if label is None else f"{self.column(name)} {unbracketed(label)}"

    def _together(self, parts: Iterable[str]) -> str:
        return " · ".join(filter(None, parts)) or self.everybody


PLAIN = Wording()


def brief(label: str | None) -> str | None:
    """A released value for a sentence: of a long set how many values it has, and whether one may be missing."""
    found = SET.fullmatch(label or "")
    if not found:
        return label
    listed = found[1].split(", ")
    many = int(counted[1]) if (counted := COUNTED.search(found[1])) else len(listed)
    kind = "groups" if any(one.endswith("*") for one in listed) else "values"
    return label if many <= LONG else f"any of {many:,} {kind}{found[2] or ''}"


def unbracketed(label: str) -> str:
    """A released value without its brackets."""
    if label.startswith("{") and label.endswith("}"):
        first, _, last = label[1:-1].rpartition(", ")
        return f"{first} or {last}" if first else last.replace(" .. ", " … ")
    label = re.sub(r"(?<=\S) \*$", " …", label)  # values that begin alike
    label = re.sub(r"^(\w+)\*$", r"beginning with \1", label)
    return INTERVAL.sub(lambda ends: f"{ends[1]}{' to ' if ends[1].startswith('-') else '–'}{ends[2]}", label)
