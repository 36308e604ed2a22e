"""Attacks on one hidden count each, which succeeded against earlier versions.

The attacker knows the code and the whole table except one small count. She publishes the table for each feasible count
and keeps those with identical published figures. If a single one is left, she has recovered the count.
`python -m tests.attacks.past_attacks` runs all attacks.
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

FEW = 10  # the threshold of the studies
Read = Callable[[int], Any]  # returns what is published for a value of the hidden count
LOSSES = ("privacy loss", "utility loss")
AVERAGES = (
    "adversary's knowledge gain", "adversary's accuracy gain", "information loss", "discernibility",
    "average class size", "re-identification risk",
)  # fmt: skip
NEW = '''"""N1: people in classes of one."""
from dataclasses import dataclass
from workbench.measures import Measure, Measured

@dataclass(frozen=True)
class Alone(Measure):
    """N1: people in classes of one."""
    name, symbol, side, unit = "people alone", "N1", "privacy", "people"

    def measure(self, release):
        alone = int((release.classes.sizes == 1).sum())
        return Measured(float(alone), f"There are {alone} people alone.")
'''


def recover_counts(read: Read, counts: Sequence[int]) -> list[int]:
    """Return the counts that are published like no other: the attacker recovers each of them."""
    with without_warnings_or_charts():
        found = [read(count) for count in counts]
    return [count for count, own in zip(counts, found, strict=True) if found.count(own) == 1]


@contextlib.contextmanager
def without_warnings_or_charts() -> Iterator[None]:
    """Suppress warnings and the chart, which repeats the figures of the points."""
    chart = SimpleNamespace(to_dict=lambda validate: {"datasets": {"points": []}, "layer": []})
    with warnings.catch_warnings(), patch.object(Frontier, "chart", lambda self, *size: chart):
        warnings.simplefilter("ignore")
        yield


# --- studies, tables and published folders


def make_study(ks: Sequence[int], sensitive: bool = True, requested: Sequence[Any] = LOSSES, **changes: Any) -> Study:
    """Return a study of people by their group, under k-anonymity."""
    described = {
        "study": "People",
        "data": {"given": "people"},
        "roles": {"quasi": ["group"], "sensitive": ["ill"] * sensitive},
        "recipes": [{"method": {"name": "mondrian"}, "model": {"name": "k-anonymity", "k": list(ks)}}],
        "measures": [one if isinstance(one, dict) else {"name": one} for one in requested],
        "smallest": FEW,
    }
    return Study.from_dict({**described, **changes})


def make_people(*groups: tuple[int, int], **columns: Any) -> pd.DataFrame:
    """Return groups of people, each given as its size and its number of ill people."""
    rows = [(g, s) for g, (size, ill) in enumerate(groups) for s in ["yes"] * ill + ["no"] * (size - ill)]
    return pd.DataFrame(rows, columns=["group", "ill"]).assign(**columns)


@contextlib.contextmanager
def published_folder(study: Study, frame: pd.DataFrame, releases: Any = False) -> Iterator[Path]:
    with TemporaryDirectory() as place:
        yield publish(study, Path(place) / "out", given=frame, releases=releases, warn=lambda text: None)


def read_results(place: Path) -> dict[str, Any]:
    return json.loads((place / "results.json").read_bytes())


def read_values(place: Path, *names: str) -> list[Any]:
    """Return the figures of all points, or those with certain prefixes."""
    return [
        {key: value for key, value in point["values"].items() if not names or key.startswith(names)}
        for point in read_results(place)["points"]
    ]


def read_groups(place: Path) -> list[Any]:
    """Return the rows of the tables of groups."""
    tables = sorted(place.glob("points/*/disclosure.parquet"))
    return [sorted(json.dumps(row) for row in pq.read_table(table).to_pylist()) for table in tables]


def read_page(place: Path) -> list[Any]:
    """Return what the page shows of the points, and the tables of groups."""
    found = read_results(place)
    shown = [{key: point.get(key) for key in ("values", "sentences", "reasons", "opened")} for point in found["points"]]
    return [found["table"], found.get("together"), found["axes"], shown, *read_groups(place)]


def publish_and_read(
    study: Study, frame: pd.DataFrame, look: Callable[[Path], Any] = read_page, releases: Any = False
) -> Any:
    with published_folder(study, frame, releases) as place:
        return look(place)


# --- attacks on one publication


def largest_loss(ill: int) -> Any:
    """Publish the maximum loss, which is a function of the count if there are two values."""
    frame = make_people((1323, ill), (3000, 909 - ill))
    return publish_and_read(make_study([1000]), frame, lambda place: read_values(place, "P_loss"))


def two_points(ill: int) -> Any:
    """Publish a release that merges a group of five with its neighbor, and one that separates it."""
    frame = make_people((5, ill), (40, 40), (300, 120 - ill), (400, 160))
    return publish_and_read(make_study([5, 30]), frame)


def nothing_to_publish(ill: int) -> Any:
    """Return the reason why nothing can be published, which the index of a batch quotes."""
    study = make_study([2], recipes=[
        {"method": {"name": "mondrian"}, "model": {"name": "(alpha,k)-anonymity", "alpha": 0.5, "k": 2}}
    ])  # fmt: skip
    try:
        return publish_and_read(study, make_people((5, 3), (6, ill)))
    except BadInput as why:
        return str(why)


def check(ill: int) -> Any:
    """Return the output of `workbench check` on a study and its data."""
    with TemporaryDirectory() as place, contextlib.chdir(place):
        make_people((5, 3), (6, ill)).to_csv("people.csv", index=False)
        study = make_study([2], data={"path": "people.csv"}, recipes=[
            {"method": {"name": "mondrian"}, "model": {"name": "(alpha,k)-anonymity", "alpha": 0.5, "k": 2}}
        ])  # fmt: skip
        study.save("people.yaml")
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            main.main(["check", "people.yaml"])
    return out.getvalue(), err.getvalue()


def new_measure(alone: int) -> Any:
    """Publish an added measure that does not declare how its figure may be published."""
    groups = [(1, 0)] * alone + [(2, 1)] * (15 - alone) + [(40, 20)] * 3
    with TemporaryDirectory() as place:
        (Path(place) / "alone.py").write_text(NEW)
        with patch.object(measures, "__path__", [*measures.__path__, place]):
            study = make_study([1], requested=(*LOSSES, "people alone"))
            return publish_and_read(study, make_people(*groups), lambda place: read_values(place, "N1"))


def averages(ill: int) -> Any:
    """Publish averages and measures of utility."""
    average = {"name": "re-identification risk", "statistic": "average"}
    frame = make_people((12, ill), (30, 15), (40, 9 + FEW - ill))
    return publish_and_read(make_study([5], requested=(*LOSSES, *AVERAGES[:-1], average)), frame, read_values)


def whole_and_other_wards(hidden: int) -> Any:
    """Publish the whole and all wards except one, which has too few people for a report."""
    wards = {"a": (70, 30), "b": (45, 20), "hidden": (hidden, 1)}
    frame = pd.concat([make_people(one, (60, 30), ward=name) if name != "hidden" else make_people(one, ward=name)
                       for name, one in wards.items()])  # fmt: skip
    found = []
    for only in ({}, {"only": {"ward": "a"}}, {"only": {"ward": "b"}}):
        roles = {"quasi": ["group"], "sensitive": ["ill"], "identifiers": ["ward"] * (not only)}
        study = make_study([5], data={"given": "people", **only}, roles=roles)
        found.append(json.dumps(_summary(study.table(study.read(frame)), FEW)))
    return found


def feasible_by_secret(read: Read, counts: Sequence[int], secrets: int = 25) -> dict[int, set[int]]:
    """Return for each count those that some secret publishes identically: the attacker does not know the secret."""
    by_secret: list[dict[int, str]] = []
    for secret in range(secrets):
        with without_warnings_or_charts(), patch.object(controlled_rounding, "SECRET", bytes([secret] * 32)):
            by_secret.append({count: json.dumps(read(count)) for count in counts})
    every = {count: {one[count] for one in by_secret} for count in counts}
    return {count: {other for other in counts if by_secret[0][count] in every[other]} for count in counts}


def loss_is_size(size: int) -> Any:
    """Publish a table without a sensitive column, where the loss of a group is 1 divided by its size."""
    study = make_study(
        [5], sensitive=False, requested=("re-identification risk", "information loss"), axes=["R_id", "NCP"]
    )
    return publish_and_read(study, make_people((size, 0), (30, 0), (45, 0), (60, 0)).drop(columns="ill"), read_groups)


# --- attacks that combine publications


def two_folders(ill: int) -> Any:
    """Publish one study twice, with different measures, axes and releases."""
    frame = make_people((60, ill), (90, 40 - ill), (150, 60), (33, 20))
    first = make_study([10, 50], requested=(*LOSSES, *AVERAGES[:2]))
    distances = [{"name": "privacy loss", "distance": one} for one in ("variation", "js")]
    second = make_study(
        [20, 100], requested=(*distances, *AVERAGES[2:5], LOSSES[1]), axes=["P_loss(distance=variation)", "U_loss"]
    )
    return [publish_and_read(first, frame), publish_and_read(second, frame)]


def report_and_dashboard(ill: int) -> Any:
    """Publish the points of a report and a folder of the same study."""
    frame = make_people((60, ill), (90, 40 - ill), (150, 60), (33, 20))
    study = make_study([10, 50], requested=(*LOSSES, *AVERAGES[:2]))
    with TemporaryDirectory() as place, published_folder(study, frame) as shown:
        reports = reporting.Report(reporting.Published(shown)).write(Path(place) / "report")
        points = [path.read_text("utf-8") for path in reports if path.suffix == ".csv" and "release" not in path.name]
        return points, read_page(shown)


def file_and_folder(ill: int) -> Any:
    """Publish the file of a coarse release and a folder with tables of finer releases, which have no file."""
    frame = make_people((60, ill), (90, 40 - ill), (150, 60), (33, 20))

    def files(place: Path) -> Any:
        return [sorted(path.read_text("utf-8").splitlines()) for path in sorted(place.glob("points/*/*-release.csv"))]

    coarse = publish_and_read(make_study([120]), frame, files, "all")
    return coarse, publish_and_read(make_study([20, 100], requested=(*LOSSES, *AVERAGES[:3])), frame)


ATTACKS: dict[str, tuple[Read, Sequence[int]]] = {  # the publication, and the possible hidden counts
    "the maximum loss of a large group": (largest_loss, range(1, FEW)),
    "the difference of two points": (two_points, range(1, 5)),
    "the reason for not publishing": (nothing_to_publish, range(4, 7)),
    "the output of check": (check, range(4, 7)),
    "a new measure": (new_measure, range(1, FEW)),
    "averages and measures of utility": (averages, range(1, FEW)),
    "a loss that equals 1 / size": (loss_is_size, range(15, 25)),
    "two folders of one study": (two_folders, range(1, FEW)),
    "a report and the dashboard": (report_and_dashboard, range(1, FEW)),
    "a file and the folder": (file_and_folder, range(1, FEW)),
}


# --- the promises of a page, compared with its own tables


def count_certain_people() -> tuple[int, int]:
    """Return how many people a table of groups discloses with certainty, and the maximum that the page states."""
    frame = make_people((40, 40), (60, 20), (60, 25), (60, 30), (60, 35), (400, 165))
    with (
        without_warnings_or_charts(),
        published_folder(make_study([30, 200], caps={"P_loss": 0.05}), frame, "best") as place,
    ):
        results, counts = read_results(place), []
        for table in place.glob("points/*/disclosure.parquet"):
            certain = [row for row in pq.read_table(table).to_pylist() if "ll of them have" in row["sentence"]]
            counts.append(sum(row["people"] or 0 for row in certain))
        return max(counts), results["together"]["certain"] or 0


if __name__ == "__main__":
    for name, (read, counts) in ATTACKS.items():
        print(f"{name}: recovers {recover_counts(read, counts)} of {[*counts]}")
    tables, promised = count_certain_people()
    print(f"certain by the tables: {tables}, by the page: {promised} {'UNDERSTATED' if tables > promised else ''}")
