"""The installed package: its bundled files, and digests of its code, which recognize stored results of other versions.

Docstrings, comments and formatting change no digest, since no result depends on them: Python sources are digested as
the code they compile to, without docstrings and line numbers.
"""

from __future__ import annotations

import hashlib
import marshal
import sys
from functools import cache, cached_property
from importlib.resources import files
from opcode import opmap
from pathlib import Path
from types import CodeType

from workbench.base.files import cached_text

PACKAGE = Path(str(files("workbench")))
SHIPPED = PACKAGE / "shipped" if (PACKAGE / "shipped").is_dir() else PACKAGE.parent  # installed or a checkout
DATA, NOTEBOOKS = SHIPPED / "data", SHIPPED / "notebooks"
EXAMPLE = DATA / "studies" / "li_li_2009.yaml"  # the default study of the dashboard
ENDINGS = (".py", ".html", ".css")  # templates are sources as well
WITHOUT_DOCSTRINGS = 2  # level of optimization
WITHOUT_REFERENCES = 2  # the version of marshal whose output does not depend on shared objects


class Sources:
    """The sources in folders and files of the package; by default all.

    Create it when a module is loaded: sources that are edited later are not those that run.
    """

    def __init__(self, *parts: str) -> None:
        places = [PACKAGE / part for part in parts] or [PACKAGE]
        paths = {path for place in places for path in ([place] if place.is_file() else place.rglob("*"))}
        self._read = [
            (path.relative_to(PACKAGE).as_posix(), path.read_bytes())
            for path in sorted(paths)
            if path.suffix in ENDINGS
        ]

    @cached_property
    def digest(self) -> str:
        """Computed at first use and cached per user, because compiling all sources takes half a second."""
        raw = "".join(f"{name} {_digest(source)} " for name, source in self._read)
        return cached_text(f"sources-{_digest(f'{sys.version} {raw}'.encode())}", self._compute)

    def _compute(self) -> str:
        return _digest("".join(f"{name} {digest_of_source(name, source)} " for name, source in self._read).encode())


@cache
def digest_of_source(name: str, source: bytes) -> str:
    """Return a digest of the code of a Python file, or of the bytes of another file."""
    if Path(name).suffix != ".py":
        return _digest(source)
    code = compile(source, "", "exec", optimize=WITHOUT_DOCSTRINGS)
    return _digest(marshal.dumps(_without_lines(code), WITHOUT_REFERENCES))


def _without_lines(code: CodeType) -> CodeType:
    constants = (_without_lines(one) if isinstance(one, CodeType) else one for one in code.co_consts)
    steps = zip(code.co_code[::2], code.co_code[1::2], strict=True)
    kept = bytes(part for step in steps if step[0] != opmap["NOP"] for part in step)  # a docstring leaves one
    return code.replace(co_consts=tuple(constants), co_code=kept, co_firstlineno=1, co_linetable=b"")


def _digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=16).hexdigest()
