"""The recipe picker, the release under its sliders and the exports, in Chromium: in Voila, and in JupyterLab."""

import csv
import io
import re
import zipfile

import pytest
from playwright.sync_api import expect

from tests.browser.stage import lab, open_lab, write_notebook

CELL = """
import ipywidgets
from widgets import RecipePicker, ReleaseCard, ReleasePreview
from workbench.data.datasets import adult
from workbench.studies.study import Study
from workbench.frontier.sweep import sweep

LEFT_OUT = ["fnlwgt", "education_num", "relationship", "marital_status"]
table = adult(quasi=("age", "education", "sex")).drop(LEFT_OUT)
study = Study(
    name="Adult",
    data={"bundled": "adult", "drop_missing": True},
    quasi=("age", "education", "sex"),
    sensitive=("occupation",),
    identifiers=tuple(LEFT_OUT),
    recipes=[{"method": {"name": "mondrian"}, "model": {"name": "k-anonymity", "k": [10, 100, 1000]}}],
    measures=[{"name": "privacy loss"}, {"name": "utility loss"}],
    axes=["P_loss", "U_loss"],
)
frontier = sweep(table, study.candidates(), study.measured())

def made():
    picker = RecipePicker(table, recipes=study.recipes, measures=study.measures, axes=study.axes)
    card = ReleaseCard(table, study.measured(), study.candidates()[0], frontier=frontier)
    preview = ReleasePreview(study=study, frontier=frontier)

    def follow(_):
        preview.recipe, preview.release = card.recipe, card.release

    card.observe(follow, "release")
    return ipywidgets.VBox([picker, card, preview], layout={"width": "360px"})
"""
ALONE = """
from widgets import RecipePicker
from workbench.data.datasets import adult
table = adult(quasi=("age", "education", "sex"))

def made():
    return RecipePicker(table.with_roles(table.quasi, ()))
"""
EXCHANGED = """
from tests.methods.raking.tables import table
from widgets import ReleaseCard
from workbench.frontier.recipe import Recipe
from workbench.measures import PrivacyLoss, UtilityLoss
from workbench.methods import RakedBuckets
from workbench.models import TCloseness

def made():
    recipe = Recipe(RakedBuckets(publish="exchanged", rho=1.0, smallest=10), TCloseness(0.3, distance="js"))
    return ReleaseCard(table(), [PrivacyLoss(), UtilityLoss()], recipe)
"""
NAME = ".wb-recipe-name"


@pytest.fixture
def page(one_page):
    with one_page.fresh(CELL, f"{NAME}:has-text('k = 10')") as page:
        yield page


def k_of(page):
    return int(re.search(r"k = (\d+)", page.locator(NAME).inner_text())[1])


def test_values_are_typed_with_the_keyboard_and_refused_where_they_stand(page):
    box = page.get_by_label("k: minimum number of records per class").first
    box.fill("2..64 x2")
    box.press("Enter")
    page.get_by_text("6 releases of 1 model").first.wait_for()
    box.fill("5, many")
    box.press("Tab")
    page.get_by_text("'many' is not a number").wait_for()
    assert box.input_value() == "5, many"
    page.get_by_label("t-closeness", exact=True).check()
    page.get_by_text("12 releases of 2 models").first.wait_for()
    assert box.input_value() == "5, many"


def test_removed_buttons_leave_the_focus_next_to_them(page):
    page.get_by_label("join another model to k-anonymity").select_option("t-closeness")
    page.get_by_role("button", name="remove t-closeness").focus()
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.activeElement.dataset.key?.endsWith('.0.k')")
    page.get_by_role("button", name="another k-anonymity").focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="remove this k-anonymity").last.focus()
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.activeElement.dataset.key?.startsWith('row.')")


def test_alone_and_without_a_sensitive_column_it_is_calm_and_says_what_a_model_needs(one_page):
    with one_page.fresh(ALONE, ":text('9 releases of 1 model')") as page:
        assert page.locator(".wb-wrong", has_text=re.compile(".")).count() == 0
        page.get_by_label("l-diversity", exact=True).focus()
        page.keyboard.press("Space")
        needs = page.get_by_text(
            "l-diversity needs a sensitive column, and the table has none: choose one in the step Roles."
        )
        needs.wait_for()
        page.keyboard.press("Tab"), page.keyboard.press("Tab"), page.keyboard.press("Tab")
        page.keyboard.press("Control+a")
        page.keyboard.type("2, 3")
        page.keyboard.press("Enter")
        page.get_by_text("11 releases of 2 models").first.wait_for()
        assert needs.is_visible() and page.get_by_text("must be at most").count() == 0


def test_the_guarantee_and_the_notice_for_recipients_are_two_sentences(one_page):
    with one_page.fresh(EXCHANGED, ":text('Tell recipients:')") as page:
        said = page.get_by_text("Guarantee of the method:").locator("..").inner_text()
        assert re.search(r"\. Tell recipients: sensitive values were exchanged", said)


def test_the_release_follows_the_slider(page):
    slider = page.get_by_role("slider")
    for k in (11, 12, 13):
        slider.press("ArrowRight")
        page.wait_for_function(f"() => document.querySelector('{NAME}').textContent.includes('k = {k}')")
    slider.scroll_into_view_if_needed()  # what is drawn above it has pushed it down
    box = slider.bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + box["height"] / 2)
    page.mouse.down()
    for step in range(40):
        page.mouse.move(box["x"] + 5 + step * (box["width"] - 10) / 60, box["y"] + box["height"] / 2)
    page.mouse.up()
    typed = page.get_by_label("k, typed")
    page.wait_for_function(
        f"() => document.querySelector('{NAME}').textContent.endsWith(' ' + document.querySelector('.wb-typed').value)"
    )
    assert k_of(page) == int(typed.input_value()) > 100


def test_a_move_of_the_slider_makes_the_browser_lay_the_page_out_a_few_times_only(page):
    """Counts, which no load changes: each block that asks for its height in between costs one more."""
    browser = page.context.new_cdp_session(page)
    browser.send("Performance.enable")

    def layouts():
        found = browser.send("Performance.getMetrics")["metrics"]
        return next(one["value"] for one in found if one["name"] == "LayoutCount")

    page.get_by_role("slider").focus()
    before, moves, name = layouts(), 8, page.locator(NAME)
    for _ in range(moves):
        now = name.inner_text()
        page.keyboard.press("ArrowRight")
        page.wait_for_function(f"now => document.querySelector('{NAME}').textContent !== now", arg=now)
    made = (layouts() - before) / moves
    assert made < 7


def test_what_cannot_be_had_is_said_and_the_last_good_stays(page):
    page.get_by_label("model", exact=True).select_option("l-diversity")
    page.get_by_text("l-diversity, l = 3").first.wait_for()
    typed = page.get_by_label("l, typed")
    typed.fill("14")
    typed.press("Enter")
    page.get_by_text("No such release.").wait_for()
    page.get_by_text("Shown below: l-diversity, l = 3").wait_for()
    typed.fill("lots")
    typed.press("Enter")
    page.get_by_text("'lots' is not a number").wait_for()


def test_an_order_of_columns_is_typed_where_the_split_is_chosen(page):
    page.get_by_text("method: mondrian").click()
    page.get_by_label("split", exact=True).select_option("order")
    page.get_by_text("needs an order of columns; choose one").first.wait_for()
    order = page.get_by_label("order", exact=True)
    order.fill("sex, ages")
    order.press("Enter")
    page.get_by_text("'ages' is not a column of the table").wait_for()
    order.fill("sex, age")
    order.press("Enter")
    page.get_by_text("order = sex, age").first.wait_for()
    assert order.input_value() == "sex, age" and page.get_by_text("'ages' is not a column").count() == 0


def test_a_missing_target_is_reported_at_its_field(page):
    page.get_by_text(re.compile("^options: split")).click()
    page.get_by_role("button", name="information gain", exact=True).click()
    page.locator("[data-field='method.0.target'] .wb-wrong", has_text="choose one").wait_for()
    page.get_by_text(re.compile("^options: split")).click()  # folded away
    page.get_by_label("t-closeness", exact=True).check()
    page.locator("[data-field='method.0.target'] .wb-wrong", has_text="choose one").wait_for()
    target = page.locator("[data-field='method.0.target']")
    target.locator("summary").click()
    target.get_by_role("button", name="occupation", exact=True).click()
    page.get_by_text(re.compile("^18 releases of 2 models")).first.wait_for()
    assert not page.get_by_text("choose one").count()


def test_orders_of_columns_are_typed_among_the_options(page):
    page.get_by_text(re.compile("^options: split")).click()
    chips = page.get_by_role("group", name=re.compile("^split: "))
    chips.get_by_role("button", name="order").click()
    expect(chips.get_by_role("button", name="order")).to_have_attribute("aria-pressed", "true")
    chips.get_by_role("button", name="widest").click()
    expect(chips.get_by_role("button", name="widest")).to_have_attribute("aria-pressed", "false")
    page.get_by_text("needs an order of columns; choose one").first.wait_for()
    box = page.get_by_label(re.compile("^order: "))
    box.fill("sex, age; education")
    box.press("Enter")
    page.get_by_text("6 releases of 1 model").first.wait_for()
    assert box.input_value() == "sex, age; education"


def test_an_alternative_is_chosen(page):
    page.locator(".wb-beside button").first.click()
    page.wait_for_function(f"() => !document.querySelector('{NAME}').textContent.endsWith('k = 10')")
    assert k_of(page) in (100, 1000)


def test_files_come_to_the_browser_and_readers_get_no_preview(page):
    release = page.locator("[data-field=release]")
    page.get_by_role("button", name="The release as CSV").click()
    expect(release.locator(".wb-wrong")).to_contain_text("neutral columns are published unchanged", ignore_case=True)
    release.get_by_label("Export anyway").check()
    with page.expect_download() as coming:
        page.get_by_role("button", name="The release as CSV").click()
    assert coming.value.suggested_filename == "adult-release.zip"
    with zipfile.ZipFile(coming.value.path()) as archive:
        assert archive.namelist() == [f"adult-release{rest}" for rest in (".csv", "-codebook.csv", "-codebook.json")]
        assert sum(1 for _ in csv.reader(io.TextIOWrapper(archive.open("adult-release.csv"), newline=""))) == 45_223
    with page.expect_download() as coming:
        page.get_by_role("button", name="The study as Python").click()
    assert coming.value.suggested_filename == "adult-release.py"
    assert page.get_by_role("button", name="Show original").count() == 0


def test_in_lab_records_are_shown_when_asked_and_kept_nowhere(tmp_path, on_stage):
    notebook = write_notebook(tmp_path / "recipes.ipynb", CELL, "made()")
    settings = tmp_path / ".settings" / "@jupyter-widgets" / "jupyterlab-manager" / "plugin.jupyterlab-settings"
    settings.parent.mkdir(parents=True)
    settings.write_text('{"saveState": true}')
    with lab(tmp_path) as address:
        page = open_lab(on_stage(width=1600), address, notebook.name)
        ask = page.get_by_role("button", name="Show original and released records")
        ask.wait_for(timeout=60_000)
        page.get_by_label("records to show").fill("300")  # of so many, some are generalized
        ask.click()
        page.locator(".wb-sample tbody tr").nth(299).wait_for()
        assert page.locator(".wb-sample .wb-changed").count() > 0
        page.evaluate("async () => { await jupyterapp.commands.execute('docmanager:save'); }")
        saved = notebook.read_text()
        assert "application/vnd.jupyter.widget-state+json" in saved
        assert not any(word in saved for word in ("Craft-repair", "Exec-managerial", "HS-grad"))
        page.reload()
        page.get_by_role("button", name="Show original and released records").wait_for(timeout=60_000)
        page.wait_for_function(f"() => document.querySelector('{NAME}')?.textContent.includes('k = 10')")
        assert page.locator(".wb-sample").count() == 0
        page.close()


CLUSTERED = """
import ipywidgets
from widgets import RecipePicker, ReleaseCard
from workbench.data.datasets import adult
from workbench.frontier.recipe import Recipe
from workbench.methods import ThresholdClustering
from workbench.models import KAnonymity
from workbench.measures import GroupUtility, PrivacyLoss

table, method = adult(), ThresholdClustering(delta=0.4)

def made():
    several = {**method.to_dict(), "utility": [1, 0.5, 0], "protection": [0, 0.5, 1]}
    picker = RecipePicker(table, recipes=[{"method": several, "model": {"name": "k-anonymity", "k": 10}}])
    card = ReleaseCard(table, [PrivacyLoss(), GroupUtility()], Recipe(method, KAnonymity(10)))
    return ipywidgets.VBox([picker, card], layout={"width": "360px"})
"""


def test_the_weights_of_a_clustering_are_one_slider_and_a_long_one_is_cancelled(one_page):
    with one_page.fresh(CLUSTERED, f"{NAME}:has-text('k = 10')") as page:
        assert page.get_by_label("protection: the share of protection").first.input_value() == "0, 0.5, 1"
        page.get_by_text("pools all classes that cover the person").wait_for()  # the hand rests
        slider = page.locator("[data-key='method.protection']")
        assert slider.get_attribute("aria-valuetext") == "protection = 0.5"
        slider.press("ArrowRight")
        far = page.locator(".wb-doing")
        far.get_by_text(re.compile(r"records")).wait_for()
        far.get_by_role("button", name="Cancel").click()
        page.get_by_text(re.compile("Cancelled at clustering: .*unfinished release")).wait_for(timeout=20_000)
        expect(slider).to_have_attribute("aria-valuetext", "protection = 0.5")
