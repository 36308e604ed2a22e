"""What every benchmark is made of: figures with a requirement, CPU times, child processes, environments of peers."""

from __future__ import annotations

import hashlib
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
NO_INSTALL = "BENCHMARKS_NO_INSTALL"  # set: peers that are not there yet are left out


@dataclass(frozen=True)
class Figure:
    """Something measured (None: it could not be); `required` is the most it may be, or with `at_least` the least."""

    what: str
    measured: float | None
    unit: str = ""
    required: float | None = None
    at_least: bool = False
    note: str = ""

    @property
    def met(self) -> bool | None:
        """Compare the figure with the requirement; None without a requirement."""
        if self.required is None:
            return None
        if self.measured is None:
            return False
        return self.measured >= self.required if self.at_least else self.measured <= self.required


def cpu(*actions: Callable[[], object], runs: int = 7, warm: bool = True) -> list[float]:
    """The least CPU seconds of each action, all threads together.

    They take turns, so that a busy machine slows all alike; a first turn that warms up does not count.
    """
    best = [float("inf")] * len(actions)
    for turn in range(runs + warm):
        for i, action in enumerate(actions):
            began = time.process_time()
            action()
            if turn >= warm:
                best[i] = min(best[i], time.process_time() - began)
    return best


@dataclass(frozen=True)
class Child:
    """The output and the resources of a finished process."""

    printed: str
    wall: float
    waiting: float  # of that, for a core that other programs held
    cpu: float
    peak: int  # bytes


def child(command: Sequence[str | Path], settings: Mapping[str, str] | None = None) -> Child:
    """Run a process to its end. Start it from a small one: on Linux its peak includes its parent's memory."""
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    began = time.perf_counter()
    with subprocess.Popen(
        [str(part) for part in command],
        env={**os.environ, "PYTHONPATH": path, **(settings or {})},
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        printed = process.stdout.read()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        waiting = _waiting(process.pid)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{Path(command[1]).name} ended with {process.returncode}")
    peak = used.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return Child(printed, time.perf_counter() - began, waiting, used.ru_utime + used.ru_stime, peak)


def _waiting(process: int) -> float:
    """Seconds that a process was ready to run and had no core; 0 where the system does not say."""
    try:
        return int(Path(f"/proc/{process}/schedstat").read_text().split()[1]) / 1e9
    except (OSError, IndexError):
        return 0.0


def own_peak() -> int:
    """The most memory that this process has held, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


class NotInstalled(Exception):
    """An environment could not be built; the message says why."""


def environment(*requirements: str) -> Path:
    """The Python of an environment with these packages; the first time, pip builds it in the user's cache folder."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "privacy-utility-workbench" / "peers"
    name, version = requirements[0].replace("==", "-"), "{}.{}".format(*sys.version_info)
    digest = hashlib.sha256("\n".join(requirements).encode()).hexdigest()[:8]
    folder = cache / f"{name}-py{version}-{digest}"
    python, ready = folder / "bin" / "python", folder / "ready"
    if ready.exists():
        return python
    if os.environ.get(NO_INSTALL):
        raise NotInstalled(f"{requirements[0]} is not installed, and installing is turned off")
    print(f"installing {' '.join(requirements)} in an environment of its own", file=sys.stderr)
    options = ("--quiet", "--disable-pip-version-check", "--only-binary", ":all:")
    pip = [str(python), "-m", "pip", "install", *options, *requirements]
    for command in ([sys.executable, "-m", "venv", "--clear", str(folder)], pip):
        if subprocess.run(command, stdout=sys.stderr).returncode:  # its own words stay out of the results
            raise NotInstalled(f"{requirements[0]} cannot be installed on Python {version}")
    ready.touch()
    return python
