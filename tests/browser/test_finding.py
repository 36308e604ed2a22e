"""The search for better points and the intervals, in a browser: progress, results and cancellation."""

import re

import pytest
from playwright.sync_api import expect

CELL = """
import tempfile
from pathlib import Path
from tests.methods.raking.tables import people
from widgets import Workbench
from workbench.studies.study import Study

path = Path(tempfile.mkdtemp()) / "people.csv"
people(1).to_csv(path, index=False)
study = Study(
    name="People",
    data={"path": str(path)},
    quasi=("age", "town", "sex"),
    sensitive=("illness",),
    dropped=("wage",),
    recipes=({"method": {"name": "mondrian"}, "model": {"name": "t-closeness", "t": [0.05, 0.2], "distance": "js"}},),
    measures=({"name": "privacy loss"}, {"name": "utility loss", "min_support": 0.1}),
    caps={"P_loss": 0.1},
)

def made():
    return Workbench(study, keep=False)
"""
MANY_INTERVALS = CELL.replace("caps=", 'intervals={"over": "seeds", "times": 10_000},\n    caps=')
POINTS = ".wb-chart svg g.mark-symbol path"


@pytest.fixture
def page(one_page):
    with one_page.fresh(CELL, POINTS) as page:
        yield page


def sought(page, within):
    """The row of the search, when it was asked to find better points within a budget."""
    row = page.locator(".wb-find")
    row.get_by_label("within").fill(within)
    row.get_by_role("button", name="Find better").click()
    return row


def test_better_points_join_the_study_and_it_says_what_it_tried(page):
    expect(page.locator(".wb-done")).to_have_text("4 points")
    expect(sought(page, "soon").locator("[data-field=find] .wb-wrong")).to_contain_text("use seconds")
    row = sought(page, "15 evaluations")
    expect(row.get_by_role("status")).to_contain_text("It stopped after 15 evaluations")
    expect(page.locator(".wb-best")).to_contain_text("raked buckets")
    expect(row.locator("[data-field=find] .wb-wrong")).to_be_empty()
    page.get_by_text("Methods tried").click()
    expect(page.get_by_text("within the caps at best U_loss").first).to_be_visible()
    expect(page.locator(".wb-done")).to_have_text(re.compile(r"^([5-9]|1\d) points$"))
    expect(page.locator(".wb-legend")).to_contain_text("out of reach for releases in classes, without noise")
    page.get_by_role("button", name="undo").click()
    expect(page.locator(".wb-done")).to_have_text("4 points")
    expect(row.get_by_role("status")).to_be_empty()


def test_a_search_is_cancelled_and_keeps_what_it_found(page):
    expect(page.locator(".wb-done")).to_have_text("4 points")
    row = sought(page, "10 min")
    expect(row.get_by_role("status")).to_contain_text("releases tried")
    row.get_by_role("button", name="Cancel").click()
    expect(row.get_by_role("status")).to_contain_text("it was cancelled")
    expect(row.get_by_role("button", name="Find better")).to_be_visible()
    expect(page.locator(".wb-done")).to_have_text(re.compile(r"^([4-9]|\d\d) points$"))


def test_intervals_are_drawn(page):
    expect(page.locator(".wb-done")).to_have_text(re.compile(r"^\d+ points$"))
    row, lines = page.locator(".wb-find"), page.locator(".wb-chart svg g.mark-rule.role-mark line")
    before = lines.count()
    row.get_by_label("Intervals").select_option("bootstrap")
    expect(page.locator(".wb-legend")).to_contain_text(
        "Lines and brackets: the range of a figure in other samples of the same size, estimated from 20 resamples"
    )
    expect(row.get_by_role("button", name="Find better")).to_be_visible()
    assert lines.count() >= before + 4, "one along each axis of two points"
    expect(page.locator(".wb-release td.wb-number").first).to_contain_text(" to ")
    page.get_by_role("button", name="undo").click()
    expect(row.get_by_label("Intervals")).to_have_value("")
    expect(lines).to_have_count(before)
    row.get_by_label("Intervals").select_option("learning attacker")
    expect(page.locator(".wb-legend")).to_contain_text(
        "Lines and brackets: from an attacker who uses each class by itself to one who"
    )
    assert lines.count() >= before + 2, "along the axis of privacy: of regions no researcher learns"


def test_intervals_are_cancelled(one_page):
    with one_page.fresh(MANY_INTERVALS, POINTS) as page:
        row = page.locator(".wb-find")
        expect(row.get_by_label("Intervals")).to_have_value("seeds")
        row.get_by_role("button", name="Cancel").click()
        expect(row.get_by_label("Intervals")).to_have_value("")
        expect(row.get_by_role("status")).to_be_empty()
