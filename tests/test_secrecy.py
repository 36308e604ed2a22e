"""No raw record where it does not belong: representations, messages, and what is published beside the classes."""

import re

import pandas as pd
import pytest

from workbench import BadInput, Table, recipes, sweep
from workbench.datasets import adult
from workbench.measures import PrivacyLoss
from workbench.methods import Keep, Mondrian, Remove
from workbench.models import KAnonymity

MARKED = [f"marker{i}" for i in range(40)]
FRAME = pd.DataFrame(
    {
        "age": [20, 30, 40, 50] * 10,
        "degree": list("abcd") * 10,
        "years": [9, 12, 16, 20] * 10,
        "note": [f"{m}-{i % 3}" for i, m in enumerate(MARKED)],
        "ill": (["flu"] * 3 + ["cold"]) * 10,
    }
)


@pytest.fixture
def table() -> Table:
    with pytest.warns(UserWarning, match="'note' .neutral. is different in .nearly. every record"):
        return Table.from_frame(FRAME, quasi=["age", "degree"], sensitive="ill")


def test_nothing_shows_a_record_when_it_is_printed(table):
    release = Mondrian()(table, KAnonymity(5))
    shown = [table, release, release.classes, release.cells, table.sensitive["ill"], table.columns["note"]]
    for one in [*shown, table.populations(0.1)]:
        assert "marker" not in repr(one) and len(repr(one)) < 200


@pytest.mark.parametrize(
    "slip",
    [
        lambda t: Mondrian(t, KAnonymity(5)),
        lambda t: PrivacyLoss(t),
        lambda t: PrivacyLoss()(t),
        lambda t: sweep(t, [t], [PrivacyLoss()]),
        lambda t: sweep(t, [], [Keep()(t)]),
        lambda t: Mondrian()(t, t),
        lambda t: Mondrian()(KAnonymity(5), t),
        lambda t: recipes(t, KAnonymity, k=[5]),
        lambda t: KAnonymity(5) & t,
        lambda t: Table.from_frame(FRAME, quasi=["age"], hierarchies={"note": list(FRAME.note)}),
        lambda t: Table.from_frame(FRAME, quasi=5),
    ],
)
def test_a_slip_in_a_call_is_one_short_message_without_records(table, slip):
    with pytest.raises(BadInput) as told:
        slip(table)
    assert "marker" not in str(told.value) and len(str(told.value)) < 400


def test_a_record_that_was_read_as_names_is_in_no_message(tmp_path):
    path = tmp_path / "headless.csv"
    path.write_text("39,marker-one,flu\n50,marker-two,cold\n")
    for quasi in (["age"], []):
        with pytest.raises(BadInput, match="header=False") as told:
            Table.read(path, quasi=quasi)
        assert "marker" not in str(told.value)


def test_a_neutral_column_that_gives_a_blurred_one_away_is_not_exported_unawares(table, tmp_path):
    release = Mondrian()(table.drop(["note"]), KAnonymity(20))
    assert release.giveaways() == [("years", "age"), ("years", "degree")]
    with pytest.raises(BadInput, match="'years' tells 'age', 'years' tells 'degree'"):
        release.export(tmp_path / "r.csv")
    assert not list(tmp_path.iterdir())
    assert release.export(tmp_path / "r.csv", giveaways=True)[0].exists()
    lean = Mondrian()(table.drop(table.neutral), KAnonymity(20))
    assert lean.giveaways() == [] and lean.export(tmp_path / "lean.csv")[0].exists()


def test_what_is_removed_can_be_given_away_too_and_what_is_exact_cannot(table):
    lean = table.drop(["note"])
    assert ("years", "degree") in Remove("degree")(lean).giveaways()
    buckets = Mondrian(publish="bucketized")(lean, KAnonymity(20))
    assert buckets.giveaways() == [("years", "ill")], "in buckets it is the sensitive column that is blurred"


def test_in_adult_the_years_of_schooling_tell_the_degree():
    found = Mondrian()(adult(), KAnonymity(10)).giveaways()
    assert ("education_num", "education") in found


def test_two_processes_deal_a_cut_cell_alike(table):
    """Two files of one release that differ would give people away together."""
    lean = table.drop(["note"])
    again = Table.from_frame(lean.frame, quasi=["age", "degree"], sensitive="ill")
    dealt = [Mondrian(strict=False)(one, KAnonymity(3), seed=4)._group_of_record for one in (lean, again)]
    assert (dealt[0] == dealt[1]).all()


def test_error_pages_of_the_engine_name_no_value_of_an_identifier(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("name,age,ill\n" + "".join(f"{m},{i % 5},x\n" for i, m in enumerate(MARKED)))
    with pytest.raises(BadInput) as told:
        Table.read(path, quasi=["age"], sensitive="ill", identifiers=["name"])
    assert not re.search("marker", str(told.value))
