"""Tables that many tests share: small, skewed and correlated, because uniform data favor every method."""

import gc
import os
import random
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path

# several workers share the processors: threads that wait for small products of matrices would take them from others
os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

import pandas as pd
import pytest
from hypothesis import settings

from tests.compiling import compile_once
from workbench.data import datasets
from workbench.data.hierarchies.builders import Groups, Intervals
from workbench.data.table import Table
from workbench.redaction import controlled_rounding

HIERARCHIES = {
    "age": Intervals(widths=(10, 20)),
    "work": Groups(({"Government": ("Federal", "Local"), "Own": ("Shop", "Farm")},)),
    "disease": Groups(({"Lung": ("Flu", "Asthma"), "Stomach": ("Ulcer", "Gastritis")},)),
}


controlled_rounding.SECRET = bytes(range(32))  # reproducible rounding of tables without a store

# CI runs are reproducible; local runs try new examples
settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("new", deadline=None)
settings.load_profile("same" if os.environ.get("CI") else "new")
settings.register_profile("quick", settings.default, max_examples=25)  # `make test` loads it


def pytest_configure(config):
    if hasattr(config, "workerinput") and os.name == "posix":
        compile_once()


@pytest.hookimpl(wrapper=True)
def pytest_collection(session):
    """Disable garbage collection during collection, where it takes half of the time for ten thousand tests."""
    gc.disable()
    try:
        _load(session)
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_unconfigure():
    gc.unfreeze()


def _load(session):
    """Import test modules early, each worker starting at another file, so that they share compiled files."""
    worker = getattr(session.config, "workerinput", None)
    if worker and session.config.args == session.config.getini("testpaths"):
        names = sorted(".".join(path.parts)[:-3] for path in Path("tests").rglob("test_*.py"))
        begin = len(names) * int(worker["workerid"].removeprefix("gw")) // worker["workercount"]
        for name in names[begin:] + names[:begin]:
            with suppress(Exception):  # reported when the file is collected
                import_module(name)


@pytest.fixture(scope="session")
def adult() -> Table:
    """Return the Adult data with the roles and hierarchies of Li & Li."""
    return datasets.adult()


@pytest.fixture(scope="session")
def small():
    """Return a function from a seed to a table of 30 to 50 people; odd seeds have missing values.

    Quasi-identifiers are age (with gaps), work and sex; `person` is neutral and identifies records.
    """

    @cache
    def table(seed: int, sensitive: tuple[str, ...] = ("disease",)) -> Table:
        frame = people(random.Random(seed), missing=seed % 2 == 1)
        return Table.from_frame(frame, quasi=["age", "work", "sex"], sensitive=sensitive, hierarchies=HIERARCHIES)

    return table


WORKS, DISEASES = ["Farm", "Shop", "Local", "Federal", "Clergy"], ["Ulcer", "Flu", "Asthma", "Gastritis", "HIV"]


def people(rng: random.Random, missing: bool) -> pd.DataFrame:
    """Return people: the old are farmers with ulcers, the young shopkeepers with the flu; HIV is rare."""
    rows: list[dict[str, object]] = []
    for person in range(rng.randint(30, 50)):
        old = rng.random() < 0.4
        row = {
            "person": person,
            "age": rng.choice([51, 52, 58, 63, 67] if old else [22, 23, 27, 31, 39]),
            "work": rng.choices(WORKS, [6, 1, 2, 1, 1] if old else [1, 6, 2, 2, 1])[0],
            "sex": rng.choice("FFM"),
            "disease": rng.choices(DISEASES, [6, 2, 1, 3, 1] if old else [1, 8, 3, 1, 1])[0],
            "wage": rng.choice([20, 30, 35] if old else [10, 20]),
        }
        rows.append(row)
    frame = pd.DataFrame(rows).astype({"age": "Int64"})
    if missing:
        for column, share in (("age", 0.1), ("work", 0.15), ("disease", 0.1)):
            frame.loc[[rng.random() < share for _ in rows], column] = None
    return frame
