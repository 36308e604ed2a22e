"""What an attacker tries on a published folder: small counts, files crossed, neutral columns that name people."""

import itertools
import re

import numpy as np
import pandas as pd
import pytest

from tests.planted import people, planted
from workbench import BadInput, datasets, findings
from workbench.distances import jensen_shannon
from workbench.measures import AccuracyGain, Measured, PrivacyLoss, ReidentificationRisk, UtilityLoss
from workbench.methods import Keep, Mondrian
from workbench.models import KAnonymity
from workbench.offered import worth_opening
from workbench.published import Published
from workbench.publishing import publish
from workbench.shown import _misjudged, exposures
from workbench.study import Study
from workbench.sweeps import sweep
from workbench.table import Table
from workbench.thresholds import coarse, masked
from workbench.together import certain

FEW = 10
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def ill(seed: int) -> Table:
    rng = np.random.default_rng(seed)
    count, values = int(rng.integers(40, 260)), int(rng.integers(2, 4))
    frame = pd.DataFrame({"age": rng.integers(20, 60, count), "sex": rng.choice(list("FM"), count)})
    frame["ill"] = np.array(list("abc"))[np.minimum(rng.geometric(0.4, count) - 1, values - 1)]
    frame.loc[:1, "ill"] = ["a", "b"]
    return Table.from_frame(frame, quasi=["age", "sex"], sensitive="ill")


# --- small counts


def fitting(row: dict, labels: tuple[str, ...], prior: np.ndarray, most: float) -> np.ndarray:
    """Every histogram of a class of about that size that fits what is published of the class."""
    sizes = [size for size in range(1, row["people"] + FEW) if coarse(size, FEW) == row["people"] and size >= FEW]
    return np.concatenate([fitting_size(size, row, labels, prior, most) for size in sizes])


def fitting_size(size: int, row: dict, labels: tuple[str, ...], prior: np.ndarray, most: float) -> np.ndarray:
    heads = itertools.product(range(size + 1), repeat=len(labels) - 1)
    found = np.array([(*head, size - sum(head)) for head in heads if sum(head) <= size])
    shares = found / size
    loss, moved = jensen_shannon(shares, prior), (shares - prior).argmax(axis=1)
    banded = [np.minimum(np.maximum(np.ceil(np.round(step * loss, 6)), 1) / step, most) for step in (10, 100)]
    read = banded if row["rounded"] else [loss]
    fits = np.logical_or.reduce([np.round(one, 3) == row["loss"] for one in read])
    if row["value"]:
        fits &= moved == labels.index(row["value"])
    if row["posterior"] is not None:
        fits &= np.round(shares[np.arange(len(found)), moved], 2) == round(row["posterior"], 2)
    return found[fits]


@pytest.mark.parametrize("seed", range(40))
def test_no_small_count_of_a_class_can_be_solved_for(seed):
    table = ill(seed)
    release = Mondrian()(table, KAnonymity(2 + seed % 28))
    seen, true = table.sensitive["ill"], release.classes.histograms["ill"]
    most = round(float(jensen_shannon(true / release.classes.sizes[:, None], seen.prior).max()) + 5e-5, 4)
    names = [release.class_labels(name) for name in table.quasi]
    of = {tuple(labels): row for row, labels in enumerate(zip(*names, strict=True))}
    for row in exposures(release, FEW, most).to_pylist():
        if row["people"] is None:
            continue
        known = [key for key in of if all(row[n] in (None, v) for n, v in zip(table.quasi, key, strict=True))]
        counts, found = true[of[known[0]]], fitting(row, seen.labels, seen.prior, most)
        if len(known) == 1:
            assert (found == counts).all(axis=1).any()
            for value in np.flatnonzero((counts > 0) & (counts < FEW)):
                assert len(set(found[:, value])) > 1, (row, counts)


@pytest.mark.parametrize(
    "sizes", [[4, 200, 300], [4, 5, 30, 30], [9, 9, 50, 60], [1] * 10 + [80, 90], [4, 12, 40], [9, 59, 99], [3, 4, 5]]
)
def test_masked_sizes_cannot_be_had_from_everybody_less_the_others(sizes):
    sizes = np.array(sizes)
    hidden, bound = masked(sizes, FEW)
    count, total, most = int(hidden.sum()), int(sizes[hidden].sum()), bound - 1
    assert hidden[sizes < FEW].all() and count > 1 and (sizes[hidden] < bound).all()
    fits = [size for size in range(1, FEW) if count - 1 <= total - size <= (count - 1) * most]
    assert hidden.all() or len(fits) >= FEW // 2


def test_where_nobody_is_few_every_size_is_told():
    assert masked(np.array([10, 40]), FEW)[0].tolist() == [False, False] and masked(np.array([3]), 0)[0].sum() == 0


def test_the_loss_of_full_disclosure_does_not_count_out_who_has_a_rare_value():
    """Of 600 records the loss of everything kept is a function of the rarest count alone; it is published alike."""
    told = set()
    for rare in range(1, FEW):
        frame = pd.DataFrame({"q": np.arange(600), "s": ["rare"] * rare + list("ab") * 290 + ["a"] * (20 - rare)})
        table = Table.from_frame(frame, quasi=["q"], sensitive="s")
        release, measure = Keep()(table), PrivacyLoss()
        told.add(findings.allowed(measure, measure(release).value, release, FEW))
        assert findings.cheapest(table, measure, FEW) < 0.4
        sentence = findings.sentence(measure, measure(release), release, FEW)
        assert "rare" not in sentence and not re.search(r"0\.6|" + rf"\b{rare}\b", sentence)
    assert told == {0.7}


@pytest.mark.parametrize(("alone", "told"), [(598, 590), (3, 10), (40, 40)])
def test_nearly_all_alone_does_not_tell_who_is_not(alone, told):
    frame = pd.DataFrame({"q": [*range(alone), *np.arange(600 - alone) // 2 + 1000], "s": list("ab") * 300})
    table = Table.from_frame(frame, quasi=["q"], sensitive="s")
    measure, release = ReidentificationRisk("alone"), Keep()(table)
    found = measure(release)
    assert findings.allowed(measure, found.value, release, FEW) * 600 == pytest.approx(told)
    sentence = findings.sentence(measure, found, release, FEW)
    assert (f"{alone} " in sentence) == (alone == 40)


@pytest.mark.parametrize("wrong", [1, 2, 9])
def test_nearly_all_guessed_does_not_tell_of_how_many_the_guess_is_wrong(wrong):
    """The gain and the share of the commonest value, both published, add up to the share that is guessed right."""
    values = ["a"] * 300 + ["b"] * 300
    table = Table.from_frame(pd.DataFrame({"q": [0] * (300 + wrong) + [1] * (300 - wrong), "s": values}), quasi=["q"],
                             sensitive="s")  # fmt: skip
    measure, release = AccuracyGain(), Keep()(table)
    found = measure(release)
    assert (found.value + 0.5) * 600 == pytest.approx(600 - wrong)
    assert (findings.allowed(measure, found.value, release, FEW) + 0.5) * 600 == pytest.approx(600 - FEW)


def test_of_a_population_no_share_is_told_that_the_rest_would_give_away():
    """3.3 % of 120 people are four; all but nine in a population are the nine outside it."""
    for seed in range(5):
        table = planted_table(seed)
        release = Mondrian()(table, KAnonymity(30))
        measured = UtilityLoss()(release)
        assert isinstance(measured, Measured)
        totals = dict(zip(table.sensitive["disease"].labels, table.sensitive["disease"].totals, strict=True))
        frame = table.frame
        for row in _misjudged(table, measured, FEW):
            inside = np.ones(len(frame), bool)
            for part in row["who"].split(" · "):
                name, _, value = part.partition(" ")
                if name == "age":
                    low, high = (int(end) for end in (value.split("–") * 2)[:2])
                    inside &= frame["age"].between(low, high)
                else:
                    inside &= frame[name] == value
            has = frame["disease"] == row["value"].removeprefix("disease ")
            assert totals[row["value"].removeprefix("disease ")] >= FEW
            for cell in (inside & has, inside & ~has, ~inside & has, ~inside & ~has):
                assert cell.sum() >= FEW


def planted_table(seed: int) -> Table:
    frame = people(240).drop(columns=["name", "wage"]).sample(frac=0.8, random_state=seed)
    return Table.from_frame(frame, quasi=["age", "town", "sex"], sensitive="disease")


# --- several files


def test_four_files_at_most_are_carried_and_all_where_that_is_asked_for(tmp_path):
    study, warned = planted(tmp_path), []
    offered = Published(publish(study, tmp_path / "offered", warn=warned.append))
    every = Published(publish(study, tmp_path / "every", releases="all", warn=warned.append))
    choices = offered.choices(offered.results["cap"])
    assert set(offered.results["carried"]) == set(choices.values()) - {None} and len(offered.results["carried"]) <= 4
    assert all(bool(offered.files(i)) == (i in offered.results["carried"]) for i in offered.efficient)
    assert all(path.name == "who-is-ill-release.csv" for path in offered.folder.rglob("*.csv"))
    opened = [i for i, point in enumerate(every.points) if point["opened"]]
    assert every.results["carried"] == opened and every.results["together"]["files"] == len(opened) == 8
    left = next(i for i in opened if i not in offered.results["carried"])
    assert "offered when this was published" in offered.opened(left)["refused"]
    with pytest.raises(BadInput, match="'all'"):
        publish(study, tmp_path / "other", releases="every")


@pytest.mark.parametrize("beside", [(), ("wage",)], ids=["by class", "joined by a neutral column"])
def test_what_files_tell_together_is_what_an_attacker_finds(beside):
    frame = people()[["age", "town", "sex", "disease", *beside]]
    table = Table.from_frame(frame, quasi=["age", "town", "sex"], sensitive="disease")
    releases = [Mondrian()(table, KAnonymity(k)) for k in (2, 3, 5)]
    groups, values = [release._group_of_record for release in releases], frame["disease"].tolist()

    def alike(columns, record):
        return {values[other] for other in range(len(values)) if all(g[other] == g[record] for g in columns)}

    found = certain(table, releases)
    alone = max(sum(len(alike([one], i)) == 1 for i in range(len(values))) for one in groups)
    crossed = sum(
        len(alike(groups, i) if beside else set.intersection(*(alike([one], i) for one in groups))) == 1
        for i in range(len(values))
    )
    assert found == (crossed, alone, bool(beside)) and crossed > alone > 0
    assert certain(table, releases[:1])[0] == certain(table, releases[:1])[1]


def test_sixteen_releases_of_adult_tell_of_hundreds_and_the_four_that_are_offered_of_nobody(tmp_path):
    ready = Study.open(datasets.DATA / "studies" / "li_li_2009.yaml")
    table = ready.table(ready.read())
    frontier = sweep(table, ready.candidates(), ready.measured()).on(*ready.axes)
    every = [frontier.measured[i].recipe.release(table) for i in worth_opening(frontier)]
    assert certain(table, every)[:2] == (387, 90)
    read = Published(publish(ready, tmp_path / "out"))
    assert read.results["together"] == {
        "files": 4, "certain": 0, "alone": 0, "sentence": "Who has all 4 files is certain of nobody's occupation.",
    }  # fmt: skip


# --- neutral columns


def named(**columns) -> Table:
    frame = people()[["age", "town", "disease"]].assign(**columns)
    return Table.from_frame(frame, quasi=["age", "town"], sensitive="disease")


NUMBERS = np.arange(600)
NAMING = {
    "a number a person": ("member", [f"m{i}" for i in NUMBERS], True),
    "a whole number a person": ("code", NUMBERS * 7, True),
    "half of them missing": ("member", [f"m{i}" if i % 2 else None for i in NUMBERS], True),
    "each twice": ("member", NUMBERS // 2, False),
    "each twice, by its name": ("patient_id", NUMBERS // 2, True),
    "a few that are called like a name": ("phone", ["yes", "no"] * 300, False),
    "a reading": ("cm", NUMBERS * 0.37, False),
    "a social security number read as a reading": ("ssn", NUMBERS * 0.5, True),
    "a category": ("ward", NUMBERS % 20, False),
}


@pytest.mark.parametrize(("name", "values", "refused"), NAMING.values(), ids=NAMING)
def test_a_neutral_column_that_nearly_names_people_is_not_exported(name, values, refused, tmp_path):
    release = Mondrian()(named(**{name: values}), KAnonymity(20))
    assert (release.named() == [name]) == refused
    if refused:
        with pytest.raises(BadInput, match=f"'{name}' nearly names people.*identifiers.*giveaways=True"):
            release.export(tmp_path / "r.csv")
        assert not list(tmp_path.iterdir())
        assert release.export(tmp_path / "r.csv", giveaways=True)[0].exists()


def test_forgotten_names_and_numbers_are_in_no_file_and_the_analyst_hears_of_it(tmp_path):
    frame = people().assign(ssn=[f"{i:03}-45-6789" for i in range(600)])
    study = planted(tmp_path).with_(data={"given": "people"}, identifiers=())
    warned = []
    read = Published(publish(study, tmp_path / "out", given=frame, warn=warned.append))
    assert not list(read.folder.rglob("*.csv"))
    for path in read.folder.rglob("*"):
        assert not path.is_file() or (b"planted-" not in path.read_bytes() and b"-45-6789" not in path.read_bytes())
    assert "name nearly names people, ssn nearly names people" in read.opened(read.efficient[0])["refused"]
    told = " ".join(warned)
    assert "'ssn' (neutral) is different" in told and "No file of a release was written" in told
    assert "Published as they are: name, wage and ssn." in told
    assert read.results["as_they_are"] in told


def test_unless_somebody_listens_what_the_analyst_should_know_is_a_warning(tmp_path):
    with pytest.warns(UserWarning, match="Published as they are: wage"):
        publish(planted(tmp_path), tmp_path / "out")


# --- the study's limit and the measure of exposure


def test_a_limit_that_no_release_keeps_is_said_and_not_forgotten(tmp_path):
    warned = []
    study = planted(tmp_path, caps={"P_loss": 0.001, "R_id": 0.1})
    read = Published(publish(study, tmp_path / "out", warn=warned.append))
    limit = read.results["limit"]
    assert limit["asked"] == 0.001 and not limit["kept"] and read.results["cap"] == read.privacy["low"]
    assert "own limit of at most 0.001 on privacy loss; the safest reaches 0.00918, 3 % of what" in read.limit
    assert read.limit in warned
    points = sweep(study.table(study.read()), study.candidates(), study.measured()).measured
    within = {str(point.recipe) for point in points if point.values["R_id"] <= 0.1}
    assert {point["recipe"] for point in read.points if not point["baseline"]} < within
    assert (
        "releases are left out: they break the study's limit of at most 0.1 on re-identification"
        in read.results["others"]
    )
    none = Published(publish(study.with_(caps={"R_id": 1e-9}), tmp_path / "none"))
    assert "No release keeps to the study's limit" in none.results["others"] and len(none.points) == len(points)
    loose = Published(publish(planted(tmp_path, caps={"P_loss": 0.6}), tmp_path / "out"))
    assert loose.results["limit"]["kept"] and loose.results["cap"] == loose.privacy["high"]


def test_losses_of_classes_and_full_disclosure_are_in_the_same_measure(tmp_path):
    measures = [{"name": "privacy loss", "distance": "variation"}, {"name": "utility loss"}]
    study = planted(tmp_path, measures=measures, axes=["P_loss(distance=variation)", "U_loss"])
    read = Published(publish(study, tmp_path / "out"))
    table = study.table(study.read())
    prior = table.sensitive["disease"].prior
    js = jensen_shannon(np.eye(len(prior)), prior)
    assert read.results["exposure"]["full"] == pytest.approx(js[prior >= FEW / 600].min(), abs=1e-4)
    assert "Jensen-Shannon" in read.results["exposure"]["name"]
    assert read.privacy["full"] == pytest.approx(1 - prior.max(), abs=1e-4)
    _, rows = read.exposures(read.efficient[0])
    assert all(row["share"] == pytest.approx(min(row["loss"] / read.results["exposure"]["full"], 1)) for row in rows)
    assert {"figure", "unit", "sentence", "worst"} == set(read.most_exposed(read.efficient[0]))


def test_the_most_exposed_group_is_told_in_plain_words(tmp_path):
    read = Published(publish(planted(tmp_path), tmp_path / "out", releases=False))
    figures = [read.most_exposed(i)["figure"] for i in read.efficient]
    assert [int(figure.removesuffix(" %")) for figure in figures] == sorted(int(f.removesuffix(" %")) for f in figures)
    sentences = " ".join(read.most_exposed(i)["sentence"] for i in read.efficient)
    plain = r"differs most from everybody \(about \d+ people\), belief in the disease \w+ goes from \d+ % to \d+ %"
    assert re.search(plain, sentences)
    assert "fewer than 10 people" in sentences
    assert all(" on average" in read.learnt(i)["unit"] for i in read.efficient)
