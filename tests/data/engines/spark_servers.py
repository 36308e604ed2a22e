"""Servers with Spark Connect for tests: one without Java in this process, and Apache Spark.

As a program, it starts Apache Spark, prints the address, and stops on request.
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
    """Return the class that creates sessions; skip the test if it is not installed."""
    try:
        return spark_session.client()
    except BadInput as missing:
        pytest.skip(str(missing))


@cache
def sail() -> str:
    """Return the address of a server in this process, which starts in milliseconds."""
    client()
    os.environ.setdefault("RUST_LOG", "error")  # it says every session
    server = pytest.importorskip("pysail.spark", reason="pysail is not installed").SparkConnectServer("127.0.0.1", 0)
    server.start(background=True)
    RUNNING.append(server)
    return f"sc://127.0.0.1:{server.listening_address[1]}"


def sail_elsewhere(port: int | None = None) -> tuple[str, subprocess.Popen]:
    """Return the address of a server in another process, which can be killed."""
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
    """Return the address of Apache Spark with two workers of 2 GB, if SPARK_HOME and Java exist."""
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
    """Return a session for one test."""
    made = client().builder.remote(remote).create()
    if not (apache.cache_info().currsize and remote == apache()):  # which was given its name at the start
        made.conf.set("spark.sql.warehouse.dir", str(_scratch()))
    return made


@cache
def _scratch() -> Path:
    """Return a folder for the tables and other files of servers."""
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
