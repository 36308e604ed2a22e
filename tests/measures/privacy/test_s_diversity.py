"""Pairwise contributions of numbers, nodes, runs and missing values."""

import numpy as np
import pandas as pd
import pytest

from workbench import Table
from workbench.base.errors import Undefined
from workbench.data.hierarchies.builders import Groups, Intervals
from workbench.measures import GroupProtection
from workbench.measures.privacy.s_diversity import contributions, lacks_distances, s_diversity
from workbench.methods import Remove


def table(values, hierarchy=None, **more) -> Table:
    frame = pd.DataFrame({"q": range(len(values)), "s": values})
    return Table.from_frame(frame, ["q"], "s", hierarchies={"s": hierarchy} if hierarchy else {}, **more)


def test_numbers_contribute_by_distance_and_missing_only_to_itself():
    wages = table(pd.array([0, 5, 20, None], dtype="Int64"))
    expected = [[1, 0.75, 0, 0], [0.75, 1, 0.25, 0], [0, 0.25, 1, 0], [0, 0, 0, 1]]
    assert contributions(wages, "s", 1.0).tolist() == expected
    assert contributions(wages, "s", 0.25)[1].tolist() == [0.75, 1, 0, 0]
    assert contributions(wages, "s", 0.0).tolist() == np.eye(4).tolist()


def test_a_run_of_numbers_is_at_its_middle():
    years = table([0, 8, 10, 18, 30, 38], Intervals(widths=(10,)), levels={"s": 1})
    assert contributions(years, "s", 1.0)[0].tolist() == pytest.approx([1, 1 - 10 / 30, 0])


def test_text_contributes_by_the_leaves_of_the_common_node():
    ill = table(["Flu", "Cold", "Ulcer", "HIV"], Groups(({"Lung": ("Flu", "Cold")},)))
    labels = ill.sensitive["s"].labels
    found = contributions(ill, "s", 1.0)
    assert found[labels.index("Flu"), labels.index("Cold")] == 1 - 1 / 4
    assert found[labels.index("Flu"), labels.index("HIV")] == 1 - 3 / 4
    assert not lacks_distances(ill, "s")


def test_text_without_a_hierarchy_gives_a_warning():
    plain = table(list("abcd"))
    assert contributions(plain, "s", 1.0)[0].tolist() == pytest.approx([1, 0.75, 0.75, 0.75])
    assert lacks_distances(plain, "s")
    assert "the values of s are hardly distinguished." in GroupProtection()(Remove()(plain)).sentence


def test_s_diversity_is_between_a_records_share_and_1():
    near = contributions(table(list("abcd")), "s", 0.1)
    assert s_diversity(np.array([[1, 0, 0, 0], [0.25, 0.25, 0.25, 0.25]]), near).tolist() == [1, 0.25]


def test_an_attacker_who_combines_classes_has_no_floor():
    release = Remove()(table(list("abcd")))
    assert GroupProtection(adversary="covering classes")(release).value == pytest.approx(
        GroupProtection()(release).value
    )
    with pytest.raises(Undefined, match="no single one"):
        GroupProtection(adversary="covering classes", floor="subtracted")(release)
