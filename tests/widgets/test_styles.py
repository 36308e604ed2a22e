"""Style sheets: what a part styles is its own, so that parts on one page do not paint each other."""

import re

import pytest

from widgets.part import STATIC

SHARED = {"shared", "vega"}
PARTS = sorted(path.stem for path in STATIC.glob("*.css") if path.stem not in SHARED)


@pytest.mark.parametrize("part", PARTS)
def test_a_part_styles_nothing_outside_itself(part):
    text = re.sub(r"/\*.*?\*/", "", (STATIC / f"{part}.css").read_text("utf-8"), flags=re.S)
    while (flat := re.sub(r"\{[^{}]*\}", ";", text)) != text:
        text = flat  # what is nested in a rule is inside its element
    outermost = [rule.strip() for rule in text.split(";") if rule.strip()]
    assert outermost
    assert [rule for rule in outermost if not re.search(rf"\.wb-{part}\b(?!-)", rule)] == []
