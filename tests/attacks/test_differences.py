"""What an attacker works out of published figures: counts from losses, from two points, from a batch, from reasons.

Each attack succeeds against figures that are told exactly, and finds many counts in those that are published.
"""

import json

import numpy as np
import pandas as pd
import pytest

from workbench.base.small_counts import lower_bound, round_count
from workbench.data.table import Table
from workbench.measures import AccuracyGain, PrivacyLoss, ReidentificationRisk
from workbench.methods import Keep
from workbench.models.distances import jensen_shannon
from workbench.publication.details import Groups, exposures
from workbench.publication.publish import publish
from workbench.publication.publishable_reasons import UNDEFINED, publishable_reason
from workbench.studies.study import Study

FEW = 10


def classes_of_two(*classes: tuple[int, int]) -> Table:
    """A table with classes of so many people, of whom so many are ill."""
    rows = [(q, s) for q, (of, ill) in enumerate(classes) for s in ["ill"] * ill + ["well"] * (of - ill)]
    return Table.from_frame(pd.DataFrame(rows, columns=["q", "s"]), quasi=["q"], sensitive="s")


def told(table: Table) -> tuple[float | None, list[str]]:
    """The privacy loss as it is told, and what is said of each class."""
    release, measure = Keep()(table), PrivacyLoss()
    value, _ = measure.publish(measure(release), release, FEW)
    return value, sorted(json.dumps(row) for row in exposures(Groups(release, FEW)).to_pylist())


@pytest.mark.parametrize(("of", "hidden"), [(1323, 6), (331, 5), (90, 6)])
def test_who_is_not_ill_in_a_large_class_cannot_be_solved_for_from_the_largest_loss(of, hidden):
    """With two values the loss is a function of the count: told in four figures, only one count fits."""
    prior = np.array([0.7, 0.3])
    exact = {c: round(float(jensen_shannon(np.array([1 - c / of, c / of]), prior)), 4) for c in range(1, FEW)}
    assert sum(loss == exact[hidden] for loss in exact.values()) == 1, "the attack, on a loss in four figures"
    found = [told(classes_of_two((of, of - c), (3000, 900 + c))) for c in range(1, FEW)]
    assert sum(one == found[hidden - 1] for one in found) >= 5


def test_a_class_that_is_split_in_the_next_point_is_not_the_difference_of_the_two():
    """3 of 5: the class of 8,489 less that of 8,484, in people who are certain, at risk, or in the class."""

    def said(of: int, certain: int) -> list[object]:
        release = Keep()(classes_of_two((of, certain), (3000, 100)))
        measures = (AccuracyGain(), ReidentificationRisk("unique"), ReidentificationRisk("average"), PrivacyLoss())
        return [measure.publish(measure(release), release, FEW) for measure in measures]

    parts = {json.dumps([said(8484, 8480), said(8484 + n, 8480 + c)]) for n in (5, 4) for c in range(1, n)}
    assert len(parts) == 1


def test_without_a_sensitive_column_a_loss_is_as_coarse_as_the_sizes():
    frame = pd.DataFrame({"q": np.repeat(np.arange(40), np.arange(1, 41))})
    rows = exposures(Groups(Keep()(Table.from_frame(frame, quasi=["q"])), FEW)).to_pylist()
    sizes = {row["q"]: int(row["q"]) + 1 for row in rows}
    for loss in {row["share"] for row in rows}:
        shown = {row["people"] for row in rows if row["share"] == loss}
        assert len(shown) == 1, "it follows from the published size"
        assert loss >= max(1 / sizes[row["q"]] for row in rows if row["share"] == loss) - 1e-3


def test_the_whole_less_the_other_wards_is_a_range():
    """A ward of few has no report; what the others and the whole are told to be leaves every number for it."""

    def range_of(said: int) -> range:
        return range(lower_bound(said, FEW), lower_bound(said + FEW, FEW))

    for hidden in range(1, FEW):
        wards = [83, 41, 122]
        whole, others = (
            range_of(round_count(sum(wards) + hidden, FEW)),
            [range_of(round_count(one, FEW)) for one in wards],
        )
        low, high = whole[0] - sum(one[-1] for one in others), whole[-1] - sum(one[0] for one in others)
        assert low <= hidden <= high and len(set(range(1, FEW)) & set(range(low, high + 1))) >= FEW // 2


def test_a_reason_on_its_way_out_has_no_value_and_no_number():
    table = classes_of_two((11, 9), (30, 4))
    for raw in (
        "'ill', the commonest value of 's', holds 81.8 % of the records",
        "the table has 41 records",
        "ill is one",
    ):
        assert publishable_reason(raw, table) == UNDEFINED
    assert publishable_reason("this release has no classes", table) == "this release has no groups"


def test_there_is_nothing_to_publish_quotes_nothing(tmp_path):
    frame = pd.DataFrame({"q": range(11), "s": ["HIV"] * 9 + ["flu"] * 2})
    study = Study.from_dict(
        {
            "study": "Ward", "data": {"given": "ward"}, "roles": {"quasi": ["q"], "sensitive": ["s"]},
            "recipes": [
                {"method": {"name": "mondrian"}, "model": {"name": "(alpha,k)-anonymity", "alpha": 0.5, "k": 2}}
            ],
            "measures": [{"name": "privacy loss"}, {"name": "utility loss"}],
        }
    )  # fmt: skip
    with pytest.raises(Exception, match="there is nothing to publish") as caught:
        publish(study, tmp_path / "out", given=frame)
    assert "HIV" not in str(caught.value) and "81" not in str(caught.value)
