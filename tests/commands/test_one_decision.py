"""`frontier`, `anonymize`, `search`, reports, dashboard and workbench make the same decision for all kinds of caps."""

import json
import random

import pandas as pd
import pytest

from tests.commands.people import run
from widgets.dashboard.dashboard import Dashboard
from workbench.charts.scene import Scene
from workbench.commands import main
from workbench.frontier.decision import decide
from workbench.frontier.store import Store
from workbench.frontier.sweep import sweep
from workbench.publication.decisions import decisions_of
from workbench.publication.offer import PublishedStudy
from workbench.publication.publish import publish
from workbench.publication.published_folder import Published
from workbench.publication.report.reporting import build_report
from workbench.publication.results import results_of
from workbench.publication.selection import on_axes, redact_points
from workbench.studies.study import Study, results_folder

SAMPLE, EVERY = 6, 200
KEYS = ("P_loss", "R_id", "U_loss")


def random_study(folder, seed):
    """Write a skewed study in which illness depends on age, some with weights or a second sensitive column."""
    drawn = random.Random(seed)
    count, second, weighted = drawn.randint(120, 400), drawn.random() < 0.4, drawn.random() < 0.4
    ills = drawn.choice([["flu", "gout", "ulcer"], ["no", "yes"], ["a", "b", "c", "d", "e"]])
    rows = []
    for _ in range(count):
        age, town = drawn.randint(20, 79), drawn.choice("ABCD")
        likely = [1 + 3 * (age > 50) * (i % 2) for i in range(len(ills))]
        likely[0] += drawn.choice([2, 8])
        row = {"age": age, "town": town, "sex": drawn.choice("fm"), "ill": drawn.choices(ills, likely)[0]}
        row |= {"pay": drawn.choice(["low", "low", "high"] if town in "AB" else ["low", "high"])} if second else {}
        rows.append(row | ({"weight": drawn.randint(1, 5)} if weighted else {}))
    pd.DataFrame(rows).to_csv(folder / "people.csv", index=False)
    model = [{"name": "k-anonymity", "k": sorted(drawn.sample(range(2, 60), 4))}]
    model += [
        {"name": "t-closeness", "t": sorted(round(drawn.uniform(0.02, 0.5), 3) for _ in range(4)), "distance": "js"}
    ]
    study = Study.from_dict(
        {
            "study": f"Random {seed}",
            "data": {"path": "people.csv"},
            "roles": {
                "quasi": ["age", "town", "sex"],
                "sensitive": ["ill", *["pay"] * second],
                **({"weight": "weight"} if weighted else {}),
            },
            "recipes": [{"method": {"name": "mondrian"}, "model": one} for one in model],
            "measures": [{"name": "privacy loss"}, {"name": "re-identification risk"}, {"name": "utility loss"}],
            "axes": ["P_loss", "U_loss"],
            "smallest": drawn.choice([5, 10, 20]),
        },
        folder,
    )
    study.save(folder / "study.yaml")
    return folder / "study.yaml"


def random_caps(drawn, points):
    """Return caps at a figure, just below one, between two or out of reach, sometimes with one on another measure."""

    def cap(key):
        values = sorted({point.values[key] for point in points if key in point.values})
        at = drawn.choice(values)
        return round(drawn.choice([at, at * (1 - 1e-9), drawn.uniform(values[0], values[-1]), values[0] / 2]), 12)

    keys = drawn.choice([["P_loss"], ["P_loss"], ["P_loss", "R_id"], ["R_id"], ["P_loss", "U_loss"], ["U_loss"]])
    return {key: cap(key) for key in keys}


def recommend_naively(points, caps):
    """Return the recommended number by examining each candidate, by the rules of docs/reference/frontier.md."""
    goal, other = ("P_loss", "U_loss") if set(caps) == {"U_loss"} else ("U_loss", "P_loss")
    best = None
    for number, point in enumerate(points, 1):
        known = all(key in point.values for key in {*KEYS[::2], *caps})
        if point.recipe.baseline or point.against or not known or any(point.values[k] > cap for k, cap in caps.items()):
            continue
        rank = (point.values[goal], point.values[other], number)
        best = rank if best is None or rank < best else best
    return best and best[2]


def check_all_tools(folder, seed, capsys):
    """Check that all tools make the same decision; return how many of four decisions recommend a point."""
    path = random_study(folder, seed)
    study, drawn, store = Study.open(path), random.Random(1000 + seed), Store(results_folder(path))
    table = study.table(study.read())
    exact = on_axes(sweep(table, study.candidates(), study.measured(), store, smallest=study.smallest), study)
    seen, decided = redact_points(exact, table, study.smallest, store), 0
    for turn in range(4):
        caps = random_caps(drawn, exact.measured)
        number = recommend_naively(exact.measured, caps)
        typed = [part for key, cap in caps.items() for part in ("--cap", f"{key}={cap!r}")]
        code = 0 if number else main.WRONG
        found = json.loads(run(capsys, "frontier", path, *typed, "--json", code=code)[0])
        assert found["recommended"] == number and (found["nearest"] is None or number is None)
        assert found["efficient"] == [i + 1 for i in exact.efficient.index]
        searched = ("search", path, *typed, "--budget", "2 evaluations", "--json")
        looked = json.loads(run(capsys, *searched, code=code)[0])
        assert (looked["recommended"] or {"number": None})["number"] == number
        assert (looked["nearest"] or {"number": None})["number"] == found["nearest"]
        out = folder / f"release-{turn}.csv"
        run(capsys, "anonymize", path, *typed, "-o", out, code=code)
        assert out.exists() == bool(number), "nothing is written without a recommendation"
        best = Scene(exact, caps=caps).best
        assert (best and exact.measured.index(best) + 1) == number, "the workbench's chart"
        asked = study.with_(caps=caps)
        decisions = decisions_of(seen, asked)
        offer = PublishedStudy(results_of(asked, table, seen, decisions, {}))
        cap = caps.get("P_loss")
        assert offer.decision(cap)["recommended"] == number and offer.decision(cap)["cap"] == cap
        assert offer.decision(cap)["satisfied"] == (found["nearest"] is None)
        assert offer.opens(cap) + 1 == (number or found["nearest"] or offer.decision(cap)["within"][0])
        assert offer.choices(cap)["recommended"] == (None if number is None else number - 1)
        assert [i + 1 for i in offer.efficient] == found["efficient"]
        if turn == seed % 4:  # the whole page once per study, since it takes longest
            made = build_report(asked, release=True, store=store)
            points = {path.suffix: path for path in made.write(folder / "page")}
            shown = json.loads((folder / "page-points.json").read_text("utf-8"))
            assert (shown["recommended"], shown["caps"], shown["cap"]) == (number, caps, cap) and points
            assert [one["number"] for one in shown["points"] if one["efficient"]] == sorted(found["efficient"])
            released = list(folder.glob("page-release*"))
            assert number or not released
            read = Published(publish(asked, folder / "published", store=store, warn=lambda text: None))
            board = Dashboard(read.folder)
            assert board.cap == cap and read.choices(board.cap)["recommended"] == (
                None if number is None else number - 1
            )
        decided += bool(number)
    return decided


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(SAMPLE))
def test_all_tools_make_the_same_decision(tmp_path, capsys, seed):
    check_all_tools(tmp_path, seed, capsys)


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(SAMPLE, EVERY))
def test_all_tools_make_the_same_decision_on_many_studies(tmp_path, capsys, seed):
    check_all_tools(tmp_path, seed, capsys)


def test_the_random_studies_are_of_all_kinds(tmp_path, capsys):
    drawn = [random_study(tmp_path, seed) and Study.open(tmp_path / "study.yaml") for seed in range(12)]
    assert any(one.weight for one in drawn) and any(len(one.sensitive) == 2 for one in drawn)
    exact = Study.open(tmp_path / "study.yaml")
    table = exact.table(exact.read())
    points = sweep(table, exact.candidates(), exact.measured(), smallest=exact.smallest).measured
    caps = [random_caps(random.Random(i), points) for i in range(40)]
    kinds = {frozenset(one) for one in caps}
    assert len(kinds) == 5 and {bool(recommend_naively(points, one)) for one in caps} == {True, False}


@pytest.mark.slow
def test_decisions_agree_although_rounded_figures_are_equal(tmp_path, capsys):
    """2,500 records, a rare illness, k = 2 to 100, t = .03 to .2: nearly all published utility losses are equal."""
    drawn = random.Random(8)
    rows = [
        {"age": (age := drawn.randint(18, 90)), "town": drawn.choice("ABCDEFGH"), "sex": drawn.choice("fm"),
         "ill": "yes" if drawn.random() < 0.1 + 0.15 * (age > 70) else "no"}
        for _ in range(2500)
    ]  # fmt: skip
    pd.DataFrame(rows).to_csv(tmp_path / "people.csv", index=False)
    models = [
        {"name": "k-anonymity", "k": [2, 5, 10, 20, 50, 100]},
        [
            {"name": "k-anonymity", "k": 10},
            {"name": "t-closeness", "t": [0.03, 0.05, 0.1, 0.15, 0.2], "distance": "js"},
        ],
    ]
    study = Study.from_dict(
        {
            "study": "Rare",
            "data": {"path": "people.csv"},
            "roles": {"quasi": ["age", "town", "sex"], "sensitive": ["ill"]},
            "recipes": [{"method": {"name": "mondrian"}, "model": one} for one in models],
            "measures": [{"name": "privacy loss"}, {"name": "utility loss"}],
            "axes": ["P_loss", "U_loss"],
        },
        tmp_path,
    )
    path = study.save(tmp_path / "study.yaml")
    table, store = study.table(study.read()), Store(results_folder(path))
    exact = on_axes(sweep(table, study.candidates(), study.measured(), store), study)
    seen = redact_points(exact, table, study.smallest, store)
    assert (
        len({point.values["U_loss"] for point in seen.measured[:11]})
        < 6
        < len({point.values["U_loss"] for point in exact.measured[:11]})
    )
    chosen = set()
    for cap in (0.002, 0.02, 0.03, 0.05, 0.08, 0.1, 0.15, 0.2, 0.3):
        number = decide(exact, {"P_loss": cap}).recommended
        offer = PublishedStudy(
            results_of(asked := study.with_(caps={"P_loss": cap}), table, seen, decisions_of(seen, asked), {})
        )
        assert (
            offer.results["cap"] == cap == offer.decision(cap)["cap"] and offer.decision(cap)["recommended"] == number
        )
        code = 0 if number else main.WRONG
        found = json.loads(run(capsys, "frontier", path, "--cap", f"P_loss={cap}", "--json", code=code)[0])
        assert found["recommended"] == number
        assert number == recommend_naively(exact.measured, {"P_loss": cap})
        chosen.add(number)
    assert {None} < chosen and len(chosen) >= 3, "other caps, other releases"
