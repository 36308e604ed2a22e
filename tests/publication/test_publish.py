"""A published folder shows what was promised, and no more than the releases themselves do."""

import json
import math
import stat

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from tests.planted import BUCKETIZED, PLACE, RARE_DISEASE, RARE_TOWN, people, planted
from workbench import BadInput
from workbench.base.thresholds import coarse, least
from workbench.data import datasets
from workbench.disclosure.exposure import exposed
from workbench.frontier.sweep import sweep
from workbench.measures import UtilityLoss
from workbench.publication import statements
from workbench.publication.details import _risk as shown_risk
from workbench.publication.details import exposures
from workbench.publication.publish import publish
from workbench.publication.reader import Published
from workbench.publication.report.reporting import Report
from workbench.publication.selection import told
from workbench.releases.coarsened import disclosures
from workbench.releases.scale import Scale
from workbench.studies.study import Study


@pytest.fixture(scope="module")
def study(tmp_path_factory) -> Study:
    return planted(tmp_path_factory.mktemp("study"))


@pytest.fixture(scope="module")
def table(study):
    return study.table(study.read())


@pytest.fixture(scope="module")
def read(study, tmp_path_factory) -> Published:
    return Published(publish(study, tmp_path_factory.mktemp("out") / "published"))


@pytest.fixture(scope="module")
def whole(study, tmp_path_factory) -> Published:
    """The same with every file."""
    return Published(publish(study, tmp_path_factory.mktemp("out") / "whole", releases="all"))


def carried(read: Published) -> list[int]:
    return [i for i, point in enumerate(read.points) if point["opened"] and read.files(i)]


def text_of(path) -> str:
    if path.suffix == ".parquet":
        found = pq.read_table(path)
        return f"{found.to_pydict()} {found.schema}"
    return path.read_text("utf-8")


def everything_but_releases(folder) -> dict[str, str]:
    return {str(p): text_of(p) for p in folder.rglob("*") if p.is_file() and "-release" not in p.name}


def test_the_ready_study_is_figure_2a_and_its_releases_may_be_exported():
    ready = Study.open(datasets.DATA / "studies" / "li_li_2009.yaml")
    table = ready.table(ready.read())
    assert (table.records, len(ready.candidates()), table.neutral) == (46_033, 32, ())
    assert not ready.candidates()[0].release(table).giveaways()


# --- what must not be there


def test_no_planted_marker_is_in_any_file_but_as_the_release_publishes_it(whole):
    wages = [repr(float(wage)) for wage in people()["wage"] if wage != int(wage)]
    for name, text in everything_but_releases(whole.folder).items():
        assert "planted-" not in text, name
        assert PLACE not in text and "people.csv" not in text, name
        assert RARE_DISEASE not in text, name
        assert not any(wage in text for wage in wages), name
    for path in whole.folder.rglob("*.csv"):
        assert "planted-" not in path.read_text() and PLACE not in path.read_text()


def test_a_rare_quasi_value_stands_only_where_the_release_has_it(whole):
    for name, text in everything_but_releases(whole.folder).items():
        if RARE_TOWN in text:
            assert name.endswith("disclosure.parquet")
    for index in carried(whole):
        file, *_ = whole.files(index)
        released = pd.read_csv(file, dtype=str)
        shown = pq.read_table(file.parent / "disclosure.parquet").to_pandas()
        for name in ("age", "town", "sex"):
            assert set(shown[name].dropna()) <= set(released[name])


def test_the_study_in_it_says_what_was_asked_but_not_where_the_data_lie(read, study):
    kept = Study.open(read.folder / "study.yaml")
    assert (kept.quasi, kept.recipes, kept.measures) == (study.quasi, study.recipes, study.measures)
    assert kept.data == {"given": "Who is ill"} and kept.hierarchies == study.hierarchies
    with pytest.raises(BadInput, match="handed over"):
        kept.read()


def test_figures_are_coarse_and_never_flatter(read, study, table):
    exact = sweep(table, study.candidates(), study.measured())
    full = disclosures(table.sensitive.values(), "js", 10)[0]
    for point, mine in zip(exact.measured, read.points, strict=True):
        for key, value in mine["values"].items():
            assert float(value) >= point.values[key] - 1e-4 or key == "A_acc" or point.recipe.baseline
            assert key == "R_id" or len(f"{float(value):.15g}".lstrip("0.").replace(".", "")) <= 4 or float(value) == 0
        loss, model = float(mine["values"]["P_loss"]), mine["settings"]["model"]
        promised = model is not None and loss == model.get("t")
        assert (
            promised
            or round(20 * loss / full, 1) % 1 in (0, 0.9, 1)
            or loss == max(float(other["values"]["P_loss"]) for other in read.points)
        )


# --- what is there


def test_the_guesses_are_those_that_the_released_file_allows(whole):
    """Counted from the file itself: in each group, whoever guesses the commonest value is right so often."""
    read = whole
    for index in carried(read):
        file, *_ = read.files(index)
        released = pd.read_csv(file, dtype=str)
        groups = released.groupby(["age", "town", "sex"])["disease"]
        right = groups.agg(lambda values: values.value_counts().iloc[0]).sum() / len(released)
        attack = read.opened(index)["attack"]
        assert attack["right"] == pytest.approx(coarse(right * 600, 10) / 600, abs=1e-4)
        assert attack["right"] == pytest.approx(right, abs=0.01)
        chance = released["disease"].value_counts(normalize=True).iloc[0]
        assert attack["chance"] == pytest.approx(coarse(chance * 600, 10) / 600, abs=1e-4)
        assert attack["commonest"] == released["disease"].value_counts().index[0]
        right = f"{math.ceil(round(1000 * attack['right'], 9))}"
        assert f"right for {right} people in 1,000" in statements.guesses(read, index)
        assert statements.learnt(read, index)["figure"] == f"{right} in 1,000" or read.points[index]["against"]
        assert "age, town and sex" in statements.attackers(read, index)[0][0]
        assert read.opened(index)["classes"] == groups.ngroups


def test_nine_in_ten_large_groups_are_reported_within_the_range(tmp_path):
    """Large are those of which a share is told in twentieths at least, so that none is of few people."""
    study = planted(tmp_path, smallest=2)
    read, table = Published(publish(study, tmp_path / "out", releases=False)), study.table(study.read())
    for index in read.efficient:
        said = read.opened(index)["accuracy"]["example"]
        detail = UtilityLoss()(study_release(read, index, table)).detail
        fine = detail["support"] >= 20 * read.smallest
        assert said["support"] == max(0.05, 0.07) and fine.any()
        told, truth = detail["told"][fine].ravel(), detail["truth"][fine].ravel()
        near = (truth >= said["low"] - 1e-9) & (truth <= said["high"] + 1e-9)
        assert near.sum() >= 20
        assert (np.abs(told - truth)[near] <= said["off"] + 1e-9).mean() >= 0.9
        assert f"{100 * said['low']:g} to {100 * said['high']:g} %" in statements.example(read, index)
        assert f"off by up to {100 * said['off']:.0f} percentage point" in statements.example(read, index)
        assert statements.example(read, index).startswith(f"A true {100 * said['about']:g} % may appear as ")


def test_the_cost_that_is_told_agrees_with_the_ranking_and_never_flatters(read, table):
    """Of two releases the one that is more accurate never shows more that is counted under a wrong value."""
    opened = [i for i, point in enumerate(read.points) if point["opened"]]
    opened.sort(key=lambda i: read.loss(i, read.utility))
    said = [read.opened(i)["accuracy"]["wrong"] for i in opened]
    assert said == sorted(said) and len(set(said)) > 2
    for index, wrong in zip(opened, said, strict=True):
        detail = UtilityLoss()(study_release(read, index, table)).detail
        truth = np.abs(detail["told"] - detail["truth"]).sum(axis=1).mean() / 2
        assert truth <= wrong <= 4 * truth + 0.03, "no less than it is, and of use"
        assert statements.cost(read, index)["figure"] == f"Up to {100 * wrong:.0f} %"


def study_release(read: Published, index: int, table):
    kept = Study.open(read.folder / "study.yaml")
    recipe = next(r for r in kept.candidates() if str(r) == read.points[index]["recipe"])
    return recipe.release(table)


def test_classes_are_those_of_the_file_with_small_counts_hidden(whole):
    read = whole
    index = next(i for i, point in enumerate(read.points) if point["recipe"].startswith("k-anonymity, k = 4 "))
    released = pd.read_csv(read.files(index)[0], dtype=str)
    truth = released.groupby(["age", "town", "sex"])["disease"].value_counts().unstack(fill_value=0)
    count, rows = read.exposures(index, most=10_000)
    assert count == len(rows) == len(truth)
    keys = [(row["small"], -row["share"], -(row["posterior"] or 0), -(row["people"] or 0), row["who"]) for row in rows]
    assert keys == sorted(keys) and 0 < sum(row["small"] for row in rows) == read.opened(index)["small"]
    assert "fewer than 15 people" in statements.order(read, index)
    for row in rows:
        known = [truth.index.get_level_values(i) == v for i, v in enumerate(row["labels"]) if v is not None]
        size = int(truth[np.logical_and.reduce(known)].to_numpy().sum())
        assert row["people"] == (None if size < 15 else coarse(size, 10)), "no difference tells of few"
        assert statements.how_many(read, row) == (
            f"about {row['people']} people" if size >= 15 else "fewer than 15 people"
        )
        having = int(truth[np.logical_and.reduce(known)][row["value"]].sum()) if row["value"] else None
        if size < 15:
            assert (row["value"], row["posterior"], row["prior"]) == (None, None, None)
            assert row["sentence"] == "They are so few that what they have is not told." and 0 < row["share"] <= 1
            continue
        assert having is not None or "that few people have" in row["sentence"]
        assert (row["posterior"] is None) == (size < 95)
        if size < 95:
            assert "quarter" in row["sentence"] or "as mixed" in row["sentence"] or (having == size >= 15)
        else:
            assert row["posterior"] == pytest.approx(having / size, abs=0.05)
        if having is not None:
            usual = truth[row["value"]].sum() / 600
            moved = (having / size - usual) / (1 - usual)
            assert row["share"] >= moved - 0.02, "it never flatters"
            assert row["fewest"] <= max(moved, 0) + 0.02
        assert 0 <= row["fewest"] <= row["share"] <= 1 and statements.how_exposed(row).endswith((" %", "not told"))


def test_files_are_in_random_order(study, table):
    release = study.candidates()[0].release(table)
    first, second = (exposures(release, 10)["who"].to_pylist() for _ in range(2))
    assert first != second and sorted(first) == sorted(second)


def test_populations_name_no_small_number(read):
    for index in read.efficient:
        for row in read.populations(index):
            assert row["truth"] == round(row["truth"], 2) and 0 < row["truth"] < 1
            assert row["share"] * 600 >= 20


def test_recommended_is_what_the_frontier_says(read, study, table):
    frontier = told(sweep(table, study.candidates(), study.measured()), table, 10).on(*study.axes)
    own = [point.recipe for point in frontier.measured if not point.recipe.baseline]
    safe = {str(recipe) for recipe in own if is_safe(recipe.release(table))}
    for cap in np.linspace(read.privacy["low"], read.privacy["high"], 7):
        within = [
            point for point in frontier.measured if str(point.recipe) in safe and point.values["P_loss"] <= cap + 1e-12
        ]
        best = min(within, key=lambda point: (point.values["U_loss"], point.values["P_loss"]))
        assert read.points[read.choices(float(cap))["recommended"]]["recipe"] == str(best.recipe)
    assert len(safe) < len(own)
    choices = read.choices(read.privacy["high"])
    assert read.points[choices["useful"]]["against"]  # more accurate, and not safe
    assert choices["safer"] in read.efficient
    assert read.points[choices["simplest"]]["recipe"].startswith("k-anonymity")
    assert read.choices(read.privacy["low"])["safer"] is None


def is_safe(release) -> bool:
    """Counted naively: nobody's value is certain, and nobody is in a group of fewer than five."""
    frame = release.frame()
    groups = frame.groupby(list(release.table.quasi), observed=True, dropna=False)["disease"]
    return bool((groups.nunique() > 1).all() and (groups.size() >= 5).all())


def test_nobody_certain_is_recommended_whatever_the_limit(study, tmp_path):
    """k-anonymity of two: most groups tell what they have. The page opens with a warning, and recommends nothing."""
    small = study.with_(recipes=({"method": {"name": "mondrian"}, "model": {"name": "k-anonymity", "k": [2, 3]}},))
    read = Published(publish(small, tmp_path / "out", warn=lambda said: None))
    cap = read.results["cap"]
    assert read.safe == [] and read.choices(cap)["recommended"] is None
    assert "No release of this study is safe enough" in statements.none_safe(read, cap)
    assert "disease of" in statements.unsafe(read, read.opens(cap)) and cap == read.privacy["low"]
    assert read.results["carried"] == [] and not list(read.folder.rglob("*.csv"))
    assert statements.learnt(read, read.opens(cap))["unit"] == "whose disease is certain"


def test_without_a_limit_the_page_opens_where_nothing_is_fully_disclosed(read, study):
    assert study.caps == {} and read.results["limit"] is None and not read.set_by_hand(read.results["cap"])
    assert Scale(**read.privacy["scale"]).most(read.results["cap"]) < 1
    assert read.opens(read.results["cap"]) in read.safe
    assert "Nobody’s disease is certain" in statements.learnt(read, read.opens(read.results["cap"]))["sentence"]


def test_where_a_rare_flag_is_sensitive_too_the_scale_still_tells_releases_apart(study, tmp_path):
    """Its commonest value costs nearly nothing to disclose: as shares of that every release would read 100 %."""
    frame = people()
    frame["epileptic"] = np.arange(len(frame)) % 40 == 0
    limits = [0.1, 0.15, 0.2, 0.3]
    recipe = {"method": {"name": "mondrian"}, "model": {"name": "t-closeness", "t": limits, "distance": "js"}}
    both = study.with_(data={"given": "ill"}, sensitive=("disease", "epileptic"), recipes=(recipe,), smallest=5)
    read = Published(publish(both, tmp_path / "out", given=frame, warn=lambda said: None))
    losses = [abs(read.loss(index, read.privacy)) for index in read.efficient]
    said = [statements.scale(read, loss) for loss in losses]
    assert len(set(said)) == len(set(losses)) >= 3 and all("have the disease" in one for one in said)
    rows = [read.exposures(index)[1][0]["share"] for index in read.efficient]
    assert min(rows) < 0.7, "the class table tells them apart too"


def test_points_alike_are_one_step_of_the_slider(study, tmp_path):
    """Three releases that say nothing at all, and two that say something: the middle is one of those."""
    strict = [{"name": "k-anonymity", "k": [598, 599, 600]}, {"name": "k-anonymity", "k": [40, 60]}]
    recipes = tuple({"method": {"name": "mondrian"}, "model": model} for model in strict)
    axes = {
        "measures": [{"name": "adversary's knowledge gain"}, {"name": "utility loss"}],
        "axes": ["A_know", "U_loss"],
    }
    read = Published(publish(study.with_(recipes=recipes, **axes), tmp_path / "out", warn=lambda said: None))
    assert len(read.safe) > 3 and read.opened(read.opens(read.results["cap"]))["classes"] > 1


def test_at_risk_is_who_is_at_risk_for_any_sensitive_column(study, tmp_path):
    frame = people()
    frame["salary"] = np.where(frame["name"] > "planted-0270", "high", "low")
    both = study.with_(data={"given": "p"}, sensitive=("disease", "salary"), identifiers=("name", "wage"))
    table = both.table(both.read(frame))
    release = both.candidates()[0].release(table)
    risks = [exposed(release, name).losses.at_risk() for name in table.sensitive]
    either = int(release.classes.sizes[risks[0] | risks[1]].sum())
    assert either > max(int(release.classes.sizes[one].sum()) for one in risks)
    said = shown_risk(release, 1)["at_risk"]
    assert said.startswith(f"{either:,} of ") and "600" in said


@pytest.mark.parametrize("cap", ["lots", None, True, math.nan, math.inf, -1, 0, 5, [0.1], {"a": 1}, "0.1; drop"])
def test_a_cap_that_is_none_is_refused(read, cap):
    with pytest.raises(BadInput, match="is no number from"):
        read.checked_cap(cap)


# --- other tables, other measures


def test_a_column_that_gives_the_release_away_stops_its_file_alone(study, tmp_path):
    frame = people()
    frame["decade"] = frame["age"] // 10
    read = Published(publish(study.with_(data={"given": "people"}), tmp_path / "out", given=frame))
    refused = [point["opened"]["refused"] for point in read.points if point["opened"]]
    assert all("decade tells age" in why for why in refused) and len(refused) > 3
    assert not list(read.folder.rglob("*.csv")) and read.results["carried"] == []
    assert read.exposures(read.efficient[0])[0] > 0


def test_without_releases_no_file_is_written(study, tmp_path):
    read = Published(publish(study, tmp_path / "out", releases=False))
    assert read.files(read.efficient[0]) == [] and "without its releases" in read.opened(read.efficient[0])["refused"]


def test_infinite_losses_are_words_and_the_slider_has_a_last_stop(study, tmp_path):
    measures = [{"name": "largest quotient"}, {"name": "utility loss"}]
    common = people()[lambda frame: frame["disease"] != RARE_DISEASE]  # otherwise every release lacks it somewhere
    asked = study.with_(data={"given": "p"}, measures=measures, axes=["A_quot", "U_loss"])
    read = Published(publish(asked, tmp_path / "out", given=common))
    assert read.privacy["endless"] and math.isfinite(read.privacy["high"])
    assert "inf" in {point["values"]["A_quot"] for point in read.points}
    last = read.choices(read.checked_cap(None))["recommended"]
    assert read.points[last]["values"]["A_quot"] == "inf" and statements.scale(read, None) == "no limit"


def test_a_floor_and_a_table_without_sensitive_columns(study, tmp_path):
    bare = study.with_(
        sensitive=(), identifiers=("name", "disease"), recipes=study.recipes[:1], axes=[],
        measures=[{"name": "achieved figure", "model": "k-anonymity"}, {"name": "discernibility"}],
    )  # fmt: skip
    read = Published(publish(bare, tmp_path / "out"))
    assert read.privacy["better"] == "higher"
    assert "fewer than 5" in statements.unsafe(read, read.efficient[-1])
    best = read.choices(read.privacy["high"])["recommended"]
    assert read.points[best]["values"]["k (k-anonymity)"] == read.privacy["high"]
    assert statements.learnt(read, best)["figure"] and statements.cost(read, best)["figure"]
    _, rows = read.exposures(read.efficient[-1])
    assert rows[0]["share"] == pytest.approx(1 / least(rows[0]["people"], 10), abs=1e-3)
    assert rows[-1]["share"] == 1.0 and rows[-1]["people"] is None


def test_two_sensitive_columns_and_a_bucketized_release(study, tmp_path):
    frame = people()
    frame["salary"] = np.where(frame["name"] > "planted-0270", "high", "low")
    both = study.with_(
        data={"given": "p"}, sensitive=("disease", "salary"), identifiers=("name", "wage"), recipes=[BUCKETIZED]
    )
    read = Published(publish(both, tmp_path / "out", given=frame, releases="all"))
    index = read.efficient[0]
    assert len(read.files(carried(read)[0])) == 3
    _, rows = read.exposures(index, most=1000)
    assert {row["sensitive"] for row in rows} <= {"disease", "salary"}


# --- the folder


def test_the_folder_is_its_owners_alone_and_whole(read):
    assert stat.S_IMODE(read.folder.stat().st_mode) == 0o700
    assert [path.name for path in read.folder.parent.iterdir()] == ["published"]
    assert json.loads((read.folder / "frontier.vl.json").read_text())["datasets"]["points"]


def test_published_again_it_is_another_edition_and_a_reader_of_the_old_one_is_told(study, tmp_path):
    place = tmp_path / "out"
    old = Published(publish(study, place))
    told = []
    publish(study.with_(recipes=study.recipes[:1]), place, progress=lambda *said: told.append(said))
    assert (told[0][:2], told[-1][:2]) == ((1, 6), (2, 2)) and all(isinstance(words, str) for *_, words in told)
    with pytest.raises(BadInput, match="load this page again"):
        old.exposures(old.efficient[0])
    assert len(Published(place).points) == 6 and [p.name for p in tmp_path.iterdir()] == ["out"]


def test_what_fails_leaves_what_was_there(study, tmp_path):
    place = publish(study, tmp_path / "out")
    edition = Published(place).results["edition"]
    with pytest.raises(BadInput, match="nothing to publish"):
        publish(study.with_(recipes=[]), place)
    with pytest.raises(BadInput):
        publish(study.with_(measures=[{"name": "privacy loss"}], axes=[]), place)
    assert Published(place).results["edition"] == edition and [p.name for p in tmp_path.iterdir()] == ["out"]


def test_a_folder_of_something_else_is_refused(study, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "thesis.txt").write_text("precious")
    for place, why in (
        (other, "something else"),
        (other / "thesis.txt", "is a file"),
        (tmp_path / "no" / "out", "no folder"),
    ):
        with pytest.raises(BadInput, match=why):
            publish(study, place)
    assert (other / "thesis.txt").read_text() == "precious"


@pytest.mark.parametrize("content", ["", "[]", "{", '"edition"', '{"points": []}'])
def test_a_folder_that_holds_no_published_study_is_no_such_thing(tmp_path, content):
    (tmp_path / "results.json").write_text(content)
    with pytest.raises(BadInput, match="no study has been published there"):
        Published(tmp_path)
    with pytest.raises(BadInput, match="no study has been published there"):
        Published(tmp_path / "nowhere")


# --- small counts in words


def test_of_few_people_nothing_is_told_of_single_groups(study, tmp_path):
    few = study.with_(smallest=11)  # 600 people are fewer than 60 times as many
    read = Published(publish(few, tmp_path / "few"))
    assert not list(read.folder.rglob("disclosure.parquet"))
    for i, point in enumerate(read.points):
        if point["opened"]:
            assert "so few people" in point["opened"]["classes"]["reason"] and not point["opened"]["small"]
            assert "reason" in point["opened"]["worst"] and not read.populations(i)
            assert not point["opened"]["risk"]["shares"]
            assert statements.unlisted(read, i).endswith("so few people that its groups are not listed.")
            with pytest.raises(BadInput, match="not listed"):
                read.exposures(i)
    page = Report(read)["classes"].body
    assert "its groups are not listed." in page and "<table" not in page
