"""A grammar that nobody here needs is not read at the start, and can be imported afterwards."""

import subprocess
import sys


def test_the_grammar_is_not_read_and_not_hidden_either():
    code = (
        "import sys; import workbench.base.startup as s; import jsonschema; "
        "print(s.GRAMMAR in sys.modules, 'jsonschema' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]
