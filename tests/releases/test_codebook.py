"""The codebook explains labels sufficiently and discloses nothing beyond them."""

import json

import numpy as np
import pandas as pd
import pytest

from tests.releases.test_labels import numbers, text
from workbench.data.hierarchies.builders import Groups, Intervals, Prefixes
from workbench.data.table import Table
from workbench.methods import Keep, Mondrian, Remove
from workbench.models import KAnonymity
from workbench.releases.codebook import as_json, as_rows, entries
from workbench.releases.foreign import foreign
from workbench.releases.labels import run_labels

LANDS = ["France", "Spain", "Italy", "Malta", "Kenya", "Ghana", "Chad", "Togo", "Mali", "Peru", "Chile", "Cuba"]
WORLD = Groups(({"Europe": LANDS[:4], "Africa": LANDS[4:9], "America": LANDS[9:]},))


def entry_labels(column, *runs):
    low, high = np.array(runs).T
    return {one.label: one[2:6] for one in entries(column, low, high, run_labels(column, low, high))}


def test_numbers_have_bounds():
    column = numbers(18, 20, 25, 29, missing=2)
    assert entry_labels(column, (0, 0), (1, 3), (2, 4), (4, 4)) == {
        "18": ("18", "18", False, ()),
        "[20-29]": ("20", "29", False, ()),
        "[25-29] or missing": ("25", "29", True, ()),
        "missing": ("", "", True, ()),
    }


def test_groups_do_not_disclose_minimum_and_maximum():
    frame = pd.DataFrame({"age": [17, 25, 30, 40, 97] * 4, "s": list("xyxyz") * 4})
    table = Table.from_frame(frame, ["age"], "s", (), {"age": Intervals(cuts=(18, 60))})
    column = table.columns["age"]
    found = entry_labels(column, (0, 0), (1, 3), (4, 4))
    assert found == {"17": ("17", "17", False, ()), "[18-59]": ("25", "40", False, ()), "97": ("97", "97", False, ())}
    column = numbers(17, 25, 97)
    (low,), (high,) = ([(one.low, one.high) for one in entries(column, np.array([a]), np.array([b]), np.array([label]))]
                       for a, b, label in ((0, 1, "young"), (1, 2, "old")))  # fmt: skip
    assert low == ("", "25") and high == ("25", "")


def test_text_in_alphabetical_order_has_bounds_and_no_list():
    column = text(*(f"name {i:02}" for i in range(30)))
    assert entry_labels(column, (3, 20)) == {"{name 03 .. name 20: 18 values}": ("name 03", "name 20", False, ())}


def test_groups_of_a_hierarchy_list_their_values_but_not_rare_ones():
    frame = pd.DataFrame({"land": LANDS * 20, "s": list("xyz") * 80})
    column = Table.from_frame(frame, ["land"], "s", (), {"land": WORLD}).columns["land"]
    assert entry_labels(column, (0, 3), (3, 11), (2, 11)) == {
        "Europe": ("", "", False, tuple(LANDS[:4])),
        "{Malta, Africa, America}": ("", "", False, tuple(LANDS[3:])),
        "{Italy .. Cuba: 10 values}": ("", "", False, tuple(LANDS[2:])),
    }


def test_rare_values_are_not_listed():
    """The only person from Malta is in no label by name, and in no codebook."""
    frame = pd.DataFrame({"land": LANDS * 20 + ["Nauru"] * 14 + ["Tonga"], "s": (list("xyz") * 85)})
    pacific = Groups(({"Europe": LANDS[:4], "Pacific": ["Nauru", "Tonga"], "others": LANDS[4:]},))
    column = Table.from_frame(frame, ["land"], "s", (), {"land": pacific}).columns["land"]
    found = entries(column, np.array([0, 4]), np.array([3, 5]), run_labels(column, np.array([0, 4]), np.array([3, 5])))
    assert [(one.label, one.values, one.others) for one in found] == [
        ("Europe", tuple(LANDS[:4]), False),
        ("Pacific", (), True),
    ]
    assert "Nauru" not in as_json(found) + as_rows(found).frame().to_csv() and '"others": true' in as_json(found)
    all_of_them = entries(column, np.array([4]), np.array([5]), np.array(["Pacific"]), smallest=1)
    assert all_of_them[0].values == ("Nauru", "Tonga") and not all_of_them[0].others


def test_prefix_labels_need_no_values():
    frame = pd.DataFrame({"zip": ["13053", "13068", "14850", "14853"] * 4, "s": list("xy") * 8})
    table = Table.from_frame(frame, ["zip"], "s", (), {"zip": Prefixes((2,))}, types={"zip": "text"})
    column = table.columns["zip"]
    (label,) = entry_labels(column, (0, 1))
    assert entry_labels(column, (0, 1)) == {label: ("", "", False, ())} and label.startswith("13")


PEOPLE = pd.DataFrame({"age": [20, 22, 25, 29, 30, 33, 35, 39, 51, 60] * 3, "land": (LANDS * 3)[:30],
                       "s": ["flu", "cold", "hiv"] * 10})  # fmt: skip


@pytest.fixture(scope="module")
def table():
    return Table.from_frame(PEOPLE, ["age", "land"], "s", (), {"land": WORLD})


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_codebook_has_every_label_of_the_release(table, tmp_path, ending):
    release = Mondrian()(table, KAnonymity(5))
    files = release.export(tmp_path / f"out.{ending}")
    assert [path.name for path in files] == [f"out.{ending}", "out-codebook.csv", "out-codebook.json"]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(path.name for path in files)
    book = pd.read_csv(files[1], dtype=str, keep_default_na=False)
    assert list(book) == ["column", "label", "from", "to", "missing", "values", "others"]
    data = json.loads(files[2].read_text("utf-8"))["columns"]
    for name in table.quasi:
        labels = set(release.frame()[name])
        assert set(book[book["column"] == name]["label"]) == {one["label"] for one in data[name]} == labels
    ages = book[book["column"] == "age"].set_index("label")
    for label in release.class_labels("age"):
        inside = [age for age in PEOPLE["age"] if int(ages["from"][label]) <= age <= int(ages["to"][label])]
        assert inside
    before = foreign(files[0], original=table).classes.sizes.tolist()
    for path in files[1:]:
        path.unlink()
    assert foreign(files[0], original=table).classes.sizes.tolist() == before


def test_unchanged_columns_need_no_codebook(table, tmp_path):
    for method in (Keep(), Remove(), Mondrian(publish="bucketized")):
        model = KAnonymity(5) if isinstance(method, Mondrian) else None
        assert not [
            p for p in method(table, model).export(tmp_path / "out.csv", giveaways=True) if "codebook" in p.name
        ]


def test_a_codebook_contains_no_sensitive_values_or_counts(table):
    found = Mondrian()(table, KAnonymity(5)).codebook()
    text = as_json(found) + as_rows(found).frame().to_csv()
    assert not any(value in text for value in ("flu", "cold", "hiv"))
