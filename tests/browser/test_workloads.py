"""Workloads in Chromium: queries are written with completion and answered as they are typed, drawn, and an axis."""

import pytest
from playwright.sync_api import expect

from tests.browser.stage import CELL, voila, write_notebook


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    folder = tmp_path_factory.mktemp("workloads")
    with voila(write_notebook(folder / "workloads.ipynb", CELL)) as url:
        yield url


def step(page, title):
    one = page.locator(f"details.wb-step[data-step='{title}']")
    one.locator("summary").first.press("Enter")
    expect(one).to_have_attribute("open", "")
    return one


def test_queries_are_written_drawn_and_an_axis(address, on_stage):
    page = on_stage(width=800, dark=True).page
    page.goto(address)
    expect(page.locator(".wb-done")).to_have_text("5 points", timeout=60_000)
    part = step(page, "Workloads")
    part.get_by_role("button", name="+ Written").press("Enter")
    text, answers, options = part.get_by_role("combobox"), part.locator(".wb-answers"), part.get_by_role("listbox")
    expect(text).to_have_value("age >= 55")
    expect(answers.locator("span").first).to_have_text("410")
    _write(page, text, options)
    expect(answers.locator("span").nth(1)).to_have_text("562")
    expect(part.get_by_role("list", name="Errors")).to_contain_text("line 3, column 14: there is no column 'agee'")
    expect(text).to_have_attribute("aria-invalid", "true")
    part.get_by_role("button", name="line 3, column 14").press("Enter")
    assert text.evaluate("one => one.value.slice(one.selectionStart)") == "agee > 3"
    text.fill("age >= 56\nsex = 'Male' and age < 31")
    text.press("Control+Enter")
    expect(part.locator(".wb-name span")).to_have_text("2 queries")
    name = part.get_by_label("Name")
    name.fill("state")
    name.press("Enter")
    expect(part.locator(".wb-name b")).to_have_text("state")
    _draw(part)
    _on_the_axis(page)
    _errors_of_the_release(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def _write(page, text, options):
    """A query by completion alone, and one with a mistake."""
    text.press("Control+End")
    page.keyboard.press("Enter")
    page.keyboard.type("se")
    expect(options.get_by_role("option")).to_have_count(1)
    page.keyboard.press("Tab")
    expect(options.get_by_role("option").first).to_have_text("=word")
    page.keyboard.press("ArrowDown")
    expect(text).to_have_attribute("aria-activedescendant", options.get_by_role("option").first.get_attribute("id"))
    page.keyboard.press("Enter")
    expect(options.get_by_role("option").first).to_have_text("'Male'value")
    page.keyboard.press("Escape")
    expect(options).to_be_hidden()
    page.keyboard.type("'Male'\nage < 30 and agee > 3")
    page.keyboard.press("Escape")


def _draw(part):
    part.get_by_role("button", name="+ At random").press("Enter")
    expect(part.locator(".wb-drawn")).to_be_visible()
    slider = part.get_by_role("slider", name="quasi-identifiers")
    slider.press("ArrowLeft")
    expect(part.locator(".wb-name").last).to_contain_text("1,000 at random, qd 1, sel 0.05")
    expect(part.get_by_role("status").last).to_contain_text("1,000 queries: the median answer is")


def _on_the_axis(page):
    part = step(page, "Methods and measures")
    done = page.locator(".wb-done")
    part.get_by_role("checkbox", name="Q_err").check()
    part.get_by_role("group", name="workload").get_by_role("button", name="state").click()
    part.locator("[data-field='axis.utility'] select").select_option("Q_err(workload=state)")
    expect(done).to_have_text("5 points", timeout=60_000)
    expect(page.locator(".wb-stage")).to_contain_text("Q_err(workload=state)")


def _errors_of_the_release(page):
    """The worst query selects the classes that it matches in part; two workloads are compared."""
    part = step(page, "Query errors")
    worst = part.get_by_role("region", name="Queries with the largest errors").get_by_role("button")
    expect(worst).to_have_count(1)  # the other is answered exactly
    expect(part.locator(".wb-errors-picture [aria-roledescription=bar]")).to_have_count(10)
    worst.first.press("Enter")
    expect(worst.first).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".wb-shown")).not_to_contain_text("; 0 selected")
    part.get_by_label("compare with").select_option("random queries")
    expect(part).to_contain_text("The workload 'random queries' was not measured")
