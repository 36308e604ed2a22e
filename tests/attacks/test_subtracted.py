"""Who subtracts: the whole's report less those of its groups, for the group that has none."""

import random
from pathlib import Path

import pandas as pd
import pytest

from workbench.base.small_counts import coarse, few
from workbench.publication import format
from workbench.publication.publish import publish
from workbench.publication.reader import Published
from workbench.publication.report.reporting import asked
from workbench.publication.report.which_reports import values_of
from workbench.studies.study import Study

SMALLEST = 10
Span = tuple[int, int]  # the least and the most people that are told alike


def study_of(hidden: int, others: float, seed: int) -> Path:
    """Four wards of some size and a small one, in which a disease is common that others hardly have."""
    rng = random.Random(seed)
    rows = []
    for ward, count in (*((f"ward {i}", rng.randint(40, 90)) for i in range(3)), ("small", hidden)):
        for _ in range(count):
            age, rare = rng.randint(20, 69), others if ward != "small" else 0.8
            ill = "HIV" if rng.random() < rare else rng.choice(["Flu", "Cold", "Flu"])
            rows.append({"ward": ward, "age": age, "sex": rng.choice("FM"), "ill": ill})
    pd.DataFrame(rows).to_csv("people.csv", index=False)
    described = {
        "study": "Wards",
        "data": {"path": "people.csv"},
        "roles": {"quasi": ["age", "sex"], "sensitive": ["ill"], "dropped": ["ward"]},
        "recipes": [{"method": {"name": "mondrian"}, "model": {"name": "k-anonymity", "k": [5, 20]}}],
        "measures": [{"name": "privacy loss"}, {"name": "utility loss", "min_support": 0.2}],
        "smallest": SMALLEST,
    }
    return Study.from_dict(described, Path.cwd()).save("wards.yaml")


def span(told: int) -> Span:
    """All numbers of people that are told as this one."""
    alike = [count for count in range(told + 2 * SMALLEST) if coarse(count, SMALLEST) == told]
    return alike[0], alike[-1]


def spans(study: Study, place: Path) -> dict[str, Span]:
    """Everybody and each value, as they are published; she is given what the shares are shares of."""
    read = Published(publish(study, place, releases=False, warn=lambda text: None))
    table = read.results["table"]
    with_roles = study.table(study.read()).sensitive["ill"]
    whole = sum(coarse(int(count), SMALLEST) for count in with_roles.totals)
    told = {one["label"]: round(one["share"] * whole) for one in table["sensitive"][0]["values"]}
    assert all(count % SMALLEST == 0 for count in told.values())
    assert not list(read.folder.rglob(format.CLASSES)), "of so few people no group is listed"
    unnamed = (0, few(SMALLEST) - 1) if table["sensitive"][0]["others"] else (0, 0)
    values = {label: span(told[label]) if label in told else unnamed for label in ("HIV", "Flu", "Cold")}
    values |= {label: (max(values[label][0], SMALLEST), values[label][1]) for label in told}  # as it is named
    return {"everybody": span(table["records"]), **values}


def width(of: Span) -> int:
    return of[1] - of[0] + 1


@pytest.mark.parametrize("hidden, others", [(3, 0.02), (9, 0.02), (10, 0.0), (14, 0.0)])
def test_the_whole_less_its_groups_tells_no_small_count(tmp_path, monkeypatch, hidden, others):
    monkeypatch.chdir(tmp_path)
    study = study_of(hidden, others, seed=3)
    wards = values_of(study, "ward", note=lambda text: None)
    assert wards == ["ward 0", "ward 1", "ward 2"], "fewer people than are told as a number get no report"
    whole = spans(asked(str(study))[0], tmp_path / "whole")
    parts = [spans(asked(str(study), only=f"ward={ward}")[0], tmp_path / ward) for ward in wards]
    for what, (low, high) in whole.items():
        left = max(low - sum(part[what][1] for part in parts), 0), high - sum(part[what][0] for part in parts)
        assert width(left) >= SMALLEST, (what, left)
