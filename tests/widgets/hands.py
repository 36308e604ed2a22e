"""Hands that toggle everything at random while the machine is busy; a kernel runs this (see test_what_leaves.py)."""

import asyncio
import csv
import io
import random
import threading
import time
import zipfile

import numpy as np

from widgets import Workbench
from workbench.base.parameters import canonical
from workbench.studies.study import Study

COLUMNS = ("age", "area", "work", "salary")
HIERARCHIES = (
    {},
    {"age": {"builder": "intervals", "widths": [10]}},
    {"salary": {"builder": "intervals", "widths": [9]}},
)
STUDY = Study(
    name="toggled", data={"path": "a.csv"}, quasi=("age", "area"), sensitive=("ill",), axes=("P_loss", "NCP"),
    recipes=({"method": {"name": "mondrian"}, "model": {"name": "k-anonymity", "k": [4, 9, 30]}},),
    measures=({"name": "privacy loss"}, {"name": "information loss"}),
)  # fmt: skip


def write_data(path, seed, records=700):
    """Skewed and correlated, and different for each seed; some values are missing."""
    rng = np.random.default_rng(seed)
    age = rng.poisson(40, records)
    rows = zip(
        age, rng.geometric(0.05, records), rng.choice(list("ABC"), records, p=[0.7, 0.2, 0.1]), age // 3 + seed,
        np.where(rng.random(records) < 0.1, "", (age // 20 + rng.poisson(1, records)).astype(str)), strict=True,
    )  # fmt: skip
    path.write_text("age,area,work,salary,ill\n" + "".join(f"{a},{b},{c},{d},ill {e}\n" for a, b, c, d, e in rows))


def rows_of(text):
    """Return the records of a file in sorted order."""
    return sorted(csv.reader(io.StringIO(text)))


def unpacked(name, data):
    """The released records, also where they come with their codebook; or the script."""
    if not name.endswith(".zip"):
        return name, data.decode()
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return archive.namelist()[0], archive.read(archive.namelist()[0]).decode()


class Hands:
    """A simulated user: sends the messages of the views, and compares every file."""

    def __init__(self, seed):
        STUDY.save("toggled.study.yaml")
        self.rng, self.loop = random.Random(seed), asyncio.get_running_loop()
        self.bench = Workbench("toggled.study.yaml")
        self.possible, self.came, self.compared = False, asyncio.Event(), {"csv": 0, "py": 0}
        self.pieces, self.bases = [], {}
        self.bench.preview.send = self.handle_preview_message
        self.bench.card.send = self.handle_card_message
        self.send(self.bench.preview, "hello")

    def send(self, widget, kind, **content):
        widget._receive(None, {"kind": kind, "field": kind, **content}, [])

    def handle_card_message(self, content, buffers=None):
        """Pause after each drawing, as the view does."""
        if content["kind"] == "point":
            self.loop.call_later(self.rng.choice([0, 0.01, 0.05]), self.send, self.bench.card, "rest")

    def handle_preview_message(self, content, buffers=None):
        if content["kind"] == "state":
            self.possible = content["release"]
        elif content["kind"] == "file":
            self.pieces.append(bytes(buffers[0]))
            if content["place"] == content["pieces"] - 1:
                data, self.pieces = b"".join(self.pieces), []
                self.came.set()
                self.compare(*unpacked(content["name"], data))
        elif content["kind"] in ("ended", "problem"):
            self.came.set()

    def compare(self, name, text):
        """Compare an exported file with one that is computed again for the current study."""
        study, recipe = self.bench.session.study, self.bench.card.point.recipe
        data = canonical(dict(study.data))
        if data not in self.bases:
            self.bases[data] = study.read()
        wanted = recipe.release(study.table(self.bases[data])).frame()
        if name.endswith(".csv"):
            found = rows_of(text)
        else:
            names = {"__name__": "the script"}
            exec(compile(text, name, "exec"), names)
            found = rows_of(names["release"].frame().to_csv(index=False))
        assert found == rows_of(wanted.to_csv(index=False)), f"{name} is not of this study: {study.quasi}, {recipe}"
        self.compared[name.rsplit(".", 1)[-1]] += 1

    def toggle(self):
        bench, rng = self.bench, self.rng
        what = rng.choice(["role", "role", "role", "undo", "redo", "hierarchy", "data", "recipe", "select", "slide"])
        if what == "role":
            role = rng.choice(["quasi", "quasi", "neutral", "identifier"])
            self.send(bench.roles, "choose", columns=[rng.choice(COLUMNS)], role=role)
        elif what in ("undo", "redo"):
            self.send(bench.top, "ask", what=what)
        elif what == "hierarchy":
            bench.hierarchies.hierarchies = rng.choice(HIERARCHIES)
        elif what == "data" and rng.random() < 0.5:
            bench.data._receive(None, {"kind": "choose", "field": "path", "value": rng.choice(["a.csv", "b.csv"])}, [])
        elif what == "data":
            bench.data._receive(None, {"kind": "choose", "field": "drop_missing", "value": rng.random() < 0.5}, [])
        elif what == "recipe":
            k = rng.choice([[4, 9, 30], [5, 30], [4]])
            bench.recipes.recipes = [{"method": {"name": "mondrian"}, "model": {"name": "k-anonymity", "k": k}}]
        elif what == "select" and bench.frontier is not None:
            self.send(bench.chart, "select", index=rng.randrange(len(bench.frontier.measured)))
        elif what == "slide":
            self.send(bench.card, "move", part=0, name="k", value=rng.choice([3, 6, 20]))

    async def export(self):
        """Export both files, if possible; an export may fail, but must not be wrong."""
        for what in ("csv", "py"):
            if self.possible:
                self.came.clear()
                self.send(self.bench.preview, "export", what=what, anyway=True)
                if self.rng.random() < 0.8:
                    await asyncio.wait_for(self.came.wait(), 20)

    async def settled(self):
        """Wait until both files of a release arrive."""
        before, until = dict(self.compared), time.monotonic() + 30
        while any(self.compared[what] == before[what] for what in before):
            assert time.monotonic() < until, "no release comes any more"
            await asyncio.sleep(0.02)
            await self.export()


async def play(steps, seed):
    """Return the number of compared files of each kind."""
    done = threading.Event()

    def busy():
        while not done.wait(0.005):  # now under load, now not: whatever can overtake something does
            for _ in range(50):
                sum(range(5_000))

    load = threading.Thread(target=busy, daemon=True)
    load.start()
    try:
        hands = Hands(seed)
        failed = []
        asyncio.get_running_loop().set_exception_handler(lambda _, context: failed.append(context["exception"]))
        await hands.settled()
        for step in range(steps):
            hands.toggle()
            await asyncio.sleep(hands.rng.choice([0, 0, 0.01, 0.03, 0.08]))
            if step % 3 == 0:
                await hands.export()
            if failed:
                raise failed[0]
            if step % 10 == 0:  # so that so many are compared on the slowest machine
                await hands.settled()
        await hands.settled()
        hands.bench.close()
        return hands.compared
    finally:
        done.set()
