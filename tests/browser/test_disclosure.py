"""The disclosure table in a browser: 20,000 classes, sorted, filtered, chosen and explained; a release that changes."""

import re

import pytest

CELL = """
import ipywidgets
import numpy as np
import pandas as pd
from widgets import DisclosureTable
from workbench import Table
from workbench.methods import Mondrian
from workbench.models import KAnonymity

rng, n = np.random.default_rng(0), 200_000
frame = pd.DataFrame({
    "age": rng.integers(17, 91, n), "area": rng.integers(0, 400, n), "sex": rng.choice(["Female", "Male"], n),
    "work": rng.choice(["Private", "Local", "Self"], n, p=[0.6, 0.2, 0.2]), "study": rng.integers(1, 17, n),
})
ill = (frame.study // 4 + frame.age // 20 + rng.poisson(2, n)) % 14
frame["ill"] = np.array([f"ill-{i:02}" for i in range(14)])[ill]
table = Table.from_frame(frame, ["age", "area", "sex", "work", "study"], "ill")
releases = {k: Mondrian()(table, KAnonymity(k)) for k in (7, 70, 700)}

def made():
    shown = DisclosureTable(releases[7], KAnonymity(7))
    k = ipywidgets.Dropdown(options=list(releases), description="k")
    k.observe(lambda change: shown.set_trait("release", releases[change.new]), "value")
    said = ipywidgets.Label()

    def say(_):
        sizes = releases[k.value].classes.sizes
        lost = shown._shown.exposure.losses.loss
        at_risk = sizes[lost >= (shown.at_risk or 9)].sum()
        said.value = f"chosen {len(shown.selected)} records {sizes[shown.selected].sum()} at risk {at_risk}"

    shown.observe(say, ["selected", "at_risk"])
    return ipywidgets.VBox([k, said, shown])
"""


@pytest.fixture
def page(one_page):
    with one_page.fresh(CELL, ".wb-grid-row") as page:
        yield page


def took(page, name):
    return page.evaluate(f"performance.getEntriesByName('{name}').at(-1).duration")


def cells(page, column):
    """Return the contents of a column in the first visible rows."""
    rows = sorted(page.locator(".wb-grid-row").all(), key=lambda row: int(row.get_attribute("aria-rowindex")))
    return [row.locator("[role=gridcell]").nth(column).inner_text() for row in rows[:8]]


def test_twenty_thousand_classes_are_sorted_and_filtered(page):
    assert re.match(r"2\d,\d{3} of 2\d,\d{3} classes", page.inner_text(".wb-shown"))
    assert page.locator(".wb-grid-row").count() < 40
    page.get_by_role("button", name="Size").click()
    sizes = [int(size) for size in cells(page, 0)]
    assert sizes == sorted(sizes) and page.locator("[aria-sort=ascending]").inner_text().startswith("Size")
    page.get_by_role("button", name="Size").click()
    assert int(cells(page, 0)[0]) > 7 and page.locator("[aria-sort=descending]").count() == 1
    assert took(page, "wb-sort") < 500
    page.get_by_placeholder("Filter by words").fill("female priv")
    page.wait_for_function("() => !/^2/.test(document.querySelector('.wb-shown').textContent)")
    assert set(cells(page, 3)) == {"Female"} and set(cells(page, 4)) == {"Private"}
    assert took(page, "wb-filter") < 500
    page.get_by_label("smallest size").fill("many")
    assert "Enter a number" in page.inner_text("[data-field=size]")
    page.get_by_label("smallest size").fill("12")
    assert min(int(size) for size in cells(page, 0)) >= 12 and "Type" not in page.inner_text("[data-field=size]")
    page.get_by_role("button", name="Clear").click()
    assert re.match(r"2\d,\d{3} of", page.inner_text(".wb-shown"))


def test_the_keyboard_goes_chooses_and_explains(page):
    page.locator(".wb-grid").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Space")
    page.keyboard.press("Shift+ArrowDown")
    page.keyboard.press("Shift+ArrowDown")
    page.wait_for_function("() => document.body.innerText.includes('chosen 3 records')")
    assert page.locator("[aria-selected=true]").count() == 3
    assert "an attacker who knows that a person has age" in page.inner_text(".wb-why-text")
    active = page.locator(".wb-grid").get_attribute("aria-activedescendant")
    assert page.locator(f"#{active}").get_attribute("aria-rowindex") == "5"
    assert page.locator(".wb-chosen-part").get_attribute("d")  # they light up in the distribution
    page.keyboard.press("Control+a")
    page.wait_for_function("() => document.body.innerText.includes('records 200000 ')")
    page.keyboard.press("Escape")
    page.wait_for_function("() => document.body.innerText.includes('chosen 0 ')")


def test_a_range_of_losses_chooses_the_classes(page):
    box = page.locator(".wb-losses").bounding_box()

    def across(part):
        return box["x"] + box["width"] * (34 + part * 236) / 280, box["y"] + box["height"] / 2

    page.mouse.move(*across(0.5))
    page.mouse.down()
    page.mouse.move(*across(0.6), steps=3)
    page.mouse.up()
    page.wait_for_function("() => /chosen [1-9]/.test(document.body.innerText)")
    low, high = (float(page.get_by_label(f"{end} loss").input_value()) for end in ("smallest", "largest"))
    losses = [float(loss.strip("▲\n")) for loss in cells(page, 7)]
    assert low < high and all(low - 0.001 <= loss <= high + 0.001 for loss in losses)
    shown = re.match(r"([\d,]+) of .*; ([\d,]+) selected", page.inner_text(".wb-shown"))
    assert shown[1] == shown[2]


def test_records_at_risk_are_counted_as_the_engine_does(page):
    exact = page.get_by_label("threshold of records at risk, exactly")
    exact.fill("0.4")
    exact.press("Enter")
    page.wait_for_function("() => /at risk [1-9]/.test(document.body.innerText)")
    engine = int(re.search(r"at risk (\d+)", page.inner_text("body"))[1])
    assert page.inner_text(".wb-risk-text").startswith(f"{engine:,} of 200,000 records")
    exact.fill("a lot")
    exact.press("Enter")
    assert "Enter a loss" in page.inner_text("[data-field=at_risk]")
    page.get_by_role("button", name="Cheapest full disclosure").click()
    page.wait_for_function("() => /at risk 0/.test(document.body.innerText)")


def test_another_release_keeps_the_sorting_and_the_filter(page):
    page.get_by_role("button", name="Size").click()
    page.get_by_placeholder("Filter by words").fill("female")
    page.get_by_label("k", exact=True).select_option("700")
    page.wait_for_function("() => / of [12]\\d\\d classes/.test(document.querySelector('.wb-shown').textContent)")
    sizes = [int(size.replace(",", "")) for size in cells(page, 0)]
    assert sizes == sorted(sizes) and sizes[0] >= 700 and all("Female" in sex for sex in cells(page, 3))


@pytest.mark.parametrize("width", [700, 848, 960, 1100, 1280])
def test_every_figure_is_seen_whole_in_a_narrow_page(one_page, page, width):
    one_page.stage.resized(width)
    grid = page.locator(".wb-grid").bounding_box()
    head = page.get_by_role("columnheader", name="Nearest limit").bounding_box()
    assert head["x"] + head["width"] <= grid["x"] + grid["width"]
    broken = page.evaluate(
        """() => [...document.querySelectorAll(".wb-grid-row .wb-unbroken, .wb-grid-row .wb-two > span")]
            .filter(one => one.getClientRects().length > 1).length"""
    )
    assert page.locator(".wb-unbroken").count() > 20 and broken == 0
    page.locator(".wb-grid").focus()
    page.wait_for_function("() => /%/.test(document.querySelector('.wb-why-text').textContent)")
    assert not re.search(
        r"\d %", page.locator(".wb-why-text").evaluate("one => one.textContent").replace("\u00a0", "_")
    )
