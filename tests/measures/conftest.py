"""Releases of small tables, and what their published files show record by record."""

from collections import Counter
from dataclasses import dataclass
from functools import cache, cached_property

import pandas as pd
import pytest

from workbench.methods import Keep, Mondrian, Remove
from workbench.models import DistinctLDiversity, KAnonymity

RELEASES = {
    "keep": (Keep(), None),
    "all removed": (Remove(), None),
    "age removed": (Remove("age"), None),
    "disease removed": (Remove("disease"), None),
    "widest": (Mondrian(), KAnonymity(4)),
    "diverse": (Mondrian(), DistinctLDiversity(3)),
    "relaxed": (Mondrian(strict=False), KAnonymity(5)),
    "bucketized": (Mondrian(publish="bucketized"), KAnonymity(4)),
    "relaxed, bucketized": (Mondrian(strict=False, publish="bucketized"), KAnonymity(3)),
    "gain": (Mondrian(split="information_gain", target="disease"), KAnonymity(4)),
}
TABLES = [(0, ("disease",)), (1, ("disease",)), (2, ("disease", "wage")), (3, ("disease", "wage"))]

remembered = cache  # cached for the duration of the tests


@dataclass(frozen=True, eq=False)
class ReaderView:
    """A release as its reader sees it; the neutral column `person` identifies people."""

    table: object
    release: object

    @cached_property
    def people(self):
        """The original records, with `missing` for missing values."""
        rows = self.table.frame.astype(object).where(self.table.frame.notna(), "missing").to_dict("records")
        return {row["person"]: row for row in rows}

    @cached_property
    def files(self):
        return self.release.tables()

    @cached_property
    def bucketized(self):
        return "records" in self.files

    @cached_property
    def published(self):
        """Return one published row per person; a bucketized release has the sensitive values of the class."""
        frame = self.files["records" if self.bucketized else "release"]
        return {row["person"]: row for row in frame.to_dict("records")}

    @cached_property
    def unpublished_columns(self):
        there = {name for file in self.files.values() for name in file.columns}
        return {*self.table.quasi, *self.table.sensitive} - there

    @remembered
    def group(self, person):
        """Return what identifies the class of a person."""
        row = self.published[person]
        return row["class"] if self.bucketized else tuple(row.get(name) for name in self.table.quasi)

    @cached_property
    def members(self):
        """Return the people of each class."""
        found = {}
        for person in self.people:
            found.setdefault(self.group(person), []).append(person)
        return found

    @cached_property
    def values(self):
        """Return the published count of each sensitive value by class."""
        found = {name: {group: Counter() for group in self.members} for name in self.table.sensitive}
        for name in set(self.table.sensitive) - self.unpublished_columns:
            if self.bucketized:
                for row in self.files[name].to_dict("records"):
                    found[name][row["class"]][plain(row[name])] += row["count"]
            else:
                for person, row in self.published.items():
                    found[name][self.group(person)][plain(row[name])] += 1
        return found

    @remembered
    def whole(self, name):
        """Return the count of each value of a column in the table."""
        return Counter(row[name] for row in self.people.values())

    @remembered
    def prior(self, name):
        return shares(self.whole(name))

    @remembered
    def belief(self, person, name):
        """Return the belief about a person's value, given the release."""
        if name in self.unpublished_columns:
            return self.prior(name)
        return {value: 0.0 for value in self.whole(name)} | shares(self.values[name][self.group(person)])

    @remembered
    def position(self, name, value):
        """Return the position of a value: a number itself, missing one beyond the last, text its rank."""
        numbers = [v for v in self.whole(name) if isinstance(v, int)]
        if numbers:
            return max(numbers) + 1 if value == "missing" else value
        return self.table.columns[name].value_labels().index(value)

    def ends(self, name, values):
        places = [self.position(name, value) for value in values]
        return min(places), max(places)

    @remembered
    def span(self, person, name):
        """Return the lowest and highest value of the class; a person's own if published exactly."""
        if name in self.unpublished_columns:
            return self.ends(name, self.whole(name))
        group = [person] if self.bucketized else self.members[self.group(person)]
        return self.ends(name, {self.people[other][name] for other in group})


def plain(value):
    return "missing" if pd.isna(value) else value


def shares(counts):
    return {value: n / sum(counts.values()) for value, n in counts.items()}


@pytest.fixture(
    scope="package", params=[(t, kind) for t in TABLES for kind in RELEASES], ids=lambda p: f"{p[0][0]}, {p[1]}"
)
def view(request, small):
    """Return a release of a small table as its reader sees it."""
    table, (method, model) = small(*request.param[0]), RELEASES[request.param[1]]
    return ReaderView(table, method(table, model))
