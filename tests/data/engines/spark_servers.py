"""Servers that speak Spark Connect, for tests: one without Java in this process, and Apache Spark's own.

As a program it starts the latter, prints its address, and ends it when it is told to end.
"""

import atexit
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path

import pytest

from workbench.base.errors import BadInput
from workbench.data.engines import spark_session

RUNNING: list[object] = []  # a server that nobody holds shuts down
PREPARED = 90  # seconds that Apache Spark may take to start
# it runs for a minute: the best code that the JVM can make would cost more than it saves
SOON = {"JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}


def client():
    """What makes sessions; skips where it is not installed."""
    try:
        return spark_session.client()
    except BadInput as missing:
        pytest.skip(str(missing))


@cache
def sail() -> str:
    """The address of a server in this process, which starts in milliseconds."""
    client()
    os.environ.setdefault("RUST_LOG", "error")  # it says every session
    server = pytest.importorskip("pysail.spark", reason="pysail is not installed").SparkConnectServer("127.0.0.1", 0)
    server.start(background=True)
    RUNNING.append(server)
    return f"sc://127.0.0.1:{server.listening_address[1]}"


def sail_elsewhere(port: int | None = None) -> tuple[str, subprocess.Popen]:
    """The same in a process of its own, which can be killed."""
    sail()
    port = port or _free()
    code = (
        f"from pysail.spark import SparkConnectServer; s = SparkConnectServer('127.0.0.1', {port}); "
        "s.start(background=False)"
    )
    process = subprocess.Popen([sys.executable, "-c", code])
    atexit.register(process.kill)
    _listening(port, process)
    return f"sc://127.0.0.1:{port}", process


@cache
def apache() -> str:
    """Apache Spark with two workers of 2 GB, where SPARK_HOME names one and Java is there."""
    client()
    if os.environ.get("SPARK_REMOTE_OF_TESTS"):
        return os.environ["SPARK_REMOTE_OF_TESTS"]  # one for all processes that test
    home = os.environ.get("SPARK_HOME")
    if not home or not shutil.which("java"):
        pytest.skip("SPARK_HOME names no Apache Spark, or there is no Java")
    port = _free()
    settings = {
        "spark.connect.grpc.binding.port": port,
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": 2,
        "spark.sql.warehouse.dir": _scratch(),
    }
    command = [Path(home) / "bin" / "spark-submit", "--master", "local-cluster[2,1,2048]"]
    command += [part for key, value in settings.items() for part in ("--conf", f"{key}={value}")]
    command += ["--class", "org.apache.spark.sql.connect.service.SparkConnectServer", "spark-internal"]
    given = {**os.environ, **SOON, "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": _scratch()}
    process = subprocess.Popen(list(map(str, command)), env=given, **quiet)
    atexit.register(process.terminate)
    _listening(port, process)
    return f"sc://127.0.0.1:{port}"


def session(remote: str):
    """A session of the test's own."""
    made = client().builder.remote(remote).create()
    if not (apache.cache_info().currsize and remote == apache()):  # which has been told so when it started
        made.conf.set("spark.sql.warehouse.dir", str(_scratch()))
    return made


@cache
def _scratch() -> Path:
    """Where servers keep tables, and what they leave behind."""
    folder = Path(tempfile.mkdtemp(prefix="spark-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _free() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def _listening(port: int, process: subprocess.Popen) -> None:
    until = time.monotonic() + PREPARED
    while time.monotonic() < until:
        assert process.poll() is None, "the server has ended"
        with socket.socket() as one:
            if one.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise AssertionError("the server did not start")


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    print(apache(), flush=True)
    signal.pause()
