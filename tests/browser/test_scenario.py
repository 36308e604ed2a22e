"""A scenario in Chromium: it is built, used as axes, undone and redone; what a miner learnt is asked for."""

import pytest
from playwright.sync_api import expect

from tests.browser.stage import CELL, voila, write_notebook

LONG = """
import os
import numpy as np
import pandas as pd
from widgets import Workbench
from workbench.studies.study import Study

rng = np.random.default_rng(0)
frame = pd.DataFrame({f"q{n}": rng.integers(0, 40, 40_000) for n in range(6)})
frame["ill"] = rng.choice(["gout", "flu", "cold"], 40_000)
forest = {"name": "random forest", "trees": 400}
Study(
    name="long", data={"given": "frame"}, quasi=tuple(frame.columns[:-1]), sensitive=("ill",),
    recipes=({"method": {"name": "mondrian"}, "model": {"name": "k-anonymity", "k": [50, 500]}},),
    measures=({"name": "privacy loss"}, {"name": "good utility", "miners": [forest]}), axes=("P_loss", "U_good"),
).save("long.study.yaml")
bench = Workbench(frame, keep="long.study.yaml")
bench
"""
LEARNS = """
from widgets.scenario.explanation import ExplanationView
from workbench import Table
from workbench.methods import Keep

ExplanationView(Keep()(Table.from_frame(frame, [*frame.columns[:-1]], "ill")), miner="locally weighted", unfolded=True)
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
    limit = bad.get_by_label("Largest acceptable share of people")
    limit.fill("101")
    limit.press("Enter")
    expect(bad).to_contain_text("is not between 0 and 100 percent")
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
    """Complete a condition after the colon; its records are counted."""
    weights.focus()
    page.keyboard.type("10: se")
    expect(bad.get_by_role("listbox").get_by_role("option")).to_have_count(1)
    page.keyboard.press("Tab")
    page.keyboard.type("= 'Female'\n0: others")
    page.keyboard.press("Escape")
    expect(bad.locator(".wb-answers span").first).to_have_text("238")
    weights.press("Control+Enter")


def _learnt(page):
    part = step(page, "What a miner learns")
    part.get_by_role("button", name="Show what it learns").click()
    expect(part.locator(".wb-tree")).to_contain_text("all records: ", timeout=60_000)
    expect(part.get_by_role("row", name="age")).to_be_visible()
    part.get_by_label("Miner").select_option("one rule")
    expect(part).to_contain_text("(Results for the previous settings.)")


def test_what_predictions_cost_is_typed_by_keyboard(address, on_stage):
    page = on_stage(width=390).page
    page.goto(address)
    expect(page.locator(".wb-done")).to_have_text("5 points", timeout=60_000)
    good = step(page, "Scenario").get_by_role("region", name="Good use")
    good.get_by_label("Value of a prediction").select_option("costs")
    table = good.get_by_role("table", name="Costs of predictions")
    first = table.get_by_role("textbox", name="Cost where flu is true and gout is predicted")
    first.fill("much")
    first.press("Enter")
    expect(good).to_contain_text("'much' is not a number")
    first.fill("2")
    page.keyboard.press("Tab")
    second = table.get_by_role("textbox", name="Cost where gout is true and flu is predicted")
    expect(second).to_be_focused()
    page.keyboard.press("Control+A")
    page.keyboard.type("0.5")
    page.keyboard.press("Enter")
    expect(good).not_to_contain_text("is not a number")
    expect(first).to_have_value("2")
    expect(second).to_have_value("0.5")
    page.get_by_role("button", name="Use as axes").click()
    expect(page.get_by_role("button", name="These are the axes")).to_be_disabled(timeout=60_000)
    good.get_by_label("Predicted column").select_option("age")
    good.get_by_label("Value of a prediction").select_option("costs")
    expect(good).to_contain_text("age has 74 values, too many for a table")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_sweep_with_miners_is_cancelled(on_stage, tmp_path):
    """Forests of 400 trees on 40,000 records would take minutes; what is measured stays."""
    with voila(write_notebook(tmp_path / "long.ipynb", LONG)) as url:
        page = on_stage().page
        page.goto(url)
        running = page.locator(".wb-running")
        expect(running).to_contain_text("folds done", timeout=90_000)
        running.get_by_role("button", name="Cancel").click()
        expect(running).to_contain_text("stopped at", timeout=20_000)
        expect(running.get_by_role("button", name="Measure the remaining points")).to_be_visible()
        page.goto("about:blank")


def test_what_is_being_learnt_is_cancelled(on_stage, tmp_path):
    frame = LONG[: LONG.index("forest =")]
    with voila(write_notebook(tmp_path / "learns.ipynb", frame, LEARNS)) as url:
        page = on_stage().page
        page.goto(url)
        button = page.get_by_role("button", name="Show what it learns")
        for _ in range(2):  # and once more, after it was cancelled
            button.click()
            cancel = page.get_by_role("button", name="Cancel")
            expect(cancel).to_be_visible(timeout=60_000)
            cancel.click()
            expect(cancel).to_be_hidden(timeout=20_000)
            expect(button).to_be_visible()
            expect(page.locator(".wb-tree")).to_be_hidden()
        page.goto("about:blank")
