"""A folder of finished points, each moved into place whole: several processes share it without a lock."""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import secrets
import shutil
import stat
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from workbench.base.errors import BadInput, Undefined
from workbench.base.jsonable import jsonable
from workbench.base.scratch import clear, name_here
from workbench.base.sources import digest
from workbench.base.variants import Plain, Variant, canonical
from workbench.data.table import Table
from workbench.frontier.recipe import Point, Recipe
from workbench.measures import Measure, Measured
from workbench.releases.base import Release
from workbench.workloads.workload import content

POINT, CLASSES, POPULATIONS = "point.json", "classes.parquet", "populations.parquet"
SECRET = ".secret"
SECRET_BYTES = 32
SEAL = 40  # characters
KEY = re.compile(r"[0-9a-f]{40}")
BESIDE = re.compile(r"[0-9a-f]{40}\.(drawn|mined|begun)")
ASIDE = re.compile(r"\.aside-[0-9a-f]{8}-\d+-[0-9a-f]{12}")
RESTORE = "Restore it: what was drawn at random is found by it, and another draw, beside the first, would tell more"
WHAT_TO_DO = "make room or change its permissions, and sweep again: what is finished stays"
DAY = 24 * 60 * 60
ENGINE_AND_PYTHON = {"workbench", "builtins", "abc", "typing"}
DIGESTS: dict[str, str] = {}
# what decides a figure: a report or a chart may change, and the points stay
ROOMS = ("base", "data", "workloads", "models", "releases", "miners", "measures", "methods")
# what makes a point, and what is kept of it
FILES = ("frontier/sweep.py", "frontier/store.py", "frontier/draws.py", "frontier/shelf.py")
ENGINE = digest(*ROOMS, *FILES)


class Damage(ValueError):
    """What is wrong with a file that can be read."""


class Store:
    """One directory a point; names that begin with `.aside` are being written, and no reader looks at them."""

    def __init__(self, folder: str | PathLike[str]) -> None:
        self.folder = Path(folder).absolute()
        try:
            self.writable = _prepare(self.folder)
            self._secret = _secret(self.folder)
        except OSError as error:
            raise Unusable(self.folder, f"cannot be used: {error.strerror}; choose another folder") from None
        if self.writable:
            clear(self.folder, ".aside-*", elsewhere=DAY)

    def key(self, table: Table, recipe: Recipe, measures: Sequence[Measure]) -> str:
        """Where the point of this recipe lies: it follows data, measures and the sources that decide figures."""
        about = {
            "table": table.fingerprint,
            "recipe": recipe.to_dict(),
            "measures": [_as_said(measure) for measure in sorted(measures, key=lambda m: m.key)],
            "workloads": _workloads(table, [recipe.method, *measures]),
            "engine": ENGINE,
            "own": own_sources([recipe.method, *(recipe.model.parts if recipe.model else ()), *measures]),
        }
        # keyed with a secret that stays in the folder: with a bare digest, whoever sees the name of a point
        # (in a log, a listing, a report) could hash guessed tables until one fits, and so confirm people's data
        return self.keyed(canonical(about).encode())

    def get(self, key: str, recipe: Recipe) -> Point | None:
        """The finished point, if it is there."""
        folder = self.folder / key
        if not os.path.lexists(folder):
            return None
        if not folder.is_dir():
            raise BadInput(f"store: {str(folder)!r} is not a folder with a point in it; delete it, and sweep again")
        try:
            said = json.loads((folder / POINT).read_bytes())
            values = {name: float(value) for name, value in said["values"].items()}
            if canonical(said["recipe"]) != canonical(recipe.to_dict()):
                raise Damage("it is about another recipe")
            if any(map(math.isnan, values.values())):
                raise Damage("a value in it is not a number")
            ends = {name: (float(low), float(high)) for name, (low, high) in said.get("intervals", {}).items()}
            gone, sentences = int(said.get("left_out", 0)), dict(said["sentences"])
            return Point(recipe, values, dict(said["reasons"]), sentences, key, intervals=ends, left_out=gone)
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise _damaged(folder / POINT, error) from None

    def put(
        self, key: str, point: Point, release: Release | None, measured: Mapping[str, Measured], seconds: float = 0.0
    ) -> None:
        """Keep a finished point; one that another process has put there meanwhile stays as it is."""
        files = {POINT: _point_file(point, seconds)}
        if release is not None:
            files |= _table_file(CLASSES, _classes(release, measured))
            files |= _table_file(POPULATIONS, _populations(release, measured))
        self.refuse_reading_only()
        aside, place = self.folder / name_here("aside"), self.folder / key
        failure = None
        try:
            aside.mkdir(mode=0o700)
            for name, content in files.items():
                write_file(aside / name, content)
            _sync(aside)
            os.rename(aside, place)
            _sync(self.folder)
        except OSError as error:
            if not place.is_dir():
                failure = Unusable(self.folder, f"cannot keep a point: {error.strerror}; {WHAT_TO_DO}")
        finally:
            shutil.rmtree(aside, ignore_errors=True)
        if failure:
            raise failure

    def put_file(self, path: Path, content: bytes, instead: bool = False) -> None:
        """Keep a file in the folder, whole and for its owner alone; one that is there stays, or it takes its place."""
        aside, failure = self.folder / name_here("aside"), None
        try:
            write_file(aside, content)
            with suppress(FileExistsError):
                (os.replace if instead else os.link)(aside, path)  # a link never replaces
            _sync(self.folder)
        except OSError as error:
            failure = Unusable(self.folder, f"cannot keep a file: {error.strerror}; {WHAT_TO_DO}")
        finally:
            aside.unlink(missing_ok=True)
        if failure:
            raise failure

    def sealed(self, path: Path, content: bytes) -> bytes:
        """Content with a seal of this store before it, for a file of that name."""
        return self.keyed(path.name.encode() + content).encode() + content

    def unsealed(self, path: Path) -> bytes | None:
        """The content of a file that was sealed here; None where anything of it was changed."""
        found = path.read_bytes()
        return found[SEAL:] if self.sealed(path, found[SEAL:]) == found else None

    def refuse_reading_only(self) -> None:
        """Raise BadInput where no point can be kept; before one is made."""
        if not self.writable:
            raise Unusable(self.folder, "can only be read, and not every point is in it; allow to write into it")

    def keyed(self, content: bytes) -> str:
        """A digest of content that tells nothing without the secret: it may leave the analyst's hands."""
        return hashlib.blake2b(content, key=self._secret, digest_size=20).hexdigest()

    def classes(self, key: str) -> pd.DataFrame:
        """One row a class: `size`, `low:` and `high:` codes (or `set:`), `histogram:` counts, what measures say."""
        return self._read(key, CLASSES, "it has no classes")

    def populations(self, key: str) -> pd.DataFrame:
        """One row a measure and population: `low:` and `high:` codes, and what the measure says of it."""
        return self._read(key, POPULATIONS, "none of its measures is about populations")

    def keys(self) -> list[str]:
        """Of every finished point."""
        return sorted(name for name in os.listdir(self.folder) if KEY.fullmatch(name))

    def _read(self, key: str, name: str, reason: str) -> pd.DataFrame:
        path = self.folder / key / name
        if not path.parent.is_dir():
            raise BadInput(f"store {str(self.folder)!r} has no point {key!r}; sweep again")
        if not path.exists():
            raise Undefined(f"nothing was kept of this point beyond its losses: {reason}")
        try:
            return pd.read_parquet(path)
        except (pa.ArrowException, OSError) as error:
            raise _damaged(path, error) from None


def _as_said(measure: Measure) -> dict[str, Any]:
    """A measure in plain data, of which the order tells: of weights the first condition that is met counts."""
    return {**measure.to_dict(), **{n: v.text for n, v in measure.settings().items() if isinstance(v, Plain)}}


def _workloads(table: Table, variants: Sequence[Variant]) -> list[Any]:
    """What is asked in the workloads that variants name."""
    asked = [getattr(one, name) for one in variants for name, its in one.parameters().items() if its.workload]
    return [content(table, given) for given in asked if given is not None]


def own_sources(variants: Sequence[Variant]) -> list[str]:
    """Digests of the files that define variants from outside the engine, whose version says nothing about them."""
    kinds = {kind for variant in variants for kind in type(variant).__mro__}
    return sorted({_file_digest(kind) for kind in kinds if kind.__module__.split(".")[0] not in ENGINE_AND_PYTHON})


def _file_digest(kind: type) -> str:
    """As the file was when this process first asked: that is the code that runs."""
    path = getattr(sys.modules.get(kind.__module__), "__file__", None)
    codes = [member.__code__ for member in vars(kind).values() if hasattr(member, "__code__")]
    free = {name for code in codes if code.co_filename == path for name in code.co_freevars}  # others are generated
    if free - {"__class__"} or path is None:
        raise BadInput(
            f"what {kind.__name__} computes is not said by a file alone, so a stored point could be stale; "
            "define it at the top level of a module, or sweep without a store"
        )
    if path not in DIGESTS:
        DIGESTS[path] = hashlib.blake2b(Path(path).read_bytes(), digest_size=16).hexdigest()
    return DIGESTS[path]


class Unusable(BadInput):
    """A folder that cannot be used, and why; neither holds data."""

    def __init__(self, folder: Path, why: str) -> None:
        super().__init__(f"store {str(folder)!r} {why}")
        self.why = why


def _damaged(path: Path, error: Exception) -> BadInput:
    """Points are whole when they are moved into place, so this one was changed afterwards."""
    why = error.strerror if isinstance(error, OSError) else str(error) if type(error) is Damage else "it was changed"
    return BadInput(
        f"store: {str(path)!r} cannot be read ({why}); delete the folder {path.parent.name!r}, and sweep again"
    )


def _prepare(folder: Path) -> bool:
    """Make the folder, or see that it is a store, readable by its owner alone; whether it can be written to."""
    if not folder.parent.is_dir():
        raise Unusable(folder, f"cannot be made: {str(folder.parent)!r} is not a folder; make it, or choose another")
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except FileExistsError:
        raise Unusable(folder, "is a file, not a folder; choose another name") from None
    may = [os.access(folder, right | os.X_OK) for right in (os.R_OK, os.W_OK)]
    if may[0] and not may[1] and (folder / SECRET).exists():
        return False
    if not all(may):
        raise Unusable(folder, "cannot be written to; change its permissions, or choose another folder")
    # its permissions are about to change: not those of a folder that was named by mistake
    if not (folder / SECRET).exists():
        strangers = [name for name in os.listdir(folder) if name != SECRET and not _is_ours(name)]
        if strangers:
            raise Unusable(folder, f"is not a store: it holds {min(strangers)!r}; name a new or an empty folder")
    if stat.S_IMODE(folder.stat().st_mode) != 0o700:
        folder.chmod(0o700)
    return True


def _is_ours(name: str) -> bool:
    return bool(KEY.fullmatch(name) or BESIDE.fullmatch(name) or ASIDE.fullmatch(name))


def _secret(folder: Path) -> bytes:
    """The secret of this store, drawn by whoever opens it first."""
    path, drawn = folder / SECRET, next(folder.glob("*.drawn"), None) is not None
    if not path.exists() and drawn:
        raise Unusable(folder, f"is damaged: its {SECRET} is not there. {RESTORE}")
    if not path.exists():
        aside = folder / name_here("aside")
        write_file(aside, secrets.token_bytes(SECRET_BYTES))
        try:
            with suppress(FileExistsError):
                os.link(aside, path)  # never replaces: of two processes that are here, both go on with the first one's
            _sync(folder)
        finally:
            aside.unlink()
    secret = path.read_bytes()
    if len(secret) != SECRET_BYTES:
        what = RESTORE if drawn else "Delete the folder, and sweep again"
        raise Unusable(folder, f"is damaged: its {SECRET} has {len(secret)} bytes. {what}")
    return secret


def write_file(path: Path, content: bytes) -> None:
    """A new file for its owner alone, on the disk when this returns."""
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _sync(folder: Path) -> None:
    """The names in a folder, on the disk when this returns."""
    entry = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(entry)
    finally:
        os.close(entry)


def _point_file(point: Point, seconds: float) -> bytes:
    said = {
        "recipe": point.recipe.to_dict(),
        "values": jsonable({name: float(value) for name, value in point.values.items()}),
        "reasons": dict(point.reasons),
        "sentences": dict(point.sentences),
        "intervals": {name: [str(end) for end in ends] for name, ends in point.intervals.items()},
        "left_out": point.left_out,
        "engine": ENGINE,
        "seconds": round(seconds, 4),
    }
    return json.dumps(said, indent=1, allow_nan=False, ensure_ascii=False).encode()


def _table_file(name: str, columns: pa.Table | None) -> dict[str, bytes]:
    if columns is None:
        return {}
    sink = pa.BufferOutputStream()
    pq.write_table(columns, sink)
    return {name: sink.getvalue().to_pybytes()}


def _classes(release: Release, measured: Mapping[str, Measured]) -> pa.Table | None:
    """The classes, with the arrays of every measure whose detail is about these classes."""
    try:
        classes = release.classes
    except Undefined:
        return None
    columns: dict[str, Any] = {"size": classes.sizes}
    if classes.low is not None and classes.high is not None:
        columns |= _runs(release.table, np.stack([classes.low, classes.high], axis=2))
    for a, held in classes.sets.items():
        columns[f"set:{release.table.quasi[a]}"] = [np.flatnonzero(row) for row in held]
    for name, histogram in classes.histograms.items():
        flat = pa.array(np.ascontiguousarray(histogram).reshape(-1))
        columns[f"histogram:{name}"] = pa.FixedSizeListArray.from_arrays(flat, histogram.shape[1])
    for key, found in measured.items():
        if np.array_equal(found.detail.get("sizes", ()), classes.sizes):
            columns |= {f"{key}:{name}": array for name, array in _aligned(found.detail, len(classes), "sizes")}
    return pa.table(columns)


def _populations(release: Release, measured: Mapping[str, Measured]) -> pa.Table | None:
    """The populations of every measure whose detail has their `runs`, with its arrays about them."""
    parts = []
    for key, found in measured.items():
        runs = found.detail.get("runs")
        if runs is not None:
            columns: dict[str, Any] = {"measure": [key] * len(runs), **_runs(release.table, runs)}
            parts.append(pa.table(columns | dict(_aligned(found.detail, len(runs), "runs"))))
    return pa.concat_tables(parts, promote_options="default") if parts else None


def _runs(table: Table, runs: np.ndarray) -> dict[str, np.ndarray]:
    """Runs (anything x quasi x (low, high)) as two columns a quasi-identifier."""
    ends = {f"low:{name}": runs[:, a, 0] for a, name in enumerate(table.quasi)}
    return ends | {f"high:{name}": runs[:, a, 1] for a, name in enumerate(table.quasi)}


def _aligned(detail: Mapping[str, Any], count: int, known: str) -> Iterator[tuple[str, np.ndarray]]:
    """The arrays of a detail with one number for each class or population, but for those that say which."""
    for name, array in detail.items():
        if name != known and isinstance(array, np.ndarray) and array.shape == (count,) and array.dtype.kind in "iufb":
            yield name, array
