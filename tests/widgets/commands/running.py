"""A small study, and the output of the commands that open a page, without serving."""

import pytest

from widgets.commands import dashboard, explore
from workbench.commands import main

STUDY = """
study: People
data: {path: people.csv}
roles: {quasi: [age, work], sensitive: [disease]}
hierarchies: {age: {builder: intervals, widths: [10, 20]}}
recipes:
- method: {name: mondrian}
  model: {name: k-anonymity, k: [3, 6, 12]}
measures: [{name: privacy loss}, {name: utility loss, min_support: 0.1}]
"""


def output_of(capsys, *arguments, code=0):
    """Run a command and return its output, or its errors."""
    with pytest.MonkeyPatch.context() as patch:
        for command in (dashboard, explore):
            patch.setattr(command, "serve", lambda notebook, **options: print("served", notebook.name, options))
        assert main.main([str(one) for one in arguments]) == code
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    return err if code else out
