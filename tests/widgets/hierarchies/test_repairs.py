"""What is wrong with a form, and the buttons that mend it."""

import numpy as np
import pytest

from widgets.hierarchies import forms
from widgets.hierarchies.repairs import diagnose
from workbench.base.errors import BadInput
from workbench.data.column import Column

TOWNS = ("Bonn", "Kiel", "Lyon", "Nice")
COLUMN = Column("city", "text", np.array(TOWNS, dtype=object), TOWNS, np.ones(4, np.int64))


class Editor:
    """A fake editor that returns the repaired form."""

    def use(self, column, tab, form):
        return tab, form


def problem_with(text):
    form = {"text": text, "source": ""}
    with pytest.raises(BadInput) as caught:
        forms.read_form("import", form)(COLUMN)
    return diagnose("import", form, COLUMN, caught.value)


@pytest.mark.parametrize(
    ("text", "button", "mended"),
    [
        ("Bonn;D\nKiel;D\nLyon;F\nNice;F\nNice;I", "Keep the first of each", "Nice;F"),
        ("Bonn;D\nKiel;D\nLyon;F\nNizza;F", "Leave them ungrouped", "Nice;Nice"),
        ("Bonn;D\nKiel;D\nLyon;F\nnice;F", "'nice' in the file is 'Nice'", "Nice;F"),
        ("Bonn;D\nKiel;D\nLyon;F\nNice;", "Fill the gaps from their own groups", "Nice;Nice"),
    ],
)
def test_a_button_makes_the_form_that_is_meant(text, button, mended):
    (fix,) = (fix for fix in problem_with(text).fixes if fix.text == button)
    tab, form = fix.step(Editor())
    assert tab == "import" and mended in form["text"].splitlines()


def test_a_problem_does_not_repeat_the_column_that_stands_above_it():
    problem = problem_with("Bonn;D")
    assert (
        problem.field == "import"
        and not problem.text.startswith("column")
        and problem.text.startswith("3 of its 4 values")
    )
