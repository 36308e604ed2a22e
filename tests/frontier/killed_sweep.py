"""A sweep of 64 points that stops in the middle of a write, reports it, and waits to be killed: see test_kill.py."""

import os
import threading

import numpy as np
import pandas as pd

from workbench.data.table import Table
from workbench.frontier import store
from workbench.frontier.recipe import recipes
from workbench.frontier.sweep import point_of, sweep
from workbench.measures import LargestQuotient, PrivacyLoss, UtilityLoss
from workbench.methods import Mondrian
from workbench.models import KAnonymity


def make_study():
    """Return a small skewed table, 62 recipes (64 points with the baselines) and measures, one of them infinite."""
    rng = np.random.default_rng(7)
    age = rng.gamma(3, 10, 300).astype(int)
    work = rng.choice(["own", "private", "public"], 300, p=[0.1, 0.7, 0.2])
    ill = np.where(age + 10 * (work == "own") + rng.normal(0, 9, 300) > 40, "heart", rng.choice(["flu", "none"], 300))
    frame = pd.DataFrame({"age": age, "work": work, "ill": ill})
    table = Table.from_frame(frame, quasi=["age", "work"], sensitive="ill")
    published = [Mondrian(publish=how) for how in ("generalized", "bucketized")]
    candidates = [recipe for method in published for recipe in recipes(method, KAnonymity, k=range(2, 33))]
    return table, candidates, [PrivacyLoss(), UtilityLoss(min_support=0.1), LargestQuotient()]


def stop_writer(place, committed, tell):
    """Stop one writer at a place after a number of commits, and every later writer before its move."""
    put, write, rename = store.Store.put, store.write_file, os.rename
    writer, changed, started, moved = threading.local(), threading.Condition(), [], []
    victim = committed - 1 if place == "after moving" else committed

    def reach(position):
        if getattr(writer, "number", None) == victim and position == place:
            with changed:
                changed.wait_for(lambda: len(moved) == committed)
            os.write(tell, b"!")
            threading.Event().wait()

    def stopping_put(*arguments):
        with changed:
            writer.number = len(started)
            started.append(writer.number)
        put(*arguments)

    def stopping_write(path, content):
        reach(f"before {path.name}")
        if getattr(writer, "number", None) == victim and place == f"half {path.name}":
            write(path, content[: len(content) // 2])
            reach(place)
        write(path, content)

    def stopping_rename(source, target):
        reach("before moving")
        if writer.number >= committed:
            threading.Event().wait()
        rename(source, target)
        with changed:
            moved.append(writer.number)
            changed.notify_all()
        reach("after moving")

    store.Store.put, store.write_file, os.rename = stopping_put, stopping_write, stopping_rename


STUDY = TABLE, RECIPES, MEASURES = make_study()
point_of(RECIPES[0], RECIPES[0].release(TABLE), MEASURES)  # loads in the parent what each forked process needs


def killed_sweep(folder, place, committed, tell):
    """Run the sweep in a separate process until it is killed."""
    stop_writer(place, committed, tell.fileno())
    sweep(*STUDY, folder, threads=2)
