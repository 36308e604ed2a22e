"""Written files are recounted: any text is preserved, and a file that differs from the release is removed."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from workbench.base.errors import BadInput
from workbench.data.table import Table
from workbench.methods import Keep, Mondrian
from workbench.models import KAnonymity
from workbench.releases import export
from workbench.releases.recount import expected

AWKWARD = ["flu", 'say "it"', "a,b", "two\nlines", "\r", " x", "é", "'", "NA", "1", "=1+1", None]
FRAME = pd.DataFrame(
    {
        "age": [30, 40, 40, 50, 30, None] * 8,
        "born": pd.to_datetime(["2001-02-03", "1999-01-01", None, "2001-02-03"] * 12),
        "Work": AWKWARD * 4,
        "work": ["own", "gov", "own"] * 16,
        "pay": [0.1, 2.5, None, 1e300] * 12,
        "ill": AWKWARD[::-1] * 4,
    }
)
WAYS = [(ending, publish) for ending in ("csv", "parquet") for publish in ("generalized", "bucketized")]


@pytest.fixture(scope="module")
def releases():
    table = Table.read(FRAME, ["age", "born", "Work", "work"], ["pay", "ill"], engine="duckdb")
    return {publish: Mondrian(publish=publish)(table, KAnonymity(8)) for publish in ("generalized", "bucketized")}


@pytest.mark.parametrize(("ending", "publish"), WAYS)
def test_any_text_is_counted_as_written(tmp_path, releases, ending, publish):
    folder = tmp_path / "a [b]*?"
    folder.mkdir()
    for defuse in {False, ending == "csv"}:
        written = releases[publish].export(folder / f"out.{ending}", defuse=defuse)
        assert sorted(written) == sorted(folder.iterdir()) and len(written) == 3


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_single_column_is_counted(tmp_path, ending):
    table = Table.read(FRAME[["Work"]], ["Work"], engine="duckdb")
    (written,) = Keep()(table).export(tmp_path / f"one.{ending}")
    assert written.is_file()


def one_record_fewer(codes, held):
    return [one[1:] for one in codes]


def one_in_another_class(codes, held):
    return [
        np.append((one[:1] + 1) % 2, one[1:]) if name is None else one for one, name in zip(codes, held, strict=True)
    ]


def one_with_another_value(codes, held):
    return [
        np.append((one[:1] + 1) % 2, one[1:]) if name == "ill" else one for one, name in zip(codes, held, strict=True)
    ]


FAULTS = [(way, fault) for way in WAYS for fault in (one_record_fewer, one_in_another_class)]
FAULTS += [(way, one_with_another_value) for way in WAYS if "generalized" in way]  # of buckets they are counts


@pytest.mark.parametrize(("way", "fault"), FAULTS)
def test_a_file_that_differs_from_the_release_is_removed(tmp_path, monkeypatch, releases, way, fault):
    ending, publish = way
    honest = getattr(export, f"write_{ending}")

    def weakened(rows, file):
        if rows.held is not None:
            first, *rest = rows.batches()
            rows = replace(rows, batches=lambda: iter([fault(first, list(rows.held.names)), *rest]))
        honest(rows, file)

    monkeypatch.setattr(export, f"write_{ending}", weakened)
    with pytest.raises(BadInput, match="what was written is not the release, so it was removed") as caught:
        releases[publish].export(tmp_path / f"out.{ending}")
    assert list(tmp_path.iterdir()) == [] and caught.value.__context__ is None


def test_expected_counts_equal_a_readers_counts(releases):
    release = releases["generalized"]
    (rows,) = release.rows().values()
    frame = release.frame().astype("object").where(lambda one: one.notna(), "missing")
    values = [export.text_of(one.values)(one.values) for one in rows.columns]
    named = dict(enumerate(one.name for one in rows.columns))
    for found in expected(rows.held, values):
        keys = [named[int(name[1:])] for name in found.column_names if name != "count"]
        assert sum(found["count"].to_pylist()) == len(frame)
        assert sorted(found["count"].to_pylist()) == sorted(frame.groupby(keys).size())
        assert len({*keys} & {"pay", "ill"}) == 1 and {"age", "born", "Work", "work"} < {*keys}


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_an_unreadable_file_is_removed(tmp_path, monkeypatch, releases, ending):
    monkeypatch.setattr(export, f"write_{ending}", lambda rows, file: file.write(b"\x00 not a table"))
    with pytest.raises(BadInput, match=r"what was written (cannot be counted again|is not the release)"):
        releases["generalized"].export(tmp_path / f"out.{ending}")
    assert list(tmp_path.iterdir()) == []
