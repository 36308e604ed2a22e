"""Records in a DuckDB file: the same columns, cells, releases and figures as in memory."""

import os
import re
import subprocess
import sys
import threading
import warnings
from collections import Counter
from itertools import permutations
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.commands.people import STUDY, run, study_in
from tests.data.engines.alike import METHODS, MODELS, assert_equal_outcomes, assert_same_release, assert_same_table
from tests.examples import examples
from tests.methods.tables import HIERARCHIES, frames, quasi_choices
from widgets import Workbench
from widgets.data.summary import summary
from widgets.preview.preview import DisclosingColumns, check_neutral_columns
from widgets.release import facts
from workbench.base import progress
from workbench.base.errors import BadInput
from workbench.data.cells import cell_of_record
from workbench.data.engines import duckdb as duckdb_engine
from workbench.data.engines import duckdb as external_shuffle_duckdb
from workbench.data.engines.duckdb import DuckDB, ExternalShuffle
from workbench.data.hierarchies.builders import Groups, Intervals
from workbench.data.reading.source import Query
from workbench.data.records import fingerprint
from workbench.data.table import Table
from workbench.frontier.recipe import Recipe
from workbench.frontier.sweep import point_of
from workbench.measures.privacy.attacks import Linkability
from workbench.methods import Keep, Mondrian
from workbench.models import KAnonymity
from workbench.publication.publish import publish
from workbench.publication.published_folder import Published
from workbench.releases.side_information import find_giveaways
from workbench.studies.script import python_code
from workbench.studies.study import Study

HERE = ("memory", "duckdb")


def both(data, **options):
    """Return the table in each engine, memory first, or the messages of their errors."""
    found = []
    for engine in HERE:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # in a tiny table everything is different in every record
            try:
                found.append(Table.read(data, engine=engine, **options))
            except BadInput as error:
                assert error.__context__ is None
                found.append(str(error))
    return found


cases = st.tuples(
    frames(),
    quasi_choices,
    st.sampled_from(METHODS),
    st.sampled_from([None, *MODELS]),
    st.sampled_from([{}, {"drop_missing": True}, {"only": {"plain": "x"}}]),
    st.sampled_from(["frame", "parquet", "csv"]),
)


def compare(folder, frame, quasi, method, model, some, way):
    data = frame
    if way != "frame":
        data = folder / f"people.{way}"
        getattr(frame, f"to_{way}")(data, index=False)
    tables = both(data, quasi=quasi, sensitive=["s", "s2"], hierarchies=HIERARCHIES, **some)
    assert_equal_outcomes(tables, method, model)


@examples(12)
@given(cases)
def test_both_engines_give_equal_results(tmp_path_factory, case):
    compare(tmp_path_factory.mktemp("data"), *case)


@pytest.mark.exhaustive
@examples(300)
@given(cases)
def test_many_tables_give_equal_results(tmp_path_factory, case):
    compare(tmp_path_factory.mktemp("data"), *case)


CELLS = ["", "1", "01", "1.0", "-0.0", "0", "1,5", "2E3", "NA", "?", "nan", "inf", "x", "X", " x", "é", "'", "a\nb"]
CELLS += ["2024-02-29", "29.2.2024", "2024-01-01T10:00:00Z", "12345678901234567890", "0.1", "1e400", "\u2028"]


@examples(8)
@given(st.lists(st.lists(st.sampled_from(CELLS), min_size=5, max_size=5), min_size=6, max_size=6), st.integers(0, 3))
@example([["-0.0", "0", "0.5"], ["1", "01", "2"], ["2024-02-29", "", "1999-01-01"]], 0)
@example([["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "x"]], 0)  # mixed: the first record with text is named
def test_text_is_read_identically(tmp_path_factory, columns, blanks):
    path = tmp_path_factory.mktemp("data") / "people.csv"
    records = {f"x{i}": cells * 3 + [""] * blanks for i, cells in enumerate(columns)}
    pd.DataFrame({**records, "sex": "F"}).to_csv(path, index=False)
    tables = both(path, quasi=["sex"])
    if isinstance(tables[0], str):
        assert tables[0] == tables[1]
    else:
        assert_same_table(*tables)


SQL = {
    "numbers": "SELECT unnest([1.5, 'nan', NULL, -0.0, 0.0])::DOUBLE AS x",
    "floats": "SELECT unnest([0.1, 2.5, NULL])::FLOAT AS x",
    "decimals": "SELECT unnest([0.10, 2.50, NULL, 2.5])::DECIMAL(9, 2) AS x",
    "huge": "SELECT unnest([1, 2, NULL])::HUGEINT AS x",
    "unsigned": "SELECT unnest([1, 2, NULL])::UTINYINT AS x",
    "truth": "SELECT unnest([true, false, NULL]) AS x",
    "days": "SELECT unnest(['2024-02-29', '0044-01-01', NULL])::DATE AS x",
    "moments": "SELECT unnest(['2024-02-29 10:00:00.000001', NULL])::TIMESTAMP AS x",
    "seconds": "SELECT unnest(['2024-02-29 10:00:00', NULL])::TIMESTAMP_S AS x",
    "nanoseconds": "SELECT unnest(['2024-02-29 10:00:00.000000001', NULL])::TIMESTAMP_NS AS x",
    "zones": "SELECT unnest(['2024-02-29 10:00:00+02', NULL])::TIMESTAMPTZ AS x",
    "times": "SELECT unnest(['10:00:00', '23:59:59.5', NULL])::TIME AS x",
    "enum": "SELECT unnest(['b', 'a', NULL])::ENUM('b', 'a') AS x",
    "uuid": "SELECT unnest(['a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', NULL])::UUID AS x",
    "text": "SELECT unnest(['a', 'a' || chr(0), '', ' a', NULL]) AS x",
    "nothing": "SELECT unnest([NULL, NULL]) AS x",
    "nested": "SELECT unnest([[1], [2]]) AS x",
    "bytes": "SELECT unnest(['a', NULL])::BLOB AS x",
}


@pytest.mark.parametrize("kind", SQL)
def test_every_type_is_read_identically(kind):
    tables = both(Query(f"SELECT x, 'F' AS sex FROM ({SQL[kind]})"), quasi=["sex"])
    if isinstance(tables[0], str):
        assert tables[0] == tables[1]
    else:
        assert_same_table(*tables)


FRAME = pd.DataFrame(
    {
        "age": [30, 40, 40, 50, 30, 30] * 5,
        "work": ["own", "gov", "gov", "own", None, "own"] * 5,
        "region": ["North", "North", "South", "North", "South", "North"] * 5,
        "ill": ["flu", "flu", "cold", "cold", "asthma", "flu"] * 5,
    }
)
ROLES = {"quasi": ["age", "work"], "sensitive": "ill"}
LUNG = Groups(({"Lung": ("flu", "asthma"), "Nose": ("cold",)},))
ORDERED = {"ill": LUNG, "age": Intervals(widths=(20,))}


def elsewhere(frame=FRAME, **options):
    return Table.from_frame(frame, **{**ROLES, **options}, engine="duckdb")


def test_records_of_one_value_hierarchies_and_levels_are_the_same_in_any_order():
    memory, other = both(
        FRAME, quasi=["age"], sensitive="ill", identifiers=["region"], only={"region": "North"},
        hierarchies=ORDERED, levels={"ill": 1},
    )  # fmt: skip
    assert_same_table(memory, other)
    assert other.records == 20 and "region" not in other.names and other.sensitive["ill"].labels == ("Lung", "Nose")
    for change in (
        lambda table: table.without_hierarchies(["age", "ill"]),
        lambda table: table.with_roles(["work"], "ill").complete(),
        lambda table: table.drop(["work"]).with_hierarchies({"age": Intervals(widths=(10,))}),
    ):
        levels = (memory.with_roles(["age"], "ill", {}), other.with_roles(["age"], "ill", {}))
        assert_same_table(*map(change, levels))


def test_a_foreign_value_without_records_is_refused_by_both_engines():
    messages = both(FRAME, **ROLES, only={"region": "West"})
    assert messages[0] == messages[1] and "corrected" not in messages[0]
    messages = both(FRAME, **ROLES, only={"region": "South", "work": "own"})
    assert messages[0] == messages[1] and "no record has all" in messages[0]


# --- what needs each record


@pytest.mark.parametrize(
    ("asked", "way_out"),
    [
        (lambda table: Mondrian(strict=False)(table, KAnonymity(2)), "use the strict one"),
        (lambda table: Mondrian()(table, KAnonymity(2)).export("unwritten.csv"), "leave the neutral columns out"),
        (lambda table: Mondrian()(table, KAnonymity(2)).side_information_risk(), "leave the neutral columns out"),
        (lambda table: find_giveaways(Mondrian()(table, KAnonymity(2))), "allow giveaways"),
        (lambda table: table.frame, ""),
        (lambda table: table.codes, ""),
        (lambda table: cell_of_record(table), ""),
    ],
)
def test_operations_on_single_records_are_refused_with_an_alternative(asked, way_out):
    with pytest.raises(BadInput, match=re.escape("engine='memory'")) as caught:
        asked(elsewhere())
    assert way_out in str(caught.value) and "\n" not in str(caught.value)
    assert not any(value in str(caught.value) for value in ("gov", "flu", "North"))


@pytest.mark.slow
def test_a_sample_in_memory_is_reproducible_and_supports_every_operation():
    many = 130_000  # more than one group of rows
    frame = FRAME.iloc[np.arange(many) % len(FRAME)].reset_index(drop=True).assign(number=range(many))
    one, again = (elsewhere(frame).sample(500) for _ in range(2))
    found = one.frame
    assert found.equals(again.frame) and fingerprint(one) == fingerprint(again)
    assert found["number"].is_unique and frame.loc[found["number"]].reset_index(drop=True).equals(found)
    assert Mondrian(strict=False)(one, KAnonymity(20)).audit(KAnonymity(20)).holds
    other = elsewhere(frame).sample(500, seed=1).frame
    assert len({*other["number"]} & {*found["number"]}) < 20
    every = elsewhere().sample(40)
    assert every.engine.in_memory and every.origin.sampled is None and every.records == len(FRAME)
    assert_same_table(every, Table.from_frame(FRAME, **ROLES))


def test_neutral_columns_are_refused_if_they_cannot_be_checked():
    table = elsewhere()
    assert Mondrian()(table, KAnonymity(2)).disclosing_columns == ["region"]
    assert Mondrian()(table.drop(["region"]), KAnonymity(2)).disclosing_columns == []


# --- written


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("publish", ["generalized", "bucketized"])
def test_a_release_is_written_with_its_neutral_columns(tmp_path, ending, publish):
    found = []
    for table in both(FRAME, **ROLES):
        release = Mondrian(publish=publish)(table, KAnonymity(4))
        path = tmp_path / f"{type(table.engine).__name__}.{ending}"
        files = release.export(path, giveaways=True)
        read = pd.read_csv if ending == "csv" else pd.read_parquet
        tables = [read(file).drop(columns="class", errors="ignore") for file in files if file.suffix == path.suffix]
        found.append([sorted(map(tuple, one.astype("str").fillna("").to_numpy())) for one in tables])
    assert found[0] == found[1] and len(found[0][0]) == 30


def test_the_order_of_a_written_file_is_random_and_differs_each_time():
    records = 300_000
    frame = pd.DataFrame({"age": np.arange(records) // 3000, "sex": np.arange(records) % 2})
    release = Keep()(Table.from_frame(frame, quasi=["age", "sex"], engine="duckdb"))
    one, other = (release.frame()["age"].astype(int).to_numpy() for _ in range(2))
    assert sorted(one) == frame["age"].tolist() == sorted(other)
    for ages in (one, other):
        assert abs(np.corrcoef(ages, np.arange(records))[0, 1]) < 0.02
        assert all(len(set(ages[start : start + 1000])) > 90 for start in range(0, records, 50_000))
    assert (one == other).mean() < 0.05
    assert abs(np.corrcoef(one, other)[0, 1]) < 0.02


@pytest.mark.parametrize("model", [None, KAnonymity(4)])
def test_lookup_and_join_give_the_same_classes(monkeypatch, model):
    found = []
    for most in (duckdb_engine.LOOKED_UP, 0):
        monkeypatch.setattr(duckdb_engine, "LOOKED_UP", most)
        table = elsewhere().drop(["region"])
        release = Mondrian()(table, model) if model else Keep()(table).without(np.array([True, *[False] * 4]))
        found.append(sorted(map(tuple, release.frame().astype("str").fillna("").to_numpy())))
    assert found[0] == found[1] and len(found[0]) == (30 if model else 20)


# --- what stays behind, and what stops


def test_only_the_owner_can_read_the_file_and_it_is_removed_with_its_last_table(tmp_path):
    table = elsewhere(temp_directory=tmp_path)
    (folder,) = tmp_path.iterdir()
    assert folder.stat().st_mode & 0o077 == 0
    other = table.drop(["region"])
    del table
    assert len(other.cells()) == 5 and folder.exists()
    del other
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_left_after_failed_reading(tmp_path):
    with pytest.raises(BadInput, match="all values are missing"):
        elsewhere(pd.DataFrame({"x": [None, None]}), quasi=["x"], sensitive=None, temp_directory=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_the_store_distinguishes_tables_by_their_records_and_not_by_order():
    swapped = FRAME.assign(ill=FRAME["ill"].to_numpy()[::-1])
    one, same, other = (fingerprint(elsewhere(frame)) for frame in (FRAME, FRAME[::-1], swapped))
    assert one == same != other


@pytest.mark.slow
def test_counting_records_can_be_cancelled():
    table = Table.read(
        Query("SELECT range % 100000 AS a, hash(range) % 50000 AS b FROM range(2000000)"), ["a", "b"], engine="duckdb"
    )
    cancel = threading.Event()
    cancel.set()
    with progress.cancellable(cancel), pytest.raises(progress.Cancelled):
        table.cells()
    assert len(table.cells()) > 0


def test_an_unknown_engine_is_refused():
    with pytest.raises(BadInput, match="engine: 'duckbd' is unknown; did you mean 'duckdb'"):
        Table.from_frame(FRAME, **ROLES, engine="duckbd")


@pytest.mark.slow
def test_the_error_of_a_limit_that_is_too_small_names_a_solution(tmp_path):
    query = Query("SELECT range AS a, hash(range) AS b, 'longer text ' || hash(range + 1) AS c FROM range(1000000)")
    with pytest.raises(BadInput, match="increase memory_limit"):
        Table.read(query, ["a"], engine="duckdb", memory_limit="12MB")
    assert os.listdir(tmp_path) == []


LARGER = """
import sys
from workbench.data.table import Table
from workbench.methods import Mondrian
from workbench.models import KAnonymity
table = Table.read(sys.argv[1], ["age", "work", "place"], "ill", identifiers=["id"], engine="duckdb")
Mondrian()(table, KAnonymity(50)).export(sys.argv[2])
peak = next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(peak // 1024, table.records, len(table.cells()))
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is read from /proc")
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_file_larger_than_memory_is_anonymized(tmp_path, ending):
    """The CSV file, and the text in the Parquet file, have 0.8 GB."""
    path, out, records = tmp_path / f"large.{ending}", tmp_path / "out.parquet", 2_500_000
    duckdb.sql(
        f"COPY (SELECT 'person number ' || range AS id, range % 90 AS age, 'class ' || (hash(range) % 12) AS "
        f"work, repeat('a rather long place name so that the file grows, and grows ', 3) || (hash(range + 1) % 11) AS "
        f"place, repeat('a rather long name of an illness ', 3) || (hash(range + 2) % 9) AS ill FROM range({records})) "
        f"TO '{path}'"
    )
    command = [sys.executable, "-c", LARGER, str(path), str(out)]
    root = Path(__file__).parents[3]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True, timeout=300)
    peak, read, cells = map(int, done.stdout.split())
    assert read == records == pq.read_metadata(out).num_rows and cells > 100_000
    assert peak < 800


# --- where it is asked for


def test_a_study_and_its_script_name_the_engine(tmp_path):
    path = study_in(tmp_path, STUDY.replace("people.csv}", "people.csv, engine: duckdb}"))
    study = Study.open(path)
    table = study.table(study.read())
    recipe = study.candidates()[1]
    assert isinstance(table.engine, DuckDB) and "engine='duckdb'" in python_code(study, recipe)
    memory = Study.from_yaml(STUDY, tmp_path)
    assert_same_release(recipe.release(memory.table(memory.read())), recipe.release(table))
    with pytest.raises(BadInput, match="line 3: data: there is no engine 'duck'; did you mean 'duckdb'"):
        Study.from_yaml(STUDY.replace("people.csv}", "people.csv, engine: duck}"), tmp_path)


@pytest.mark.slow
def test_commands_and_published_folders_are_identical(tmp_path, capsys):
    found = []
    for engine in HERE:
        folder = tmp_path / engine
        folder.mkdir()
        path = study_in(folder, STUDY.replace("people.csv}", f"people.csv, engine: {engine}}}"))
        run(capsys, "anonymize", path, "-o", folder / "out.csv")
        out = pd.read_csv(folder / "out.csv").sort_values(["age", "work", "disease"], ignore_index=True)
        read = Published(publish(Study.open(path), folder / "published"))
        found.append((out, read.points, {**read.results, "edition": ""}))
    pd.testing.assert_frame_equal(found[0][0], found[1][0])
    assert found[0][1:] == found[1][1:] and len(found[0][1]) > 4


def test_the_workbench_shows_everything_that_needs_no_single_records():
    table = elsewhere(temp_directory=None)
    assert summary(table)["incomplete"] == summary(Table.from_frame(FRAME, **ROLES))["incomplete"] == 5
    release = Mondrian()(table, KAnonymity(4))
    assert "engine: memory in the study's data" in facts.neutral(release)
    linked = Linkability()
    point = point_of(Recipe(Mondrian(), KAnonymity(4)), release, [linked])
    for text in (facts.figures(point, [linked], None)[0]["reason"], facts.sentences(point, [linked], None)["privacy"]):
        assert "engine: memory in the study's data" in text and "engine='memory'" not in text
    assert facts.neutral(Mondrian()(table.drop(table.neutral), KAnonymity(4))) == ""


def test_the_workbench_shows_releases_of_records_on_disk(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = study_in(
        tmp_path, STUDY.replace("people.csv}", "people.csv, engine: duckdb}").replace("[age, work]", "[age]")
    )
    bench = Workbench(str(path), keep=False)
    bench.wait()  # as a cell does: another test of this process may have left a loop that answers later
    assert len(bench.points) == 7 and bench.release.table.neutral == ("work",)
    with pytest.raises(DisclosingColumns) as asked:
        check_neutral_columns(bench.release)
    assert asked.value.columns == ["work"]


# All rows come back from the files of a shuffle, in any order with the same probability.


@pytest.mark.parametrize("pile", [2, 10, 10_000])
def test_all_rows_are_returned_with_their_types_and_the_folder_is_emptied(tmp_path, monkeypatch, pile):
    monkeypatch.setattr(external_shuffle_duckdb, "PILE", pile)
    codes, classes = np.arange(-300, 300).astype(np.int16), np.arange(600).astype(np.int32) * 100_000
    with ExternalShuffle(tmp_path, 2000) as dealt:
        for start in range(0, 600, 70):
            dealt.add([codes[start : start + 70], classes[start : start + 70]])
        found = list(dealt.shuffled())
        again = list(dealt.shuffled())
    assert list(tmp_path.iterdir()) == []
    one, other = ([np.concatenate(column) for column in zip(*rows, strict=True)] for rows in (found, again))
    assert [column.dtype for column in one] == [np.int16, np.int32]
    assert (one[1] == (one[0].astype(np.int32) + 300) * 100_000).all()
    assert sorted(one[0]) == sorted(other[0]) == codes.tolist()
    assert one[0].tolist() != other[0].tolist() != codes.tolist()


@pytest.mark.parametrize("pile", [1, 2, 3])
def test_every_order_of_three_rows_is_as_frequent(tmp_path, monkeypatch, pile):
    monkeypatch.setattr(external_shuffle_duckdb, "PILE", pile)
    times, seen = 600, Counter()
    for _ in range(times):
        with ExternalShuffle(tmp_path, 3) as dealt:
            dealt.add([np.array([0, 1])])
            dealt.add([np.array([2])])
            seen[tuple(np.concatenate([rows for (rows,) in dealt.shuffled()]).tolist())] += 1
    expected = times / 6
    assert sum((seen[order] - expected) ** 2 / expected for order in permutations(range(3))) < 40  # by chance 1e-7
