"""The benchmarks run, on little data: what they measure is checked, how fast it was is not."""

import json
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pytest
import yaml

from benchmarks import (
    adult,
    clustering,
    cold_start,
    exporting,
    figure_2a,
    generated,
    in_parts,
    large_file,
    larger_than_memory,
    lattice,
    measuring,
    million,
    miners,
    privacy_figures,
    proposals,
    queries,
    run,
    scaling,
    without_sensitive,
)
from benchmarks.measuring import Figure
from workbench.data import datasets

pytestmark = pytest.mark.slow

HERE = Path(run.__file__).parent
SUPPORT = {"run", "measuring", "generated", "in_peer_environment", "in_pycanon"}


def by_name(figures: list[Figure]) -> dict[str, Figure]:
    assert len({one.what for one in figures}) == len(figures)
    return {one.what: one for one in figures}


def test_every_benchmark_in_the_folder_is_run_and_titled():
    assert {path.stem for path in HERE.glob("*.py")} == SUPPORT | set(run.BENCHMARKS)
    assert all(len(run.title(name)) > 20 for name in run.BENCHMARKS)


def test_a_figure_meets_a_bound_from_its_own_side_and_never_unmeasured():
    assert Figure("a", 5, required=5).met and not Figure("a", 5.1, required=5).met
    assert Figure("a", 25, required=25, at_least=True).met and not Figure("a", 24, required=25, at_least=True).met
    assert Figure("a", None, required=5).met is False
    assert Figure("a", 5).met is Figure("a", None).met is None


def test_results_name_no_place_on_this_machine():
    results = {"adult": [Figure("time", 6.2, "ms", 12, note="warm"), Figure("peer", None, "s", 25, True)]}
    text, data = run.as_text(results), run.as_data(results)
    assert "| time   | ≤ 12 ms  | 6.2 ms       | yes  | warm |" in text
    assert "| peer   | ≥ 25 s   | not measured | NO   |      |" in text
    assert data["machine"]["cores"] >= 1 and {"python", "numpy", "numba", "duckdb"} <= set(data["machine"])
    assert [one["met"] for one in data["benchmarks"]["adult"]] == [True, False]
    assert all(str(place) not in text + json.dumps(data) for place in (HERE, Path.home()))


def test_a_benchmark_that_breaks_down_falls_short(monkeypatch, capsys):
    monkeypatch.setattr(adult, "measure", lambda: 1 / 0)
    (figure,) = run.measured("adult")
    assert figure.met is False and figure.note == "ZeroDivisionError"
    assert "Traceback" in capsys.readouterr().err


def test_least_time_of_several_turns():
    turns = []
    first, second = measuring.cpu(lambda: turns.append("a"), lambda: turns.append("b"), runs=2)
    assert turns == list("ababab") and 0 <= first < 1 and 0 <= second < 1


def test_peers_that_may_not_be_installed_are_said_to_be_missing(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv(measuring.NO_INSTALL, "1")
    with pytest.raises(measuring.NotInstalled, match=r"anonypy.* is not installed"):
        measuring.environment("anonypy==0.2.1", "pandas==2.3.3")
    assert not list(tmp_path.iterdir())


def test_generated_data_is_the_same_every_time_skewed_and_correlated(tmp_path):
    for name in "ab":
        generated.write(tmp_path / f"{name}.parquet", 20_000)
    a, b = (duckdb.sql(f"SELECT * FROM '{tmp_path / name}.parquet'").df() for name in "ab")
    assert a.equals(b) and list(a) == [*generated.QUASI, generated.SENSITIVE]
    assert a["country"].value_counts(normalize=True).iloc[0] > 0.5
    assert a["age"].corr(a["hours"]) > 0.2
    assert a.drop_duplicates().shape[0] > 0.5 * len(a)


def test_adult():
    figures = adult.measure(runs=1)
    assert figures[0].note.startswith("2,148 classes") and figures[2].note == "23,325 cells"
    assert figures[1].required == pytest.approx(0.7 * adult.BEFORE) and figures[1].note.endswith("that it was")


def test_a_million():
    figures = million.measure(records=20_000, runs=1)
    assert [one.required for one in figures] == [300_000, None, 5, None] * 2
    assert 0 < figures[0].measured < figures[4].measured <= 20_000


def test_all_privacy_figures_are_measured():
    figures = by_name(privacy_figures.measure(runs=1, peer=False))
    assert figures["classes"].measured == 1554
    (all_of_them,) = [one for one in figures.values() if one.what.startswith("all privacy figures")]
    assert {"privacy loss", "k-anonymity", "t-closeness", "beta-likeness"} <= set(all_of_them.note.split(", "))
    assert figures["uniqueness on all subsets of eight quasi-identifiers, from cells, CPU"].note.startswith("on 2")


def test_figure_2a_has_32_points():
    assert len(figure_2a.figure_2a()) == 32
    assert figure_2a.measure(runs=1)[0].measured == 32


def test_large_file(tmp_path):
    generated.write(tmp_path / "small.parquet", 20_000)
    steps = large_file.anonymise(tmp_path / "small.parquet")
    assert steps["read"]["count"] == 20_000 > steps["collapsed"]["count"] > steps["anonymised"]["count"] > 100


def test_larger_than_memory():
    found = by_name(larger_than_memory.measure(20_000, 5_000))
    assert found["the same classes and rows as in memory"].met and found["cells"].measured > 5_000


def test_a_release_is_written_with_the_same_rows_as_by_way_of_a_frame():
    figures = by_name(exporting.measure(records=20_000, large=30_000))
    assert figures["the same rows"].met and figures["the same rows"].note.startswith("20,000 records")
    assert all(one.measured is not None for one in figures.values())


def test_workbench_is_imported_in_a_fresh_process():
    time, loaded = cold_start._imported("import workbench", 1, 1)
    assert time.measured > 0 and loaded.measured == 0


def test_the_lattice_is_scored_and_its_best_nodes_are_released():
    table = datasets.adult().with_roles(["sex", "race", "marital_status"], "occupation")
    figures = by_name(lattice.measured(table, runs=1))
    assert len(figures) == 12
    assert (
        figures["geometric loss of local recoding"].measured
        <= figures["geometric loss of the best node, at most 0 % left out"].measured
    )


def test_clusterings_are_timed_and_weighed():
    table = datasets.adult().with_roles(["sex", "race", "marital_status"], "occupation")
    figures = by_name([*clustering.k_member(table, 1, keys=1000), *clustering.log_linear((1000, 2000))])
    assert figures["memory at 2,000 records"].measured > 0 and len(figures) == 3  # of this process and all it has done
    losses = by_name(clustering.losses(table))
    assert len(losses) == 8 and all(0 <= one.measured < 1 for one in losses.values())


def test_miners_are_timed(monkeypatch):
    monkeypatch.setattr(miners, "sets", lambda: {"categorical": ("naive bayes",), "numeric": ("mean",)})
    monkeypatch.setattr(miners, "THREE", ("majority", "naive bayes"))
    monkeypatch.setattr(miners, "SLOW", ("radial basis", 1.5))
    found = by_name(miners.measure())
    assert len(found) == 5 and all(one.measured is not None for one in found.values())


def test_queries_are_answered_and_bounded(monkeypatch):
    monkeypatch.setattr(queries, "DONATIONS", HERE / "there is none")
    found = by_name(queries.measure(runs=1, n=2_000, count=70))
    assert sum("their bounds" in what for what in found) == 4 and len(found) == 10
    assert found["generated donations, bucketized: 70 queries, CPU"].required == 2000
    assert found["Adult, generalized: 1,000 queries, CPU, their bounds"].required == 90


def test_a_file_of_each_size_is_read_collapsed_and_released():
    figures = by_name(scaling.measure(sizes=(2_000, 4_000)))
    assert len(figures) == 12 and all(one.measured > 0 for one in figures.values())
    steps = next(one.note for what, one in figures.items() if what.startswith("4,000 records") and "memory" in what)
    assert all(step in steps for step in ("read", "collapsed", "one recipe", "100 recipes", "release written"))


def test_records_whose_combinations_do_not_fit_are_released_in_parts():
    figures = by_name(in_parts.measure(sizes=(20_000,), fitting=15_000, part=4_000))
    (memory, used) = figures.values()
    assert "cells in" in memory.what and memory.required == 6 and used.measured > 0
    assert all(
        step in memory.note for step in ("read", "cells counted", "k = 100", "t = 0.2", "U_loss", "release written")
    )


def test_proposed_roles_are_compared_with_those_decided_by_hand():
    accepted = {
        "id": ["identifier"],
        "age": ["quasi"],
        "ill": ["sensitive", "other"],
        "street": ["identifier", "quasi"],
    }
    proposed = {"id": "quasi", "age": "dropped", "ill": "neutral", "street": "quasi"}
    score = proposals.Score("t", proposed, accepted)
    assert score.wrong == ["id", "age"] and score.published == ["id"]
    assert proposals.share_right([score]) == 0.5
    hidden = proposals.Score("t", {**proposed, "id": "dropped"}, accepted)
    assert hidden.wrong == ["age"] and not hidden.published


def test_the_roles_decided_by_hand_are_complete():
    gold = yaml.safe_load(proposals.GOLD.read_text("utf-8"))
    assert {part: len(tables) for part, tables in gold.items()} == {"tuning": 12, "held_out": 13, "fresh": 8}
    known = {"identifier", "quasi", "sensitive", "weight", "dropped", "other"}
    for tables in gold.values():
        for about in tables.values():
            assert about["about"] and set(about) <= {"about", "from", "types", "columns"}
            assert set(about["from"]) == {"package", "file"}
            assert all(set(roles.split("/")) <= known and reason for roles, reason in about["columns"].values())


def test_a_table_without_a_sensitive_column_goes_the_whole_way(tmp_path):
    rng = np.random.default_rng(3)
    age = 18 + rng.gamma(2, 14, 300).astype(int)
    frame = pd.DataFrame(
        {"age": age, "sex": rng.choice(["F", "M"], 300), "income": 100 * age + rng.integers(0, 9, 300)}
    )
    assert without_sensitive.tried(frame, {"age": "number"}, tmp_path / "study") == (False, "")
    assert len(pd.read_csv(tmp_path / "study" / "release.csv")) == 300
    assert (tmp_path / "study" / "page.html").exists() and (tmp_path / "study" / "published").is_dir()


def test_the_step_at_which_a_table_stops_is_reported(tmp_path):
    frame = pd.DataFrame({"name": [f"Person {i}" for i in range(50)]})
    as_proposed, stop = without_sensitive.tried(frame, {}, tmp_path / "study")
    assert as_proposed and stop.startswith("init: workbench: no column distinguishes people")
    first, second, last = without_sensitive.figures([("a", True, stop), ("b", True, ""), ("c", False, "")])
    assert (first.measured, first.required, first.met) == (1, 2, False) and second.met
    assert last.what == "a: stops" and last.note == stop
