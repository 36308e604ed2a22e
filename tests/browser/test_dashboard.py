"""The dashboard as it is served: the limit in the address, the slider, an alternative, the downloads, bad addresses."""

import re
import zipfile

import pytest
from playwright.sync_api import expect

from tests.browser import stage
from tests.planted import PLACE, RARE_DISEASE, planted
from widgets.server.serving import link, voila_command
from workbench.publication.publish import publish

SAFER = "k-anonymity, k = 40 (mondrian)"  # than the release that is recommended at 0.2
NOTEBOOK = stage.ROOT / "notebooks" / "dashboard.ipynb"


def served(folder, published):
    port = stage.free_port()
    command, environment = voila_command(NOTEBOOK, port, stage.TOKEN, published=published)
    return stage.served(command, f"http://127.0.0.1:{port}/", folder, **environment), link(port, stage.TOKEN)


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    running, whole = served(tmp_path_factory.mktemp("server"), publish(planted(folder), folder / "out"))
    with running:
        yield whole


def opened(page, address):
    page.goto(address)
    expect(page.locator(".wb-classes tbody tr").first).to_be_visible(timeout=30_000)
    return page


@pytest.fixture(scope="module")
def resized(browser, address):
    """One page for all that only look at it, at every width; in dark colours at one."""
    stages = {dark: stage.Stage(browser, dark=dark) for dark in (False, True)}
    for one in stages.values():
        opened(one.page, address)
    yield lambda width: stages[width == 1920].resized(width)
    for one in stages.values():
        one.context.close()
        assert not one.wrong


def recipe(page):
    return page.locator(".wb-chosen-release")


def test_the_address_opens_its_choice_and_follows_the_slider(on_stage, address):
    page = opened(on_stage().page, f"{address}&cap=0.2")
    expect(recipe(page)).to_contain_text("t-closeness, t = 0.1, distance = js (mondrian)")
    slider = page.get_by_label("How much may be learned about any one person?")
    slider.focus()
    page.keyboard.press("Home")
    expect(recipe(page)).to_contain_text("t-closeness, t = 0.05, distance = js (mondrian)")
    expect(slider).to_have_attribute(
        "aria-valuetext",
        re.compile(r"for example, at most \d+ % of a group have disease “Flu” \(of everybody: 37 %\)"),
    )
    page.wait_for_url(re.compile(r"cap=0\.05"))
    for key, said in (("ArrowRight", "k = 40 "), ("ArrowLeft", "t = 0.05, ")):  # the next release, not the next pixel
        page.keyboard.press(key)
        expect(recipe(page)).to_contain_text(said)
    page.wait_for_url(re.compile(r"cap=0\.05"))
    opened(page, page.url)
    expect(recipe(page)).to_contain_text("t-closeness, t = 0.05, distance = js (mondrian)")


def test_with_the_keyboard_an_alternative_opens_and_its_files_come(on_stage, address, tmp_path):
    page = opened(on_stage().page, f"{address}&cap=0.2")
    other = page.locator("button.wb-other", has_text="A bit safer")
    other.focus()
    page.keyboard.press("Enter")
    expect(recipe(page)).to_contain_text(SAFER)
    expect(page.locator("button.wb-other", has_text="A bit safer")).to_be_focused()
    page.wait_for_url(re.compile(r"cap=0\.2&release=\w{16}-\d+$"))
    opened(page, page.url)
    expect(recipe(page)).to_contain_text(SAFER)
    files = {}
    for words in ("Download the release", "Download the report"):
        with page.expect_download() as coming:
            page.get_by_role("button", name=words).click()
        assert coming.value.suggested_filename.startswith("who-is-ill-re")
        files[words] = tmp_path / coming.value.suggested_filename
        coming.value.save_as(files[words])
    with zipfile.ZipFile(files["Download the release"]) as archive:
        stem = "who-is-ill-release"
        assert archive.namelist() == [f"{stem}.csv", f"{stem}-codebook.csv", f"{stem}-codebook.json"]
        assert archive.read(f"{stem}.csv").count(b"\n") == 601
    assert f"(number 3, {SAFER})" in files["Download the report"].read_text()
    page.get_by_role("button", name="Back to the first").click()
    expect(recipe(page)).to_contain_text("t-closeness, t = 0.1, distance = js (mondrian)")


def test_the_table_is_searched_and_goes_on(on_stage, address):
    page = opened(on_stage().page, f"{address}&cap=0.2")
    rows = page.locator(".wb-classes tbody tr")
    expect(rows).to_have_count(20)
    page.get_by_role("button", name="Show 20 more").click()
    expect(rows).not_to_have_count(20)
    page.get_by_label("Search").fill("nobody like that")
    expect(page.get_by_text("No match.")).to_be_visible()


def test_of_few_people_a_sentence_stands_where_the_groups_would(on_stage, tmp_path):
    running, whole = served(tmp_path, publish(planted(tmp_path, smallest=20), tmp_path / "out"))
    with running:
        page = on_stage().page
        page.goto(whole)
        said = page.get_by_text("The table has so few people that its groups are not listed.")
        expect(said).to_be_visible(timeout=30_000)
        expect(page.locator(".wb-classes table")).to_be_hidden()
        expect(page.get_by_label("Search")).to_be_hidden()
        page.close()  # before its server


def test_a_bad_limit_in_the_address_is_said_and_the_default_is_used(on_stage, address):
    page = opened(on_stage().page, f"{address}&cap=lots")
    expect(page.locator(".wb-question .wb-wrong")).to_contain_text("the limit 'lots' is not a number from")
    expect(recipe(page)).to_be_visible()


def test_a_release_over_the_limit_is_marked_as_such(on_stage, address):
    page = opened(on_stage().page, f"{address}&cap=0.15")
    page.locator("button.wb-other", has_text="over the limit").click()
    expect(recipe(page).get_by_text("More may be learned from it than the limit allows.")).to_be_visible()


def test_where_nobody_has_set_a_limit_nothing_is_beyond_it(on_stage, resized, address):
    page = resized(1280)
    expect(page.locator(".wb-meaning")).to_contain_text("No limit is set")
    assert page.locator(".wb-beyond, .wb-limit").count() == 0 and page.get_by_text("beyond the limit").count() == 0
    page = opened(on_stage().page, f"{address}&cap=0.15")
    assert page.locator(".wb-beyond").count() == 1 and page.get_by_text("grey: beyond the limit").count() == 1


def test_without_a_limit_the_decision_is_open_and_what_is_not_safe_is_no_choice(on_stage, address):
    page = opened(on_stage().page, address)
    expect(page.get_by_role("button", name="Download this suggestion")).to_be_visible()
    slider = page.get_by_label("How much may be learned about any one person?")
    expect(slider).to_have_class("wb-unset")
    assert page.locator(".wb-picture svg[role=img] .wb-mark-unsafe").count() == 2
    expect(page.get_by_text("not safe enough to be recommended")).to_be_visible()
    page.locator("button.wb-other", has_text="A bit safer").click()
    expect(page.get_by_role("button", name="Download the release")).to_be_visible()
    opened(page, f"{address}&cap=0.2")
    expect(page.get_by_role("button", name="Download the release")).to_be_visible()
    expect(slider).not_to_have_class("wb-unset")
    expect(page.locator(".wb-chosen-release .wb-title")).not_to_contain_text("for example")  # the slider says it


def test_the_first_screen_shows_the_suggestion_with_disclosure_exposure_and_cost(resized):
    page = resized(1280)
    for said in (
        "No limit is set. Our suggestion",
        "What may be learned",
        "Whom it exposes most",
        "What it costs in accuracy",
    ):
        card = page.locator(".wb-card", has=page.get_by_role("heading", name=re.compile(said))).first.bounding_box()
        assert card["y"] >= 0 and card["y"] + card["height"] <= 900, said


def test_a_server_that_is_gone_is_said_where_a_file_was_asked_for(on_stage, tmp_path):
    one = on_stage()
    running, whole = served(tmp_path, publish(planted(tmp_path), tmp_path / "out"))
    with running:
        page = opened(one.page, whole)
    page.get_by_role("button", name="Download the report").click()
    expect(page.locator(".wb-download .wb-wrong")).to_contain_text("Reload this page")
    expect(page.get_by_role("button", name="Download the report")).to_be_enabled()
    one.wrong.clear()  # a server that is gone is complained of


@pytest.mark.parametrize("width", [390, 800, 1280, 1920])
def test_nothing_goes_sideways_and_no_marker_is_in_the_page(resized, width):
    page = resized(width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    table = page.locator(".wb-classes table").bounding_box()
    assert table["x"] + table["width"] <= width
    column = page.locator(".wb-board").bounding_box()
    assert column["width"] <= 1100 and abs(column["x"] + column["width"] / 2 - width / 2) < 10
    assert not any(marker in page.content() for marker in ("planted-", PLACE, RARE_DISEASE, "people.csv"))


@pytest.mark.parametrize("width", [390, 1280])
def test_the_ring_around_the_slider_cuts_no_sentence(resized, width):
    page = resized(width)
    meaning, slider = (page.locator(place).bounding_box() for place in (".wb-meaning", ".wb-slide input"))
    ring = 3  # the width of its line and its distance
    assert meaning["y"] + meaning["height"] <= slider["y"] - ring


def test_no_published_study_is_said_on_the_page(on_stage, tmp_path):
    running, whole = served(tmp_path, tmp_path / "nothing")
    with running:
        page = on_stage().page
        page.goto(whole)
        expect(page.get_by_text("no study has been published there")).to_be_visible(timeout=30_000)
        page.close()  # before its server


def test_a_long_figure_stays_in_its_card(resized):
    page = resized(1280)
    figures = page.locator(".wb-figure")
    figures.evaluate_all("all => all.forEach(one => { one.textContent = '16.9\u201328.4 %'; })")
    for width in (1920, 1280, 800, 660, 400):
        page.set_viewport_size({"width": width, "height": 900})
        assert figures.evaluate_all("""all => all.every(one => {
          const card = one.closest(".wb-card"), own = one.getBoundingClientRect(), box = card.getBoundingClientRect();
          return own.right <= box.right - 10 && card.scrollWidth <= card.clientWidth && own.height < 70;
        })""")
