"""Work on many records lets go soon after it is asked to."""

import threading
import time

import numpy as np
import pandas as pd

from widgets.base.inputs import MEASURES
from workbench import Table
from workbench.frontier.recipe import Recipe
from workbench.frontier.sweep import sweep
from workbench.methods import Mondrian
from workbench.models import TCloseness
from workbench.studies.study import variant

SOON = 2.0  # seconds of a machine that does much else; benchmarks/in_browser.py has the exact figure


def donations(records):
    """Skewed, with many postal codes and employers, and amounts that repeat."""
    rng = np.random.default_rng(0)
    return pd.DataFrame({
        "zip": rng.geometric(0.0005, records), "state": rng.geometric(0.1, records),
        "amount": rng.choice([50, 100, 250, 500, 1000, 2300], records) + rng.geometric(0.3, records),
        "employer": rng.zipf(1.3, records) % 20_000,
        "party": rng.choice(list("RDIL"), records, p=[0.4, 0.5, 0.05, 0.05]),
    })  # fmt: skip


def test_a_sweep_of_many_records_ends_soon_after_it_is_cancelled():
    frame, measures = donations(200_000), [variant("measure", one) for one in MEASURES]
    recipes = [Recipe(Mondrian(), TCloseness(t / 1000)) for t in range(20, 620)]
    warm = Table.from_frame(frame[:2000], ["zip", "state", "amount", "employer"], "party")
    sweep(warm, recipes[:3], measures)  # kernels are compiled, which nothing stops
    for wait in (0.1, 0.6, 1.5):
        table = Table.from_frame(frame, ["zip", "state", "amount", "employer"], "party")
        cancel, asked = threading.Event(), []

        def ask(cancel=cancel, asked=asked):
            asked.append(time.monotonic())
            cancel.set()

        timer = threading.Timer(wait, ask)
        timer.start()
        found = sweep(table, recipes, measures, threads=1, cancel=cancel)
        ended = time.monotonic()
        timer.join()
        assert not found.complete, "it was over before anybody asked"
        assert ended - asked[0] < SOON
