"""An unnecessary grammar is not loaded at startup and can be imported later."""

import subprocess
import sys


def test_the_grammar_is_not_loaded_and_still_importable():
    code = (
        "import sys; import workbench.base.startup as s; import jsonschema; "
        "print(s.GRAMMAR in sys.modules, 'jsonschema' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]
