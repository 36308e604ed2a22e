"""A sweep of 64 points that stops in the middle of a write, says so, and waits there to be killed: see test_kill.py."""

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


def study():
    """A small table, skewed and correlated; 62 recipes, so that the baselines make 64; one measure is infinite."""
    rng = np.random.default_rng(7)
    age = rng.gamma(3, 10, 300).astype(int)
    work = rng.choice(["own", "private", "public"], 300, p=[0.1, 0.7, 0.2])
    ill = np.where(age + 10 * (work == "own") + rng.normal(0, 9, 300) > 40, "heart", rng.choice(["flu", "none"], 300))
    frame = pd.DataFrame({"age": age, "work": work, "ill": ill})
    table = Table.from_frame(frame, quasi=["age", "work"], sensitive="ill")
    published = [Mondrian(publish=how) for how in ("generalized", "bucketized")]
    made = [recipe for method in published for recipe in recipes(method, KAnonymity, k=range(2, 33))]
    return table, made, [PrivacyLoss(), UtilityLoss(min_support=0.1), LargestQuotient()]


def stop(place, committed, tell):
    """Let that many points be committed; stop one writer at this place, and every later one before its move."""
    put, write, rename = store.Store.put, store.write_file, os.rename
    writer, changed, begun, moved = threading.local(), threading.Condition(), [], []
    victim = committed - 1 if place == "after moving" else committed

    def reach(here):
        if getattr(writer, "number", None) == victim and here == place:
            with changed:
                changed.wait_for(lambda: len(moved) == committed)
            os.write(tell, b"!")
            threading.Event().wait()

    def stopping_put(*given):
        with changed:
            writer.number = len(begun)
            begun.append(writer.number)
        put(*given)

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


STUDY = TABLE, RECIPES, MEASURES = study()
point_of(RECIPES[0], RECIPES[0].release(TABLE), MEASURES)  # loads what would be loaded in each process that is forked


def killed_sweep(folder, place, committed, tell):
    """What a process of its own does, until it is killed."""
    stop(place, committed, tell.fileno())
    sweep(*STUDY, folder, threads=2)
