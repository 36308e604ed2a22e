"""A faster start of Altair, papermill and Jupyter's server: jsonschema is imported without rfc3987_syntax.

That package is optional, and its import takes 0.7 s.
"""

import importlib
import sys

GRAMMAR = "rfc3987_syntax"

if GRAMMAR not in sys.modules:
    sys.modules[GRAMMAR] = None  # type: ignore[assignment]  # an import now fails as if it were not installed
    try:
        importlib.import_module("jsonschema")
    finally:
        del sys.modules[GRAMMAR]
