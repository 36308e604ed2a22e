"""Original beside release in Chromium: one column, two, by keys, in the dark and where there is little room."""

import pytest
from playwright.sync_api import expect

CELL = """
import numpy as np
import pandas as pd
from widgets import OriginalComparison
from workbench import Table
from workbench.methods import Mondrian
from workbench.models import KAnonymity

rng = np.random.default_rng(0)
frame = pd.DataFrame({"age": rng.integers(17, 91, 3000), "work": rng.choice(["Private", "Local", "Self"], 3000)})
frame["ill"] = np.where(frame.age + rng.integers(0, 30, 3000) > 70, "gout", "flu")
release = Mondrian()(Table.from_frame(frame, ["age", "work"], "ill"), KAnonymity(200))

def made():
    return OriginalComparison(release, unfolded=False)
"""


@pytest.fixture(params=[(1280, False), (800, True)], ids=["wide", "narrow and dark"])
def page(one_page, request):
    width, dark = request.param
    with one_page.fresh(CELL, ".wb-original summary", width=width, dark=dark) as page:
        yield page


def test_a_column_and_a_cross_table_are_drawn_when_it_is_opened(page):
    assert not page.locator(".wb-original svg").count()  # nothing is counted while the view is folded
    page.locator(".wb-original summary").first.press("Enter")
    expect(page.locator(".wb-original-words")).to_contain_text("of the records at a wrong")
    expect(page.locator(".wb-original svg")).to_be_visible()
    assert page.locator(".wb-original [aria-roledescription=bar]").count() > 30
    second = page.locator("[data-field=second] select")
    second.focus()
    second.press("ArrowDown")  # work
    expect(page.locator(".wb-original-words")).to_contain_text("at a wrong cell")
    page.locator(".wb-original-table summary").press("Enter")
    expect(page.locator(".wb-original-table tbody tr")).to_have_count(36)
    box, inside = (page.locator(name).bounding_box() for name in (".wb-original", ".wb-original svg"))
    assert inside["x"] + inside["width"] <= box["x"] + box["width"] + 1
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
