"""What one quasi-identifier tells about another, as the role picker draws it."""

import pandas as pd

from widgets.roles.matrix import DESCRIBED, NOTHING, matrix
from widgets.roles.roles import RolePicker
from workbench.data.table import Table

FRAME = pd.DataFrame(
    {"zip": ["z1", "z2", "z3", "z4"] * 10, "state": ["s1", "s1", "s2", "s2"] * 10, "ill": list("xyxyz") * 8}
)


def table(quasi=("zip", "state")) -> Table:
    return Table.read(FRAME, quasi=quasi, sensitive="ill")


def test_a_row_says_what_its_column_tells_about_each():
    found = matrix(table())
    assert found["names"] == ("zip", "state") and found["commonest"] == ["0 %", "0 %"], "a tie is no guess"
    assert found["rows"][0][0] is None and found["rows"][1][1] is None
    cell = found["rows"][0][1]
    assert (cell["text"], cell["strength"], cell["words"]) == ("100 %", 1, "zip determines state")
    assert "0 records are exceptions" in cell["why"] and cell["why"].endswith("unless zip is generalized too.")
    assert found["described"][0] == {
        "words": "zip determines state",
        "meaning": "Generalizing state hides nothing unless zip is generalized too.",
    }


def test_one_column_tells_nothing():
    assert matrix(table(["zip"])) == {**NOTHING, "names": ()}


def test_no_value_is_drawn_and_few_are_said():
    many = pd.DataFrame({f"c{i}": FRAME.zip + str(i) for i in range(5)})
    found = matrix(Table.read(many, quasi=list(many)))
    assert len(found["described"]) == DESCRIBED < 20 and all(
        one["words"].split()[1] == "determines" for one in found["described"]
    )
    assert "z1" not in str(found) and "s1" not in str(matrix(table()))


def test_the_picker_tells_it_with_the_roles_and_forgets_it_without():
    picker = RolePicker(table())
    sent: list[dict] = []
    picker.send = lambda message, buffers=None: sent.append(message)
    picker.show()
    assert [one["names"] for one in sent if one["kind"] == "between"] == [["zip", "state"]]
    picker.roles = {**picker.roles, "quasi": ["zip"]}
    picker.roles = {**picker.roles, "quasi": []}
    assert [one["names"] for one in sent if one["kind"] == "between"][-2:] == [[], []]
