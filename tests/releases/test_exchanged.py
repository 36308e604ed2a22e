""""""

import numpy as np
import pytest

from tests.methods.raking.tables import people, table
from workbench.base.errors import Undefined
from workbench.disclosure.audit import audit_release
from workbench.disclosure.exposure import Exposure
from workbench.disclosure.several_releases import count_certain
from workbench.measures import AttributeInference, PrivacyLoss, QueryError, UtilityLoss
from workbench.methods import RakedBuckets
from workbench.models import TCloseness
from workbench.models.distribution_distances import jensen_shannon
from workbench.queries import Workload
from workbench.queries.populations import large_populations
from workbench.releases import exchanged
from workbench.releases.exchanged import Exchanged
from workbench.releases.foreign import foreign
from workbench.releases.writing import file_names


@pytest.fixture(scope="module")
def release():
    return RakedBuckets()(table(1, ("illness", "wage")), TCloseness(0.05, distance="js"))


def test_the_files_have_true_quasi_identifiers_and_the_published_counts(release):
    tables, data = release.tables(), people(1)
    records = tables["records"]
    assert sorted(map(tuple, records[["age", "town", "sex"]].values)) == sorted(
        map(tuple, data[["age", "town", "sex"]].values)
    )
    sizes = records["class"].value_counts()
    for name in ("illness", "wage"):
        counts = tables[name].pivot_table(index="class", columns=name, values="count", fill_value=0, aggfunc="sum")
        assert counts.sum(axis=1).to_dict() == sizes.to_dict()
        assert counts.sum().to_dict() == data[name].value_counts().to_dict()
        rows = {tuple(row) for row in release.classes.histograms[name].tolist()}
        assert {tuple(row) for row in counts[list(release.table.sensitive[name].labels)].values.tolist()} == rows


def test_one_file_has_the_same_counts_assigned_within_buckets(release):
    frame = release.frame()
    assert len(frame) == 1500
    assert frame["illness"].value_counts().to_dict() == people(1)["illness"].value_counts().to_dict()


def test_a_researcher_expects_the_share_of_each_bucket_in_a_population(release):
    populations = large_populations(release.table, 0.05)
    told, cells = release.estimate(populations, "illness"), release.cells
    belief = release.seats["illness"] / release.classes.sizes[:, None]
    for p in (0, 5, len(populations) - 1):
        run = populations.runs[p]
        held = ((run[:, :1] <= cells.quasi) & (cells.quasi <= run[:, 1:])).all(axis=0)
        expected = (belief[release.group[held]] * cells.weight[held, None]).sum(axis=0)
        assert told[p] == pytest.approx(expected)


def test_queries_are_answered_by_the_published_counts_and_have_no_bounds(release):
    asked = Workload.from_texts(release.table, ["illness = 'flu'", "illness = 'flu' and age >= 40"])
    old = (release.table.columns["age"].values >= 40)[release.cells.quasi[0]]
    belief = release.seats["illness"][:, release.table.sensitive["illness"].labels.index("flu")] / release.classes.sizes
    expected = (belief[release.group] * release.cells.weight)[old].sum()
    assert release.count(asked) == pytest.approx([(people(1)["illness"] == "flu").sum(), expected])
    with pytest.raises(Undefined, match="swapped between buckets"):
        release.bounds(asked)
    least, most = release.bounds(Workload.from_texts(release.table, ["age >= 40"]))
    assert least.tolist() == most.tolist() == [(people(1)["age"] >= 40).sum()]


def test_weights_are_spread_over_the_values_of_a_bucket():
    weighted = RakedBuckets()(table(1, weights=True), TCloseness(0.05, distance="js"))
    people_of, shares = weighted.people_of_classes(), weighted.classes.distributions("illness")
    assert people_of.sum() == people(1, weights=True)["stands_for"].sum()
    assert weighted.people_of_classes("illness") == pytest.approx(people_of * shares)


def test_miners_and_attackers_see_the_values_of_buckets(release):
    shown = release.shown("illness").labels
    counted = np.zeros_like(release.seats["illness"])
    np.add.at(counted, (release.group_of_record, shown), 1)
    assert (counted == release.seats["illness"]).all()
    true = release.table.model_view.codes["illness"]
    assert (shown != true).mean() > 0.2
    assert 0 <= AttributeInference()(release).value <= 1


def test_a_bucket_of_one_value_counts_as_certain_even_if_it_is_wrong():
    """A reader of the file is certain, even though the value is wrong."""
    data = table(1)
    totals, group = data.sensitive["illness"].totals, np.zeros(len(data.cells()), np.int32)
    group[: np.searchsorted(np.cumsum(data.cells().weight), totals.max(), side="right")] = 1
    sizes = np.bincount(group, data.cells().weight).astype(np.int64)
    alike = np.where(totals == totals.max(), sizes[1], 0)
    release = Exchanged.from_cells(data, group, {"illness": np.stack([totals - alike, alike])})
    assert sizes[1] > 400
    assert count_certain(data, [release]).alone == sizes[1] == release.side_information_risk().certain


def test_recipients_are_informed(release, tmp_path):
    def read_back(name):
        return foreign(tmp_path / name, original=release.table)

    files = release.export(tmp_path / "people.csv")
    book = next(path for path in files if path.name == "people-codebook.csv").read_text("utf-8")
    assert book.count("data swapping") == 2
    assert "data swapping" in audit_release(release)["caution"]
    release.frame().to_csv(tmp_path / "people.csv", index=False)  # joined, next to the codebook
    assert any("illness and wage: changed at random or swapped" in note for note in read_back("people.csv").notes)
    (alone,) = read_back("people-records.csv").notes[1:]
    assert alone.startswith("illness and wage: published per class in files of their own") and "does not read" in alone
    why = Exposure(release, release.classes).why(0)
    assert "that this bucket publishes" in why and "whoever believes" not in why and "Nobody in it" not in why


def test_no_sentence_claims_true_values():
    """This includes sentences about a bucket of one person and about a bucket like the whole table."""
    data = table(1)
    group, totals = np.zeros(len(data.cells()), np.int32), data.sensitive["illness"].totals
    group[np.flatnonzero(data.cells().weight == 1)[0]] = 1
    alone = np.where(np.arange(len(totals)) == totals.argmin(), 1, 0)
    swapped = Exchanged.from_cells(data, group, {"illness": np.stack([totals - alone, alone])})
    why = Exposure(swapped, swapped.classes).why(1)
    assert "1 of the 1 value that this bucket publishes is" in why and "knows it" not in why
    same = Exchanged.from_cells(data, np.zeros(len(group), np.int32), {"illness": totals[None, :]})
    assert "values that this bucket publishes have the same distribution" in Exposure(same, same.classes).why(0)


def test_no_bucket_can_be_suppressed(release):
    with pytest.raises(Undefined, match="no bucket can be suppressed"):
        release.without(np.array([0]))


T = TCloseness(0.05, distance="js")
PUBLISH = ["exchanged", "dealt"]


@pytest.fixture(scope="module", params=PUBLISH)
def pair(request):
    """Return the same buckets as two files and as one."""
    data = table(1).with_roles(["age", "town"], ["illness"])
    return [RakedBuckets(request.param, files=files)(data, T) for files in ("two", "flat")]


def test_one_file_has_true_columns_and_the_counts_of_the_buckets(pair):
    two, flat = pair
    frame, (shown, original) = flat.frame(), (["age", "town", "sex"], people(1))
    assert file_names(flat) == ("release",) and len(frame) == 1500
    assert sorted(map(tuple, frame[shown].values)) == sorted(map(tuple, original[shown].values))
    assert frame["illness"].value_counts().to_dict() == original["illness"].value_counts().to_dict()
    counted = frame.groupby("class")["illness"].value_counts().unstack(fill_value=0)
    labels = [*flat.table.sensitive["illness"].labels]
    assert sorted(counted[labels].values.tolist()) == sorted(two.classes.histograms["illness"].tolist())


def test_an_attacker_gains_as_much_as_from_two_files(pair):
    two, flat = pair
    assert PrivacyLoss()(flat).value == PrivacyLoss()(two).value <= 0.05
    assert flat.audit(T).holds


def test_a_researcher_counts_rows(pair):
    """Computed by hand for the file that is assigned by the first seed."""
    flat = pair[1]
    populations, shown = large_populations(flat.table, 0.05), flat.shown("illness").labels
    codes = np.stack([flat.table.codes[name] for name in ("age", "town")], axis=1)
    losses = []
    for run, truth in zip(populations.runs, populations.truth["illness"], strict=True):
        held = ((run[:, 0] <= codes) & (codes <= run[:, 1])).all(axis=1)
        told = np.bincount(shown[held], minlength=4)
        losses.append(jensen_shannon(truth / truth.sum(), told / told.sum()))
    assert UtilityLoss()(flat).value == pytest.approx(np.mean(losses))
    asked, flu = Workload.from_texts(flat.table, ["illness = 'flu' and age >= 40"]), 0
    for age, value in zip(people(1)["age"], shown, strict=True):
        flu += age >= 40 and flat.table.sensitive["illness"].labels[value] == "flu"
    assert QueryError(asked)(flat).detail["told"] == pytest.approx([flu])


def test_estimates_use_the_file_assigned_by_the_seed(pair):
    flat = pair[1]
    assert UtilityLoss()(flat).sentence.endswith("It applies to one file; values are assigned again for each file.")
    assert "assigned again" not in UtilityLoss()(pair[0]).sentence
    made = [RakedBuckets(files="flat")(flat.table, T, seed) for seed in range(4)]
    assert {len(one.classes) for one in made} == {len(made[0].classes)}, "the same buckets"
    assert len({UtilityLoss()(one).value for one in made}) == 4


def test_each_file_assigns_values_again_at_random(pair):
    """A row's value is that of the next file, and that of its person, as often as the shares of its bucket say."""
    flat = pair[1]
    shares, true = flat.classes.distributions("illness")[flat.group_of_record], flat.table.model_view.codes["illness"]
    first, second = (flat._column("illness", seed).codes for seed in (11, 12))
    chance = (shares**2).sum(axis=1)
    assert (first == second).mean() == pytest.approx(chance.mean(), abs=5 * 0.5 / np.sqrt(1500))
    expected = shares[np.arange(1500), true]
    assert (first == true).mean() == pytest.approx(expected.mean(), abs=5 * 0.5 / np.sqrt(1500))
    one, other = (flat.frame()["illness"].tolist() for _ in range(2))
    assert one != other


def test_flat_recipients_are_informed(pair, tmp_path):
    two, flat = pair
    method = RakedBuckets("dealt" if two.about.is_truthful else "exchanged", files="flat")
    assert "files = flat" in str(method) and method.warning == flat.about.warning
    files = flat.export(tmp_path / "people.csv", giveaways=True)
    assert [path.name for path in files] == ["people.csv", "people-codebook.csv", "people-codebook.json"]
    assert "data swapping" in files[1].read_text("utf-8")
    assert "no row can be relied on to show its person's value" in flat.about.warning, "some rows do by chance"
    notes = foreign(files[0], original=flat.table).notes
    assert any("illness: changed at random or swapped" in note for note in notes)
    assert (exchanged.SWAPPED_CAUTION in flat.about.warning) == (two.about.warning == exchanged.SWAPPED_CAUTION)


@pytest.mark.slow
def test_swapped_values_are_never_certain_but_counts_of_buckets_are():
    data = table(1).with_roles(["age", "town"], ["illness"])
    asked = Workload.from_texts(data, ["illness = 'flu'"])
    with pytest.raises(Undefined, match="swapped between buckets"):
        RakedBuckets(files="flat")(data, T).bounds(asked)
    least, most = RakedBuckets("dealt", files="flat")(data, T).bounds(asked)
    assert least == most == (people(1)["illness"] == "flu").sum()
