"""What leaves is of the study at hand: everything is toggled at random under load, in a real kernel, and compared."""

import os
import sys
import time
from pathlib import Path

import pytest
from jupyter_client.manager import KernelManager

from tests.widgets.hands import write_data

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture
def kernel(tmp_path):
    """A function that runs code in a kernel and returns what it printed."""
    manager = KernelManager(kernel_name="python3")
    manager.kernel_cmd = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    manager.start_kernel(cwd=str(tmp_path), env={**os.environ, "PYTHONPATH": path})
    client = manager.client()
    client.start_channels()
    client.wait_for_ready(timeout=60)

    def run(code, seconds=150):
        asked, printed, until = client.execute(code), "", time.monotonic() + seconds
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


@pytest.mark.slow
def test_what_is_exported_is_the_release_of_the_study_however_fast_it_changes(kernel, tmp_path):
    for name, seed in (("a.csv", 1), ("b.csv", 2)):
        write_data(tmp_path / name, seed)
    printed = kernel("from tests.widgets.hands import play\nprint(await play(300, seed=0))")
    compared = eval(printed.splitlines()[-1])
    assert min(compared.values()) >= 30, "it was possible all the time"
