"""Sanitize reasons and error messages for publication: they contain no number and no value of the data."""

from __future__ import annotations

import re

from workbench.data.table import Table

UNDEFINED = "it is undefined for this release"
NOTHING = (
    "there is nothing to publish, since no release has a publishable figure on both axes; change the recipes or axes "
    "of the study"
)
PLAIN = {"class": "group", "classes": "groups"}
NUMBER, COLUMN, MODEL = r"[\d,.]+(?:e[-+]?\d+)?", r"'(?P<column>[^']+)'", r"[^:']+"
KEEPS = f"no release of this table can satisfy {MODEL}: "
# reasons whose numbers come from the study itself: the full text, and the part that is published
ADVICE = (
    (rf"no population has {NUMBER} % of the records; lower min_support", r"\g<0>"),
    (
        rf"more than {NUMBER} populations have at least {NUMBER} % of the records; "
        r"raise min_support, or choose fewer quasi-identifiers",
        r"\g<0>",
    ),
    (
        rf"({KEEPS}the table has) (?:{NUMBER} records, fewer|fewer records) than (k = {NUMBER})",
        r"\1 fewer records than \2",
    ),
    (rf"({KEEPS}{COLUMN} has) (?:{NUMBER} values, fewer|fewer values) than (l = {NUMBER})", r"\1 fewer values than \3"),
    (
        rf"{KEEPS}the commonest value of {COLUMN} has a larger share than (?:alpha|1/l) = {NUMBER}(?: %)?",
        r"\g<0>",
    ),
)


def publishable_reason(text: str, table: Table, instead: str = UNDEFINED) -> str:
    """Return a publishable reason: known advice keeps the study's numbers, other text must contain no data.

    Every exception text that anybody but the analyst may read passes through this function. Text with a number or a
    value of the data is replaced by `instead`.
    """
    if text.startswith(f"{NOTHING}: "):
        return f"{NOTHING}: {publishable_reason(text.removeprefix(f'{NOTHING}: '), table, instead)}"
    for known, published in ADVICE:
        found = re.fullmatch(known, text)
        if found and found.groupdict().get("column", table.names[0]) in table.names:
            return found.expand(published)
    labels = (label for column in table.columns.values() for label in column.labels if label in text)
    named = any(re.search(rf"(?<!\w){re.escape(one)}(?!\w)", text) for one in labels)
    return instead if named or re.search(r"\d|['\"]", text) else _plain(text, table)


def _plain(text: str, table: Table) -> str:
    """Use the words of pages: a class is called a group, unless a column has that name."""
    words = {one: plain for one, plain in PLAIN.items() if one not in table.names}
    return re.sub(r"\w+", lambda found: words.get(found[0], found[0]), text)
