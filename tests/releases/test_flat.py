import numpy as np
import pytest

from tests.methods.raking.tables import people, table
from workbench.base.errors import Undefined
from workbench.measures import PrivacyLoss, QueryError, UtilityLoss
from workbench.methods import RakedBuckets
from workbench.models import TCloseness
from workbench.models.distances import jensen_shannon
from workbench.releases import exchanged
from workbench.releases.foreign import foreign
from workbench.workloads import Workload
from workbench.workloads.populations import large_populations

T = TCloseness(0.05, distance="js")
PUBLISH = ["exchanged", "dealt"]


@pytest.fixture(scope="module", params=PUBLISH)
def pair(request):
    """The same buckets as two files and as one."""
    data = table(1).with_roles(["age", "town"], ["illness"])
    return [RakedBuckets(request.param, files=files)(data, T) for files in ("two", "flat")]


def test_one_file_has_true_columns_and_the_counts_of_the_buckets(pair):
    two, flat = pair
    frame, (shown, original) = flat.frame(), (["age", "town", "sex"], people(1))
    assert flat.files == ("release",) and len(frame) == 1500
    assert sorted(map(tuple, frame[shown].values)) == sorted(map(tuple, original[shown].values))
    assert frame["illness"].value_counts().to_dict() == original["illness"].value_counts().to_dict()
    counted = frame.groupby("class")["illness"].value_counts().unstack(fill_value=0)
    labels = [*flat.table.sensitive["illness"].labels]
    assert sorted(counted[labels].values.tolist()) == sorted(two.classes.histograms["illness"].tolist())


def test_the_adversary_gains_what_she_gains_from_two_files(pair):
    two, flat = pair
    assert PrivacyLoss()(flat).value == PrivacyLoss()(two).value <= 0.05
    assert flat.audit(T).holds


def test_a_researcher_counts_rows(pair):
    """Of the file as it would be dealt by the first seed, by hand."""
    flat = pair[1]
    populations, shown = large_populations(flat.table, 0.05), flat.shown("illness").labels
    codes = np.stack([flat.table.codes[name] for name in ("age", "town")], axis=1)
    losses = []
    for run, truth in zip(populations.runs, populations.truth["illness"], strict=True):
        held = ((run[:, 0] <= codes) & (codes <= run[:, 1])).all(axis=1)
        told = np.bincount(shown[held], minlength=4)
        losses.append(jensen_shannon(truth / truth.sum(), told / told.sum()))
    assert UtilityLoss()(flat).value == pytest.approx(np.mean(losses))
    asked, flu = Workload.of(flat.table, ["illness = 'flu' and age >= 40"]), 0
    for age, value in zip(people(1)["age"], shown, strict=True):
        flu += age >= 40 and flat.table.sensitive["illness"].labels[value] == "flu"
    assert QueryError(asked)(flat).detail["told"] == pytest.approx([flu])


def test_estimates_are_of_the_file_that_a_seed_deals_and_say_so(pair):
    flat = pair[1]
    assert UtilityLoss()(flat).sentence.endswith("It is of one file; each file is dealt anew.")
    assert "dealt anew" not in UtilityLoss()(pair[0]).sentence
    made = [RakedBuckets(files="flat")(flat.table, T, seed) for seed in range(4)]
    assert {len(one.classes) for one in made} == {len(made[0].classes)}, "the same buckets"
    assert len({UtilityLoss()(one).value for one in made}) == 4


def test_files_deal_anew_by_chance_and_no_row_tells_its_person(pair):
    """A row's value is that of the next file, and that of its person, as often as the shares of its bucket say."""
    flat = pair[1]
    shares, true = flat.classes.distributions("illness")[flat.group_of_record], flat.table.sensitive_codes("illness")
    first, second = (flat._column("illness", seed).codes for seed in (11, 12))
    chance = (shares**2).sum(axis=1)
    assert (first == second).mean() == pytest.approx(chance.mean(), abs=5 * 0.5 / np.sqrt(1500))
    expected = shares[np.arange(1500), true]
    assert (first == true).mean() == pytest.approx(expected.mean(), abs=5 * 0.5 / np.sqrt(1500))
    one, other = (flat.frame()["illness"].tolist() for _ in range(2))
    assert one != other


def test_whoever_gets_it_is_told(pair, tmp_path):
    two, flat = pair
    method = RakedBuckets("dealt" if two.truthful else "exchanged", files="flat")
    assert "files = flat" in str(method) and method.caution == flat.caution
    files = flat.export(tmp_path / "people.csv", giveaways=True)
    assert [path.name for path in files] == ["people.csv", "people-codebook.csv", "people-codebook.json"]
    assert "data swapping" in files[1].read_text("utf-8")
    assert "no row can be relied on to show what its person has" in flat.caution, "some rows do by chance"
    notes = foreign(files[0], original=flat.table).notes
    assert any("illness: changed at random or exchanged" in note for note in notes)
    assert (exchanged.CAUTION in flat.caution) == (two.caution == exchanged.CAUTION)


def test_of_exchanged_values_nothing_is_certain_and_of_dealt_buckets_counts_are():
    data = table(1).with_roles(["age", "town"], ["illness"])
    asked = Workload.of(data, ["illness = 'flu'"])
    with pytest.raises(Undefined, match="exchanged between buckets"):
        RakedBuckets(files="flat")(data, T).bounds(asked)
    least, most = RakedBuckets("dealt", files="flat")(data, T).bounds(asked)
    assert least == most == (people(1)["illness"] == "flu").sum()
