"""Why something is undefined or failed, as anybody may read it: no number and no value of the data is in it."""

from __future__ import annotations

import re

from workbench.data.table import Table

UNDEFINED = "it is undefined for this release"
NOTHING = (
    "there is nothing to publish, since no release has a figure that can be told on both axes; give the study other "
    "recipes or axes"
)
PLAIN = {"class": "group", "classes": "groups"}
NUMBER, COLUMN, MODEL = r"[\d,.]+(?:e[-+]?\d+)?", r"'(?P<column>[^']+)'", r"[^:']+"
KEEPS = f"no release of this table keeps {MODEL}: "
# reasons that are told with their numbers, which stand in the study: what they are, and what of them is told
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
        rf"{KEEPS}the commonest value of {COLUMN} holds more of the records than (?:alpha|1/l) = {NUMBER}(?: %)?",
        r"\g<0>",
    ),
)


def reason(text: str, table: Table, instead: str = UNDEFINED) -> str:
    """Why something is undefined, on its way out: known advice, with the study's own numbers; anything else only
    where no number and no value of the data can be in it.

    Every text of an exception that somebody else than the analyst may read passes here.
    """
    if text.startswith(f"{NOTHING}: "):
        return f"{NOTHING}: {reason(text.removeprefix(f'{NOTHING}: '), table, instead)}"
    for known, published in ADVICE:
        found = re.fullmatch(known, text)
        if found and found.groupdict().get("column", table.names[0]) in table.names:
            return found.expand(published)
    labels = (label for column in table.columns.values() for label in column.labels if label in text)
    named = any(re.search(rf"(?<!\w){re.escape(one)}(?!\w)", text) for one in labels)
    return instead if named or re.search(r"\d|['\"]", text) else _plain(text, table)


def _plain(text: str, table: Table) -> str:
    """In the words of pages: a class is a group, unless a column is called so."""
    words = {one: plain for one, plain in PLAIN.items() if one not in table.names}
    return re.sub(r"\w+", lambda found: words.get(found[0], found[0]), text)
