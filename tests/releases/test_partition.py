"""Partitions: classes, labels, estimates, frames and files."""

import re

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from tests.methods.tables import random_frame
from tests.releases.columns import PUBLISHED, QUASI
from workbench.base.errors import BadInput
from workbench.data.cells import cell_of_record
from workbench.data.hierarchies.builders import Columns
from workbench.data.table import Table
from workbench.methods import Keep, Mondrian, Remove
from workbench.models import KAnonymity, ProbabilisticLDiversity
from workbench.publication import details
from workbench.queries.populations import large_populations
from workbench.releases.partition import Partition
from workbench.releases.side_information import find_giveaways, nearly_identifying_columns


def test_classes_with_equal_released_values_are_one(table):
    cells = table.cells()
    release = Partition(table, cells, np.arange(len(cells), dtype=np.int32))  # every cell by itself
    runs = np.concatenate([release.classes.low, release.classes.high], axis=1)
    assert len(np.unique(runs, axis=0)) == len(runs) == len(Keep()(table).classes) < len(cells)
    assert release.classes.sizes.sum() == table.records


def test_a_bucketized_release_does_not_merge_equal_classes():
    frame = pd.DataFrame({"q": [1] * 8, "s": list("xyxyxyxy")})
    table = Table.from_frame(pd.concat([frame, frame.assign(q=2)]), quasi=["q"], sensitive="s")
    cut = Mondrian(publish="bucketized")(table, KAnonymity(8))
    assert len(cut.classes) == 2 and cut.classes.exact
    assert set(cut.tables()) == {"records", "s"}


def test_keep_estimates_the_truth(table):
    populations = large_populations(table, 0.05)
    release = Keep()(table)
    for name in table.sensitive:
        assert release.estimate(populations, name) == pytest.approx(populations.truth[name], abs=1e-6)
    assert release.estimate(populations)[:, 0] == pytest.approx(populations.support)


def test_bucketized_classes_estimate_sizes_exactly(table):
    populations = large_populations(table, 0.05)
    release = Mondrian(publish="bucketized")(table, KAnonymity(20))
    assert release.estimate(populations)[:, 0] == pytest.approx(populations.support)
    assert release.estimate(populations, "s").sum(axis=1) == pytest.approx(populations.support)


@pytest.mark.parametrize(
    "method", [Mondrian(), Mondrian(strict=False), Mondrian(publish="bucketized"), Remove()], ids=str
)
def test_the_population_of_everybody_is_estimated_exactly(table, method):
    whole = np.array([[[0, table.columns[name].size - 1] for name in table.quasi]])
    estimate = method(table, KAnonymity(15)).estimate(whole, "s")
    assert estimate[0] == pytest.approx(table.sensitive["s"].totals)


def test_a_removed_sensitive_column_is_estimated_by_its_prior(table):
    populations = large_populations(table, 0.2)
    estimate = Remove("s")(table).estimate(populations, "s")
    assert estimate == pytest.approx(populations.support[:, None] * table.sensitive["s"].prior)


@pytest.mark.parametrize("target", ["plain", "person", "s", "word"])
@pytest.mark.parametrize("publish", PUBLISHED)
def test_cells_split_by_other_columns_have_their_records(table, target, publish):
    release = Mondrian("information_gain", target, publish=publish)(table, KAnonymity(6))
    of_record = cell_of_record(table, release.others)
    assert release.others == ((target,) if target in ("plain", "person") else ())
    for name, codes in release.cells.others.items():
        assert (codes[of_record] == table.codes[name]).all()
    assert (release.cells.quasi[:, of_record] == [table.codes[name] for name in table.quasi]).all()
    assert np.bincount(release.group[of_record]).tolist() == release.classes.sizes.tolist()
    assert set(release.frame()["person"]) == set(range(200))


@pytest.mark.parametrize("publish", PUBLISHED)
@pytest.mark.parametrize("strict", [True, False])
def test_neutral_columns_are_published_unchanged(table, publish, strict):
    before = table.frame.set_index("person")
    after = Mondrian(strict=strict, publish=publish)(table, KAnonymity(10)).frame().set_index("person")
    exact = ["real", "plain", "one", *(QUASI if publish == "bucketized" else ())]
    assert after.loc[before.index, exact].equals(before[exact])
    if publish == "generalized":  # the sensitive values stay with their records
        assert after.loc[before.index, ["s", "s2"]].equals(before[["s", "s2"]])


def test_a_bucketized_release_is_joined_class_by_class(table):
    release = Mondrian(publish="bucketized")(table, KAnonymity(10))
    together, tables = release.frame(), release.tables()
    for name in ("s", "s2"):
        sizes = tables[name].groupby("class")["count"].sum()
        assert sorted(sizes) == sorted(release.classes.sizes)
        assert sizes.to_dict() == tables["records"].groupby("class").size().to_dict()
        assert tables[name].groupby(name, dropna=False)["count"].sum().to_dict() == (
            together[name].value_counts(dropna=False).to_dict()
        )
    assert not {"s", "s2"} & set(tables["records"])


def test_added_column_names_avoid_those_of_the_data(tmp_path):
    frame = pd.DataFrame({"q": [1, 2] * 8, "class": range(16), "count": list("aabb") * 4, "records": list("xyzz") * 4})
    frame["a/b"] = list("lmmm") * 4
    frame["a b"] = list("lmmm") * 4
    given = Table.from_frame(frame, quasi=["q"], sensitive=["count", "records", "a/b", "a b"])
    release = Mondrian(publish="bucketized")(given, KAnonymity(4))
    tables = release.tables()
    assert list(tables) == ["records_", "count", "records", "a/b", "a b"]
    assert list(tables["records_"]) == ["q", "class", "class_"] and set(tables["records_"]["class"]) == set(range(16))
    assert list(tables["count"]) == ["class_", "count", "count_"] and set(tables["count"]["count"]) == {"a", "b"}
    names = [path.name for path in release.export(tmp_path / "out.csv", giveaways=True)]
    assert names == ["out-records_.csv", "out-count.csv", "out-records.csv", "out-a_b.csv", "out-a_b_.csv"]
    assert set(release.frame()) == {*frame, "class_"}


LEVEL = {"s": Columns([(f"s{v}", "low" if v < 2 else "high") for v in range(6)])}


@pytest.mark.parametrize("publish", PUBLISHED)
def test_a_sensitive_column_is_published_at_its_level(publish):
    frame = random_frame(4, 80, missing=0.1)
    given = Table.from_frame(frame, quasi=["whole", "real"], sensitive="s", hierarchies=LEVEL, levels={"s": 1})
    release = Mondrian(publish=publish)(given, KAnonymity(5) & ProbabilisticLDiversity(1.1))
    levels = frame["s"].map({f"s{v}": "low" if v < 2 else "high" for v in range(6)}).fillna("missing")
    assert release.frame()["s"].value_counts().to_dict() == levels.value_counts().to_dict()
    totals = [levels.eq(value).sum() for value in ("low", "high", "missing")]
    assert release.classes.histograms["s"].sum(axis=0).tolist() == totals
    if publish == "generalized":
        whole = release.frame().set_index("person")["s"]
        assert whole.loc[frame["person"]].tolist() == levels.tolist()


@pytest.mark.parametrize(
    ("method", "gone"),
    [(Remove(), set(QUASI)), (Remove("word"), {"word"}), (Remove(("s", "plain")), {"s", "plain"}), (Keep(), set())],
    ids=["all", "one", "two", "none"],
)
def test_unpublished_columns_are_in_no_answer(table, method, gone):
    release = method(table)
    assert set(release.frame()) == set(table.names) - gone
    assert set(release.classes.histograms) == {"s", "s2"} - gone
    assert len(release.frame()) == release.classes.sizes.sum() == 200


def test_only_columns_of_the_table_can_be_removed(table):
    with pytest.raises(BadInput, match="remove: columns: 'id' is not a column of the table"):
        Remove("id")(table)


SECRET = pd.DataFrame(
    {
        "ssn": [f"123-45-{i:04}" for i in range(40)],
        "age": list(range(20, 40)) * 2,
        "town": ["Ely", "Ayr", "Ely", "Bath"] * 10,
        "s": ["flu", "flu", "cold", "hiv"] * 10,
    }
)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize(
    "method", [Mondrian(), Mondrian(publish="bucketized"), Mondrian(strict=False), Remove("town"), Keep()], ids=str
)
def test_files_contain_only_the_release(tmp_path, method, ending):
    frame = SECRET.set_index(pd.Index(range(1000, 1040), name="order"))
    given = Table.from_frame(frame, quasi=["age", "town"], sensitive="s", identifiers=["ssn"])
    release = method(given, KAnonymity(2) if isinstance(method, Mondrian) else None)
    paths = release.export(tmp_path / f"out.{ending}")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(path.name for path in paths)
    assert [path.name for path in paths if "codebook" in path.name] == (
        ["out-codebook.csv", "out-codebook.json"] if (release.classes.low < release.classes.high).any()
        and not release.classes.exact and not release.unpublished_columns else []
    )  # fmt: skip
    for path in paths[-2:]:
        assert "codebook" not in path.name or not re.search(rb"123-45|ssn|order\b|flu|hiv", path.read_bytes())
    for path, table in zip(paths, release.tables().values(), strict=False):
        back = pd.read_csv(path) if ending == "csv" else pd.read_parquet(path)
        assert list(back) == list(table) and "ssn" not in back and "order" not in back
        assert isinstance(back.index, pd.RangeIndex) and len(back) == len(table)
        assert not re.search(rb"123-45|ssn|order\b", path.read_bytes())
        if isinstance(method, Remove):
            assert "town" not in back and b"Bath" not in path.read_bytes()


def test_parquet_has_no_metadata_about_order_or_origin(tmp_path, table):
    paths = Mondrian(publish="bucketized")(table, KAnonymity(10)).export(tmp_path / "out.parquet", giveaways=True)
    paths += Mondrian()(table, KAnonymity(10)).export(tmp_path / "one.parquet", giveaways=True)
    for path in (path for path in paths if path.suffix == ".parquet"):
        file = pq.ParquetFile(path)
        about = {key: value for key, value in (file.schema_arrow.metadata or {}).items() if key != b"pandas"}
        pandas = file.schema_arrow.pandas_metadata
        assert about == {} and pandas["index_columns"] == [] and not pandas.get("attributes")
        assert {column["name"] for column in pandas["columns"]} == set(file.schema_arrow.names)
        assert all(not file.metadata.row_group(i).sorting_columns for i in range(file.num_row_groups))


def test_numbers_and_dates_of_exact_columns_keep_their_type(tmp_path, table):
    records, *_ = Mondrian(publish="bucketized")(table, KAnonymity(10)).export(tmp_path / "out.parquet", giveaways=True)
    back = pd.read_parquet(records)
    assert back["whole"].dtype.kind == "i" or str(back["whole"].dtype) == "Int64"
    assert back["day"].dtype.kind == "M" and back["real"].dtype.kind == "f"
    assert back["whole"].isna().sum() == table.frame["whole"].isna().sum() > 0


@pytest.mark.parametrize("name", ["out.xlsx", "nowhere/out.csv"])
def test_a_bad_target_of_an_export_has_a_clear_error(tmp_path, table, name):
    with pytest.raises(BadInput):
        Mondrian(publish="bucketized")(table, KAnonymity(10)).export(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_an_export_defuses_formulas_on_request(tmp_path):
    frame = pd.DataFrame({"q": ["=1+1", "@a"] * 8, "n": [-5, 5] * 8, "s": ["-x", "y", "=z", "y"] * 4})
    release = Keep()(Table.from_frame(frame, quasi=["q"], sensitive="s"))
    plain, safe = (
        pd.read_csv(release.export(tmp_path / f"{name}.csv", giveaways=True, defuse=name == "safe")[0])
        for name in ("plain", "safe")
    )
    assert set(plain["q"]) == {"=1+1", "@a"} and set(plain["s"]) == {"-x", "y", "=z"}
    assert set(safe["q"]) == {"'=1+1", "'@a"} and set(safe["s"]) == {"'-x", "y", "'=z"} and set(safe["n"]) == {-5, 5}
    with pytest.raises(BadInput, match="defuse is for CSV"):
        release.export(tmp_path / "out.parquet", giveaways=True, defuse=True)


def test_an_export_overwrites_nothing_on_request(tmp_path, table):
    release = Mondrian(publish="bucketized")(table, KAnonymity(10))
    (tmp_path / "out-s2.csv").write_text("mine")
    with pytest.raises(BadInput, match=r"out-s2\.csv already exists"):
        release.export(tmp_path / "out.csv", giveaways=True, overwrite=False)
    assert [path.name for path in tmp_path.iterdir()] == ["out-s2.csv"]
    assert (tmp_path / "out-s2.csv").read_text() == "mine"
    assert len(release.export(tmp_path / "out.csv", giveaways=True)) == 3


def test_a_folder_refuses_the_files_that_export_refuses(tmp_path):
    """Neutral columns that disclose nothing by themselves, but make people unique together with the groups."""
    rng = np.random.default_rng(5)
    codes = {f"c{i}": rng.integers(0, 6, 1500) for i in range(5)}
    frame = pd.DataFrame({"age": rng.integers(20, 70, 1500), **codes, "ill": rng.choice(["a", "b", "c"], 1500)})
    table = Table.from_frame(frame, ["age"], "ill")
    release = Mondrian()(table, KAnonymity(30))
    assert not nearly_identifying_columns(release) and not find_giveaways(release) and release.disclosing_columns
    assert "single out people" in details.refused(release) and details.refused(release).endswith("people")
    with pytest.raises(BadInput):
        release.export(tmp_path / "a.csv")
    bare = Mondrian()(table.drop(table.neutral), KAnonymity(30))
    assert details.refused(bare) == ""
