"""Released tables as files: the text that pandas writes, complete or absent, and readable record by record."""

import csv
import io
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.methods.tables import HIERARCHIES, random_frame
from workbench.base.errors import BadInput, Unsatisfiable
from workbench.data.records import edges_of_quasi
from workbench.data.table import Table
from workbench.frontier.recipe import Recipe
from workbench.frontier.sweep import sweep
from workbench.measures import KLDivergence, PrivacyLoss, ReidentificationRisk, UtilityLoss
from workbench.methods import Keep, LocalRecoding, Mondrian
from workbench.models import KAnonymity, TCloseness
from workbench.queries.populations import large_populations
from workbench.releases import export
from workbench.releases.export import CodedColumn, Rows, expected, write_csv
from workbench.releases.foreign import foreign
from workbench.releases.partition import Bucketized, Partition
from workbench.releases.writing import write_tables

FRAME = pd.DataFrame({"a": [1, 2], "b": ["x", None]})
ENDINGS = ("csv", "parquet")


def rows_of(frame):
    """Return the records as values, in the order of the frame."""
    codes = np.arange(len(frame))
    return Rows.ordered([CodedColumn(name, frame.iloc[:, i], codes) for i, name in enumerate(frame.columns)], codes)


def text_of(rows):
    file = io.BytesIO()
    write_csv(rows, file)
    return file.getvalue().decode()


def files(folder):
    return sorted(path.name for path in folder.iterdir())


# --- all of them or none


@pytest.mark.parametrize("ending", ENDINGS)
def test_written_files_are_read_back(tmp_path, ending):
    path = tmp_path / f"out.{ending}"
    write_tables({path: rows_of(FRAME)})
    back = pd.read_csv(path) if ending == "csv" else pd.read_parquet(path)
    pd.testing.assert_frame_equal(back, FRAME)
    assert files(tmp_path) == [path.name]


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_failure_in_the_middle_leaves_nothing(tmp_path, monkeypatch, ending):
    def half(rows, file):
        file.write(b"half of it")
        raise OSError("no space left")

    monkeypatch.setattr(export, f"write_{ending}", half)
    with pytest.raises(OSError, match="no space"):
        write_tables({tmp_path / f"out.{ending}": rows_of(FRAME)})
    assert files(tmp_path) == []


def test_no_file_appears_if_one_fails(tmp_path, monkeypatch):
    plain, written = export.write_csv, []

    def fails_on_the_second(rows, file):
        plain(rows, file)
        written.append(file)
        if len(written) == 2:
            raise OSError("no space left")

    monkeypatch.setattr(export, "write_csv", fails_on_the_second)
    with pytest.raises(OSError, match="no space"):
        write_tables({tmp_path / "first.csv": rows_of(FRAME), tmp_path / "second.csv": rows_of(FRAME)})
    assert files(tmp_path) == []


def test_a_newer_file_replaces_an_older_one(tmp_path):
    path = tmp_path / "out.csv"
    for frame in (FRAME, FRAME.head(1)):
        write_tables({path: rows_of(frame)})
    assert len(pd.read_csv(path)) == 1 and files(tmp_path) == ["out.csv"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("out.xlsx", r"unsupported file type; use a name that ends in \.csv or \.parquet"),
        ("out", "unsupported file type"),
        ("nowhere/out.csv", "'.*nowhere' does not exist; create it"),
        ("folder.csv", "is a folder; name a file in it"),
    ],
)
def test_an_unwritable_target_has_a_clear_error(tmp_path, name, message):
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(BadInput, match=message):
        write_tables({tmp_path / "fine.csv": rows_of(FRAME), tmp_path / name: rows_of(FRAME)})
    assert files(tmp_path) == ["folder.csv"]


# --- as pandas writes

MOMENTS = ["2024-01-30T10:00:00", "0999-12-31T23:59:59", "2024-01-01T00:00:00"]
COLUMNS = {
    "text": pd.Series(["a", "b c", "[20-30]", "{a, b}", 'say "x"', "", "line\nend", "O'Brien", "Zoë ×"]),
    "missing text": pd.Series(["a", None, "b"]),
    "whole": pd.Series([-5, 0, 2**62]),
    "missing whole": pd.Series([1, None, 3], dtype="Int64"),
    "fractions": pd.Series([0.1, -2.5, 1e-7, 1e16, 1e22, 5.0, np.nan]),
    "days": pd.Series(np.array(["2024-01-30", "NaT", "0999-12-31"], "datetime64[D]")),
    "seconds": pd.Series(np.array([*MOMENTS, "NaT"], "datetime64[us]")),
    "milliseconds": pd.Series(np.array([*MOMENTS, "2024-01-30T10:00:00.500"], "datetime64[us]")),
    "microseconds": pd.Series(np.array([*MOMENTS, "2024-01-30T10:00:00.123456"], "datetime64[us]")),
    "mixed": pd.Series(["low", "high", "missing"], dtype=object),
}


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("alone", [True, False])
def test_the_text_is_what_pandas_writes(name, alone):
    frame = pd.DataFrame({name: COLUMNS[name]} if alone else {"first": range(len(COLUMNS[name])), name: COLUMNS[name]})
    assert text_of(rows_of(frame)) == frame.to_csv(index=False)


def test_batches_are_one_file(monkeypatch, tmp_path):
    frame = pd.DataFrame({name: values.reindex(np.arange(40) % len(values)).array for name, values in COLUMNS.items()})
    whole = text_of(rows_of(frame))
    write_tables({tmp_path / "whole.parquet": rows_of(frame)})
    monkeypatch.setattr(export, "BATCH", 7)
    assert text_of(rows_of(frame)) == whole == frame.to_csv(index=False)
    write_tables({tmp_path / "parts.parquet": rows_of(frame)})
    one, other = (pd.read_parquet(tmp_path / f"{name}.parquet") for name in ("whole", "parts"))
    pd.testing.assert_frame_equal(one, other)
    frame.to_parquet(tmp_path / "pandas.parquet", index=False)
    pd.testing.assert_frame_equal(one, pd.read_parquet(tmp_path / "pandas.parquet"))


def test_the_order_is_random_and_the_same_for_all_columns(monkeypatch):
    monkeypatch.setattr(export, "BATCH", 100)
    codes = np.arange(10_000)
    frame = Rows.shuffled([CodedColumn(name, pd.Series(codes), codes) for name in ("a", "b")]).frame()
    assert frame["a"].equals(frame["b"]) and sorted(frame["a"]) == codes.tolist()
    came_from = frame["a"].to_numpy() // 100
    assert all(len(set(came_from[start : start + 100])) > 40 for start in range(0, 10_000, 100))


# --- read back

AWKWARD = ["\r", "\n", "\r\n", '"', "'", "\u2028", "\u2029", "\x85", "\f", "\v", "\x1c", "\t", " ", ",", ";", "|"]
AWKWARD += ["=", "+1", "-", "@", "\ufeff", "a", "b", "''", '""', "#", "\\", "é", "\u00a0", "😀", "\x1a", "NA"]
TEXT = st.lists(
    st.one_of(st.sampled_from(AWKWARD), st.text(st.characters(exclude_characters="\0", codec="utf-8"), max_size=3)),
    max_size=5,
).map("".join)
TABLES = st.integers(1, 3).flatmap(
    lambda width: st.lists(st.lists(TEXT, min_size=width, max_size=width), min_size=2, max_size=8)
)


@given(TABLES)
@example([["a"], ["x\ry"]])
@example([["a", "b"], ["x\ry,z\r1,2", "\n"]])
@example([["a;b;c", "d"], ["1;2;3", "4"]])
@example([["'a'", "b"], ["'x'", "'y, z'"]])
@example([["\ufeffa", "b"], [" x ", ""]])
@example([["a"], [""], [""]])
def test_every_cell_is_read_back_by_python_and_by_pandas(table):
    header, *records = table
    frame = pd.DataFrame(records, columns=[f"{name}{i}" for i, name in enumerate(header)], dtype=object)
    text = text_of(rows_of(frame))
    assert list(csv.reader(io.StringIO(text, newline=""))) == [list(frame), *records]
    back = pd.read_csv(io.BytesIO(text.encode()), dtype=str, keep_default_na=False, skip_blank_lines=False)
    assert list(back) == list(frame) and back.to_numpy().tolist() == records


@given(TABLES)
@example([["a"], ["x\ry"]])
@example([["a", "b"], ["x\ry,z\r1,2", "\n"]])
@example([["a;b;c", "d"], ["1;2;3", "4"]])
@example([["'a'", "b"], ["'x'", "'y'"]])
@example([["\u2028a", "b"], ["x", "\x1cy"]])
@example([["a"], [""], ["x"]])
@example([["", "\t\t"], ["", "\t\t"]])
@example([[" "], [""]])
def test_every_record_is_read_back_here(tmp_path_factory, table):
    header, *records = table
    names = [f"x{name}{i}" for i, name in enumerate(header)]
    frame = pd.DataFrame(records, columns=names, dtype=object)
    path = tmp_path_factory.mktemp("out") / "out.csv"
    path.write_text(text_of(rows_of(frame)), "utf-8", newline="")
    plain = [name.strip() for name in frame]
    back = Table.without_roles(path, types=dict.fromkeys(plain, "text"), missing=dict.fromkeys(plain, ()))
    assert [name.strip() for name in frame] == back.names
    assert [tuple(c.strip() for c in r) for r in back.frame.itertuples(index=False)] == [
        tuple(cell.strip() for cell in record) for record in records
    ]


def test_a_zero_byte_that_makes_text_look_binary_is_refused_in_csv(tmp_path):
    rows = rows_of(pd.DataFrame({"town": ["Ely\0", "Ayr"]}))
    with pytest.raises(BadInput, match="column 'town' has text with a zero byte"):
        write_tables({tmp_path / "out.csv": rows})
    assert files(tmp_path) == []
    write_tables({tmp_path / "out.parquet": rows})


# --- formulas

RISKY = ["=1+1", "+cmd|'/C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1+1", "-", "- 5", "=", "-5-3"]
PLAIN = ["-5", "+5.5", "-1e-3", "-.5", "5.", "[20-30]", "'=1", "a=b", " =1", "", "*"]


def test_formulas_get_an_apostrophe():
    days = pd.Series(pd.to_datetime(["2020-01-01"] * 12))
    frame = pd.DataFrame({"=a": RISKY, "b": [*PLAIN, None], "c": range(-6, 6), "d": [-0.5, None] * 6, "e": days})
    safe = rows_of(frame).defused().frame()
    assert safe["'=a"].tolist() == [f"'{value}" for value in RISKY]
    assert safe["b"].tolist()[:-1] == PLAIN and safe["b"].isna().tolist()[-1]
    pd.testing.assert_frame_equal(safe[["b", "c", "d", "e"]], frame[["b", "c", "d", "e"]])
    assert frame["=a"].tolist() == RISKY  # what was given is as it was


def test_columns_whose_names_become_equal_are_all_written():
    frame = pd.DataFrame([[1, 2]], columns=["=a", "'=a"])
    assert rows_of(frame).defused().frame().to_numpy().tolist() == [[1, 2]]


# Suppressed records: absent from the files, or rows of `*` at random places; nothing is learned about them.


@pytest.fixture(scope="module")
def table():
    return Table.from_frame(random_frame(3, 300), ["whole", "word", "real"], "s", ["person", "s2"], HIERARCHIES)


@pytest.fixture(scope="module", params=[Partition, Bucketized])
def release(request, table):
    whole = Mondrian(publish="bucketized" if request.param is Bucketized else "generalized")(table, KAnonymity(12))
    return whole.without(np.array([0, 3]))


def test_some_classes_are_suppressed(table, release):
    whole = Mondrian()(table, KAnonymity(12))
    assert release.suppressed == whole.classes.sizes[[0, 3]].sum() > 0
    assert len(release.classes) == len(whole.classes) - 2
    there = release.group_of_record < len(release.classes)
    assert there.sum() == table.records - release.suppressed
    with pytest.raises(Unsatisfiable, match="every record"):
        whole.without(np.arange(len(whole.classes)))


def test_suppressed_records_have_the_prior(table, release):
    posterior = release.posterior("s")
    assert posterior.sizes[-1] == release.suppressed and posterior.sizes.sum() == table.records
    assert posterior.beliefs[-1] == pytest.approx(table.sensitive["s"].prior)


def test_suppressed_records_are_spread_over_populations(table, release):
    populations = large_populations(table, 0.1)
    there = release.group_of_record < len(release.classes)
    quasi = np.stack([table.codes[name] for name in table.quasi])
    left, right = edges_of_quasi(table)
    for i in range(0, len(populations), 7):
        runs = populations.runs[i]
        share = 1.0
        for a, name in enumerate(table.quasi):
            end = table.columns[name].size - 1
            share *= (right[a, runs[a, 1]] - left[a, runs[a, 0]]) / (right[a, end] - left[a, 0])
        anywhere = share * release.suppressed
        if release.classes.exact:
            inside = ((quasi >= runs[:, :1]) & (quasi <= runs[:, 1:])).all(axis=0)
            assert release.estimate(populations)[i, 0] == pytest.approx((inside & there).sum() + anywhere)
        else:
            rest = Partition(table, release.cells, release.group)
            assert release.estimate(populations)[i, 0] >= anywhere - 1e-9
            assert rest.estimate(populations)[i, 0] == pytest.approx(release.estimate(populations)[i, 0])
    whole = np.array([[[0, table.columns[name].size - 1] for name in table.quasi]])
    assert release.estimate(whole)[0, 0] == pytest.approx(table.records)


@pytest.mark.parametrize("measure", [PrivacyLoss(), UtilityLoss(), KLDivergence(), ReidentificationRisk()], ids=str)
def test_measures_are_finite(release, measure):
    assert np.isfinite(measure(release).value)


def test_suppressed_records_are_absent_from_the_file(table, release):
    assert len(release.frame()) == table.records - release.suppressed


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_rows_of_stars_are_at_random_places(table, tmp_path, ending):
    release = Mondrian()(table, KAnonymity(12)).without(np.array([0, 3]))
    path = tmp_path / f"release.{ending}"
    release.export(path, giveaways=True, stars=True)
    read = pd.read_csv(path, dtype=str) if ending == "csv" else pd.read_parquet(path)
    stars = read[table.quasi[0]] == "*"
    assert len(read) == table.records and stars.sum() == release.suppressed
    told = [name for name in read if read[name].dtype.kind in "iufM"]
    assert bool(told) == (ending == "parquet")
    assert read.loc[stars, told].isna().all(axis=None)
    assert (read.loc[stars, [name for name in read if name not in told]] == "*").all(axis=None)
    assert np.flatnonzero(stars)[[0, -1]].tolist() != [0, release.suppressed - 1]


def test_the_other_rows_are_written_as_without_stars(tmp_path):
    moments = pd.to_datetime(["2020-01-01 00:00:00", "2020-01-02 03:04:05"])
    frame = pd.DataFrame({"age": [30] * 20 + [40] * 20 + [77], "ill": ["a", None] * 20 + ["b"]})
    rows = np.arange(41)
    frame = frame.assign(
        f=rows / 7, i=np.where(rows % 2, -5, 2**62), d=moments[rows % 2], n=np.where(rows % 3, 1, np.nan)
    )
    table = Table.from_frame(frame, ["age"], "ill")
    release = Mondrian(suppress=0.05)(table, KAnonymity(5))
    release.export(tmp_path / "plain.csv", giveaways=True)
    release.export(tmp_path / "stars.csv", giveaways=True, stars=True, defuse=True)
    plain, starred = ((tmp_path / f"{name}.csv").read_text().splitlines() for name in ("plain", "stars"))
    assert sorted([*plain, "*,*,*,*,*,*"]) == sorted(starred)


def both(release, tmp_path, *roles, original=None):
    """Yield the release with rows of `*` as read from CSV and from Parquet."""
    for name in ("r.csv", "r.parquet"):
        release.export(tmp_path / name, giveaways=True, stars=True)
        yield foreign(tmp_path / name, *roles, original=original)


AGES = [30] * 20 + [40] * 20


@pytest.mark.parametrize("secret", ["word", "whole"])
def test_suppressed_rows_are_recognized_with_missing_sensitive_values(tmp_path, secret):
    ill = {"word": ["a", "b", None, "c"] * 10 + ["a"], "whole": [1, 2, 2, 3] * 10 + [1]}[secret]
    frame = pd.DataFrame({"age": [*AGES, 77], "sex": "m", "ill": ill})
    table = Table.from_frame(frame, ["age", "sex"], "ill")
    release = Mondrian(suppress=0.05)(table, KAnonymity(5))
    assert release.suppressed == 1
    for found in both(release, tmp_path, original=table):
        assert found.audit(KAnonymity(5)).holds and found.suppressed == 1
        assert PrivacyLoss()(found).value == pytest.approx(PrivacyLoss()(release).value)
        told = [note for note in found.notes if "of 41" in note]
        assert told == ["1 of 41 records are rows of *: suppressed"]
    alone = foreign(tmp_path / "r.csv", ["age", "sex"], "ill")
    assert sorted(alone.classes.sizes) == [20, 20] and alone.table.columns["ill"].size == 3 + (secret == "word")
    assert alone.table.columns["ill"].kind == ("text" if secret == "word" else "number")


@pytest.mark.parametrize("alone", [True, False])
def test_a_class_of_stars_is_not_suppressed(tmp_path, alone):
    frame = pd.DataFrame({"age": [*AGES, 1, 2, 3, 77, 78], "dis": ["a", "b"] * 20 + ["a", None, "b", None, "a"]})
    table = Table.from_frame(frame, ["age"], "dis")
    release = LocalRecoding(recode="single values")(table, KAnonymity(5))
    assert release.suppressed == 0 and "*" in release.class_labels("age")
    roles = (["age"], "dis") if alone else ()
    for found in both(release, tmp_path, *roles, original=None if alone else table):
        assert sorted(found.classes.sizes) == [5, 20, 20] and found.starred == 5
        assert not any("left out" in note for note in found.notes)


@pytest.mark.parametrize("beside", [True, False])
def test_neutral_columns_decide_without_a_sensitive_column(tmp_path, beside):
    frame = pd.DataFrame({"age": [*AGES, 77], "sex": "m"} | ({"town": "x", "size": 3} if beside else {}))
    table = Table.from_frame(frame, ["age", "sex"], [])
    release = Mondrian(suppress=0.05)(table, KAnonymity(5))
    for found in both(release, tmp_path, original=table):
        assert found.audit(KAnonymity(5)).holds == beside and found.suppressed == int(beside)
        assert any("(--suppressed out)" in note for note in found.notes) != beside
    out = foreign(tmp_path / "r.csv", original=table, suppressed="out")
    assert out.audit(KAnonymity(5)).holds and out.suppressed == 1


def test_a_star_as_a_sensitive_value_is_not_suppressed():
    frame = pd.DataFrame({"age": [*AGES], "ill": ["*", "b"] * 20})
    table = Table.from_frame(frame, ["age"], "ill")
    found = foreign(frame.assign(age="*"), original=table)
    assert found.records == 40 and found.suppressed == 0


def test_a_file_of_only_stars_is_refused():
    with pytest.raises(BadInput, match="every record is suppressed"):
        foreign(pd.DataFrame({"age": ["*"] * 3, "ill": ["*"] * 3}), ["age"], "ill")


def test_an_error_names_the_record_of_the_file():
    frame = pd.DataFrame({"age": [*AGES], "ill": ["a", "b"] * 20})
    table = Table.from_frame(frame, ["age"], "ill")
    file = pd.DataFrame({"age": ["*", "*", "30", "what"], "ill": ["*", "*", "a", "a"]})
    with pytest.raises(BadInput, match="column 'age', record 4:"):
        foreign(file, original=table)


@pytest.mark.parametrize("stars", [True, False])
def test_a_release_read_back_has_the_same_figures(table, tmp_path, stars):
    release = Mondrian()(table, KAnonymity(12)).without(np.array([0, 3]))
    release.export(tmp_path / "r.csv", giveaways=True, stars=stars)
    back = foreign(tmp_path / "r.csv", original=table)
    assert back.suppressed == release.suppressed
    assert sorted(back.classes.sizes) == sorted(release.classes.sizes)
    for measure in (PrivacyLoss(), UtilityLoss(), ReidentificationRisk()):
        assert measure(back).value == pytest.approx(measure(release).value)


def test_a_bucketized_release_has_no_rows_of_stars(table, tmp_path):
    release = Mondrian(publish="bucketized")(table, KAnonymity(12)).without(np.array([0]))
    with pytest.raises(BadInput, match="unchanged"):
        release.export(tmp_path / "r.csv", giveaways=True, stars=True)


def test_there_are_no_stars_without_suppressed_records(table, tmp_path):
    Keep()(table).export(tmp_path / "r.csv", giveaways=True, stars=True)
    assert "*" not in (tmp_path / "r.csv").read_text()


def test_points_report_suppressed_records_also_from_the_store(table, tmp_path):
    recipes = [Recipe(Mondrian(suppress=share), TCloseness(0.2)) for share in (0.0, 0.3)]
    made, kept = (sweep(table, recipes, [PrivacyLoss(), UtilityLoss()], store=tmp_path / "points") for _ in range(2))
    gone = [recipe.release(table).suppressed for recipe in recipes]
    assert gone[0] == 0 < gone[1]
    for frontier in (made, kept):
        assert [point.left_out for point in frontier.measured[:2]] == gone
        assert frontier.points["left out"].tolist()[:2] == gone
    assert "suppress" not in str(recipes[0]) and "suppress = 0.3" in str(recipes[1])


# Written files are recounted: any text is preserved, and a file that differs from the release is removed.

RECOUNT_AWKWARD = ["flu", 'say "it"', "a,b", "two\nlines", "\r", " x", "é", "'", "NA", "1", "=1+1", None]
RECOUNT_FRAME = pd.DataFrame(
    {
        "age": [30, 40, 40, 50, 30, None] * 8,
        "born": pd.to_datetime(["2001-02-03", "1999-01-01", None, "2001-02-03"] * 12),
        "Work": RECOUNT_AWKWARD * 4,
        "work": ["own", "gov", "own"] * 16,
        "pay": [0.1, 2.5, None, 1e300] * 12,
        "ill": RECOUNT_AWKWARD[::-1] * 4,
    }
)
WAYS = [(ending, publish) for ending in ("csv", "parquet") for publish in ("generalized", "bucketized")]


@pytest.fixture(scope="module")
def releases():
    table = Table.read(RECOUNT_FRAME, ["age", "born", "Work", "work"], ["pay", "ill"], engine="duckdb")
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
    table = Table.read(RECOUNT_FRAME[["Work"]], ["Work"], engine="duckdb")
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
