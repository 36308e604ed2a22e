"""The tracked files of the project, without generated ones."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def tracked_files(*options: str) -> Iterator[Path]:
    """The files that git tracks; in a source distribution, which has no git, all of them."""
    if not (ROOT / ".git").exists():
        yield from (path for path in ROOT.rglob("*") if path.is_file() and ".venv" not in path.parts)
        return
    git = ["git", "-c", f"safe.directory={ROOT}", "ls-files", "-z", "--cached", *options]
    names = subprocess.run(git, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")
    yield from (path for name in names if name and (path := ROOT / name).is_file())
