"""Attacks on what may be passed on, each on one hidden count: which numbers fit what she reads?

Whoever attacks knows the code, and all of the table but one small count. She publishes the table of every number that
it may be, and keeps those for which she reads the same. One left is the count. `python -m tests.attacks.concrete` tries
them all.
"""

from __future__ import annotations

import contextlib
import io
import json
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import pandas as pd
import pyarrow.parquet as pq

from workbench import measures
from workbench.base.errors import BadInput
from workbench.commands import main
from workbench.frontier.frontier import Frontier
from workbench.publication.publish import publish
from workbench.publication.report import reporting
from workbench.publication.results import _summary
from workbench.redaction import controlled_rounding
from workbench.studies.study import Study

FEW = 10  # people: the study's smallest count
Read = Callable[[int], Any]  # what is read where the hidden count is this
LOSSES = ("privacy loss", "utility loss")
AVERAGES = (
    "adversary's knowledge gain", "adversary's accuracy gain", "information loss", "discernibility",
    "average class size", "re-identification risk",
)  # fmt: skip
NEW = '''"""N1: people who are alone."""
from dataclasses import dataclass
from workbench.measures import Measure, Measured

@dataclass(frozen=True)
class Alone(Measure):
    """N1: people who are alone."""
    name, symbol, side, unit = "people alone", "N1", "privacy", "people"

    def measure(self, release):
        alone = int((release.classes.sizes == 1).sum())
        return Measured(float(alone), f"There are {alone} people alone.")
'''


def recovered(read: Read, counts: Sequence[int]) -> list[int]:
    """The numbers that no other is read like: she knows each of them when it is the hidden one."""
    with quietly():
        found = [read(count) for count in counts]
    return [count for count, own in zip(counts, found, strict=True) if found.count(own) == 1]


@contextlib.contextmanager
def quietly() -> Iterator[None]:
    """Without warnings, and without the chart, which is drawn of the points."""
    drawn = SimpleNamespace(to_dict=lambda validate: {"datasets": {"points": []}, "layer": []})
    with warnings.catch_warnings(), patch.object(Frontier, "chart", lambda self, *size: drawn):
        warnings.simplefilter("ignore")
        yield


# --- what is published


def study(ks: Sequence[int], sensitive: bool = True, asked: Sequence[Any] = LOSSES, **changes: Any) -> Study:
    """People by the group that they live in, under k-anonymity."""
    described = {
        "study": "People",
        "data": {"given": "people"},
        "roles": {"quasi": ["group"], "sensitive": ["ill"] * sensitive},
        "recipes": [{"method": {"name": "mondrian"}, "model": {"name": "k-anonymity", "k": list(ks)}}],
        "measures": [one if isinstance(one, dict) else {"name": one} for one in asked],
        "smallest": FEW,
    }
    return Study.from_dict({**described, **changes})


def people(*groups: tuple[int, int], **columns: Any) -> pd.DataFrame:
    """Groups of so many people, of whom so many are ill."""
    rows = [(g, s) for g, (of, ill) in enumerate(groups) for s in ["yes"] * ill + ["no"] * (of - ill)]
    return pd.DataFrame(rows, columns=["group", "ill"]).assign(**columns)


@contextlib.contextmanager
def folder(asked: Study, frame: pd.DataFrame, releases: Any = False) -> Iterator[Path]:
    with TemporaryDirectory() as place:
        yield publish(asked, Path(place) / "out", given=frame, releases=releases, warn=lambda text: None)


def results(place: Path) -> dict[str, Any]:
    return json.loads((place / "results.json").read_bytes())


def values(place: Path, *names: str) -> list[Any]:
    """The figures of all points, or those that begin so."""
    return [
        {key: value for key, value in point["values"].items() if not names or key.startswith(names)}
        for point in results(place)["points"]
    ]


def rows(place: Path) -> list[Any]:
    """The tables of groups."""
    tables = sorted(place.glob("points/*/disclosure.parquet"))
    return [sorted(json.dumps(row) for row in pq.read_table(table).to_pylist()) for table in tables]


def page(place: Path) -> list[Any]:
    """All that the page shows of the points, and the tables of groups."""
    found = results(place)
    shown = [{key: point.get(key) for key in ("values", "sentences", "reasons", "opened")} for point in found["points"]]
    return [found["table"], found.get("together"), found["axes"], shown, *rows(place)]


def reading(asked: Study, frame: pd.DataFrame, look: Callable[[Path], Any] = page, releases: Any = False) -> Any:
    with folder(asked, frame, releases) as place:
        return look(place)


# --- the attacks that were tried on an earlier version


def largest_loss(ill: int) -> Any:
    """With two values the largest loss is a function of the count, however large the group."""
    frame = people((1323, ill), (3000, 909 - ill))
    return reading(study([1000]), frame, lambda place: values(place, "P_loss"))


def two_points(ill: int) -> Any:
    """A group of five is one with its neighbour in one release, and by itself in the next."""
    frame = people((5, ill), (40, 40), (300, 120 - ill), (400, 160))
    return reading(study([5, 30]), frame)


def nothing_to_publish(ill: int) -> Any:
    """Why nothing can be published, as the index of a batch quotes it."""
    asked = study([2], recipes=[
        {"method": {"name": "mondrian"}, "model": {"name": "(alpha,k)-anonymity", "alpha": 0.5, "k": 2}}
    ])  # fmt: skip
    try:
        return reading(asked, people((5, 3), (6, ill)))
    except BadInput as why:
        return str(why)


def check(ill: int) -> Any:
    """`workbench check` says what is wrong with a study and its data."""
    with TemporaryDirectory() as place, contextlib.chdir(place):
        people((5, 3), (6, ill)).to_csv("people.csv", index=False)
        asked = study([2], data={"path": "people.csv"}, recipes=[
            {"method": {"name": "mondrian"}, "model": {"name": "(alpha,k)-anonymity", "alpha": 0.5, "k": 2}}
        ])  # fmt: skip
        asked.save("people.yaml")
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            main.main(["check", "people.yaml"])
    return out.getvalue(), err.getvalue()


def new_measure(alone: int) -> Any:
    """A measure that somebody adds, and that says nothing of how it may be told."""
    groups = [(1, 0)] * alone + [(2, 1)] * (15 - alone) + [(40, 20)] * 3
    with TemporaryDirectory() as place:
        (Path(place) / "alone.py").write_text(NEW)
        with patch.object(measures, "__path__", [*measures.__path__, place]):
            asked = study([1], asked=(*LOSSES, "people alone"))
            return reading(asked, people(*groups), lambda folder: values(folder, "N1"))


def averages(ill: int) -> Any:
    """Averages and measures of utility."""
    average = {"name": "re-identification risk", "statistic": "average"}
    frame = people((12, ill), (30, 15), (40, 9 + FEW - ill))
    return reading(study([5], asked=(*LOSSES, *AVERAGES[:-1], average)), frame, values)


def the_other_wards(hidden: int) -> Any:
    """The whole, and all wards but one: it has so few people that it has no report."""
    wards = {"a": (70, 30), "b": (45, 20), "hidden": (hidden, 1)}
    frame = pd.concat([people(one, (60, 30), ward=name) if name != "hidden" else people(one, ward=name)
                       for name, one in wards.items()])  # fmt: skip
    found = []
    for only in ({}, {"only": {"ward": "a"}}, {"only": {"ward": "b"}}):
        roles = {"quasi": ["group"], "sensitive": ["ill"], "identifiers": ["ward"] * (not only)}
        asked = study([5], data={"given": "people", **only}, roles=roles)
        found.append(json.dumps(_summary(asked.table(asked.read(frame)), FEW)))
    return found


def possible_by_secrets(read: Read, counts: Sequence[int], secrets: int = 25) -> dict[int, set[int]]:
    """For each count which others are read like it by some secret: the attacker does not know the one that was used."""
    by_secret: list[dict[int, str]] = []
    for secret in range(secrets):
        with quietly(), patch.object(controlled_rounding, "SECRET", bytes([secret] * 32)):
            by_secret.append({count: json.dumps(read(count)) for count in counts})
    every = {count: {one[count] for one in by_secret} for count in counts}
    return {count: {other for other in counts if by_secret[0][count] in every[other]} for count in counts}


def loss_is_size(of: int) -> Any:
    """Without a sensitive column the loss of a group is one in its size."""
    asked = study([5], sensitive=False, asked=("re-identification risk", "information loss"), axes=["R_id", "NCP"])
    return reading(asked, people((of, 0), (30, 0), (45, 0), (60, 0)).drop(columns="ill"), rows)


# --- attacks that combine what leaves


def two_folders(ill: int) -> Any:
    """One study published twice, with other measures, other axes and other releases."""
    frame = people((60, ill), (90, 40 - ill), (150, 60), (33, 20))
    first = study([10, 50], asked=(*LOSSES, *AVERAGES[:2]))
    distances = [{"name": "privacy loss", "distance": one} for one in ("variation", "js")]
    second = study(
        [20, 100], asked=(*distances, *AVERAGES[2:5], LOSSES[1]), axes=["P_loss(distance=variation)", "U_loss"]
    )
    return [reading(first, frame), reading(second, frame)]


def report_and_dashboard(ill: int) -> Any:
    """The points of a report, beside a published folder of the same study."""
    frame = people((60, ill), (90, 40 - ill), (150, 60), (33, 20))
    asked = study([10, 50], asked=(*LOSSES, *AVERAGES[:2]))
    with TemporaryDirectory() as place, folder(asked, frame) as shown:
        reports = reporting.Report(reporting.Published(shown)).write(Path(place) / "report")
        points = [path.read_text("utf-8") for path in reports if path.suffix == ".csv" and "release" not in path.name]
        return points, page(shown)


def file_and_folder(ill: int) -> Any:
    """The released file of a coarse release, beside a folder with the tables of finer ones, which have no file."""
    frame = people((60, ill), (90, 40 - ill), (150, 60), (33, 20))

    def files(place: Path) -> Any:
        return [sorted(path.read_text("utf-8").splitlines()) for path in sorted(place.glob("points/*/*-release.csv"))]

    coarse = reading(study([120]), frame, files, "all")
    return coarse, reading(study([20, 100], asked=(*LOSSES, *AVERAGES[:3])), frame)


ATTACKS: dict[str, tuple[Read, Sequence[int]]] = {  # what is read, and what the hidden count may be
    "the largest loss of a large group": (largest_loss, range(1, FEW)),
    "two points differenced": (two_points, range(1, 5)),
    "why there is nothing to publish": (nothing_to_publish, range(4, 7)),
    "what check says": (check, range(4, 7)),
    "a new measure": (new_measure, range(1, FEW)),
    "averages and measures of utility": (averages, range(1, FEW)),
    "a loss that is one in the size": (loss_is_size, range(15, 25)),
    "two folders of one study": (two_folders, range(1, FEW)),
    "a report beside the dashboard": (report_and_dashboard, range(1, FEW)),
    "a file beside the folder": (file_and_folder, range(1, FEW)),
}


# --- what a page promises, against its own tables


def certain_by_the_tables() -> tuple[int, int]:
    """People of whom a table of groups says that all have a value, and how many the page says there are at most."""
    frame = people((40, 40), (60, 20), (60, 25), (60, 30), (60, 35), (400, 165))
    with quietly(), folder(study([30, 200], caps={"P_loss": 0.05}), frame, "best") as place:
        found, told = results(place), []
        for table in place.glob("points/*/disclosure.parquet"):
            all_of_them = [row for row in pq.read_table(table).to_pylist() if "ll of them have" in row["sentence"]]
            told.append(sum(row["people"] or 0 for row in all_of_them))
        return max(told), found["together"]["certain"] or 0


if __name__ == "__main__":
    for name, (read, counts) in ATTACKS.items():
        print(f"{name}: recovers {recovered(read, counts)} of {[*counts]}")
    tables, promised = certain_by_the_tables()
    print(f"certain by the tables: {tables}, by the page: {promised} {'UNDERSTATED' if tables > promised else ''}")
