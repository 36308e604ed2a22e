"""explore.ipynb as an analyst uses it, in JupyterLab and in Voila, with everything off this machine refused."""

import json
import re
import shutil
import zipfile

import numpy as np
import pytest
from playwright.sync_api import expect

from tests.browser import stage

NOTEBOOK = stage.ROOT / "notebooks" / "explore.ipynb"
SECONDS = 1000
LABS_FOOT = 30  # pixels of JupyterLab's status line


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """Ten megabytes of skewed and correlated records, whose points take long enough to be cancelled."""
    rng, path = np.random.default_rng(0), tmp_path_factory.mktemp("large") / "large.csv"
    age = rng.poisson(40, 50_000)
    sex = rng.choice(list("FM"), 50_000)
    rows = zip(age, rng.geometric(0.01, 50_000), sex, (age // 9 + rng.poisson(2, 50_000)) % 9, strict=True)
    text = "".join(f"{a},area-{b:05},{c},illness number {d}\n" for a, b, c, d in rows)
    with path.open("w") as file:
        file.write("age,area,sex,illness\n")
        while file.tell() < 10_000_000:
            file.write(text)
    return path


def step(page, title):
    """Opens a step on the left, which closes the one before."""
    one = page.locator("details.wb-step", has=page.locator("summary b", has_text=re.compile(f"^{title}$")))
    if one.get_attribute("open") is None:
        one.locator("summary").first.click()
    expect(one).to_have_attribute("open", "")
    return one


def points(page, text, timeout=60):
    expect(page.locator(".wb-done")).to_have_text(text, timeout=timeout * SECONDS)


def recipe(page):
    return page.locator(".wb-recipe-name").inner_text()


def analyse(page, large):
    """Run through an analyst's session, from the first chart to the exported file."""
    points(page, "26 points")
    expect(page.locator(".wb-recipe-name")).to_contain_text("t-closeness", timeout=30 * SECONDS)
    _click_a_point(page)
    _move_the_slider(page)
    _sort_filter_and_choose_classes(page)
    _change_a_role(page)
    _edit_a_hierarchy(page)
    _export(page)
    _upload_and_cancel(page, large)


SELECTED = """() => [...document.querySelectorAll(".wb-point b")].map(one => one.textContent)
  .find(text => text.startsWith("Selected")) ?? null"""


def _click_a_point(page):
    marks = page.locator(".wb-stage svg g[aria-roledescription='symbol mark container'] path")
    expect(marks.first).to_be_attached()
    expect(page.locator(".wb-point")).to_contain_text("Selected")  # its own selection has settled
    before, first, box = recipe(page), page.evaluate(SELECTED), page.locator(".wb-stage").bounding_box()
    for mark in marks.all():
        at, now = mark.bounding_box(), page.evaluate(SELECTED)
        if at and at["width"] < 16 and box["y"] < at["y"] < box["y"] + box["height"] - 60:
            page.mouse.click(at["x"] + at["width"] / 2, at["y"] + at["height"] / 2)
            page.wait_for_function(f"now => ({SELECTED})() !== now", arg=now)
            if page.evaluate(SELECTED) not in (None, first):  # not the same point once more, which lets it go
                break
    expect(page.locator(".wb-recipe-name")).not_to_have_text(before)
    expect(page.locator(".wb-point")).to_contain_text("Selected")


def _move_the_slider(page):
    before = recipe(page)
    page.locator(".wb-release input[type=range]").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".wb-recipe-name")).not_to_have_text(before)
    expect(page.locator(".wb-done")).to_have_text("26 points")
    typed = page.locator(".wb-release .wb-typed").first
    typed.fill("a lot")
    typed.press("Enter")
    expect(
        page.locator(".wb-release .wb-slide .wb-wrong").filter(has_text=re.compile("number|lot")).first
    ).to_be_visible()


def _sort_filter_and_choose_classes(page):
    page.get_by_role("button", name="Size", exact=False).first.click()
    expect(page.locator("[aria-sort=ascending]").first).to_contain_text("Size")
    every = page.locator(".wb-shown").inner_text()
    page.get_by_placeholder("Filter by words").fill("female")
    expect(page.locator(".wb-shown")).not_to_have_text(every)
    page.locator(".wb-grid-row").first.click()
    expect(page.locator(".wb-shown")).to_contain_text("1 selected")
    expect(page.locator(".wb-chosen-part")).to_have_attribute("d", re.compile("M"))
    page.get_by_role("button", name="Clear").click()


def _change_a_role(page):
    step(page, "Roles")
    page.locator(".wb-column[data-field='column:race']").press("n")
    expect(page.locator(".wb-roles .wb-chosen, .wb-step[open] .wb-chosen").first).to_contain_text("5 quasi-identifiers")
    points(page, "26 points")
    page.locator(".wb-column[data-field='column:race']").press("Control+z")
    expect(page.locator(".wb-step[open] .wb-chosen").first).to_contain_text("6 quasi-identifiers")
    points(page, "26 points")


REMADE = """() => {
  window.remade = 0;
  new MutationObserver(() => {
    const dimmed = Boolean(document.querySelector(".wb-release .wb-stale"));
    window.remade = dimmed ? 1 : window.remade && 2;
  }).observe(document.querySelector(".wb-release"), { subtree: true, childList: true, attributeFilter: ["class"] });
}"""  # 1 while the release is dimmed, 2 when the next one is there


def _edit_a_hierarchy(page):
    step(page, "Hierarchies")
    age = page.locator(".wb-hier-column", has_text="age")
    age.click()
    state = age.locator(".wb-hier-state").inner_text()
    page.evaluate(REMADE)
    rows = page.locator(".wb-hier-row input")
    rows.nth(1).fill("15")
    rows.nth(1).press("Enter")
    expect(age.locator(".wb-hier-state")).not_to_have_text(state)
    points(page, "26 points")
    page.wait_for_function("() => window.remade === 2")


def _export(page):
    release = page.locator("[data-field=release]")
    expect(release.get_by_label("Export anyway")).to_be_hidden()  # the example has no neutral columns
    with page.expect_download() as arriving:
        page.get_by_role("button", name="The release as CSV").click()
    with zipfile.ZipFile(arriving.value.path()) as archive:  # with its codebook
        assert len(archive.read(archive.namelist()[0]).splitlines()) == 46_034
    with page.expect_download() as arriving:
        page.get_by_role("button", name="The study as YAML").click()
    assert "quasi:" in arriving.value.path().read_text()
    with page.expect_download() as arriving:
        page.get_by_role("button", name="The chart as Vega-Lite").click()
    assert "vega-lite" in arriving.value.path().read_text()


def _upload_and_cancel(page, large):
    one = step(page, "Data")
    one.get_by_text("Upload", exact=True).click()
    one.locator("input[type=file]").set_input_files(large)
    expect(one.locator(".wb-using")).to_contain_text("4 columns", timeout=120 * SECONDS)
    step(page, "Roles")
    for name, key in (("age", "q"), ("area", "q"), ("sex", "q"), ("illness", "s")):
        page.locator(f".wb-column[data-field='column:{name}']").press(key)
    done = page.locator(".wb-done").first  # the next cell shows it once more
    expect(done).to_contain_text(" of 26 points", timeout=60 * SECONDS)
    page.locator(".wb-running").get_by_role("button", name="Cancel").click()
    expect(page.locator(".wb-done")).to_contain_text("stopped at")
    expect(page.get_by_role("button", name="Measure the remaining points")).to_be_visible()


@pytest.fixture(scope="module")
def in_voila(tmp_path_factory):
    """The folder that is served, and its address."""
    folder = tmp_path_factory.mktemp("voila")
    shutil.copy(NOTEBOOK, folder)
    with stage.voila(folder / NOTEBOOK.name) as address:
        yield folder, address


@pytest.fixture(scope="module")
def laboratory(tmp_path_factory):
    """One JupyterLab for all tests: its folder and its address."""
    folder = tmp_path_factory.mktemp("lab")
    with stage.lab(folder) as address:
        yield folder, address


@pytest.fixture
def in_lab(laboratory, request):
    """The folder of a notebook, and its address in a workspace of JupyterLab's that nobody has been in."""
    folder, address = laboratory
    own = folder / request.node.name
    own.mkdir()
    shutil.copy(NOTEBOOK, own)
    yield own, address.replace("/lab/tree/", f"/lab/workspaces/{own.name}/tree/{own.name}/")
    stage.end_kernels(address)


def on_the_first_screen(page):
    """On a laptop, from its top the workbench fits as far as the chart's last line: both axes have their titles."""
    for title in ("privacy loss, P_loss", "utility loss, U_loss"):
        page.wait_for_function(
            """([title, high]) => {
              const texts = [...document.querySelectorAll(".wb-stage svg text")];
              const box = texts.find(one => one.textContent.includes(title))?.getBoundingClientRect();
              return box && box.height > 0 && box.top >= 0 && box.bottom <= high;
            }""",
            arg=[title, 900 - LABS_FOOT],
        )


def test_in_voila(in_voila, on_stage, large):
    """Its chart is on the first screen; a reloaded page comes back; and all that an analyst does."""
    folder, address = in_voila
    on = on_stage(width=1280, height=900)
    on.page.goto(address)
    points(on.page, "26 points")
    on_the_first_screen(on.page)
    _reload(on.page)
    analyse(on.resized(1280, 1400), large)
    assert sorted(path.name for path in folder.iterdir()) == ["explore.ipynb", "server.log"], "nothing is left"


def _reload(page):
    step(page, "Roles")
    before = page.evaluate("JSON.stringify(sessionStorage)")
    page.locator(".wb-column[data-field='column:race']").press("n")
    chosen = page.locator("details.wb-step summary .wb-chosen")
    expect(chosen.filter(has_text="5 quasi-identifiers")).to_be_visible()
    page.wait_for_function("before => JSON.stringify(sessionStorage) !== before", arg=before)  # kept after a moment
    page.reload()
    points(page, "26 points")
    expect(chosen.filter(has_text="5 quasi-identifiers")).to_be_visible()
    step(page, "Roles")
    page.locator(".wb-column[data-field='column:race']").press("q")
    expect(chosen.filter(has_text="6 quasi-identifiers")).to_be_visible()


def test_in_lab(in_lab, on_stage, large):
    page = stage.open_lab(on_stage(width=1600, height=1400), in_lab[1], "explore.ipynb")
    analyse(page, large)


def test_in_lab_it_comes_back_after_reload_restart_and_reopening_and_a_saved_notebook_shows_picture_and_table(
    in_lab, on_stage
):
    folder, address = in_lab
    on = on_stage(width=1280, height=900)
    page = stage.open_lab(on, address, "explore.ipynb")
    points(page, "26 points")
    page.locator(".wb-app").evaluate("one => one.scrollIntoView()")  # past the notebook's own text and code
    on_the_first_screen(page)
    picture = page.locator("[class^='wb-still-'] img")
    expect(picture).to_be_attached()
    expect(picture).to_be_hidden()  # the live page shows no second one
    assert page.locator(".jp-OutputArea-child:visible").count() == 1
    on.resized(1600, 1400)
    step(page, "Roles")
    page.locator(".wb-column[data-field='column:race']").press("n")
    expect(page.locator("details.wb-step summary .wb-chosen", has_text="5 quasi-identifiers")).to_be_visible()
    cap = page.get_by_label(re.compile("^cap: P_loss"))
    cap.fill("0.2")
    cap.press("Enter")
    expect(page.locator(".wb-best")).to_contain_text("0.2")
    points(page, "26 points")
    page.evaluate("async () => { await jupyterapp.commands.execute('docmanager:save'); }")

    page.reload()  # the kernel goes on
    points(page, "26 points")
    came_back(page)

    page.evaluate("async () => { await jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart(); }")
    page.evaluate("() => { jupyterapp.commands.execute('notebook:run-all-cells'); }")
    page.wait_for_timeout(1000)
    points(page, "26 points")
    came_back(page)
    expect(page.locator("[class^='wb-still-'] img")).to_be_attached()
    page.evaluate("async () => { await jupyterapp.commands.execute('docmanager:save'); }")

    saved = (folder / "explore.ipynb").read_text()
    assert "Craft-repair" not in saved and "United-States" not in saved, "no value of the data is in a notebook"
    assert not json.loads(saved)["metadata"].get("widgets")
    page.evaluate("async () => { await jupyterapp.shell.currentWidget.sessionContext.shutdown(); }")
    page.context.close()

    page = stage.open_lab(on_stage(width=1600, height=1400), address, "explore.ipynb", run=False)
    expect(picture := page.locator("[class^='wb-still-'] img")).to_be_visible()
    assert picture.evaluate("one => one.complete && one.naturalWidth > 500")
    expect(page.locator("[class^='wb-still-'] tbody tr")).to_have_count(26)
    page.evaluate("() => { jupyterapp.commands.execute('notebook:run-all-cells'); }")
    points(page, "26 points")
    came_back(page)


def came_back(page):
    """Open the saved study again."""
    expect(page.locator("details.wb-step summary .wb-chosen", has_text="5 quasi-identifiers")).to_be_visible()
    expect(page.get_by_label(re.compile("^cap: P_loss"))).to_have_value("0.2")


def test_in_lab_the_next_cell_waits_while_the_page_goes_on(in_lab, on_stage):
    folder, address = in_lab
    notebook = json.loads(NOTEBOOK.read_text())
    cells = [
        "from widgets import Workbench\nw = Workbench('adult', keep=False)\nw",
        "w.wait()",
        "print(w.release, len(w.points))",
    ]
    notebook["cells"] = [
        {"cell_type": "code", "id": f"c{i}", "metadata": {}, "outputs": [], "execution_count": None, "source": cell}
        for i, cell in enumerate(cells)
    ]
    (folder / "waits.ipynb").write_text(json.dumps(notebook))
    page = stage.open_lab(on_stage(width=1600, height=1400), address, "waits.ipynb", run=False)
    page.evaluate(WATCH)
    page.evaluate("() => { jupyterapp.commands.execute('notebook:run-all-cells'); }")
    printed = page.locator(".jp-OutputArea-output pre").last
    expect(printed).to_contain_text("of 46,033 records in", timeout=60 * SECONDS)
    expect(printed).to_contain_text(" 26")
    told = page.evaluate("() => window.told")
    assert ["[*]:", True] in told, "the page is updated while the cell blocks"


WATCH = """() => {
  window.told = [];
  new MutationObserver(() => {
    const prompt = document.querySelectorAll(".jp-InputPrompt")[1]?.textContent;
    const under = document.querySelector(".wb-done")?.textContent.includes(" of 26 points") ?? false;
    if (JSON.stringify(window.told.at(-1)) !== JSON.stringify([prompt, under])) window.told.push([prompt, under]);
  }).observe(document.body, { subtree: true, childList: true, characterData: true });
}"""  # what the second cell's prompt was, and whether the page told of a sweep under way, at each change
