"""The table of classes: its content, the records at risk, and conflicting column names."""

import numpy as np
import pandas as pd
import pytest

from tests.disclosure.releases import made
from workbench import BadInput, Table, disclosure_table
from workbench.base.errors import Undefined
from workbench.measures import PrivacyLoss
from workbench.methods import Mondrian, Remove
from workbench.models import KAnonymity


def test_each_class_has_its_size_values_worst_value_and_histogram():
    table = made()
    shown = disclosure_table(Mondrian()(table, KAnonymity(3)))
    assert shown["size"].sum() == table.records == 12
    assert set(shown["age"]) == {"20", "50"}
    for _, row in shown.iterrows():
        of_class = table.frame[table.frame.age == int(row["age"])].ill.value_counts()
        shares = (of_class / of_class.sum()).sub(table.frame.ill.value_counts(normalize=True), fill_value=0)
        assert row["worst value"] == shares.idxmax()
        assert row["posterior"] == pytest.approx(of_class[row["worst value"]] / of_class.sum())
        assert (row["ill: flu"], row["ill: cold"]) == (of_class["flu"], of_class["cold"])
    assert shown["loss"].is_monotonic_decreasing


def test_records_at_risk_are_those_of_classes_that_lose_the_threshold():
    release = Mondrian()(made(), KAnonymity(3))
    loss = PrivacyLoss()(release).value
    assert disclosure_table(release, at_risk=loss)["records at risk"].sum() > 0
    assert disclosure_table(release, at_risk=loss * 1.01)["records at risk"].sum() == 0


@pytest.mark.parametrize("name", ["size", "loss", "prior", "posterior", "worst value", "records at risk"])
def test_a_column_named_like_a_figure_is_renamed(name):
    shown = disclosure_table(Mondrian()(made(name), KAnonymity(3)))
    assert set(shown[f"{name}_"]) == {"20", "50"}
    assert shown["size"].sum() == 12


def test_the_text_missing_and_a_missing_value_are_two_values():
    shown = disclosure_table(Remove()(made(values=("missing", None, "flu", "flu"))))
    counts = shown[[column for column in shown if column.startswith("ill: ")]]
    assert counts.shape[1] == 3 and counts.to_numpy().sum() == 12


def test_the_table_has_sizes_and_values_without_a_sensitive_column():
    table = Table.from_frame(pd.DataFrame({"age": [1, 1, 2, 2]}), quasi=["age"])
    assert list(disclosure_table(Mondrian()(table, KAnonymity(2)))) == ["size", "age"]


def test_unavailable_figures_are_reported():
    release = Mondrian()(made(), KAnonymity(3))
    with pytest.raises(BadInput, match="'age' is not a sensitive column; there are ill"):
        disclosure_table(release, "age")
    with pytest.raises(Undefined, match="does not publish 'ill'"):
        disclosure_table(Remove("ill")(made()))
    with pytest.raises(BadInput, match="a Table is not a release"):
        disclosure_table(made())


def test_the_classes_that_violate_a_model_can_be_looked_up():
    release = Mondrian()(made(), KAnonymity(3))
    audit = release.audit(KAnonymity(7))
    assert (disclosure_table(release).loc[audit.violating, "size"] < 7).all() and len(audit.violating) == 2
    assert np.isclose(audit.records, 12)
