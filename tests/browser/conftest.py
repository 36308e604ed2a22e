"""Browser tests: they run where Chromium is, and in CI always."""

import os

import pytest
from playwright.sync_api import expect

from tests.browser import stage

expect.set_options(timeout=20_000)  # a busy machine is slow, not wrong


def pytest_collection_modifyitems(items):
    if stage.CHROMIUM is None and not os.environ.get("CI"):
        for item in items:
            if "browser" in item.path.parts:
                item.add_marker(pytest.mark.skip(reason="Chromium is not installed"))


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
