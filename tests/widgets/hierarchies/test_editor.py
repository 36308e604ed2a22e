"""The hierarchy editor, driven by messages as a view sends them."""

import asyncio
import threading

import numpy as np
import pandas as pd
import pytest

from widgets.hierarchies import forms
from widgets.hierarchies.editor import HierarchyEditor
from workbench.base.errors import BadInput
from workbench.data import datasets
from workbench.data.hierarchies.builders import Groups, Intervals, Prefixes, read_csv
from workbench.data.records import fingerprint
from workbench.data.table import Table
from workbench.studies.study import Study

CITIES = ["Bonn", "Kiel", "Lyon", "Nice", "Oslo"]


@pytest.fixture(scope="module")
def base():
    rng = np.random.default_rng(0)
    n = 400
    frame = pd.DataFrame(
        {
            "age": rng.integers(17, 91, n),
            "income": rng.integers(0, 300, n) / 8,
            "born": pd.Timestamp("1950-01-01") + pd.to_timedelta(rng.integers(0, 150, n) * 100, unit="D"),
            "zip": [f"{z:05d}" for z in rng.integers(10_000, 10_400, n)],
            "city": rng.choice(CITIES, n),
            "illness": rng.choice(["flu", "ulcer", "cold"], n),
        }
    )
    return Table.without_roles(frame)


@pytest.fixture
def table(base):
    return base.with_roles(["age", "income", "born", "zip", "city"], "illness")


class Driven:
    """An editor and what it sent last."""

    def __init__(self, *given, **options):
        self.editor = HierarchyEditor(*given, **options)
        self.sent = []
        self.editor.send = lambda content, buffers=None: self.sent.append(content)
        self.send("hello")

    def send(self, kind, buffers=(), **content):
        self.sent.clear()
        self.editor._receive(None, {"kind": kind, **content}, list(buffers))
        return self

    def use(self, column, tab, **form):
        self.editor.column = column
        return self.send("use", column=column, tab=tab, form=form, field=tab)

    @property
    def shown(self):
        return [one for one in self.sent if one["kind"] == "column"][-1]

    def line(self, column):
        lines = [one for one in self.sent if one["kind"] == "columns"][-1]["columns"]
        return next(line for line in lines if line["name"] == column)

    @property
    def problem(self):
        (problem,) = self.shown["problems"]
        return problem

    def fix(self, start):
        return self.send("fix", fix=next(fix for fix in self.problem["fixes"] if fix.startswith(start)))

    def paste(self, column, text):
        return self.use(column, "import", text=text, source="")

    def sizes(self, column):
        return [len(level.starts) for level in self.editor.table.columns[column].hierarchy.levels]

    def labels(self, column, level=0):
        return self.editor.table.columns[column].hierarchy.levels[level].labels


@pytest.fixture
def driven(table):
    return Driven(table)


def assert_same_as_study(editor, base):
    """Check that the editor and the study build the same table."""
    table = editor.table
    study = Study(quasi=table.quasi, sensitive=tuple(table.sensitive), hierarchies=editor.hierarchies)
    study = study.with_(regions={name: table.columns[name].regions for name in table.quasi})
    assert fingerprint(study.table(base)) == fingerprint(table)


# --- what is shown


def test_every_column_has_a_line_and_the_chosen_one_its_tree(driven):
    lines = [one for one in driven.sent if one["kind"] == "columns"][-1]["columns"]
    assert [line["role"] for line in lines] == ["quasi"] * 5 + ["sensitive"]
    assert driven.shown["name"] == "age" and driven.shown["state"] == "draft"  # the proposal, not in use
    assert sum(driven.shown["tree"]["counts"]) == 400
    driven.send("choose", column="city")
    assert driven.editor.column == "city" and driven.shown["tree"]["leaves"] == CITIES


def test_nothing_that_holds_values_is_synced(driven):
    driven.send("propose", column="age")
    state = driven.editor.get_state()
    assert not {"table", "hierarchies", "study"} & set(state)
    assert not any(city in str({k: v for k, v in state.items() if k[0] != "_"}) for city in CITIES)


def test_without_a_table_there_are_no_columns():
    assert Driven(None).sent[-1]["columns"] == []


def test_a_table_that_brings_hierarchies_has_them_learnt():
    adult = datasets.adult()
    editor = HierarchyEditor(adult)
    assert editor.table is adult
    assert editor.hierarchies["age"] == {"builder": "intervals", "widths": [5, 10, 20, 40]}
    assert editor.hierarchies["capital_gain"]["cuts"] == [[1, 3000, 7000, 15000], [1]]
    assert editor.hierarchies["education"]["builder"] == "groups"
    again = HierarchyEditor(adult.without_hierarchies(adult.names), editor.hierarchies)
    assert fingerprint(again.table) == fingerprint(adult)


@pytest.mark.parametrize("builder", [Intervals(quantiles=(8, 4)), Intervals(widths=(2.5, 5)), Intervals(cuts=(7, 99))])
def test_intervals_are_learnt_as_they_were_given(table, builder):
    given = table.with_hierarchies({"income": builder})
    assert HierarchyEditor(given).hierarchies["income"] == builder.to_dict()


# --- each builder


def test_a_proposal_with_its_reason(driven, base):
    assert "spread well enough" in driven.shown["proposal"]["why"]
    driven.send("propose", column="age")
    assert driven.editor.hierarchies == {"age": {"builder": "intervals", "widths": [5, 10, 20]}}
    assert driven.shown["state"] == "used" and driven.shown["proposal"]["used"]
    assert driven.line("age")["sizes"] == [74, *driven.sizes("age")]
    assert_same_as_study(driven.editor, base)


def test_no_proposal_says_why(driven):
    driven.send("propose", column="illness", field="groups")
    assert driven.sent[-1]["kind"] == "problem" and "no groups are needed" in driven.sent[-1]["text"]


def test_values_of_a_quasi_identifier_are_grouped_by_what_they_occur_with(driven, base):
    driven.send("choose", column="city")
    driven.send("propose", column="city")
    spec = driven.editor.hierarchies["city"]
    assert spec["builder"] == "groups" and {v for values in spec["levels"][0].values() for v in values} == set(CITIES)
    assert (
        driven.shown["proposal"]["used"]
        and "similar values of the other quasi-identifiers" in driven.shown["proposal"]["why"]
    )
    assert_same_as_study(driven.editor, base)


@pytest.mark.parametrize(
    ("form", "spec"),
    [
        ({"by": "widths", "widths": ["20", " 10 ", ""], "origin": "5"}, {"widths": [10, 20], "origin": 5}),
        ({"by": "widths", "widths": ["2.5"]}, {"widths": [2.5]}),
        ({"by": "cuts", "cuts": ["18, 65", "65"]}, {"cuts": [[18, 65], [65]]}),
        ({"by": "quantiles", "quantiles": ["4", "2"]}, {"quantiles": [4, 2]}),
    ],
)
def test_intervals(driven, base, form, spec):
    driven.use("age", "intervals", **form)
    assert driven.editor.hierarchies["age"] == {"builder": "intervals", **spec}
    assert [row["groups"] for row in driven.shown["about"]["rows"] if row["groups"]]
    assert driven.shown["form"].items() >= form.items()  # as it was typed
    assert_same_as_study(driven.editor, base)


@pytest.mark.parametrize(
    ("form", "field", "said"),
    [
        ({"by": "widths", "widths": ["5", "1x"]}, "widths-1", "'1x' is not a number"),
        ({"by": "widths", "widths": ["0"]}, "widths-0", "above 0"),
        ({"by": "widths", "widths": ["5", "5"]}, "widths-1", "is already a level"),
        ({"by": "widths", "widths": [""]}, "widths-0", "Type a width"),
        ({"by": "widths", "widths": ["nan"]}, "widths-0", "not a number"),
        ({"by": "widths", "widths": ["5"], "origin": "a"}, "origin", "not a number"),
        ({"by": "cuts", "cuts": ["9, 3"]}, "cuts-0", "ascend"),
        ({"by": "quantiles", "quantiles": ["1"]}, "quantiles-0", "2 or more"),
    ],
)
def test_wrong_intervals_are_said_at_their_field_and_the_last_good_ones_stay(driven, form, field, said):
    driven.use("age", "intervals", by="widths", widths=["10"])
    before = driven.editor.table
    driven.use("age", "intervals", **form)
    assert driven.problem["field"] == field and said in driven.problem["text"]
    assert driven.editor.table is before and driven.shown["state"] == "wrong"
    driven.send("hello")  # a page that is loaded again
    assert driven.shown["form"].items() >= form.items() and driven.problem["field"] == field
    driven.send("discard", column="age")
    assert driven.shown["form"]["widths"] == ["10"] and not driven.shown["problems"]


def test_several_widths_in_one_field_become_levels(driven):
    driven.use("age", "intervals", by="widths", widths=["5, 10", "40"])
    driven.fix("Make 2 levels")
    assert driven.editor.hierarchies["age"]["widths"] == [5, 10, 40]
    assert driven.shown["form"]["widths"] == ["5", "10", "40"]


def test_a_draft_is_kept_and_previewed_but_not_used(driven):
    before = driven.editor.table
    stamp = {"view": "a", "number": 3}
    driven.send("draft", column="age", tab="intervals", form={"by": "widths", "widths": ["25"]}, stamp=stamp)
    assert driven.editor.table is before and not driven.editor.hierarchies
    assert driven.shown["preview"] and driven.shown["stamp"] == stamp
    assert [len(level["labels"]) for level in driven.shown["tree"]["levels"]] == [4]
    driven.send("choose", column="city").send("choose", column="age")
    assert driven.shown["form"]["widths"] == ["25"]


def test_prefixes(driven, base):
    driven.use("zip", "prefixes", keep="4, 3", pad="")
    assert driven.editor.hierarchies["zip"] == {"builder": "prefixes", "keep": [4, 3]}
    assert driven.shown["about"]["samples"][0][1].endswith("*")
    assert_same_as_study(driven.editor, base)
    driven.use("zip", "prefixes", keep="4, x", pad="")
    assert driven.problem["field"] == "keep"
    driven.use("zip", "prefixes", keep="4", pad="5 6")
    assert driven.problem["field"] == "pad"


@pytest.mark.parametrize(
    ("form", "field", "said"),
    [
        ({"keep": "0", "pad": ""}, "keep", "Keeping 0 characters would hide the whole value"),
        ({"keep": "3, 0", "pad": ""}, "keep", "Keeping 0 characters"),
        ({"keep": "5", "pad": ""}, "keep", "No value is longer than 5 characters: keeping 5 changes nothing"),
        ({"keep": "9, 3", "pad": ""}, "keep", "keeping 9 changes nothing"),
        ({"keep": "3", "pad": "4"}, "pad", "All values have 4 characters or more: padding to 4 changes nothing"),
    ],
)
def test_prefixes_that_change_nothing_are_said_at_their_field(driven, form, field, said):
    driven.use("zip", "prefixes", **form)
    assert driven.problem["field"] == field and said in driven.problem["text"]
    assert driven.shown["state"] == "wrong" and "zip" not in driven.editor.hierarchies
    driven.use("zip", "prefixes", keep="3, 2", pad="7")
    assert driven.shown["problems"] == [] and driven.shown["state"] == "used"


def test_prefixes_that_no_values_share():
    frame = pd.DataFrame({"code": ["a1x", "b2x", "c3x", "d4x"] * 3})
    driven = Driven(Table.without_roles(frame).with_roles(["code"]))
    driven.use("code", "prefixes", keep="2", pad="")
    assert "No two values share their first 2 characters" in driven.problem["text"]


def test_what_is_wrong_with_a_form_is_said_after_its_message_is_answered(driven):
    """A view takes an answer for "nothing is wrong any more": what is wrong comes after it, and stays in the state."""
    for column, tab, form in (
        ("city", "import", {"text": "Bonn;x", "source": ""}),
        ("born", "dates", {"levels": []}),
    ):
        driven.use(column, tab, **form)
        kinds = [one["kind"] for one in driven.sent]
        assert driven.problem["field"] == tab
        assert kinds.index("fine") < len(kinds) - 1 - kinds[::-1].index("column")


def test_dates(driven, base):
    driven.use("born", "dates", levels=["year", "decade"])
    assert driven.labels("born", 1)[0] == "1950s"
    assert driven.shown["about"]["groups"]["decade"] == driven.sizes("born")[1]
    assert_same_as_study(driven.editor, base)
    driven.use("born", "dates", levels=[])
    assert driven.problem["field"] == "dates" and driven.sizes("born")


def test_a_form_that_the_column_does_not_have(driven):
    driven.send("use", column="city", tab="dates", form={}, field="dates")
    assert driven.sent[-1]["kind"] == "problem" and "no form 'dates'" in driven.sent[-1]["text"]


def test_removing_brings_the_bare_column_back(driven, table):
    driven.paste("city", "Oslo;N\nKiel;N\nBonn;S\nLyon;S\nNice;S")
    assert driven.editor.table.columns["city"].labels[0] == "Oslo"
    driven.send("remove", column="city")
    assert fingerprint(driven.editor.table) == fingerprint(table) and not driven.editor.hierarchies


def test_the_datas_own_hierarchy():
    study = Study(data={"bundled": "adult"})
    bare = Table.without_roles(datasets.path("adult"))
    driven = Driven(bare.with_roles(["education", "age"], "occupation"), {}, study)
    driven.send("choose", column="education")
    assert driven.shown["bundled"]
    driven.send("bundled", column="education")
    assert driven.editor.hierarchies == {"education": "bundled"} and driven.sizes("education") == [5]
    assert driven.shown["tab"] == "groups" and not driven.shown["bundled"]
    driven.send("group", column="education", level=2, members=["Up-to-8th", "High-school"], label="School")
    assert driven.editor.hierarchies["education"]["builder"] == "groups"  # written out, since it is another now
    assert driven.editor.table.columns["education"].labels[0] == "Preschool"  # still in the file's order


# --- groups


def test_groups_on_several_levels_stay_nested(driven, base):
    driven.editor.column = "city"
    driven.send("group", column="city", level=1, members=["Bonn", "Kiel"], label="Germany")
    driven.send("group", column="city", level=1, members=["Lyon", "Nice"], label="France")
    driven.send("group", column="city", level=2, members=["Germany", "France"], label="Union")
    assert driven.editor.hierarchies["city"]["levels"] == [
        {"Germany": ["Bonn", "Kiel"], "France": ["Lyon", "Nice"]},
        {"Union": ["Bonn", "Kiel", "Lyon", "Nice"]},
    ]
    assert_same_as_study(driven.editor, base)
    driven.send("group", column="city", level=1, members=["Nice", "Oslo"], label="Coast")
    assert "all of 'Coast' is now in 'Union'" in driven.shown["notes"][0]
    assert driven.editor.table.columns["city"].hierarchy.nested


def test_into_a_group_out_of_it_and_renamed(driven):
    driven.editor.column = "city"
    driven.send("group", column="city", level=1, members=["Bonn", "Kiel"], label="A")
    driven.send("group", column="city", level=1, members=["Oslo"], label="A")
    driven.send("rename", column="city", level=1, label="A", to="North")
    assert driven.editor.hierarchies["city"]["levels"] == [{"North": ["Bonn", "Kiel", "Oslo"]}]
    driven.send("ungroup", column="city", level=1, members=["Bonn"])
    assert driven.editor.hierarchies["city"]["levels"] == [{"North": ["Kiel", "Oslo"]}]
    driven.send("ungroup", column="city", level=1, members=["Kiel", "Oslo"])
    assert driven.editor.hierarchies["city"]["levels"] == []


def test_a_level_goes(driven):
    driven.editor.column = "city"
    driven.send("group", column="city", level=1, members=["Bonn", "Kiel"], label="A")
    driven.send("group", column="city", level=2, members=["A", "Oslo"], label="B")
    driven.send("drop_level", column="city", level=1)
    assert driven.editor.hierarchies["city"]["levels"] == [{"B": ["Bonn", "Kiel", "Oslo"]}]


def test_a_group_called_like_a_value_outside_it(driven):
    driven.editor.column = "city"
    driven.send("group", column="city", level=1, members=["Bonn", "Kiel"], label="Oslo")
    assert driven.problem["field"] == "groups" and not driven.editor.hierarchies
    assert driven.shown["form"]["name"] == "Oslo"  # what was typed stays
    driven.fix("Name it")
    assert driven.labels("city")[0] == "Oslo (group)" and driven.shown["form"]["name"] == ""
    driven.send("undo").send("group", column="city", level=1, members=["Bonn", "Kiel"], label="Oslo")
    driven.fix("Add 'Oslo' to the group")
    assert driven.editor.hierarchies["city"]["levels"] == [{"Oslo": ["Bonn", "Kiel", "Oslo"]}]


def test_a_name_that_another_group_has(driven):
    driven.editor.column = "city"
    driven.send("group", column="city", level=1, members=["Bonn", "Kiel"], label="A")
    driven.send("group", column="city", level=1, members=["Lyon", "Nice"], label="B")
    driven.send("rename", column="city", level=1, label="B", to="A").fix("Merge")
    assert driven.editor.hierarchies["city"]["levels"] == [{"A": ["Bonn", "Kiel", "Lyon", "Nice"]}]


def test_numbers_that_are_no_neighbours(driven):
    driven.send("group", column="age", level=1, members=["17", "20"], label="young")
    assert "not a partition into neighbors" in driven.problem["text"]
    driven.fix("Add the 2 values between")
    assert driven.editor.hierarchies["age"]["levels"] == [{"young": ["17", "20", "18", "19"]}]
    driven.send("group", column="age", level=1, members=["18"], label="18 only").fix("Give each part its own name")
    assert driven.labels("age")[:4] == ("young", "18 only", "young (2)", "21")


@pytest.mark.parametrize(
    "asked", [{"members": [], "label": "x"}, {"members": ["Bonn"], "label": " "}, {"members": ["?"], "label": "x"}]
)
def test_nothing_to_group(driven, asked):
    driven.send("group", column="city", level=1, field="groups", **asked)
    assert driven.sent[-1]["kind"] == "problem" and driven.sent[-1]["field"] == "groups"


# --- files


WHOLE = "Bonn;D;EU\nKiel;D;EU\nLyon;F;EU\nNice;F;EU\nOslo;N;EU\n"


def test_a_file_that_fits_is_used_at_once(driven, base):
    driven.editor.column = "city"
    text = "leaf,country,union\n" + WHOLE.replace(";", ",") + "Rome,I,EU\n"
    driven.send("file", [memoryview(text.encode("utf-8-sig"))], column="city", name="cities.csv", field="import")
    spec = driven.editor.hierarchies["city"]
    assert spec["builder"] == "columns" and spec["source"] == "cities.csv"
    assert driven.shown["state"] == "used" and driven.shown["tab"] == "import"
    assert "'Rome'" in driven.shown["about"]["notes"][0]
    assert_same_as_study(driven.editor, base)


@pytest.mark.parametrize("data", [b"\xff\xfea", b"a\0b", b""])
def test_a_file_that_is_none(driven, data):
    driven.editor.column = "city"
    driven.send("file", [memoryview(data)], column="city", name="picture.png", field="import")
    said = [one["text"] for one in driven.sent if one["kind"] == "problem"]
    assert said or driven.problem["text"]
    assert not driven.editor.hierarchies


LACKING = WHOLE.replace("Nice;F;EU\nOslo;N;EU\n", "")


def test_values_that_a_file_lacks(driven):
    driven.paste("city", LACKING)
    assert driven.problem["field"] == "import"
    assert "2 of its 5 values are missing from the hierarchy: 'Nice'" in driven.problem["text"]
    driven.fix("Put them in their own group: other")
    assert driven.labels("city") == ("D", "F", "other") and driven.labels("city", 1) == ("EU",)
    driven.send("undo").paste("city", LACKING).fix("Leave them ungrouped")
    assert driven.labels("city") == ("D", "F", "Nice", "Oslo")


def test_a_misspelt_value(driven):
    driven.paste("city", WHOLE.replace("Oslo", "oslo").replace("Nice", "Nizza"))
    driven.fix("'oslo' in the file is 'Oslo'")
    driven.fix("Put them")
    assert driven.labels("city") == ("D", "F", "N", "other")


def test_values_listed_twice(driven):
    driven.paste("city", WHOLE + "Oslo;X;EU\n")
    assert "Duplicate leaves 'Oslo'" in driven.problem["text"]
    driven.fix("Keep the first")
    assert driven.labels("city") == ("D", "F", "N")


@pytest.mark.parametrize("short", ["Nice;F", "Nice;F;"])
def test_rows_with_gaps(driven, short):
    driven.paste("city", WHOLE.replace("Nice;F;EU", short))
    driven.fix("Fill the gaps")
    assert driven.labels("city", 1) == ("EU",)


def test_labels_that_split(driven):
    driven.paste("city", "Bonn;a;x\nKiel;b;x\nLyon;a;y\nNice;b;y\nOslo;c;z")
    assert "not a partition" in driven.problem["text"]
    driven.fix("Give each part its own name")
    assert set(driven.labels("city")) == {"a (x)", "b (x)", "a (y)", "b (y)", "c"}


def test_a_file_of_numbers(driven):
    ages = range(17, 91)
    rows = [f"{age};{age // 10}0s" for age in ages]
    driven.paste("age", "\n".join(row for row in rows if not row.startswith(("33;", "34;"))))
    driven.fix("Group each with the next lower value")
    assert driven.labels("age")[2] == "30s" and len(driven.labels("age")) == 9
    odd = [row if age != 50 else "50;odd" for age, row in zip(ages, rows, strict=True)]
    driven.paste("age", "\n".join(odd).replace("55;50s", "55;odd")).fix("Give each part its own name")
    assert {"50s", "50s (2)", "odd", "odd (2)"} <= set(driven.labels("age"))
    driven.paste("age", "\n".join([*rows, "?;unknown"]))  # missing is on a branch of its own: such a row does no harm
    assert driven.shown["state"] == "used" and "'?'" in driven.shown["about"]["notes"][0]


def test_a_fix_is_for_what_was_shown(driven):
    driven.paste("city", LACKING)
    old = driven.problem["fixes"][0]
    driven.paste("city", WHOLE)
    driven.send("fix", fix=old, field="import")
    assert driven.sent[-1]["kind"] == "problem" and driven.labels("city") == ("D", "F", "N")


# --- one follows the other


def test_undo_and_redo(driven, table):
    driven.use("age", "intervals", by="widths", widths=["10"])
    driven.use("city", "import", text=WHOLE, source="")
    driven.send("undo")
    assert driven.sizes("age") and driven.editor.table.columns["city"].hierarchy is None
    driven.send("undo")
    assert driven.editor.column == "age" and fingerprint(driven.editor.table) == fingerprint(table)
    assert not driven.shown["drafted"]
    assert driven.sent[0]["redo"] and not driven.sent[0]["undo"]
    driven.send("redo").send("redo").send("redo")
    assert driven.labels("city") == ("D", "F", "N") and driven.sizes("age")


def test_a_history_of_others(table):
    driven = Driven(table, own_history=False)
    driven.send("propose", column="age").send("undo")
    assert driven.editor.hierarchies and not driven.editor.history.can_undo


def test_a_new_table_gets_the_hierarchies_that_are_known(driven, base):
    driven.use("age", "intervals", by="widths", widths=["10"])
    seen = []
    driven.editor.observe(lambda change: seen.append((change.new, driven.editor.hierarchies)), "table")
    driven.editor.table = base.with_roles(["age", "zip"], "illness")
    assert len(seen) == 1 and driven.sizes("age") == [9]
    assert driven.editor.table.quasi == ("age", "zip")
    driven.editor.table = driven.editor.table  # nothing is new
    assert len(seen) == 1


def test_a_hierarchy_that_does_not_fit_new_data_is_said_and_can_be_mended(driven):
    driven.paste("city", WHOLE)
    frame = pd.DataFrame(
        {"city": [*CITIES, "Rome"], "age": [1, 2, 3, 4, 5, 6], "illness": ["a", "b", "a", "b", "a", "b"]}
    )
    driven.send("hello")
    driven.editor.table = Table.without_roles(frame).with_roles(["age", "city"], "illness")
    assert "city" not in driven.editor.hierarchies and driven.editor.table.columns["city"].hierarchy is None
    assert "'Rome'" in driven.line("city")["unfit"]
    assert "'Rome'" in driven.problem["text"]
    driven.fix("Leave them ungrouped")
    assert driven.labels("city") == ("D", "F", "N", "Rome") and not driven.line("city")["unfit"]


def test_hierarchies_set_from_outside_are_all_built_or_none(driven):
    driven.use("age", "intervals", by="widths", widths=["10"])
    before, table = driven.editor.hierarchies, driven.editor.table
    with pytest.raises(BadInput, match="missing from the hierarchy"):
        driven.editor.hierarchies = {
            "zip": {"builder": "prefixes"},
            "city": {"builder": "columns", "rows": [["Bonn", "D"]]},
        }
    assert driven.editor.hierarchies == before and driven.editor.table is table
    driven.editor.hierarchies = {"zip": Prefixes((3,)).to_dict(), "elsewhere": "bundled"}
    assert driven.editor.table.columns["age"].hierarchy is None and driven.sizes("zip")


def test_a_table_and_its_hierarchies_from_outside_are_not_built_again(driven, base):
    study = Study(quasi=("age", "city"), hierarchies={"city": Groups(({"x": ["Bonn", "Oslo"]},)).to_dict()})
    made = study.table(base)
    driven.editor.table = made
    driven.editor.hierarchies = study.hierarchies
    assert driven.editor.table is made and driven.editor.hierarchies == study.hierarchies


def test_another_state_is_followed_and_shown_once(driven, base):
    driven.use("age", "intervals", by="widths", widths=["10"])
    study = Study(quasi=("zip",), hierarchies={"zip": Prefixes((3,)).to_dict()})
    made = study.table(base)
    driven.sent.clear()
    driven.editor.follow(made, study.hierarchies, study)
    assert driven.editor.table is made and driven.editor.hierarchies == study.hierarchies
    assert [one["kind"] for one in driven.sent] == ["columns", "column"]


def test_a_file_beside_the_study_is_written_out_when_it_is_edited(table, tmp_path):
    (tmp_path / "c.csv").write_text(WHOLE)
    driven = Driven(table, {"city": {"csv": "c.csv"}}, Study(folder=str(tmp_path)))
    assert driven.sizes("city") == [3, 1]
    driven.editor.column = "city"
    driven.send("rename", column="city", level=1, label="N", to="Norway")
    assert driven.editor.hierarchies["city"]["builder"] == "groups" and driven.labels("city")[2] == "Norway"
    assert read_csv(tmp_path / "c.csv")


def test_a_level_that_models_look_at_cannot_be_taken_away(base):
    table = base.with_hierarchies({"illness": Groups(({"bad": ["flu", "ulcer"]},))})
    driven = Driven(table.with_roles(["age"], "illness", {"illness": 1}))
    driven.send("choose", column="illness").send("remove", column="illness")
    assert "no level 1" in driven.problem["text"] and "illness" in driven.editor.hierarchies


def test_five_thousand_values(base):
    frame = pd.DataFrame({"code": [f"{i:06d}" for i in range(5000)] * 2, "s": ["a", "b"] * 5000})
    driven = Driven(Table.without_roles(frame, types={"code": "text"}).with_roles(["code"], "s"))
    driven.use("code", "prefixes", keep="5, 4, 3", pad="")
    assert driven.sizes("code") == [500, 50, 5]
    driven.send("group", column="code", level=4, members=["000***", "001***"], label="low")
    assert driven.sizes("code") == [500, 50, 5, 4] and len(driven.shown["tree"]["leaves"]) == 5000


def test_a_message_from_another_thread_is_drawn_once_and_in_the_kernels(table):
    async def play():
        driven, shown = Driven(table), []
        show = driven.editor.show
        driven.editor.show = lambda: (shown.append(threading.get_ident()), show())
        form = {**forms.fill_form("intervals", table.columns["age"], None), "by": "widths", "widths": ["15"]}
        content = {"kind": "use", "column": "age", "tab": "intervals", "form": form, "field": "intervals"}
        await asyncio.to_thread(driven.editor._receive, None, content, [])
        await asyncio.sleep(0)
        return shown == [threading.get_ident()]

    assert asyncio.run(play())


def test_levels_to_be_released_at_are_chosen_undone_and_kept_while_they_are_sound(driven):
    driven.use("age", "intervals", by="widths", widths=["5", "10"])
    assert driven.shown["released"] == {"sizes": driven.line("age")["sizes"] + [1], "levels": 2, "low": 0, "high": 3}
    driven.send("released", column="age", low=1, high=2)
    assert driven.editor.released_levels == {"age": [1, 2]} and driven.editor.table.settings.level_ranges == {
        "age": (1, 2)
    }
    assert driven.shown["released"]["low"] == 1 and driven.shown["released"]["high"] == 2
    driven.use("age", "intervals", by="widths", widths=["5", "10", "20"])
    assert driven.editor.released_levels == {"age": [1, 2]}, "levels 1 and 2 are still there"
    driven.send("remove", column="age")
    assert driven.editor.released_levels == {} == driven.editor.table.settings.level_ranges
    driven.send("undo")
    assert (
        driven.editor.released_levels
        == {"age": [1, 2]}
        == {n: [*p] for n, p in driven.editor.table.settings.level_ranges.items()}
    )
    driven.send("undo").send("undo")
    assert driven.editor.released_levels == {} and driven.editor.hierarchies["age"]["widths"] == [5, 10]
    driven.send("redo")
    assert driven.editor.table.settings.level_ranges == {"age": (1, 2)}
    driven.send("released", column="age", low=0, high=3)
    assert driven.editor.released_levels == {}, "all levels are no choice"


def test_levels_that_there_are_not_are_said_at_the_field(driven):
    driven.use("age", "intervals", by="widths", widths=["5", "10"])
    for wrong in ({"low": 2, "high": 1}, {"low": 0, "high": 4}, {"low": None, "high": 1}):
        driven.send("released", column="age", field="released", **wrong)
        assert driven.editor.released_levels == {}
        assert any(
            one["kind"] == "problem" or "choose levels" in str(one) or "lowest" in str(one) for one in driven.sent
        )


def test_only_quasi_identifiers_are_released_at_levels(driven):
    driven.send("choose", column="illness")
    assert driven.shown["released"] is None


def test_a_table_comes_with_its_levels(table):
    given = table.with_hierarchies({"age": Intervals(widths=(10,))}).with_settings(level_ranges={"age": [1, 2]})
    editor = Driven(given).editor
    assert editor.released_levels == {"age": [1, 2]}
    editor.released_levels = {"zip": [0, 0]}
    assert editor.table.settings.level_ranges == {"zip": (0, 0)}


def test_what_releases_show_is_chosen_undone_and_kept_while_there_are_nodes(driven):
    driven.use("age", "intervals", by="widths", widths=["5", "10"])
    assert [one["name"] for one in driven.shown["regions"]["choices"]] == ["exact", "ranges", "nodes"]
    driven.send("regions", column="age", shown="nodes")
    assert driven.editor.regions == {"age": "nodes"} and driven.editor.table.columns["age"].shows_nodes
    assert driven.shown["regions"]["chosen"] == "nodes"
    driven.send("regions", column="age", shown="ranges")
    assert driven.editor.regions == {} and driven.editor.table.columns["age"].regions == "ranges", "the default"
    driven.send("undo")
    assert driven.editor.regions == {"age": "nodes"} and driven.editor.table.columns["age"].shows_nodes
    driven.send("remove", column="age")
    assert driven.editor.regions == {}, "without a hierarchy there are no nodes"
    driven.send("regions", column="age", field="regions", shown="nodes")
    assert driven.editor.regions == {} and any("need a hierarchy" in str(one) for one in driven.sent)
    driven.send("choose", column="illness")
    assert driven.shown["regions"] is None, "of a sensitive column its values are published"
