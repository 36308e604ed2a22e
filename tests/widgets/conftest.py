"""Widgets as in a script: no event loop runs, also where a browser of earlier tests keeps one in this thread."""

import asyncio
import os
import sys
import time
from pathlib import Path

import pytest
from jupyter_client.manager import KernelManager

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(autouse=True)
def no_loop():
    loop = asyncio._get_running_loop()
    asyncio._set_running_loop(None)
    yield
    asyncio._set_running_loop(loop)


@pytest.fixture
def kernel(tmp_path):
    """A function that runs a cell in a kernel, as a notebook does, and returns what it printed."""
    manager = KernelManager(kernel_name="python3")
    manager.kernel_cmd = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    manager.start_kernel(cwd=str(tmp_path), env={**os.environ, "PYTHONPATH": path})
    client = manager.client()
    client.start_channels()
    client.wait_for_ready(timeout=60)

    def run(code, seconds=300, cell="a"):
        content = {"code": code, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False}
        message = client.session.msg("execute_request", content, metadata={"cellId": cell})
        client.shell_channel.send(message)
        asked, printed, until = message["header"]["msg_id"], "", time.monotonic() + seconds
        while True:
            message = client.get_iopub_msg(timeout=until - time.monotonic())
            if message["parent_header"].get("msg_id") != asked:
                continue
            content = message["content"]
            if message["msg_type"] == "stream" and content["name"] == "stdout":
                printed += content["text"]
            assert message["msg_type"] != "error", f"{content['ename']}: {content['evalue']}"
            if message["msg_type"] == "status" and content["execution_state"] == "idle":
                return printed

    yield run
    client.stop_channels()
    manager.shutdown_kernel(now=True)
