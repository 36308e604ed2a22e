"""Suppressed records: absent from the files, or rows of `*` at random places; nothing is learned about them."""

import numpy as np
import pandas as pd
import pytest

from tests.methods.tables import HIERARCHIES, random_frame
from workbench.base.errors import BadInput, Unsatisfiable
from workbench.data.table import Table
from workbench.frontier.recipe import Recipe
from workbench.frontier.sweep import sweep
from workbench.measures import KLDivergence, PrivacyLoss, ReidentificationRisk, UtilityLoss
from workbench.methods import Keep, LocalRecoding, Mondrian
from workbench.models import KAnonymity, TCloseness
from workbench.queries.populations import large_populations
from workbench.releases.foreign import foreign
from workbench.releases.partition import Bucketized, Partition


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
    left, right = table.edges
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
