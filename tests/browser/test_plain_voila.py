"""dashboard.ipynb served by Voila itself, without the workbench's own server."""

import sys

import pytest
from playwright.sync_api import expect

from tests.browser import stage
from tests.planted import planted
from workbench.publication.publish import publish


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    folder = tmp_path_factory.mktemp("plain")
    publish(planted(folder, caps={"P_loss": 0.2}), folder / "published", warn=lambda text: None)
    return folder / "published"


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    port, folder = stage.free_port(), tmp_path_factory.mktemp("voila")
    notebook = stage.ROOT / "notebooks" / "dashboard.ipynb"
    command = [sys.executable, "-m", "voila", str(notebook), f"--port={port}", "--no-browser", "--Voila.ip=127.0.0.1"]
    with stage.served(command, f"http://127.0.0.1:{port}/voila/static/", folder, WORKBENCH_PUBLISHED=""):
        yield f"http://127.0.0.1:{port}/"


def opened(browser, address):
    page = browser.new_context().new_page()
    page.goto(address)
    return page


def test_it_shows_the_bundled_example(browser, address):
    page = opened(browser, address)
    expect(page.get_by_text("Adult, as in Li & Li (2009)").first).to_be_visible(timeout=120_000)


def test_the_address_names_another_folder(browser, address, published):
    page = opened(browser, f"{address}?folder={published}")
    expect(page.get_by_text("Who is ill").first).to_be_visible(timeout=60_000)


def test_a_folder_without_a_study_says_how_to_make_one(browser, address, tmp_path):
    page = opened(browser, f"{address}?folder={tmp_path}")
    expect(page.get_by_text("workbench dashboard --publish study.yaml folder").first).to_be_visible(timeout=60_000)
