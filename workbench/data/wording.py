"""Wording: the titles of columns and records on pages; released files have the original column names."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from workbench.base.figures import humanize_name, join_names
from workbench.redaction import controlled_rounding

LONG = 3  # maximum number of values that a sentence lists
NUMBER = r"-?\d+(?:\.\d+)?"
SET, COUNTED = re.compile(r"\{(.*)\}( or missing)?", re.S), re.compile(r" \.\. .*: (\d+) values$", re.S)
INTERVAL = re.compile(rf"\[({NUMBER})(?:-|\.\.| to )({NUMBER})[\]\[]")


@dataclass(frozen=True)
class Wording:
    """Titles of columns, the nouns for one record and for several, and the values that pages warn about."""

    titles: Mapping[str, str] = field(default_factory=dict)
    one: str = "person"
    many: str = "people"
    harmful: Mapping[str, Sequence[str]] = field(default_factory=dict)  # by sensitive column, if declared

    def plain(self) -> dict[str, Any]:
        """Return plain data; `Wording(**plain)` restores it."""
        return asdict(self)

    def column(self, name: str) -> str:
        """Return the title of a column in a sentence."""
        return self.titles.get(name) or humanize_name(name)

    def columns(self, names: Sequence[str], last: str = "and") -> str:
        """Return the titles of columns as a list in a sentence: age, race and sex."""
        return join_names([self.column(name) for name in names], last)

    def having(self, name: str, label: str) -> str:
        """Return a column with one of its values, to follow "have": health “very good”."""
        return f"{self.column(name)} “{label}”"

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
        """Return a rounded number of records: about 120 visits."""
        return controlled_rounding.describe_count(count, smallest, self.one, self.many)

    def group(self, published: int, smallest: int) -> str:
        """Return the size of a group from its published size."""
        if smallest > 1 and published < 2 * smallest:
            return f"fewer than {2 * smallest:,} {self.many}"
        return self.people(published, smallest)

    def some_of(self, count: int, total: int, smallest: int) -> str:
        """Return a rounded part of all records."""
        return controlled_rounding.describe_part(count, total, smallest, self.one, self.many)

    def who(self, names: Sequence[str], labels: Sequence[str | None]) -> str:
        """Return a group in words; None stands for any value."""
        return self._join_parts(map(self._spoken, names, labels))

    def groups(self, labels: Mapping[str, Collection[str | None]]) -> list[str]:
        """Return many groups in words, each from the columns' labels at its index; at least one column is needed."""
        parts = []
        for name, those in labels.items():
            spoken = {one: self._spoken(name, one) for one in set(those)}
            parts.append([spoken[one] for one in those])
        return list(map(self._join_parts, zip(*parts, strict=True)))

    def _spoken(self, name: str, label: str | None) -> str:
        return "" if label is None else f"{self.column(name)} {unbracketed(label)}"

    def _join_parts(self, parts: Iterable[str]) -> str:
        return " · ".join(filter(None, parts)) or self.everybody


PLAIN = Wording()


def brief(label: str | None) -> str | None:
    """Shorten a released value for a sentence: a long set becomes its number of values, possibly with missing."""
    found = SET.fullmatch(label or "")
    if not found:
        return label
    listed = found[1].split(", ")
    many = int(counted[1]) if (counted := COUNTED.search(found[1])) else len(listed)
    kind = "groups" if any(one.endswith("*") for one in listed) else "values"
    return label if many <= LONG else f"any of {many:,} {kind}{found[2] or ''}"


def unbracketed(label: str) -> str:
    """Return a released value without its brackets."""
    if label.startswith("{") and label.endswith("}"):
        first, _, last = label[1:-1].rpartition(", ")
        return f"{first} or {last}" if first else last.replace(" .. ", " … ")
    label = re.sub(r"(?<=\S) \*$", " …", label)  # values with a common beginning
    label = re.sub(r"^(\w+)\*$", r"beginning with \1", label)
    return INTERVAL.sub(lambda ends: f"{ends[1]}{' to ' if ends[1].startswith('-') else '–'}{ends[2]}", label)
