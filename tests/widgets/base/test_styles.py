"""Style sheets: what a part styles is its own, so that parts on one page do not paint each other."""

import re

import pytest

from widgets.base.part import WIDGETS

SHARED = {"shared", "vega", "query_editor"}
SHEETS = {path.stem: path for path in sorted(WIDGETS.glob("[a-z]*/*.css")) if path.stem not in SHARED}
PARTS = {
    "editor": "hierarchies",
    "matrix": "roles",
    "query_errors": "query-errors",
}  # style sheets with another name than the widget


@pytest.mark.parametrize("sheet", SHEETS)
def test_a_part_styles_nothing_outside_itself(sheet):
    text = re.sub(r"/\*.*?\*/", "", SHEETS[sheet].read_text("utf-8"), flags=re.S)
    while (flat := re.sub(r"\{[^{}]*\}", ";", text)) != text:
        text = flat  # what is nested in a rule is inside its element
    outermost = [rule.strip() for rule in text.split(";") if rule.strip()]
    assert outermost
    assert [rule for rule in outermost if not re.search(rf"\.wb-{PARTS.get(sheet, sheet)}\b(?!-)", rule)] == []
