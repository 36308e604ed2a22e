"""A scenario in Chromium: it is built, used as axes, undone and redone; what a miner learnt is asked for."""

import pytest
from playwright.sync_api import expect

from tests.browser.stage import voila, write_notebook

CELL = """
import numpy as np
import pandas as pd
from widgets import Workbench
from workbench.studies.study import Study

rng = np.random.default_rng(0)
frame = pd.DataFrame({"age": rng.integers(17, 91, 800), "sex": rng.choice(["Female", "Male"], 800, p=[0.3, 0.7])})
frame["ill"] = np.where(frame.age + rng.integers(0, 30, 800) > 70, "gout", "flu")
Study(
    name="from the notebook", data={"given": "frame"}, quasi=("age", "sex"), sensitive=("ill",),
    recipes=({"method": {"name": "mondrian"}, "model": {"name": "k-anonymity", "k": [5, 50, 200]}},),
    measures=({"name": "privacy loss"}, {"name": "information loss"}), axes=("P_loss", "NCP"),
    chosen={"method": {"name": "mondrian"}, "model": {"name": "k-anonymity", "k": 50}},
).save("s.study.yaml")
bench = Workbench(frame, keep="s.study.yaml")
bench
"""


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    folder = tmp_path_factory.mktemp("scenario")
    with voila(write_notebook(folder / "scenario.ipynb", CELL)) as url:
        yield url


def step(page, title):
    one = page.locator(f"details.wb-step[data-step='{title}']")
    one.locator("summary").first.press("Enter")
    expect(one).to_have_attribute("open", "")
    return one


def test_a_scenario_is_built_used_undone_and_looked_into(address, on_stage):
    page = on_stage(dark=True).page
    page.goto(address)
    done = page.locator(".wb-done")
    expect(done).to_have_text("5 points", timeout=60_000)
    part = step(page, "Scenario")
    expect(part).to_contain_text("Mining 3 releases takes about", timeout=60_000)
    good, bad = part.get_by_role("region", name="Good use"), part.get_by_role("region", name="Bad use")
    good.get_by_role("checkbox", name="one rule").check()
    weights = bad.get_by_role("combobox", name="Weights of the bad use")
    _weigh(page, weights, bad)
    limit = bad.get_by_label("Largest share of them")
    limit.fill("101")
    limit.press("Enter")
    expect(bad).to_contain_text("is not between 0 and 100 per cent")
    limit.fill("20")
    limit.press("Enter")
    part.get_by_role("button", name="Use as axes").click()
    expect(part.get_by_role("button", name="These are the axes")).to_be_disabled(timeout=60_000)
    expect(page.locator(".wb-stage")).to_contain_text("U_good(target=ill", timeout=60_000)
    expect(done).to_have_text("5 points", timeout=60_000)
    expect(page.locator(".wb-verdict")).to_contain_text("of at most 0.2", timeout=60_000)
    page.get_by_role("button", name="Undo").click()
    expect(part.get_by_role("button", name="Use as axes")).to_be_enabled(timeout=60_000)
    page.get_by_role("button", name="Redo").click()
    expect(part.get_by_role("button", name="These are the axes")).to_be_disabled(timeout=60_000)
    expect(page.locator(".wb-verdict")).to_contain_text("of at most 0.2", timeout=60_000)
    _learnt(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def _weigh(page, weights, bad):
    """By completion behind the colon; the records are counted beside it."""
    weights.focus()
    page.keyboard.type("10: se")
    expect(bad.get_by_role("listbox").get_by_role("option")).to_have_count(1)
    page.keyboard.press("Tab")
    page.keyboard.type("= 'Female'\n0: others")
    page.keyboard.press("Escape")
    expect(bad.locator(".wb-answers span").first).to_have_text("238")
    weights.press("Control+Enter")


def _learnt(page):
    part = step(page, "What a miner learnt")
    part.get_by_role("button", name="Show what it learns").click()
    expect(part.locator(".wb-tree")).to_contain_text("all records: ", timeout=60_000)
    expect(part.get_by_role("row", name="age")).to_be_visible()
    part.get_by_label("Miner").select_option("one rule")
    expect(part).to_contain_text("(Of what was asked before.)")
