"""The report opens from disk: it asks nothing of anybody, its chart is alive, it fits a telephone and paper."""

import pytest
from playwright.sync_api import expect

from tests.browser import stage
from tests.planted import planted
from workbench.publication.report.reporting import build_report


@pytest.fixture(scope="module")
def page_file(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    made = build_report(planted(folder, caps={"P_loss": 0.1}))
    made.write(folder / "report.html")
    return folder / "report.html"


@pytest.mark.parametrize("width", [390, 1280])
def test_it_opens_from_disk_and_its_chart_is_alive(browser, page_file, width):
    one = stage.Stage(browser, width=width, dark=width == 390)
    asked = []
    one.context.on("request", lambda request: asked.append(request.url))
    one.page.goto(page_file.as_uri())
    drawn = one.page.locator(".vega-embed svg, .vega-embed canvas").first
    expect(drawn).to_be_visible()
    point = one.page.locator(".vega-embed path[aria-label*='k = 120']").first
    point.hover(force=True)
    expect(one.page.locator("#vg-tooltip-element, .vg-tooltip").first).to_be_visible()
    assert one.page.evaluate("document.documentElement.scrollWidth") <= width
    assert drawn.bounding_box()["width"] >= 640, "it scrolls in its box; smaller it cannot be read"
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == [] and not one.wrong
    one.page.emulate_media(media="print", color_scheme="dark")
    assert not one.page.locator("nav").is_visible()
    one.context.close()


def test_its_parts_are_linked(browser, page_file):
    one = stage.Stage(browser)
    one.page.goto(page_file.as_uri())
    for link in one.page.locator("nav a").all():
        target = one.page.locator(link.get_attribute("href"))
        expect(target).to_have_count(1)
        assert link.inner_text() == "The decision" or target.locator("h2").inner_text() == link.inner_text()
    one.context.close()
