"""The lattice in Chromium: thousands of combinations are drawn at once, chosen by a click or by keys."""

import pytest
from playwright.sync_api import expect

CELL = """
import ipywidgets
import numpy as np
import pandas as pd
from widgets import LatticeView
from workbench import Table
from workbench.data.hierarchies.builders import Groups, Intervals
from workbench.frontier.recipe import Recipe
from workbench.methods import Mondrian
from workbench.models import KAnonymity

rng = np.random.default_rng(0)
n = 4000
names = ["a", "b", "c", "d", "e"]
frame = pd.DataFrame({name: np.minimum(rng.poisson(9 + i, n), 31) for i, name in enumerate(names)})
frame["ill"] = np.where(frame.a + rng.integers(0, 9, n) > 14, "gout", "flu")
levels = {name: Intervals(widths=(2, 4, 8)) for name in names}
table = Table.from_frame(frame, names, "ill", hierarchies=levels)

def made():
    part = LatticeView(table, Recipe(Mondrian(), KAnonymity(5)), unfolded=False)
    said = ipywidgets.Label("nothing chosen")
    part.observe(lambda event: setattr(said, "value", str(event.new)), "chosen")
    return ipywidgets.VBox([part, said])
"""


@pytest.fixture(params=[(1280, False), (800, True)], ids=["wide", "narrow and dark"])
def page(one_page, request):
    width, dark = request.param
    with one_page.fresh(CELL, ".wb-lattice summary", width=width, dark=dark) as page:
        yield page


def test_every_combination_is_drawn_and_one_is_chosen(page):
    assert not page.locator(".wb-lattice canvas").first.is_visible()  # nothing is scored while the view is folded
    page.locator(".wb-lattice summary").first.press("Enter")
    words = page.locator(".wb-lattice .wb-note[role=status]")
    expect(words).to_contain_text("of 3,125 combinations satisfy k-anonymity, k = 5", timeout=60_000)
    canvas = page.locator(".wb-lattice-canvas")
    assert canvas.evaluate("c => c.getContext('2d').getImageData(0, 0, c.width, c.height).data.some(v => v > 0)")
    canvas.focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight"):
        canvas.press(key)
    expect(page.locator(".wb-lattice-live")).to_contain_text("classes")
    page.locator("[data-field=efficient] select").select_option(index=0)
    page.get_by_role("button", name="Show this release").press("Enter")
    expect(page.get_by_text("levels = a=")).to_be_visible()
    box = canvas.bounding_box()
    canvas.click(position={"x": 50, "y": box["height"] - 10})  # everything at its highest level
    expect(page.get_by_text("levels = a=4, b=4, c=4, d=4, e=4")).to_be_visible()
    share = page.get_by_label("records that may be suppressed, in percent")
    share.fill("0")
    share.press("Tab")
    expect(words).to_contain_text("at most 0 % of the records")
    canvas.click(position={"x": 48, "y": 8})  # the values as they are
    expect(page.locator("[data-field=nodes] .wb-wrong")).to_contain_text("violate k-anonymity")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
