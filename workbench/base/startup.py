"""Altair, papermill and Jupyter's server start faster: their jsonschema reads no grammar of international addresses.

The package with that grammar is optional, and takes 0.7 s of each start. Here it is imported as if it were not there.
"""

import importlib
import sys

GRAMMAR = "rfc3987_syntax"

if GRAMMAR not in sys.modules:
    sys.modules[GRAMMAR] = None  # type: ignore[assignment]  # whoever imports it now hears that it is not installed
    try:
        importlib.import_module("jsonschema")
    finally:
        del sys.modules[GRAMMAR]
