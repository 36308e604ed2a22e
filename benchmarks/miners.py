"""Miners: ten folds over the records of Adult, of three miners and of all of them, and what it takes to stop."""

from __future__ import annotations

import threading
import time
from contextlib import suppress

import psutil

from benchmarks.measuring import Figure
from workbench.base.progress import Cancelled
from workbench.data import datasets
from workbench.methods import Mondrian
from workbench.miners.cross_fitting import cross_fit
from workbench.miners.sets import sets
from workbench.models import KAnonymity
from workbench.releases.base import Release

THREE, SLOW = ("three",), ("gradient boosting", 5.0)  # who is stopped, and after how many seconds
CORES = 2  # that the times are asked for; on more it is no slower
MEGABYTE = 2**20


def measure(k: int = 10) -> list[Figure]:
    release = Mondrian()(datasets.adult(), KAnonymity(k))
    note = f"{release.table.records:,} records, {CORES} cores"
    three, memory = mined(release, "salary", THREE)
    found = [Figure("three miners, ten folds, CPU over two cores", three / CORES, "s", 40, note=note)]
    values, more = mined(release, "salary", sets()["categorical"], seed=1)
    numbers, most = mined(release, "age", sets()["numeric"], seed=1)
    found.append(Figure("every miner, ten folds, CPU over two cores", (values + numbers) / CORES, "s", 300, note=note))
    found.append(Figure("the most memory of all processes", max(memory, more, most) / MEGABYTE, "MB", 2048))
    began = time.perf_counter()
    cross_fit(release, "salary", THREE)
    found.append(Figure("the same asked again", 1000 * (time.perf_counter() - began), "ms"))
    return [*found, Figure("cancelled, until all processes are ended", 1000 * stopped(release), "ms", 500)]


def mined(release: Release, target: str, miners: tuple[str, ...], seed: int = 0) -> tuple[float, float]:
    """Seconds of all processors, and the most memory."""
    spent, most, own = dict[int, float](), [0.0], psutil.Process()

    def look() -> None:
        with suppress(psutil.NoSuchProcess):
            there = [own, *own.children()]
            most[0] = max(most[0], sum(one.memory_info().rss for one in there))
            spent.update({one.pid: sum(one.cpu_times()[:2]) for one in there})

    look()
    before = sum(spent.values())
    done = threading.Event()

    def watch() -> None:
        while not done.wait(0.1):
            look()

    watching = threading.Thread(target=watch)
    watching.start()
    try:
        cross_fit(release, target, miners, seed=seed)
    finally:
        done.set()
        watching.join()
    look()
    return sum(spent.values()) - before, most[0]


def stopped(release: Release) -> float:
    """Seconds from asking to stop until nothing runs."""
    cancel, asked = threading.Event(), [0.0]

    def ask() -> None:
        asked[0] = time.perf_counter()
        cancel.set()

    timer = threading.Timer(SLOW[1], ask)
    timer.start()
    with suppress(Cancelled):
        cross_fit(release, "salary", SLOW[0], seed=2, folds=500, cancel=cancel)
        raise RuntimeError("it came to its end before it was cancelled")
    return time.perf_counter() - asked[0]
