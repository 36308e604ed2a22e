"""Records in Spark: the same columns, cells, releases and figures as in memory, and the records stay there."""

import io
import os
import re
import shutil
import subprocess
import sys
import threading
import time
import warnings
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import psutil
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from tests.commands.people import STUDY, error_line, run, study_in
from tests.data.engines import spark_servers
from tests.data.engines.alike import (
    MEASURES,
    METHODS,
    MODELS,
    assert_equal_outcomes,
    assert_same_files,
    assert_same_release,
    assert_same_table,
)
from tests.examples import examples
from tests.methods.tables import HIERARCHIES, frames, quasi_choices
from tests.releases.parted import MODELS as PARTED
from tests.releases.parted import assert_same_figures, pair, try_call, with_cells_outside_memory
from workbench.base import progress
from workbench.base.errors import BadInput
from workbench.data.engines import spark as engine
from workbench.data.engines import spark_session
from workbench.data.engines.spark import Spark, SparkCodeAssigner
from workbench.data.engines.spark_session import Session
from workbench.data.hierarchies.builders import Groups, Intervals
from workbench.data.reading import spark_source
from workbench.data.records import count_incomplete, fingerprint
from workbench.data.table import Table
from workbench.methods import Keep, Mondrian
from workbench.methods.mondrian import out_of_core as first_cuts
from workbench.models import KAnonymity
from workbench.releases.writing import file_names
from workbench.studies.script import python_code
from workbench.studies.study import Study

SERVERS = ["sail", pytest.param("apache", marks=pytest.mark.slow)]
AWKWARD = {"whole": "a.b", "word": 'say "it"', "real": "a", "plain": "A (b)", "s": "`s`", "s2": "select", "one": "é ;'"}
SOME = [{}, {}, {"drop_missing": True}, {"only": {"plain": "x"}}]


TALLIED = ["part", "number", "code"]
CUT = ["part", "class", "size", "low", "high", "counts"]


@contextmanager
def small_parts(cells):
    """Reduce the number of cells that fit into memory."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(first_cuts, "PART", cells)
        yield


@contextmanager
def stopping(spark):
    yield spark
    spark.stop()  # or the process would, slowly, when it ends


@pytest.fixture(scope="module")
def sail():
    with stopping(spark_servers.session(spark_servers.sail())) as spark:
        yield spark


@pytest.fixture(scope="module")
def apache():
    with stopping(spark_servers.session(spark_servers.apache())) as spark:
        yield spark


@pytest.fixture(scope="module", params=SERVERS)
def spark(request):
    return request.getfixturevalue(request.param)


def both(path, spark, **options):
    """Return the table in memory and in Spark, or the messages of their errors."""
    found = []
    for data in (path, spark.read.parquet(str(path))):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            try:
                found.append(Table.read(data, **options))
            except BadInput as error:
                assert error.__context__ is None
                found.append(re.sub(r"\(list<.*?>\)", "", str(error).replace(str(path), "the frame")))
    return found


def assert_same(path, spark, method, model, **options):
    tables = both(path, spark, **options)
    assert_equal_outcomes(tables, method, model)


cases = st.tuples(
    frames(), quasi_choices, st.sampled_from(METHODS), st.sampled_from([None, *MODELS]), st.sampled_from(SOME),
    st.booleans(),
)  # fmt: skip


def compare(spark, folder, frame, quasi, method, model, some, awkward):
    names = AWKWARD if awkward else {}
    path = folder / "people.parquet"
    frame.rename(columns=names).to_parquet(path, index=False)

    def called(given):
        return {names.get(name, name): value for name, value in given.items()}

    if getattr(method, "target", None):
        method = replace(method, target=names.get(method.target, method.target))
    assert_same(
        path, spark, method, model, quasi=[names.get(name, name) for name in quasi],
        sensitive=[names.get(name, name) for name in ("s", "s2")], hierarchies=called(HIERARCHIES),
        **{key: called(value) if key == "only" else value for key, value in some.items()},
    )  # fmt: skip


@pytest.mark.slow
@examples(12)
@given(cases)
def test_spark_gives_the_same_results_as_memory(tmp_path_factory, sail, case):
    compare(sail, tmp_path_factory.mktemp("data"), *case)


@pytest.mark.exhaustive
@examples(300)
@given(cases)
def test_many_tables_give_the_same_results(tmp_path_factory, sail, case):
    compare(sail, tmp_path_factory.mktemp("data"), *case)


@pytest.mark.slow
@settings(max_examples=1, phases=[Phase.generate])
@given(cases)
def test_apache_spark_gives_the_same_results(tmp_path_factory, apache, case):
    compare(apache, tmp_path_factory.mktemp("data"), *case)


def test_names_that_differ_only_in_case_are_different_columns(spark):
    data = pa.table({"a": [1, 2, 2], "A": ["x", "y", "y"]})
    assert_same_table(Table.read(data, ["a", "A"]), Table.read(spark.createDataFrame(data), ["a", "A"]))


KINDS = {
    "numbers": pa.array([1.5, float("nan"), None, -0.0, 0.0]),
    "floats": pa.array([0.1, 2.5, None], pa.float32()),
    "decimals": pa.array(["0.10", "2.50", None, "2.5"]).cast(pa.decimal128(9, 2)),
    "small": pa.array([1, 2, None], pa.int8()),
    "large": pa.array([2**62, -(2**62), None]),
    "truth": pa.array([True, False, None]),
    "days": pa.array(["2024-02-29", "0044-01-01", None]).cast(pa.date32()),
    "moments": pa.array(["2024-02-29 10:00:00.000001", None]).cast(pa.timestamp("us")),
    "zones": pa.array(["2024-02-29 10:00:00Z", None]).cast(pa.timestamp("us", "UTC")),
    "text": pa.array(["a", "A", "", " a", "a ", "é", "e\u0301", "\u2028", "'", '"', "`", "a\nb", None]),
    "digits": pa.array(["1", "01", "1.0", None]),
    "nothing": pa.array([None, None], pa.string()),
    "nested": pa.array([[1], [2]]),
    "bytes": pa.array([b"a", None]),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_type_is_read_identically(tmp_path, spark, kind):
    pq.write_table(pa.table({"x": KINDS[kind], "sex": ["F"] * len(KINDS[kind])}), tmp_path / "people.parquet")
    tables = both(tmp_path / "people.parquet", spark, quasi=["sex"])
    if isinstance(tables[0], str):
        assert tables[0] == tables[1]
    else:
        assert_same_table(*tables)


FRAME = pd.DataFrame(
    {
        "name": [f"marker-{i:03}-of-a-person" for i in range(60)],
        "age": [30, 40, 40, 50, 30, 30] * 10,
        "work": ["own", "gov", "gov", "own", None, "own"] * 10,
        "region": ["North", "North", "South", "North", "South", "North"] * 10,
        "ill": ["flu", "flu", "cold", "cold", "asthma", "flu"] * 10,
    }
)
ROLES = {"quasi": ["age", "work"], "sensitive": "ill", "identifiers": ["name"]}
LUNG = Groups(({"Lung": ("flu", "asthma"), "Nose": ("cold",)},))
ORDERED = {"ill": LUNG, "age": Intervals(widths=(20,))}


def people(spark, **options):
    return Table.read(spark.createDataFrame(pa.Table.from_pandas(FRAME)), **{**ROLES, **options})


def test_hierarchies_levels_and_chosen_records_are_the_same_in_any_order(spark):
    asked = {
        "hierarchies": ORDERED,
        "levels": {"ill": 1},
        "only": {"region": "North"},
        "identifiers": ["name", "region"],
    }
    memory, other = Table.from_frame(FRAME, **{**ROLES, **asked}), people(spark, **asked)
    assert_same_table(memory, other)
    assert other.records == 40 and "region" not in other.names and other.sensitive["ill"].labels == ("Lung", "Nose")
    for change in (
        lambda table: table.without_hierarchies(["age", "ill"]),
        lambda table: table.with_roles(["work"], "ill").complete(),
        lambda table: table.drop(["work"]).with_hierarchies({"age": Intervals(widths=(10,))}),
    ):
        assert_same_table(change(memory.with_roles(["age"], "ill", {})), change(other.with_roles(["age"], "ill", {})))


def test_records_are_transferred_if_another_engine_is_requested(sail):
    table = people(sail, engine="memory")
    assert table.engine.in_memory and table.records == 60
    assert_same_table(people(sail), table)
    with pytest.raises(BadInput, match="engine='spark' is for tables in Spark"):
        Table.from_frame(FRAME, **ROLES, engine="spark")


def test_a_table_states_where_its_records_are(sail):
    about = "<60 records in Spark at 127.0.0.1 (the frame), because the data are there; only counts are in memory"
    assert (
        repr(people(sail).engine)
        == f"{about}; there are at most 27 combinations of age, work and ill, which fit into memory>"
    )


@pytest.mark.parametrize(
    "asked",
    [
        lambda table: Mondrian(strict=False)(table, KAnonymity(2)),
        lambda table: table.frame,
        lambda table: Mondrian()(table, KAnonymity(2)).export("unwritten.csv"),
    ],
)
def test_operations_on_single_records_are_refused_with_an_alternative(sail, asked):
    with pytest.raises(BadInput, match="engine='memory'"):
        asked(people(sail))


def test_a_sample_of_a_table_in_spark_is_random_and_in_memory(spark, tmp_path):
    frame = pd.DataFrame({"a": range(9000), "A.b": [f"v{n % 7}" for n in range(9000)], "s": ["x", "y", None] * 3000})
    frame.to_parquet(tmp_path / "people.parquet")
    table = Table.read(spark.read.parquet(str(tmp_path / "people.parquet")), ["A.b"], "s")
    drawn = [table.sample(900, seed) for seed in (0, 0, 1)]
    first, again, other = (one.frame for one in drawn)
    assert drawn[0].engine.in_memory and str(drawn[0].origin.sampled) == "a random sample of 900 of 9,000 records"
    assert first["a"].is_unique and frame.loc[first["a"]].reset_index(drop=True).astype(object).equals(
        first.astype(object)
    )
    assert first.equals(again) and 60 < len({*first["a"]} & {*other["a"]}) < 125, "90 by chance"
    tenths = np.bincount(np.concatenate([one["a"] // 900 for one in (first, other)]), minlength=10)
    assert ((tenths - 180) ** 2 / 180).sum() < 30, "of all parts of the table"
    seven = table.only({"A.b": "v3"})
    assert str(seven.sample(100).origin.sampled) == "a random sample of 100 of 1,286 records"
    assert seven.sample(5000).records == 1286 and seven.sample(5000).origin.sampled is None


# --- where it is asked for

IN_SPARK = "{spark: default.people_of_a_study, remote: 'sc://host:15002'}"


def test_a_study_and_its_script_name_a_table_in_spark(tmp_path, capsys, sail, monkeypatch):
    monkeypatch.setattr(spark_session.Session, "opened", lambda remote: spark_session.Session(sail))
    text = STUDY.replace("{path: people.csv}", IN_SPARK)
    here = Study.open(study_in(tmp_path))
    data = pd.read_csv(tmp_path / "people.csv")
    sail.createDataFrame(pa.Table.from_pandas(data)).write.saveAsTable("default.people_of_a_study")
    try:
        study = Study.from_yaml(text, tmp_path)
        table, recipe = study.table(study.read()), study.candidates()[1]
        assert isinstance(table.engine, Spark) and Study.from_yaml(study.to_yaml()).data == study.data
        assert_same_release(recipe.release(here.table(here.read())), recipe.release(table))
        path, out = study_in(tmp_path, text), tmp_path / "out.parquet"
        run(capsys, "anonymize", path, "--recipe", 2, "-o", f"spark:{out}")
        assert len(pd.read_parquet(out)) == 120
        assert "tables in Spark are never overwritten" in error_line(
            capsys, "anonymize", path, "-o", f"spark:{out}", "--force"
        )
    finally:
        sail.sql("DROP TABLE default.people_of_a_study").toArrow()
    code = python_code(study, recipe)
    assert "'spark:default.people_of_a_study'" in code and "remote='sc://host:15002'" in code


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ("{spark: people}", "spark names a table, and remote the server"),
        ("{path: people.csv, remote: 'sc://host:1'}", "spark names a table, and remote the server"),
        ("{spark: people, remote: 'host:1'}", "sc://host:15002"),
        ("{spark: people, remote: 'sc://host:1/;token=hush'}", "put a token into the environment"),
        ("{spark: people, path: people.csv, remote: 'sc://host:1'}", "exactly one of"),
    ],
)
def test_a_study_without_a_table_in_spark_is_refused(data, said):
    with pytest.raises(BadInput, match=said) as caught:
        Study.from_yaml(STUDY.replace("{path: people.csv}", data))
    assert "hush" not in str(caught.value)


def test_an_untrusted_study_reaches_no_server(tmp_path):
    with pytest.raises(BadInput, match="its data are on a server; open the study by its path"):
        Study.from_yaml(STUDY.replace("{path: people.csv}", IN_SPARK), tmp_path, confined=True)


# --- what crosses


class Recorded:
    """Records every answer of a server as it is transferred."""

    def __init__(self, remote):
        import grpc
        from pyspark.sql.connect.client import DefaultChannelBuilder
        from pyspark.sql.connect.session import SparkSession

        seen = self.seen = []

        class Listening(grpc.UnaryStreamClientInterceptor, grpc.UnaryUnaryClientInterceptor):
            def intercept_unary_stream(self, call, details, request):
                return Answers(call(details, request))

            def intercept_unary_unary(self, call, details, request):
                answer = call(details, request)
                seen.append(answer.result())
                return answer

        class Answers:
            def __init__(self, answers):
                self._answers = answers

            def __iter__(self):
                return self

            def __next__(self):
                answer = next(self._answers)
                seen.append(answer)
                return answer

            def __getattr__(self, name):
                return getattr(self._answers, name)

        builder = DefaultChannelBuilder(remote)
        builder.add_interceptor(Listening())
        self.spark = SparkSession.builder.channelBuilder(builder).create()

    def tables(self):
        """Return every table that was transferred."""
        for answer in self.seen:
            if answer.DESCRIPTOR.name == "ExecutePlanResponse" and answer.HasField("arrow_batch"):
                with pa.ipc.open_stream(io.BytesIO(answer.arrow_batch.data)) as reader:
                    yield reader.read_all()


@pytest.mark.parametrize("server", SERVERS)
def test_only_counts_and_distinct_values_are_transferred(request, tmp_path, server):
    recorded = Recorded(getattr(spark_servers, server)())
    request.addfinalizer(recorded.spark.stop)
    FRAME.to_parquet(tmp_path / "people.parquet")
    table = Table.read(recorded.spark.read.parquet(str(tmp_path / "people.parquet")), **ROLES)
    release = Mondrian()(table, KAnonymity(4))
    for measure in MEASURES:
        measure(release)
    assert count_incomplete(table.only({"region": "North"})) == 0 and fingerprint(table)
    before = len(list(recorded.tables()))
    with small_parts(8):
        Mondrian()(with_cells_outside_memory(table.drop(["region"])), KAnonymity(4))
    crossed = list(recorded.tables())
    assert before > 5 and len(crossed) > before + 3
    for found in crossed:
        *keys, last = found.column_names
        if found.column_names == CUT:  # classes, a row each: where they lie, and how many records have which value
            assert found.num_rows < FRAME.shape[0] / 4 and min(found["size"].to_pylist()) >= 4
        elif keys and last == "count":  # a GROUP BY: each combination once
            assert found.group_by(keys).aggregate([]).num_rows == found.num_rows
            assert (
                len(keys) == 1 or keys == TALLIED or all(name.startswith("k") for name in keys)
            )  # codes, unless of one
        else:
            assert found.num_rows == 1 and set(found.column_names) <= {"n", "digest"}
    assert not any(b"marker-" in answer.SerializeToString() for answer in recorded.seen)


# --- written


def read_back(files):
    return [pd.read_parquet(str(file).removeprefix("spark:")) for file in files if str(file).endswith(".parquet")]


def settled(frames):
    """Sort the rows of tables, and classes by their sizes."""
    found = []
    for frame in frames:
        if "class" in frame:
            frame = frame.assign(**{"class": frame["class"].map(frame["class"].value_counts())})
        found.append(sorted(map(tuple, frame.astype("str").fillna("").to_numpy())))
    return found


def test_codes_beyond_one_integer_are_split(tmp_path, sail, monkeypatch):
    monkeypatch.setattr(engine, "LARGEST_KEY", 7)
    release = Mondrian()(people(sail), KAnonymity(4))
    seen, codes = release.table.model_view, {"age": np.array([0, 1]), "work": np.array([0, 1])}
    asked, numbers = seen.packed([*codes]), seen._numbers(codes, 2)
    assert [number.tolist() for number in numbers] == [[2, 3], [2, 3]] and "kage" not in asked[1]
    release.export(f"spark:{tmp_path}/out.parquet", giveaways=True)  # counted again
    assert len(pd.read_parquet(tmp_path / "out.parquet")) == len(FRAME)


@pytest.mark.parametrize("publish", ["generalized", "bucketized"])
def test_spark_writes_the_same_files_as_this_process(tmp_path, spark, publish):
    release = Mondrian(publish=publish)(people(spark), KAnonymity(4))
    here = release.export(tmp_path / "here.parquet", giveaways=True)
    there = release.export(f"spark:{tmp_path}/there.parquet", giveaways=True)
    one = [pd.read_parquet(file) for file in here if file.suffix == ".parquet"]
    other = [frame for frame in read_back(there) if "label" not in frame]
    assert settled(one) == settled(other)
    assert all((a.dtypes == b.dtypes).all() for a, b in zip(one, other, strict=True))
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]
    with pytest.raises(BadInput, match="already exists"):
        release.export(f"spark:{tmp_path}/there.parquet", giveaways=True)


def test_spark_writes_text(tmp_path, sail):
    release = Mondrian()(people(sail), KAnonymity(4))
    release.export(tmp_path / "here.csv", giveaways=True)
    release.export(f"spark:{tmp_path}/there.csv", giveaways=True)
    parts = [pd.read_csv(path, dtype=str) for path in (tmp_path / "there.csv").glob("*.csv")]
    assert settled([pd.read_csv(tmp_path / "here.csv", dtype=str)]) == settled([pd.concat(parts)])


@pytest.mark.slow
@pytest.mark.parametrize("publish", ["generalized", "bucketized"])
def test_apache_spark_writes_a_table(apache, publish):
    spark = apache
    release = Mondrian(publish=publish)(people(spark), KAnonymity(4))
    found = [str(one).removeprefix("spark:") for one in release.export(f"spark:default.a_{publish}", giveaways=True)]
    try:
        frames = [spark.table(one).toArrow().to_pandas() for one in found]
        assert settled(frames[: len(file_names(release))]) == settled(release.tables().values())
        with pytest.raises(BadInput, match="already exists"):
            release.export(f"spark:default.a_{publish}", giveaways=True)
        assert not [one for one in spark.catalog.listTables() if one.name.startswith("workbench_")]
        again = Table.read(f"spark:{found[0]}", ["age"], remote=spark_servers.apache())
        assert again.records == 60
    finally:
        for one in found:
            spark.sql(f"DROP TABLE {one}").toArrow()


def test_a_server_that_cannot_rename_tables_is_reported_and_nothing_is_left(sail):
    with pytest.raises(BadInput, match="if the server cannot rename tables, write files"):
        Mondrian()(people(sail), KAnonymity(4)).export("spark:default.released", giveaways=True)
    assert sail.catalog.listTables() == []


def test_written_records_are_in_random_order(tmp_path, spark):
    records = 30_000
    frame = spark.createDataFrame(pa.table({"age": np.arange(records) // 300, "sex": np.arange(records) % 2}))
    release = Keep()(Table.read(frame, quasi=["age", "sex"]))
    found = []
    for way in ("one", "other"):
        release.export(f"spark:{tmp_path}/{way}.parquet")
        files = sorted((tmp_path / f"{way}.parquet").glob("*.parquet"))
        ages = pd.concat([pd.read_parquet(file) for file in files])["age"].astype(int).to_numpy()
        assert sorted(ages) == sorted(np.arange(records) // 300)
        assert abs(np.corrcoef(ages, np.arange(records))[0, 1]) < 0.03
        found.append(ages)
    assert (found[0] == found[1]).mean() < 0.05


# --- cells that do not fit


@contextmanager
def without_package():
    """Simulate workers without this package, so that parts are cut here."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(engine, "workers_ready", lambda session: False)
        yield


HERE, THERE = pytest.param(without_package, id="here"), pytest.param(nullcontext, id="by workers")


def in_parts(spark, folder, seeds):
    """Compare classes and files of random tables with those in memory; return the number of releases."""
    count = 0
    for seed in seeds:

        def there(frame, path=folder / f"{seed}.parquet"):
            frame.to_parquet(path, index=False)
            return spark.read.parquet(str(path))

        memory, other = pair(seed, there)
        for publish in ("generalized", "bucketized"):
            with small_parts([60, 25][seed % 2]):
                one, parts = (
                    try_call(Mondrian(publish=publish), table, PARTED[seed % len(PARTED)]) for table in (memory, other)
                )
                if isinstance(one, str):
                    assert parts == one
                    continue
                count += 1
                assert_same_figures(one, parts)
                assert_same_files(one, parts)
    return count


@pytest.mark.slow
@pytest.mark.parametrize("where", [HERE, THERE])
def test_parts_in_spark_give_the_same_results_as_memory(tmp_path, sail, where):
    with where():
        assert in_parts(sail, tmp_path, [0, 10]) == 3


@pytest.mark.exhaustive
@pytest.mark.parametrize("where", [HERE, THERE])
def test_many_tables_give_the_same_results_in_parts(tmp_path, sail, where):
    with where():
        assert in_parts(sail, tmp_path, range(300)) > 360


@pytest.mark.slow
def test_parts_in_apache_spark_give_the_same_results_as_memory(tmp_path, apache):
    assert in_parts(apache, tmp_path, [0]) == 2


@pytest.mark.slow
@pytest.mark.parametrize("where", [HERE, THERE])
@pytest.mark.parametrize("publish", ["generalized", "bucketized"])
def test_spark_writes_the_same_parts_as_this_process(tmp_path, sail, publish, where):
    with small_parts(8), where():
        release = Mondrian(publish=publish)(with_cells_outside_memory(people(sail)), KAnonymity(4))
        here = release.export(tmp_path / "here.parquet", giveaways=True)
        there = release.export(f"spark:{tmp_path}/there.parquet", giveaways=True)
    one = [pd.read_parquet(file) for file in here if file.suffix == ".parquet"]
    assert settled(one) == settled(frame for frame in read_back(there) if "label" not in frame)


@pytest.mark.parametrize("where", [HERE, THERE])
def test_a_table_that_changes_while_parts_are_counted_is_noticed(tmp_path, sail, where):
    path = tmp_path / "people.parquet"
    FRAME.to_parquet(path)
    table = with_cells_outside_memory(Table.read(sail.read.parquet(str(path)), **ROLES))
    FRAME.assign(age=FRAME["age"].to_numpy() % 40 + 10).to_parquet(path)
    with small_parts(8), where(), pytest.raises(BadInput, match="the table has changed since it was read"):
        Mondrian()(table, KAnonymity(4))


# --- what changes, what stops, what is lost


def test_a_table_that_changes_between_two_passes_is_noticed(tmp_path, sail):
    path = tmp_path / "people.parquet"

    def now(frame):
        frame.to_parquet(path)
        return sail.read.parquet(str(path))

    for change in (
        lambda frame: frame[:-1],
        lambda frame: frame.assign(age=frame["age"] + (frame["age"] == 50)),
        lambda frame: frame.assign(ill=["cold", *frame["ill"][1:]]),
    ):
        table = Table.read(now(FRAME), **ROLES)
        now(change(FRAME))
        with pytest.raises(BadInput, match="the table has changed since it was read"):
            table.cells()
    table = Table.read(now(FRAME), **ROLES)
    release = Mondrian()(table, KAnonymity(4))
    assert len(release.classes) > 1
    now(FRAME.assign(ill=FRAME["ill"].to_numpy()[::-1]))  # as many of each value, with other people
    for place in (f"spark:{tmp_path}/out.parquet", tmp_path / "out.csv"):
        with pytest.raises(BadInput, match="the table has changed since it was read"):
            release.export(place, giveaways=True)
    assert [path.name for path in tmp_path.iterdir()] == ["people.parquet"]


@pytest.mark.slow
@pytest.mark.parametrize("prepare", [lambda table: table, with_cells_outside_memory], ids=["cells", "parts"])
@pytest.mark.parametrize("some", [{"only": {"work": "own"}}, {"drop_missing": True}], ids=str)
def test_a_change_is_noticed_if_records_are_dropped(tmp_path, sail, some, prepare):
    """The remaining records and their values are the same; only the number of records per value differs."""
    path, works = tmp_path / "people.parquet", FRAME["work"].isin(["own"])
    frame = FRAME.assign(age=FRAME["age"].where(FRAME.index % 7 > 0))

    def table():
        return prepare(Table.read(sail.read.parquet(str(path)), **ROLES, **some))

    for change in (frame.assign(ill="flu"), frame.assign(ill=frame["ill"].where(~works, "cold"))):
        frame.to_parquet(path)
        given = table()
        with small_parts(8):
            assert len(Mondrian()(given, KAnonymity(2)).classes)
            given = table()
            change.to_parquet(path)
            with pytest.raises(BadInput, match="the table has changed since it was read"):
                Mondrian()(given, KAnonymity(2))


def test_a_table_that_does_not_fit_is_refused_with_advice(sail, monkeypatch):
    table = people(sail)
    monkeypatch.setattr(engine, "MOST", 4)
    with pytest.raises(BadInput, match=r"more than 4 combinations of age, work and ill, .*remove one of these columns"):
        table.cells()
    assert len(table.with_roles(["work"]).cells()) == 3
    with pytest.raises(BadInput, match=r"column 'name': more than 4 values.*add it to the identifiers"):
        people(sail, identifiers=[])


@pytest.fixture
def mortal(monkeypatch):
    """Return a session on a separate server, and its process."""
    monkeypatch.setitem(spark_session.PATIENCE, "max_retries", 2)
    remote, process = spark_servers.sail_elsewhere()
    spark = spark_servers.session(remote)
    yield spark, process
    process.kill()
    spark.client.set_retry_policies([])  # nothing waits for it
    spark.stop()


def test_a_lost_server_is_reported_in_one_sentence_and_results_stay(mortal):
    spark, process = mortal
    table = people(spark)
    release = Mondrian()(table, KAnonymity(4))
    sizes, before = release.classes.sizes.tolist(), spark.client.get_retry_policies()
    process.kill()
    process.wait()
    with pytest.raises(BadInput, match="the connection is lost; finished results are kept") as caught:
        table.drop(["region"]).with_roles(["age"], "ill").cells()
    assert caught.value.__context__ is None and "\n" not in str(caught.value)
    assert release.classes.sizes.tolist() == sizes and len(table.cells()) == 5
    assert spark.client.get_retry_policies() == before


@pytest.mark.slow
def test_a_server_lost_during_reading_is_reported_once(monkeypatch, mortal):
    spark, process = mortal
    frame = spark.createDataFrame(pa.Table.from_pandas(FRAME))
    asked = []

    class Dying(SparkCodeAssigner):
        def distinct(self, name):
            asked.append(name)
            if len(asked) == 2:
                process.kill()
                process.wait()
            return super().distinct(name)

    monkeypatch.setattr(spark_source, "SparkCodeAssigner", Dying)
    with pytest.raises(BadInput, match="the connection is lost") as caught:
        Table.read(frame, **ROLES)
    assert len(asked) == 2 and str(caught.value).count("the connection is lost") == 1


@pytest.mark.slow
def test_a_server_lost_during_writing_leaves_no_partial_files(tmp_path, mortal):
    spark, process = mortal
    many = spark.createDataFrame(pa.table({"age": np.arange(3000) % 90})).crossJoin(spark.range(3000))
    release = Keep()(Table.read(many.select("age"), quasi=["age"]))
    threading.Timer(0.4, process.kill).start()
    with pytest.raises(BadInput, match="the connection is lost"):
        release.export(f"spark:{tmp_path}/out.parquet")
    assert list(tmp_path.iterdir()) == []


def test_cancellation_stops_the_query_in_spark(mortal):
    spark, process = mortal
    endless = spark.range(10**12).selectExpr("id % 7 AS age", "id % 3 AS sex")
    cancel = threading.Event()
    threading.Timer(0.5, cancel.set).start()
    with progress.cancellable(cancel), pytest.raises(progress.Cancelled):
        Table.read(endless, ["age", "sex"])
    at_work = psutil.Process(process.pid)
    time.sleep(0.3)
    used = sum(at_work.cpu_times()[:2])
    time.sleep(0.5)
    assert sum(at_work.cpu_times()[:2]) - used < 0.2


# --- a session in the same process

CLASSIC = """
import sys, threading
import pandas as pd, pyarrow as pa
from pyspark.sql import SparkSession
from tests.releases.parted import MODELS as PARTED
from tests.releases.parted import with_cells_outside_memory, assert_same_figures, try_call, pair
from workbench.base import progress
from workbench.base.errors import BadInput
from workbench.data.table import Table
from workbench.methods import Mondrian
from workbench.models import KAnonymity
folder, roles = sys.argv[1], {"quasi": ["age", "work"], "sensitive": "ill"}
settings = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "1", "spark.sql.warehouse.dir": folder + "/w"}
spark = SparkSession.builder.master("local[1]").config(map=settings).getOrCreate()
frame = pd.DataFrame({"age": [30, 40, 40, 50, 30, 30] * 9, "work": ["own", "a", None] * 18, "ill": ["flu", "no"] * 27})
here, there = Table.from_frame(frame, **roles), Table.read(spark.createDataFrame(pa.Table.from_pandas(frame)), **roles)
one, other = (Mondrian()(table, KAnonymity(8)) for table in (here, there))
assert (one.classes.sizes == other.classes.sizes).all() and (one.classes.low == other.classes.low).all()
other.export(f"spark:{folder}/out.parquet")
assert sorted(map(str, pd.read_parquet(folder + "/out.parquet").values)) == sorted(map(str, one.frame().values))
other.export("spark:default.out")
assert spark.table("default.out").count() == 54
cancel = threading.Event()
threading.Timer(1, cancel.set).start()
try:
    with progress.cancellable(cancel):
        Table.read(spark.range(10**12).selectExpr("id % 7 AS a"), ["a"])
except progress.Cancelled:
    print("cancelled")
spark.stop()
try:
    there.with_roles(["age"]).cells()
except BadInput as error:
    print(error)
"""


@pytest.mark.slow
def test_a_session_in_this_process_gives_the_same_results(tmp_path):
    home = os.environ.get("SPARK_HOME")
    if not home or not shutil.which("java"):
        pytest.skip("SPARK_HOME names no Apache Spark, or there is no Java")
    (bridge,) = Path(home).glob("python/lib/py4j-*.zip")
    path = os.pathsep.join(map(str, (Path(home).parent, bridge, Path(__file__).parents[3])))
    given = {**os.environ, **spark_servers.SOON, "PYTHONPATH": path, "SPARK_LOCAL_IP": "127.0.0.1"}
    done = subprocess.run(
        [sys.executable, "-c", CLASSIC, str(tmp_path)],
        cwd=tmp_path,
        env=given,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    cancelled, lost = done.stdout.splitlines()[-2:]
    assert cancelled == "cancelled" and "the connection is lost" in lost


@pytest.fixture
def session():
    """Return a session that has not checked its workers."""
    made = spark_servers.session(spark_servers.sail())
    yield Session(made)
    made.stop()


def small_table(session):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.poisson(40, 300), "zip": rng.integers(0, 50, 300)})
    frame["ill"] = np.where(frame["age"] > 45, "gout", rng.choice(["flu", "none"], 300))
    given = session.spark.createDataFrame(pa.Table.from_pandas(frame))
    return with_cells_outside_memory(Table.read(given, quasi=["age", "zip"], sensitive="ill"))


def queries(monkeypatch, session):
    """Record the queries to workers during the test."""
    found, sent = [], engine.classes_by_workers
    monkeypatch.setattr(engine, "classes_by_workers", lambda *given: found.append(given) or sent(*given))
    return found


def test_workers_with_this_package_cut_parts_as_the_table_states(monkeypatch, session):
    monkeypatch.setattr(first_cuts, "PART", 60)
    table, found = small_table(session), queries(monkeypatch, session)
    assert "the others by Spark's workers>" in repr(table.engine)
    assert len(Mondrian()(table, KAnonymity(4)).classes) > 20 and len(found) == 1


@pytest.mark.parametrize("wrong", ["raises", "another version"])
def test_parts_are_cut_in_this_process_otherwise_and_the_table_gives_the_reason(monkeypatch, session, wrong):
    def digest(rows):
        if wrong == "raises":
            raise ModuleNotFoundError("No module named 'workbench'")
        return pa.table({"digest": ["of another version"]})

    monkeypatch.setattr(engine, "_digest", digest)
    monkeypatch.setattr(first_cuts, "PART", 60)
    table, found = small_table(session), queries(monkeypatch, session)
    assert "here, because Spark's workers do not have this version of the workbench (run pip install" in repr(
        table.engine
    )
    assert len(Mondrian()(table, KAnonymity(4)).classes) > 20 and found == []


def test_a_model_of_a_notebook_is_not_sent_to_workers(monkeypatch, session):
    class Mine(KAnonymity):
        pass

    monkeypatch.setattr(first_cuts, "PART", 60)
    table, found = small_table(session), queries(monkeypatch, session)
    same = Mondrian()(table, KAnonymity(4))
    assert (Mondrian()(table, Mine(4)).classes.sizes == same.classes.sizes).all() and len(found) == 1


def test_no_value_of_the_data_is_sent_to_workers(session):
    finish = first_cuts.Finish.from_table(small_table(session), KAnonymity(4), even=False)
    assert {label for seen in finish.sensitive.values() for label in seen.labels} == {""}
    assert finish.travels and len(finish.sensitive["ill"]) == 3


def test_an_unknown_value_is_reported_as_a_class_of_size_0(session):
    rows = pa.table({"part": [3, 3], "k0": [0, -2], "k1": [1, 1], "count": [5, 6]})
    assert engine._cells_of_part(rows, ["k0", "k1"], 1, ["ill"]) == (3, None)
    part, cells = engine._cells_of_part(rows.slice(0, 1), ["k0", "k1"], 1, ["ill"])
    assert part == 3 and cells.quasi.tolist() == [[0]] and cells.weight.tolist() == [5]
