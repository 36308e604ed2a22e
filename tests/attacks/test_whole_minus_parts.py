"""Subtract the reports of all parts from the report of the whole, to attack the part without a report."""

import random
from pathlib import Path

import pandas as pd
import pytest

from tests.attacks.linear import Attacker, Page, page_of
from workbench.publication import published_folder
from workbench.publication.publish import publish
from workbench.publication.published_folder import Published
from workbench.publication.report.batch import values_of
from workbench.studies.study import Study

SMALLEST = 10


def save_study(hidden: int, others: float, seed: int) -> Path:
    """Save a study of three wards of some size and a small one, in which a disease is much more common."""
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


def publish_page(study: Study, place: Path, part: str) -> Page:
    """Publish a study and return its page."""
    folder = publish(study, place, releases=False, warn=lambda text: None)
    assert not list(folder.rglob(published_folder.CLASSES)), "groups of so few people are not listed"
    return page_of(part, Published(folder).results)


@pytest.mark.parametrize("hidden, others", [(3, 0.02), (9, 0.02), (10, 0.0), (14, 0.0)])
def test_the_difference_of_the_whole_and_its_parts_discloses_no_small_count(tmp_path, monkeypatch, hidden, others):
    monkeypatch.chdir(tmp_path)
    study = save_study(hidden, others, seed=3)
    wards = values_of(study, "ward", note=lambda text: None)
    assert wards == ["ward 0", "ward 1", "ward 2"], "wards below the threshold get no report"
    values = {"ill": ["Cold", "Flu", "HIV"]}
    attacker = Attacker(values, [*wards, "small"], SMALLEST)
    for part in ("", *wards):
        whole = Study.open(study)
        one = whole.with_(data={**whole.data, "only": {"ward": part}}) if part else whole
        page = publish_page(one, tmp_path / (part or "whole"), part)
        attacker.read(page._replace(columns={"ill": page.columns["ill"]}))
    for chosen in (["Cold"], ["Flu"], ["HIV"], values["ill"]):
        low, high = attacker.feasible_range(attacker.row("small", "ill", chosen))
        assert high - low + 1 >= SMALLEST, (chosen, low, high)
