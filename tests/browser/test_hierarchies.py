"""The hierarchy editor in Chromium: typed, drawn, grouped by mouse and by keys, imported and mended."""

import pytest
from playwright.sync_api import expect

CELL = """
from widgets.hierarchies.editor import HierarchyEditor
from workbench.data import datasets
from workbench.studies.study import Study
from workbench.data.table import Table

base = Table.without_roles(datasets.path("adult")).complete()
table = base.with_roles(["age", "workclass", "education", "native_country"], "occupation")
given = {"age": {"builder": "intervals", "widths": [5, 10]}, "education": "bundled"}

def made():
    editor = HierarchyEditor(table, given, Study(data={"bundled": "adult"}))
    editor.layout.width = "400px"
    return editor
"""
WORKCLASS = (
    "Private;Private\nFederal-gov;Public\nLocal-gov;Public\nstate-gov;Public\nSelf-emp-inc;Self\nNever-worked;None"
)


@pytest.fixture
def page(one_page):
    with one_page.fresh(CELL, ".wb-hier-column") as page:
        yield page


def choose(page, name):
    page.locator(".wb-hier-column", has_text=name).click()
    expect(page.locator(".wb-hier-edit h3")).to_have_text(name)


def state_of(page, column):
    return page.locator(".wb-hier-column", has_text=column).locator(".wb-hier-state")


def test_the_ends_of_a_column_are_one_group_each(page):
    bottom, top = (page.locator(f"[data-field={name}] input") for name in ("bottom", "top"))
    top.fill("200")
    top.press("Tab")
    expect(page.locator("[data-field=top] .wb-wrong")).to_contain_text("No value is 200 or more")
    top.fill("70")
    bottom.fill("25")
    bottom.press("Tab")
    expect(state_of(page, "age")).to_have_text("2 levels, 74 → 11 → 7")
    expect(page.locator(".wb-hier-end")).to_have_count(4)  # two a level
    expect(page.locator(".wb-hier-tree")).to_contain_text("70 and over")


def test_widths_are_typed_drawn_and_moved_by_keys(page):
    age, rows = state_of(page, "age"), page.locator(".wb-hier-row input")
    expect(age).to_have_text("2 levels, 74 → 16 → 9")
    rows.nth(1).fill("2x")
    expect(page.locator("[data-field=widths-1] .wb-wrong")).to_contain_text("'2x' is not a number")
    expect(age).to_have_text("2 levels, 74 → 16 → 9")
    choose(page, "workclass")
    choose(page, "age")
    expect(rows.nth(1)).to_have_value("2x")  # what was typed is there again
    rows.nth(1).fill("20")
    rows.nth(1).press("Enter")
    expect(age).to_have_text("2 levels, 74 → 16 → 5")
    slider = page.get_by_role("slider", name="Level 2, width")
    slider.focus()
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    expect(rows.nth(1)).to_have_value("25")
    expect(page.get_by_role("slider", name="Level 2, width")).to_be_focused()
    expect(age).to_have_text("2 levels, 74 → 16 → 4")
    line = page.locator("[data-grip='1:3'] .wb-hier-hold").bounding_box()  # at 75: to about 60, so a width of 20
    lane = page.locator("[data-lane='1']").bounding_box()
    page.mouse.move(line["x"] + 5, line["y"] + 6)
    page.mouse.down()
    page.mouse.move(lane["x"] + (61 - 17) / 73 * lane["width"], line["y"] + 6, steps=5)
    page.mouse.up()
    expect(rows.nth(1)).to_have_value("20")
    expect(age).to_have_text("2 levels, 74 → 16 → 5")
    page.locator(".wb-hier-scroll:visible").last.focus()
    page.keyboard.press("Control+z")
    expect(age).to_have_text("2 levels, 74 → 16 → 4")
    page.keyboard.press("Control+Shift+z")
    expect(age).to_have_text("2 levels, 74 → 16 → 5")


def test_the_levels_that_a_column_may_be_released_at(page):
    low, high = (page.get_by_label(f"{end} level released") for end in ("Lowest", "Highest"))
    expect(low.locator("option")).to_have_text(["values (74)", "level 1 (16)", "level 2 (9)", "everything (1)"])
    low.select_option("1")
    expect(high.locator("option")).to_have_text(["level 1 (16)", "level 2 (9)", "everything (1)"])
    high.select_option("2")
    expect(low.locator("option")).to_have_text(["values (74)", "level 1 (16)", "level 2 (9)"])
    page.get_by_role("button", name="↶ Undo").click()
    expect(high).to_have_value("3")
    expect(low).to_have_value("1")
    choose(page, "workclass")
    expect(low.locator("option")).to_have_text(["values (7)", "everything (1)"])
    expect(high.locator("option")).to_have_text(["values (7)", "everything (1)"])


def test_a_cut_is_dragged_in_the_wide_editor(page):
    page.get_by_role("button", name="⤢ Wider").click()
    page.locator(".wb-hier-seg", has_text="Cut points").click()
    cuts = page.locator(".wb-hier-row input").first
    cuts.fill("30, 60")
    cuts.press("Enter")
    expect(state_of(page, "age")).to_have_text("1 level, 74 → 3")
    line = page.locator("[data-grip='0:0'] .wb-hier-hold").bounding_box()
    lane = page.locator("[data-lane='0']").bounding_box()
    page.mouse.move(line["x"] + 5, line["y"] + 6)
    page.mouse.down()
    page.mouse.move(lane["x"] + (40 - 17) / 73 * lane["width"], line["y"] + 6, steps=5)
    page.mouse.up()
    expect(cuts).to_have_value("40, 60")
    expect(page.locator(".wb-hier-tree")).to_contain_text("[40-59]")
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_be_hidden()
    expect(page.get_by_role("button", name="⤢ Wider")).to_be_focused()


def test_values_are_grouped_by_mouse_and_by_keys(page):
    choose(page, "native_country")
    member = page.locator(".wb-hier-member")
    member.nth(0).click()
    member.nth(2).click(modifiers=["Shift"])
    name = page.get_by_role("textbox", name="Name of the group")
    name.fill("First")
    name.press("Enter")
    expect(state_of(page, "native_country")).to_have_text("1 level, 41 → 39")
    expect(member.first).to_contain_text("First")
    page.get_by_role("searchbox", name="Find values to group").fill("viet")
    page.get_by_role("listbox", name="Values to group").focus()
    page.keyboard.press("Space")
    page.get_by_role("searchbox", name="Find values to group").fill("laos")
    page.get_by_role("listbox", name="Values to group").focus()
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    page.keyboard.press("Control+a")
    page.keyboard.type("Indochina")
    page.keyboard.press("Enter")
    expect(state_of(page, "native_country")).to_have_text("1 level, 41 → 38")
    page.get_by_role("button", name="Undo").click()
    expect(state_of(page, "native_country")).to_have_text("1 level, 41 → 39")
    tree = page.get_by_role("treegrid")
    tree.focus()
    page.keyboard.press("ArrowRight")
    expect(tree.locator("[aria-expanded=true]")).to_have_count(1)


def test_an_imported_file_is_mended(page):
    choose(page, "workclass")
    page.locator(".wb-hier-seg", has_text="Import").click()
    page.locator("textarea").fill(WORKCLASS)
    wrong = page.locator("[data-field=import] .wb-wrong")
    expect(wrong).to_contain_text("3 of its 7 values are missing")
    expect(state_of(page, "workclass")).to_have_text("no hierarchy, 7 values")
    page.locator("textarea").press("Tab")  # it is sent once more, and is as wrong as before
    page.locator(".wb-hier-columns").press("Control+z")  # there is nothing to undo
    page.wait_for_timeout(700)
    expect(wrong).to_contain_text("3 of its 7 values are missing")
    page.get_by_role("button", name="'state-gov' in the file is 'State-gov'").click()
    expect(wrong).to_contain_text("2 of its 7 values are missing")
    page.get_by_role("button", name="Put them in their own group: other").click()
    expect(state_of(page, "workclass")).to_have_text("1 level, 7 → 4")
    expect(wrong).to_be_empty()
    expect(page.locator(".wb-hier-edit")).to_contain_text("'Never-worked'")


def test_every_button_leaves_the_focus_where_work_goes_on(page):
    choose(page, "native_country")
    member, keys = page.locator(".wb-hier-member"), page.keyboard
    values = page.get_by_role("listbox", name="Values to group")
    for label, button in (("First", "Group"), ("Second", "Rename"), (None, "Take out")):
        values.focus()
        keys.press("Home")
        keys.press("Space")
        if label:
            page.get_by_role("textbox", name="Name of the group").fill(label)
        page.get_by_role("button", name=button, exact=True).focus()
        keys.press("Enter")
        expect(values).to_be_focused()
        expect(member.first).to_contain_text(label or "")
    undo, redo = page.get_by_role("button", name="Undo"), page.get_by_role("button", name="Redo")
    undo.focus()
    for _ in range(3):
        keys.press("Enter")
        page.wait_for_timeout(300)
    expect(state_of(page, "native_country")).to_have_text("no hierarchy, 41 values")
    expect(redo).to_be_focused()
    choose(page, "age")
    page.locator("input[value=widths]").focus()
    keys.press("ArrowRight")
    expect(page.locator("input[value=cuts]")).to_be_focused()
    expect(page.locator(".wb-hier-edit .wb-wrong").get_by_text("Type")).to_have_count(0)  # empty is no mistake
    keys.press("ArrowLeft")
    expect(page.locator("input[value=widths]")).to_be_focused()
    rows = page.locator(".wb-hier-row")
    before = state_of(page, "age").inner_text()
    page.get_by_role("button", name="Remove level 2").focus()
    keys.press("Enter")
    expect(rows).to_have_count(1)
    expect(state_of(page, "age")).not_to_have_text(before)  # Python has answered, and nothing is redrawn
    expect(rows.locator("input")).to_be_focused()
    page.get_by_role("button", name="Use the proposal").focus()
    keys.press("Enter")
    expect(rows).to_have_count(3)
    expect(rows.locator("input").first).to_be_focused()
    page.get_by_role("button", name="Remove hierarchy").focus()
    keys.press("Enter")
    expect(state_of(page, "age")).to_have_text("no hierarchy, 74 values")
    expect(rows.locator("input").first).to_be_focused()


def test_a_prefix_that_changes_nothing_is_said_at_its_field(page):
    choose(page, "age")
    page.locator(".wb-hier-seg", has_text="Prefixes").click()
    keep = page.get_by_label("Characters kept per level")
    keep.fill("2")
    keep.press("Enter")
    expect(page.locator("[data-field=keep] .wb-wrong")).to_contain_text("keeping 2 changes nothing")
    expect(keep).to_be_focused()
    keep.fill("1")
    keep.press("Enter")
    expect(state_of(page, "age")).to_have_text("1 level, 74 → 9")
    expect(page.locator("[data-field=keep] .wb-wrong")).to_be_empty()


def test_what_releases_show_is_chosen_beside_the_hierarchy_with_examples(page):
    choose(page, "education")
    shown = page.locator("[data-field=regions]")
    expect(shown.get_by_label("Releases show")).to_be_visible()
    choose(page, "age")
    shown.get_by_label("Releases show").select_option("nodes of the hierarchy")
    expect(shown.locator("code").first).to_have_text("[15-19]")
    shown.get_by_label("Releases show").select_option("ranges")
    expect(shown.locator("code").last).to_have_text("[64-90]")  # 46 people are 90
    choose(page, "native_country")
    expect(shown.get_by_label("Releases show").locator("option")).to_have_count(2)  # it has no hierarchy yet
