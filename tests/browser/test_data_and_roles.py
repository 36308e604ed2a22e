"""Data and roles in a real browser: uploads beyond the websocket's limit, what is refused, roles by keyboard alone."""

import numpy as np
import pandas as pd
import pytest

CELL = """
import ipywidgets, traitlets
from widgets import DataPicker, RolePicker

def made():
    data, roles = DataPicker(most_bytes=60_000_000), RolePicker()
    traitlets.dlink((data, "base"), (roles, "base"))
    out = ipywidgets.HTML()

    def say(_):
        made = roles.table
        records = data.base and data.base.records
        out.value = f"<code id='out'>{roles.roles} {dict(data.data)} {records} {made and made.quasi}</code>"

    roles.observe(say, "table"), data.observe(say, ["base", "data"])
    say(None)
    return ipywidgets.VBox([data, roles, out], layout=ipywidgets.Layout(width="380px"))
"""


@pytest.fixture
def page(one_page):
    with one_page.fresh(CELL, ".wb-column[data-field='column:age']", width=900, height=1200) as page:
        yield page


def wait_for_output(page, text: str, timeout: int = 30_000) -> None:
    """Wait until Python has received it."""
    page.locator("#out", has_text=text).wait_for(timeout=timeout)


def send(page, path) -> None:
    page.get_by_text("Upload", exact=True).click()
    page.locator("input[type=file]").set_input_files(path)


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """50 MB: five times what a websocket takes at once."""
    rng = np.random.default_rng(0)
    one = pd.DataFrame({f"column_{i}": rng.integers(0, 9 * 10**i, 100_000) for i in range(8)})
    path = tmp_path_factory.mktemp("large") / "large.csv"
    text = one.to_csv(index=False, header=False)
    with path.open("w") as file:
        file.write(",".join(one.columns) + "\n")
        while file.tell() < 50_000_000:
            file.write(text)
    return path


def test_fifty_megabytes_arrive_with_progress_and_can_be_cancelled(page, large):
    send(page, large)
    page.locator(".wb-doing", has_text="of 5").wait_for()
    page.get_by_role("button", name="Cancel").click()
    page.locator(".wb-work").wait_for(state="hidden")
    assert "adult" in page.locator("#out").inner_text()
    send(page, large)
    wait_for_output(page, "upload: large.csv", timeout=120_000)
    lines = sum(1 for _ in large.open()) - 1
    wait_for_output(page, f" {lines} ")
    page.locator(".wb-using", has_text=f"{lines:,} records × 8 columns").wait_for()
    page.locator(".wb-column[data-field='column:column_7']").wait_for()


def test_types_and_missing_codes_are_chosen_where_the_data_are(page, tmp_path):
    rows = "".join(f"{-7 if i % 5 == 0 else i},{1 if i % 2 else 2},{i}\n" for i in range(100))
    (tmp_path / "people.csv").write_text("age,sex,wage\n" + rows + "1,2,marker\n")
    page.get_by_text("Path", exact=True).click()
    page.get_by_label("File on the server").fill(str(tmp_path / "people.csv"))
    page.get_by_role("button", name="Read").click()
    page.locator(".wb-unreadable", has_text="wage").wait_for()
    assert page.locator(".wb-unreadable code").inner_text() == "marker"
    page.get_by_role("textbox", name="Missing values").fill("-7, marker")
    page.get_by_role("textbox", name="Missing values").press("Enter")
    wait_for_output(page, "'missing': ['-7', 'marker']")
    page.locator(".wb-unreadable").wait_for(state="hidden")
    page.get_by_label("Type of sex").select_option("text")
    wait_for_output(page, "'types': {'sex': 'text'}")
    assert page.get_by_role("textbox", name="Missing values").input_value() == "-7, marker"
    assert page.get_by_label("Type of sex").input_value() == "text"


def test_what_the_data_do_not_decide_is_asked_and_texts_are_added_to_those_missing(page, tmp_path):
    rows = "".join(f'0{1 + i % 9}/0{1 + i % 7}/1970,"{10 + i},500",{18 + i}\n' for i in range(60))
    (tmp_path / "people.csv").write_text("born,income,age\n" + rows + '01/02/1970,950,NA\n01/02/1970,"1,000",abt 40\n')
    page.get_by_text("Path", exact=True).click()
    page.get_by_label("File on the server").fill(str(tmp_path / "people.csv"))
    page.get_by_role("button", name="Read").click()
    page.locator(".wb-unreadable", has_text="may be the day or the month").wait_for()
    assert page.get_by_role("textbox", name="Missing values").input_value() == "NA"
    page.get_by_role("button", name="date as dd/mm/yyyy").click()
    page.locator(".wb-unreadable li").nth(1).wait_for(state="hidden")
    page.get_by_role("button", name="Read it as missing").click()
    wait_for_output(page, "'missing': ['NA', 'abt 40']")
    page.locator("tr[data-name=income] .wb-range", has_text="950 to 69,500").wait_for()
    page.locator("tr[data-name=born] .wb-range", has_text="1970-01-01 to 1970-07-08").wait_for()
    page.get_by_label("Type of born").select_option("format")
    page.get_by_label("Date format of born").fill("%m/%d/%Y")
    page.get_by_label("Date format of born").press("Enter")
    wait_for_output(page, "'born': 'date %m/%d/%Y'")
    page.locator("tr[data-name=born] .wb-range", has_text="1970-01-01 to 1970-09-06").wait_for()
    page.get_by_role("button", name="As found").click()
    page.locator(".wb-unreadable code", has_text="abt 40").wait_for()


def test_what_is_no_table_or_too_large_is_said_at_the_upload(page, tmp_path):
    wrong = page.locator("[data-field=upload] .wb-wrong")
    picture = tmp_path / "picture.csv"
    picture.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20)
    empty, huge, letter = tmp_path / "empty.csv", tmp_path / "huge.csv", tmp_path / "letter.docx"
    empty.touch()
    letter.write_text("Dear all")
    with huge.open("wb") as file:
        file.truncate(60_000_001)
    for path, text in (
        (huge, "60.0 MB are more than the 60.0 MB allowed"),
        (empty, "empty.csv: the file is empty"),
        (letter, "letter.docx: unknown file type"),
        (picture, "picture.csv: not a text file"),
    ):
        send(page, path)
        page.locator("[data-field=upload] .wb-wrong", has_text=text).wait_for()
        assert page.locator(".wb-work").is_hidden()
    assert "48842" in page.locator("#out").inner_text(), "the last good table stays"
    good = tmp_path / "good.csv"
    good.write_text("age,ill\n" + "31,flu\n32,cold\n" * 30)
    send(page, good)
    wait_for_output(page, "upload: good.csv")
    assert wrong.inner_text() == ""


def test_a_path_that_is_none_is_said_at_the_path(page, tmp_path):
    page.get_by_text("Path", exact=True).click()
    page.keyboard.type("no/such.csv")
    page.keyboard.press("Enter")
    page.locator("[data-field=path] .wb-wrong", has_text="not an existing file").wait_for()
    (tmp_path / "people.csv").write_text("age,ill\n31,flu\n32,\n")
    page.get_by_label("File on the server").fill(str(tmp_path / "people.csv"))
    page.keyboard.press("Enter")
    wait_for_output(page, "people.csv")
    box = page.get_by_label("Drop records with missing values")
    page.get_by_text("(1, 50 %, counting all columns)").wait_for()
    box.click()
    wait_for_output(page, "'drop_missing': True")
    assert box.is_checked()


def test_roles_by_keyboard_alone(page):
    keys = page.keyboard
    page.locator(".wb-roles .wb-tools input").focus()
    keys.type("capital")
    page.wait_for_function("() => document.querySelectorAll('.wb-rows .wb-column:not([hidden])').length === 2")
    keys.press("Control+A"), keys.press("Delete")
    page.locator(".wb-column[data-field='column:age']").focus()
    keys.press("q")
    wait_for_output(page, "'quasi': ['age']")
    page.locator(".wb-together", has_text="is unique on the quasi-identifier").wait_for()
    keys.press("ArrowDown"), keys.press("Shift+ArrowDown"), keys.press("Shift+ArrowDown")
    keys.press("q")
    wait_for_output(page, "'quasi': ['age', 'workclass', 'fnlwgt', 'education']")
    page.locator(".wb-together", has_text="unique on the 4 quasi-identifiers together").wait_for()
    keys.press("Home"), keys.press("Shift+PageDown")
    keys.press("n")  # that would leave none
    page.locator("[data-field=selected] .wb-wrong", has_text="at least one quasi-identifier must stay").wait_for()
    assert page.locator("button.wb-quasi[aria-checked=true]").count() == 4
    for _ in range(3):
        keys.press("ArrowUp")
    keys.press("ArrowLeft")  # one to the left of neutral
    wait_for_output(page, "'dropped': ['relationship']")
    page.get_by_role("button", name="Propose roles").click()
    wait_for_output(page, "'dropped': ['education_num', 'capital_gain'")
    wait_for_output(page, "'weight': ['fnlwgt']")
    page.get_by_role("button", name="Undo the proposal").click()
    wait_for_output(page, "'quasi': ['age', 'workclass', 'fnlwgt', 'education']")
    page.locator(".wb-roles .wb-chosen", has_text="4 quasi-identifiers: age, workclass, fnlwgt, …").wait_for()


def test_only_what_is_selected_is_highlighted(page):
    row = {name: page.locator(f".wb-column[data-field='column:{name}']") for name in ("age", "education", "race")}
    row["age"].locator(".wb-column-name").click()
    row["race"].hover()
    paint = {name: one.evaluate("one => getComputedStyle(one).backgroundColor") for name, one in row.items()}
    assert paint["race"] == paint["education"] != paint["age"]
    row["age"].hover()
    assert row["age"].evaluate("one => getComputedStyle(one).backgroundColor") == paint["age"]
    page.get_by_role("button", name="Propose roles").click()
    back = page.get_by_role("button", name="Undo the proposal")
    back.focus()
    page.keyboard.press("Enter")
    back.wait_for(state="hidden")
    page.wait_for_function("() => document.activeElement.textContent === 'Propose roles'")


def test_what_one_column_tells_about_another_is_walked_through_by_keyboard(page):
    keys = page.keyboard
    for name in ("education", "education_num", "sex"):
        page.locator(f".wb-column[data-field='column:{name}']").focus()
        keys.press("q")
        wait_for_output(page, f"{name}'], 'sensitive'")
    section = page.locator("[data-field=between]")
    section.locator("[role=gridcell][aria-label*='predicts sex']").first.wait_for(state="attached")  # all three columns
    section.locator("summary", has_text="education determines education_num, and 1 more").focus()
    keys.press("Enter")
    keys.press("Tab")
    why = section.locator(".wb-dependency-why")
    why.get_by_text("education determines education_num").wait_for()
    assert page.evaluate("document.activeElement.getAttribute('aria-label')").startswith("education determines")
    keys.press("ArrowRight"), keys.press("ArrowDown")
    why.get_by_text("education_num hardly predicts sex: 67").wait_for()
    keys.press("ArrowLeft")  # over its own place
    why.get_by_text("education_num determines education").wait_for()
    keys.press("ArrowLeft"), keys.press("ArrowUp")
    assert page.evaluate("document.activeElement.textContent") == "100", "there is nothing further"
    wait_for_output(page, "'quasi': ['education', 'education_num', 'sex']")
