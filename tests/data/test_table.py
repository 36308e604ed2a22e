"""Tables: roles, levels, hierarchies, and errors of unusable input."""

import threading

import numpy as np
import pandas as pd
import pytest

from tests.data.people import FRAME, made
from tests.methods.tables import random_frame, table_of
from workbench.base.errors import BadInput
from workbench.data.cells import cell_of_record
from workbench.data.hierarchies.builders import Columns, Groups, Intervals
from workbench.data.hierarchies.hierarchy import Hierarchy, Level
from workbench.data.records import edges_of_quasi, fingerprint, positions_of_quasi, published_values
from workbench.data.settings import role_notes
from workbench.data.table import Table, without_assigned_roles


def test_columns_have_roles():
    table = made()
    assert table.quasi == ("age", "work") and table.neutral == ("pay",) and list(table.sensitive) == ["ill"]
    assert table.roles["name"] == "identifier" and "name" not in table.names and "name" not in table.codes


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"quasi": ["age", "wrok"]}, "no column 'wrok' .as quasi.; did you mean 'work'?"),
        ({"sensitive": "illness"}, "no column 'illness' .as sensitive.; did you mean 'ill'?|there are"),
        ({"identifiers": ["ssn"]}, "no column 'ssn' .as identifier.; it has 5 columns, none with a similar name"),
        ({"quasi": ["age", "ill"]}, "'ill' has two roles, quasi and sensitive; choose one"),
        ({"identifiers": ["age"]}, "'age' has two roles, quasi and identifier; choose one"),
        ({"quasi": ["age", "age"]}, "'age' has two roles, quasi and quasi; choose one|named twice"),
        ({"quasi": []}, "no quasi-identifier was chosen; choose at least one"),
        ({"hierarchies": {"agee": Intervals(widths=(5,))}}, "no column 'agee'; did you mean 'age'?"),
        ({"levels": {"ill": 1}}, "'ill' has no level 1; its hierarchy has 0"),
        ({"levels": {"ill": -1}}, "'ill' has no level -1"),
    ],
)
def test_impossible_roles_give_one_clear_error(change, message):
    with pytest.raises(BadInput, match=message):
        made(**change)


@pytest.mark.parametrize("name", ["il", "age", "name"])
def test_levels_are_for_sensitive_columns(name):
    with pytest.raises(BadInput, match=f"levels: '{name}' is not a sensitive column; the sensitive columns are: ill"):
        made(levels={name: 1})


def test_an_empty_table_is_refused():
    with pytest.raises(BadInput, match="no records"):
        made(FRAME.head(0))
    with pytest.raises(BadInput, match="every record has a missing value"):
        made(FRAME.assign(work=["own", *[None] * 5], pay=[None, *[1.5] * 5]), drop_missing=True)


def test_a_sensitive_column_needs_two_values():
    with pytest.raises(BadInput, match="'ill' has only one value: there is nothing to protect"):
        made(FRAME.assign(ill="flu"))
    with pytest.raises(BadInput, match="'ill' has only one value at this level"):
        made(hierarchies={"ill": Groups(({"any": ["flu", "cold"]},))}, levels={"ill": 1})


def test_a_sensitive_column_of_many_values_needs_a_level():
    frame = pd.DataFrame({"q": [1, 2] * 600, "s": range(1200)})
    with pytest.raises(BadInput, match=r"'s' has 1,200 values, more than 1,000.*levels=\{'s': 1\}"):
        Table.from_frame(frame, quasi=["q"], sensitive="s")
    table = Table.from_frame(
        frame, quasi=["q"], sensitive="s", hierarchies={"s": Intervals(widths=(100,))}, levels={"s": 1}
    )
    assert len(table.sensitive["s"]) == 12 and table.sensitive["s"].totals.tolist() == [100] * 12
    assert (table.model_view.codes["s"] == np.arange(1200) // 100).all()
    assert published_values(table, "s").tolist()[:2] == ["[0-99]", "[100-199]"]


@pytest.mark.filterwarnings("error")  # they are the whole process's, whatever thread is asked
def test_a_unique_column_gives_a_note_on_roles_and_no_warning():
    table = Table.from_frame(FRAME, quasi=["name", "age"], sensitive="ill")
    ask = "is different in (nearly) every record; is it an identifier?"
    assert role_notes(table) == (f"column 'name' (quasi) {ask}",)
    assert role_notes(table.with_roles(["age"], "ill")) == (f"column 'name' (neutral) {ask}",), "for the current roles"
    assert role_notes(without_assigned_roles(table)) == role_notes(table.drop(["name"])) == ()
    assert f"column 'age' (quasi) {ask}" in role_notes(made(FRAME.assign(age=range(6))))


def test_levels_above_are_kept_for_distances_and_missing_has_its_own_branch():
    frame = pd.DataFrame({"q": [1, 2] * 4, "s": ["a", "b", "c", "d", None, "a", "b", "c"]})
    build = Columns([("a", "ab", "abc"), ("b", "ab", "abc"), ("c", "c", "abc"), ("d", "d", "d")])
    table = Table.from_frame(frame, quasi=["q"], sensitive="s", hierarchies={"s": build})
    seen = table.sensitive["s"]
    assert seen.labels == ("a", "b", "c", "d", "missing") and seen.totals.tolist() == [2, 2, 2, 1, 1]
    assert [level.tolist() for level in seen.levels] == [[0, 0, 1, 2, 3], [0, 0, 0, 1, 2]]
    above = table.with_roles(["q"], "s", levels={"s": 1}).sensitive["s"]
    assert above.labels == ("ab", "c", "d", "missing") and above.totals.tolist() == [4, 2, 1, 1]
    assert [level.tolist() for level in above.levels] == [[0, 0, 1, 2]]


def test_roles_can_be_changed_for_the_same_microdata():
    table = made(hierarchies={"ill": Groups(({"any": ["flu"]},))}, levels={"ill": 0})
    other = table.with_roles(["pay"], ["work", "ill"])
    assert other.quasi == ("pay",) and list(other.sensitive) == ["work", "ill"] and other.neutral == ("age",)
    assert other.roles["name"] == "identifier" and other.codes is table.codes
    assert len(other.cells()) != len(table.cells())
    assert table.with_roles(["age"]).sensitive == {}
    with pytest.raises(BadInput, match="no column 'name'"):
        table.with_roles(["name"])


def ready(*leaves):
    """Return a hierarchy with two groups: values that begin with g, and the others."""
    starts = [0, next(i for i, leaf in enumerate(leaves) if not leaf.startswith("g"))]
    return Hierarchy(leaves, (Level(np.array(starts), ("state", "other")),))


def test_a_ready_hierarchy_with_more_leaves_is_restricted_to_the_columns_values():
    table = made(hierarchies={"work": ready("gov", "guard", "own", "none")})
    column = table.columns["work"]
    assert column.labels == column.hierarchy.leaves == ("gov", "own")
    assert column.hierarchy.levels[0].labels == ("state", "other")
    assert table.frame["work"].tolist()[:4] == FRAME["work"].tolist()[:4]


def test_a_ready_hierarchy_with_fewer_leaves_names_the_values_it_lacks():
    message = r"'work'.*1 of its 2 values are missing from the hierarchy: 'gov' \(did you mean 'goo'"
    with pytest.raises(BadInput, match=message):
        made(hierarchies={"work": ready("goo", "own")})


def test_with_hierarchies_changes_only_the_order_of_codes():
    table = made()
    other = table.with_hierarchies({"work": Columns([("own", "x"), ("gov", "y")])})
    assert table.columns["work"].labels == ("gov", "own") and other.columns["work"].labels == ("own", "gov")
    pd.testing.assert_frame_equal(other.frame, table.frame)
    assert other.columns["work"].counts.tolist() == [3, 2] and other.codes["age"] is table.codes["age"]
    again = other.with_hierarchies({"work": other.columns["work"].hierarchy})
    assert (again.codes["work"] == other.codes["work"]).all()
    with pytest.raises(BadInput, match="did you mean 'work'"):
        table.with_hierarchies({"wrk": Intervals(widths=(5,))})


def test_a_level_that_a_new_hierarchy_lacks_is_refused():
    build = Columns([("flu", "lung"), ("cold", "nose")])
    table = made(hierarchies={"ill": build}, levels={"ill": 1})
    with pytest.raises(BadInput, match="'ill' has no level 1; its hierarchy has 0"):
        table.with_hierarchies({"ill": Hierarchy(("flu", "cold"))})


def test_a_failed_change_leaves_the_table_unchanged():
    table = made(hierarchies={"age": Intervals(widths=(20,))})
    before = fingerprint(table)
    with pytest.raises(BadInput):
        table.with_hierarchies({"age": Intervals(widths=(5,)), "work": ready("goo", "own")})
    assert fingerprint(table) == before == fingerprint(made(hierarchies={"age": Intervals(widths=(20,))}))


@pytest.mark.parametrize(
    "change",
    [
        {"quasi": ["age"]},
        {"sensitive": ["ill", "pay"]},
        {"hierarchies": {"age": Intervals(widths=(20,))}},
        {"frame": FRAME.assign(pay=[1.5, 2.0, 1.5, None, 2.0, 1.5])},
        {"frame": FRAME.rename(columns={"pay": "wage"})},
    ],
    ids=lambda change: next(iter(change)),
)
def test_the_fingerprint_distinguishes_tables(change):
    assert fingerprint(made()) == fingerprint(made()) != fingerprint(made(**change))


def test_cells_contain_quasi_identifiers_sensitive_and_requested_columns():
    table = made()
    plain, more = table.cells(), table.cells(["pay"])
    assert set(plain.others) == {"ill"} and set(more.others) == {"ill", "pay"}
    assert plain.weight.sum() == more.weight.sum() == 6 and len(more) > len(plain)
    assert table.cells(["age", "ill"]) is plain  # they are in every cell as it is
    with pytest.raises(BadInput, match="no column 'py'; did you mean 'pay'"):
        table.cells(["py"])


@pytest.mark.parametrize("others", [(), ("plain",), ("plain", "person"), ("s", "word", "plain")])
def test_every_record_is_in_the_cell_of_its_codes(others):
    table = table_of(random_frame(1, 150, missing=0.1), ["whole", "word"], ("s", "s2"))
    cells, of = table.cells(others), cell_of_record(table, others)
    assert (cells.quasi[:, of] == [table.codes["whole"], table.codes["word"]]).all()
    assert all((codes[of] == table.codes[name]).all() for name, codes in cells.others.items())
    assert np.bincount(of).tolist() == cells.weight.tolist()


def test_edges_contain_the_left_and_right_end_of_every_code():
    table = made(quasi=["age", "work", "pay"])
    left, right = edges_of_quasi(table)
    assert positions_of_quasi(table)[:, :3].tolist() == [[0, 10, 20], [0, 1, 2], [0, 0.5, 1.0]]
    assert left[:, :3].tolist() == [[0, 10, 20], [0, 1, 2], [0, 0.25, 0.75]], "fractions reach halfway to the next"
    assert (right - left)[:, :3].tolist() == [[1, 1, 1], [1, 1, 1], [0.25, 0.5, 0.25]]


def test_figures_of_the_table_are_computed_once_for_all_threads():
    table, calls, ready_to_go = made(), [], threading.Barrier(4)

    def ask():
        ready_to_go.wait()
        table.remember("key", lambda: calls.append(1))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert calls == [1]


@pytest.mark.parametrize("name", ["two words", 'a "quoted" name', "semi;colon", "sélect", "select", "_", "\u202eb"])
def test_any_column_name_is_accepted(name):
    table = made(FRAME.rename(columns={"age": name}), quasi=[name, "work"])
    assert table.quasi == (name, "work") and table.cells().weight.sum() == 6
    assert table.frame[name].tolist() == FRAME["age"].tolist()


def test_an_empty_column_is_dropped_from_a_bare_table_with_a_note():
    frame = pd.DataFrame({"age": [1, 2], "none": [None, None], "ill": ["a", "b"]})
    bare = Table.without_roles(frame)
    assert bare.names == ["age", "ill"] and list(bare.roles) == ["age", "ill"]
    assert any("none: all values are missing" in note for note in bare.notes)
    with pytest.raises(BadInput, match="all values of all columns are missing"):
        Table.without_roles(frame[["none"]])


def test_only_a_neutral_column_of_a_table_with_roles_may_be_empty():
    frame = pd.DataFrame({"age": [1, 2], "none": [None, None], "ill": ["a", "b"]})
    table = Table.read(frame, ["age"], "ill")
    assert table.neutral == () and any("none: all values are missing" in note for note in table.notes)
    for roles in ({"quasi": ["age", "none"]}, {"quasi": ["age"], "sensitive": ["none"]}):
        with pytest.raises(BadInput, match="column 'none': all values are missing"):
            Table.read(frame, **roles)
