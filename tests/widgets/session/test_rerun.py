"""A cell that is run again frees the data of its previous run."""

import numpy as np
import pandas as pd
import pytest

BEGIN = """
import asyncio, gc, weakref
from ipywidgets.widgets.widget import _instances
from widgets import Workbench
tables = []
"""
CELL = """
w = await Workbench("people.csv")
w.roles._receive(None, {"kind": "choose", "columns": ["age", "sex"], "role": "quasi", "field": "roles"}, [])
await w.ready()
tables.append(weakref.ref(w.session.table))
w
"""
COUNT = """
for _ in range(200):  # background work keeps a table until it notices the cancellation
    gc.collect()
    alive = sum(one() is not None for one in tables)
    if alive == 1:
        break
    await asyncio.sleep(0.1)
print(len(_instances), alive, Workbench)
"""


@pytest.mark.slow
def test_ten_runs_of_a_cell_use_as_much_memory_as_one(kernel, tmp_path):
    rng = np.random.default_rng(0)
    ages, sexes = rng.poisson(40, 300), rng.choice(list("FM"), 300)
    pd.DataFrame({"age": ages, "sex": sexes, "ill": ages // 9}).to_csv(tmp_path / "people.csv", index=False)
    kernel(BEGIN, cell="first")
    counts = []
    for _ in range(10):
        kernel(CELL, cell="second")
        widgets, tables, _ = kernel(COUNT, cell="third").split(maxsplit=2)
        counts.append((int(widgets), int(tables)))
    assert counts[-1][0] == counts[1][0] and {tables for _, tables in counts} == {1}, counts
    assert kernel("other = Workbench('people.csv', keep=False); print(w.closed)", cell="fourth") == "False\n"
