import numpy as np
import pytest

from tests.methods.raking.tables import people, table
from workbench.base.errors import Undefined
from workbench.measures import PrivacyLoss, QueryError, UtilityLoss
from workbench.methods import RakedBuckets
from workbench.models import TCloseness
from workbench.models.distances import jensen_shannon
from workbench.queries import Workload
from workbench.queries.populations import large_populations
from workbench.releases import exchanged
from workbench.releases.foreign import foreign

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
    assert flat.files == ("release",) and len(frame) == 1500
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
    assert UtilityLoss()(flat).sentence.endswith("It is about one file; values are assigned again for each file.")
    assert "assigned again" not in UtilityLoss()(pair[0]).sentence
    made = [RakedBuckets(files="flat")(flat.table, T, seed) for seed in range(4)]
    assert {len(one.classes) for one in made} == {len(made[0].classes)}, "the same buckets"
    assert len({UtilityLoss()(one).value for one in made}) == 4


def test_each_file_assigns_values_again_at_random(pair):
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


def test_recipients_are_informed(pair, tmp_path):
    two, flat = pair
    method = RakedBuckets("dealt" if two.is_truthful else "exchanged", files="flat")
    assert "files = flat" in str(method) and method.warning == flat.warning
    files = flat.export(tmp_path / "people.csv", giveaways=True)
    assert [path.name for path in files] == ["people.csv", "people-codebook.csv", "people-codebook.json"]
    assert "data swapping" in files[1].read_text("utf-8")
    assert "no row can be relied on to show its person's value" in flat.warning, "some rows do by chance"
    notes = foreign(files[0], original=flat.table).notes
    assert any("illness: changed at random or swapped" in note for note in notes)
    assert (exchanged.CAUTION in flat.warning) == (two.warning == exchanged.CAUTION)


@pytest.mark.slow
def test_swapped_values_are_never_certain_but_counts_of_buckets_are():
    data = table(1).with_roles(["age", "town"], ["illness"])
    asked = Workload.from_texts(data, ["illness = 'flu'"])
    with pytest.raises(Undefined, match="swapped between buckets"):
        RakedBuckets(files="flat")(data, T).bounds(asked)
    least, most = RakedBuckets("dealt", files="flat")(data, T).bounds(asked)
    assert least == most == (people(1)["illness"] == "flu").sum()
