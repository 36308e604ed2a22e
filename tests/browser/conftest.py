"""Browser tests: skipped without Chromium, but never in CI; a report and a page of the dashboard are fast tests."""

import os

import pytest
from playwright.sync_api import expect

from tests.browser import stage

FAST = ("test_report.py", "test_the_address_opens_its_choice_and_follows_the_slider")
expect.set_options(timeout=20_000)  # a busy machine is slow, not wrong


def pytest_collection_modifyitems(items):
    for item in items:
        if "browser" in item.path.parts:
            if stage.CHROMIUM is None and not os.environ.get("CI"):
                item.add_marker(pytest.mark.skip(reason="Chromium is not installed"))
            if item.path.name not in FAST and item.name not in FAST:
                item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def browser():
    with stage.chromium() as one:
        yield one


@pytest.fixture(scope="session")
def one_page(browser, tmp_path_factory):
    """A page and its kernel that all tests of widgets share."""
    with stage.stand(browser, tmp_path_factory.mktemp("stand")) as one:
        yield one


@pytest.fixture
def on_stage(browser):
    """A function: a fresh page; at the end nothing may have gone wrong on it."""
    stages = []

    def one(**options):
        stages.append(stage.Stage(browser, **options))
        return stages[-1]

    yield one
    for each in stages:
        each.context.close()
    assert not [wrong for each in stages for wrong in each.wrong]
