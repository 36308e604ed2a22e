"""Infer counts from published figures: from losses, from two points, from a batch, from reasons.

Each attack succeeds on exact figures and finds many feasible counts in the published ones.
"""

import json

import numpy as np
import pandas as pd
import pytest

from workbench.data.table import Table
from workbench.measures import AccuracyGain, PrivacyLoss, ReidentificationRisk
from workbench.methods import Keep
from workbench.models.distribution_distances import jensen_shannon
from workbench.publication.details import Groups, exposures
from workbench.publication.publish import publish
from workbench.publication.publishable_reasons import UNDEFINED, publishable_reason
from workbench.redaction.controlled_rounding import lower_bound, round_count
from workbench.studies.study import Study

FEW = 10


def table_of_classes(*classes: tuple[int, int]) -> Table:
    """Return a table of classes, each given as its size and its number of ill people."""
    rows = [(q, s) for q, (size, ill) in enumerate(classes) for s in ["ill"] * ill + ["well"] * (size - ill)]
    return Table.from_frame(pd.DataFrame(rows, columns=["q", "s"]), quasi=["q"], sensitive="s")


def publish_figures(table: Table) -> tuple[float | None, list[str]]:
    """Return the published privacy loss and the published rows of the classes."""
    release, measure = Keep()(table), PrivacyLoss()
    value, _ = measure.publish(measure(release), release, FEW)
    return value, sorted(json.dumps(row) for row in exposures(Groups(release, FEW)).to_pylist())


@pytest.mark.parametrize(("size", "hidden"), [(1323, 6), (331, 5), (90, 6)])
def test_a_small_count_in_a_large_class_does_not_follow_from_the_maximum_loss(size, hidden):
    """The loss is a function of the count if there are two values, and four digits of it identify the count."""
    prior = np.array([0.7, 0.3])
    exact = {c: round(float(jensen_shannon(np.array([1 - c / size, c / size]), prior)), 4) for c in range(1, FEW)}
    assert sum(loss == exact[hidden] for loss in exact.values()) == 1, "the attack on a loss of four digits"
    found = [publish_figures(table_of_classes((size, size - c), (3000, 900 + c))) for c in range(1, FEW)]
    assert sum(one == found[hidden - 1] for one in found) >= 5


def test_the_difference_of_two_points_does_not_disclose_a_split_class():
    """The attack subtracts a class of 8,484 from one of 8,489: its size and its people who are certain or at risk."""

    def published(size: int, certain: int) -> list[object]:
        release = Keep()(table_of_classes((size, certain), (3000, 100)))
        measures = (AccuracyGain(), ReidentificationRisk("unique"), ReidentificationRisk("average"), PrivacyLoss())
        return [measure.publish(measure(release), release, FEW) for measure in measures]

    parts = {json.dumps([published(8484, 8480), published(8484 + n, 8480 + c)]) for n in (5, 4) for c in range(1, n)}
    assert len(parts) == 1


def test_losses_without_a_sensitive_column_are_as_coarse_as_the_sizes():
    frame = pd.DataFrame({"q": np.repeat(np.arange(40), np.arange(1, 41))})
    rows = exposures(Groups(Keep()(Table.from_frame(frame, quasi=["q"])), FEW)).to_pylist()
    sizes = {row["q"]: int(row["q"]) + 1 for row in rows}
    for loss in {row["share"] for row in rows}:
        shown = {row["people"] for row in rows if row["share"] == loss}
        assert len(shown) == 1, "it follows from the published size"
        assert loss >= max(1 / sizes[row["q"]] for row in rows if row["share"] == loss) - 1e-3


def test_the_difference_of_the_whole_and_the_other_wards_is_a_range():
    """A small ward has no report; the counts published for the others and the whole leave every count feasible."""

    def feasible_counts(published: int) -> range:
        return range(lower_bound(published, FEW), lower_bound(published + FEW, FEW))

    for hidden in range(1, FEW):
        wards = [83, 41, 122]
        whole, others = (
            feasible_counts(round_count(sum(wards) + hidden, FEW)),
            [feasible_counts(round_count(one, FEW)) for one in wards],
        )
        low, high = whole[0] - sum(one[-1] for one in others), whole[-1] - sum(one[0] for one in others)
        assert low <= hidden <= high and len(set(range(1, FEW)) & set(range(low, high + 1))) >= FEW // 2


def test_published_reasons_contain_no_value_and_no_number():
    table = table_of_classes((11, 9), (30, 4))
    for raw in (
        "'ill', the commonest value of 's', holds 81.8 % of the records",
        "the table has 41 records",
        "ill is one",
    ):
        assert publishable_reason(raw, table) == UNDEFINED
    assert publishable_reason("this release has no classes", table) == "this release has no groups"


def test_the_error_that_nothing_can_be_published_quotes_no_value(tmp_path):
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
