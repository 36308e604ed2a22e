"""Widgets as in a script: no event loop runs, also where a browser of earlier tests keeps one in this thread."""

import asyncio

import pytest


@pytest.fixture(autouse=True)
def no_loop():
    loop = asyncio._get_running_loop()
    asyncio._set_running_loop(None)
    yield
    asyncio._set_running_loop(loop)
