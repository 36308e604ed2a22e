"""Files: atomic writing, checks of output paths, private temporary folders, and the user's cache.

Temporary files and folders contain the process in their names, so that those of a killed process are removed later.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import secrets
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from fnmatch import fnmatch
from glob import has_magic
from pathlib import Path

from workbench.base.errors import BadInput

ENDING = ".part"  # of a file that is being written
ENDINGS = (".csv", ".parquet")  # of a release
CODEBOOK = "-codebook"  # suffix of the file that explains the labels of a release
OWN_NAME = re.compile(r"\.?[a-z]+-([0-9a-f]{8})-(\d+)-.*")


def scratch(parent: str | os.PathLike[str] | None = None) -> Path:
    """Create a temporary folder; first remove those of killed processes."""
    remove_abandoned(Path(parent or tempfile.gettempdir()), "workbench-*")
    return Path(tempfile.mkdtemp(prefix=f"workbench-{host_id()}-{os.getpid()}-", dir=parent))


def own_name(kind: str = "workbench") -> str:
    """Return a new hidden name that contains the process, by which `remove_abandoned` finds abandoned files."""
    return f".{kind}-{host_id()}-{os.getpid()}-{secrets.token_hex(6)}"


def remove_abandoned(folder: Path, names: str, elsewhere: float | None = None) -> None:
    """Remove the files and folders of ended processes that match a pattern.

    Processes of other machines cannot be checked; their files are removed if they are `elsewhere` seconds old.
    """
    for left in folder.glob(names):
        if not _abandoned(left, elsewhere):
            continue
        if left.is_dir():
            shutil.rmtree(left, ignore_errors=True)  # fails for another user's, which stay
        else:
            with suppress(OSError):
                left.unlink()


def _abandoned(path: Path, elsewhere: float | None) -> bool:
    found = OWN_NAME.fullmatch(path.name)
    if found is None:
        return False
    if found[1] == host_id():
        return not is_running(int(found[2]))
    if elsewhere is None:
        return False
    try:
        return _now_in(path.parent) - path.stat().st_mtime > elsewhere
    except FileNotFoundError:
        return False


def _now_in(folder: Path) -> float:
    """Return the time by the clock of the folder's file system, which may differ from this machine's."""
    with tempfile.TemporaryFile(dir=folder) as file:
        return os.fstat(file.fileno()).st_mtime


def host_id() -> str:
    """Return a short digest of this machine and container, within which process IDs are unique."""
    try:
        space = os.readlink("/proc/self/ns/pid")
    except OSError:
        space = ""
    return hashlib.blake2b(f"{platform.node()} {space}".encode(), digest_size=4).hexdigest()


def is_running(process: int) -> bool:
    """Return whether a process with this ID is running on this machine."""
    if os.name != "posix":  # signal 0 only checks on POSIX
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        pass
    return True


@contextmanager
def atomic_write(path: Path) -> Iterator[Path]:
    """Yield a temporary path in the same folder; moved to `path` on success, removed otherwise."""
    if not path.parent.is_dir():
        raise BadInput(f"{path}: the folder {str(path.parent)!r} does not exist; create it, or choose another")
    if path.is_dir():
        raise BadInput(f"{path} is a folder; name a file in it")
    remove_abandoned(path.parent, f".workbench-*{ENDING}")
    aside = path.parent / f"{own_name()}{ENDING}"
    failure = None
    try:
        yield aside
        os.replace(aside, path)
    except OSError as error:
        if error.errno is None or error.filename not in (None, str(aside)):
            raise
        failure = BadInput(
            f"{path}: cannot write the file ({os.strerror(error.errno)}); choose another folder, or free some space"
        )
    finally:
        aside.unlink(missing_ok=True)
    if failure:
        raise failure


def refuse_overwriting(outputs: Iterable[Path], read: Iterable[Path]) -> None:
    """Raise BadInput if an output would overwrite an input or its folder, also through links."""
    for out in outputs:
        for path in read:
            if _same(out, path):
                raise BadInput(f"{out} would overwrite {path}, which is an input; choose another name")


def _same(out: Path, path: Path) -> bool:
    try:
        if os.path.exists(out) and os.path.exists(path) and os.path.samefile(out, path):
            return True
        place, read = Path(os.path.realpath(out)), Path(os.path.realpath(path))
    except ValueError:  # no name of a file
        return False
    return read.is_relative_to(place) or (has_magic(str(path)) and fnmatch(str(place), str(path)))


def codebooks(release: Path) -> list[Path]:
    """Return the paths of a release's codebook, as CSV and as JSON."""
    return [release.with_name(f"{release.stem}{CODEBOOK}{ending}") for ending in (".csv", ".json")]


def refuse_nameless(path: Path) -> None:
    """Raise BadInput for paths without a file name: `.`, `..` and `/`."""
    if path.name in ("", ".."):
        raise BadInput(f"{path} is a folder; name a file in it")


def refuse_ending(path: Path) -> None:
    """Raise BadInput for file names that do not end in .csv or .parquet."""
    if path.suffix not in ENDINGS:
        raise BadInput(f"{path}: unsupported file type; use a name that ends in .csv or .parquet")


def cache_folder() -> Path:
    """Return the user's cache folder."""
    from platformdirs import user_cache_path  # few processes need it

    return user_cache_path("privacy-utility-workbench", appauthor=False)


def cached_text(name: str, compute: Callable[[], str]) -> str:
    """Return the text of a cached file; computed each time if the cache is not writable."""
    path = cache_folder() / name
    with suppress(OSError, UnicodeDecodeError):
        return path.read_text("utf-8")
    text = compute()
    with suppress(OSError, BadInput):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with atomic_write(path) as aside:
            aside.write_text(text, "utf-8")
    return text
