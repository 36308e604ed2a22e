"""A folder of finished points, each moved into place atomically: several processes share it without a lock."""

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
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from workbench.base.convergence import Fit
from workbench.base.errors import BadInput, Undefined
from workbench.base.files import own_name, remove_abandoned
from workbench.base.jsonable import jsonable
from workbench.base.package import Sources, digest_of_source
from workbench.base.parameters import Plain, WorkloadChoice, canonical
from workbench.base.variants import Variant
from workbench.data.records import fingerprint
from workbench.data.table import Table
from workbench.frontier.recipe import Point, Recipe
from workbench.measures import Measure, Measured
from workbench.miners import Miner
from workbench.queries.workload import content
from workbench.releases.base import Release

POINT, CLASSES, POPULATIONS = "point.json", "classes.parquet", "populations.parquet"
PREDICTIONS = ".mined"
SECRET = ".secret"
SECRET_BYTES = 32
SEAL = 40  # characters
KEY = re.compile(r"[0-9a-f]{40}")
OTHER_FILES = re.compile(r"[0-9a-f]{40}\.(drawn|mined|begun|against)")  # .begun: from earlier versions
ASIDE = re.compile(r"\.aside-[0-9a-f]{8}-\d+-[0-9a-f]{12}")
RESTORE = (
    "Restore it: random releases are found by it, and a second draw would disclose more in combination with the first"
)
WHAT_TO_DO = "free some space or change its permissions, and run the sweep again: finished points are stored"
DAY = 24 * 60 * 60
ENGINE_AND_PYTHON = {"workbench", "builtins", "abc", "typing"}
DIGESTS: dict[str, str] = {}
# sources that determine figures: points stay valid if a report or a chart changes
ROOMS = ("base", "redaction", "data", "queries", "models", "releases", "miners", "measures", "methods")
# sources that compute and store points
FILES = ("frontier/sweep.py", "frontier/store.py", "frontier/draws.py")
ENGINE = Sources(*ROOMS, *FILES)


class Damage(ValueError):
    """A fault in a readable file."""


class Store:
    """A folder that contains one directory per point; names that begin with `.aside` are being written and are never
    read.

    Parameters
    ----------
    folder
        The folder; created, with access for its owner only, if it does not exist.

    Examples
    --------
    >>> import tempfile
    >>> from workbench import Store
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Store(folder).keys()
    []
    """

    def __init__(self, folder: str | PathLike[str]) -> None:
        self.folder = Path(folder).absolute()
        try:
            self.writable = _prepare(self.folder)
            self._secret = _secret(self.folder)
        except OSError as error:
            raise Unusable(self.folder, f"cannot be used: {error.strerror}; choose another folder") from None
        if self.writable:
            remove_abandoned(self.folder, ".aside-*", elsewhere=DAY)

    def key(self, table: Table, recipe: Recipe, measures: Sequence[Measure]) -> str:
        """Return the key of a recipe's point: a digest of data, recipe, measures and the sources that determine
        figures.
        """
        about = {
            "table": fingerprint(table),
            "recipe": recipe.to_dict(),
            "measures": [_measure_spec(measure) for measure in sorted(measures, key=lambda m: m.key)],
            "workloads": _workloads(table, [recipe.method, *measures]),
            "engine": ENGINE.digest,
            "own": own_sources([recipe.method, *(recipe.model.parts if recipe.model else ()), *measures]),
        }
        # The key includes a secret of the folder. With a plain digest, anyone who sees the name of a point (in a
        # log, a listing, a report) could hash guessed tables until one matches, and so confirm people's data.
        return self.keyed(canonical(about).encode())

    def get(self, key: str, recipe: Recipe) -> Point | None:
        """Return the finished point, if it is stored."""
        folder = self.folder / key
        if not os.path.lexists(folder):
            return None
        if not folder.is_dir():
            raise BadInput(
                f"store: {str(folder)!r} is not a folder with a point in it; delete it, and run the sweep again"
            )
        try:
            data = json.loads((folder / POINT).read_bytes())
            values = {name: float(value) for name, value in data["values"].items()}
            if canonical(data["recipe"]) != canonical(recipe.to_dict()):
                raise Damage("it belongs to another recipe")
            if any(map(math.isnan, values.values())):
                raise Damage("a value in it is not a number")
            ends = {name: (float(low), float(high)) for name, (low, high) in data.get("intervals", {}).items()}
            suppressed, sentences = int(data.get("left_out", 0)), dict(data["sentences"])
            fits = {name: [Fit(*one) for one in several] for name, several in data.get("fits", {}).items()}
            return Point(
                recipe, values, dict(data["reasons"]), sentences, key, intervals=ends, left_out=suppressed, fits=fits
            )
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise _damaged(folder / POINT, error) from None

    def put(self, key: str, point: Point, release: Release | None, measured: Mapping[str, Measured]) -> None:
        """Store a finished point; a point that another process has stored in the meantime is not replaced."""
        files = {POINT: _point_file(point)}
        if release is not None:
            files |= _table_file(CLASSES, _classes(release, measured))
            files |= _table_file(POPULATIONS, _populations(release, measured))
        self.refuse_reading_only()
        aside, place = self.folder / own_name("aside"), self.folder / key
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
                failure = Unusable(self.folder, f"cannot store a point: {error.strerror}; {WHAT_TO_DO}")
        finally:
            shutil.rmtree(aside, ignore_errors=True)
        if failure:
            raise failure

    def put_file(self, path: Path, content: bytes, instead: bool = False) -> None:
        """Write a file atomically, readable by its owner only; an existing one is kept unless `instead` is set."""
        aside, failure = self.folder / own_name("aside"), None
        try:
            write_file(aside, content)
            with suppress(FileExistsError):
                (os.replace if instead else os.link)(aside, path)  # a link never replaces
            _sync(self.folder)
        except OSError as error:
            failure = Unusable(self.folder, f"cannot store a file: {error.strerror}; {WHAT_TO_DO}")
        finally:
            aside.unlink(missing_ok=True)
        if failure:
            raise failure

    def sealed(self, path: Path, content: bytes) -> bytes:
        """Return content preceded by this store's seal, for a file of that name."""
        return self.keyed(path.name.encode() + content).encode() + content

    def unsealed(self, path: Path) -> bytes | None:
        """Return the content of a file that was sealed here; None if anything in it was changed."""
        found = path.read_bytes()
        return found[SEAL:] if self.sealed(path, found[SEAL:]) == found else None

    def refuse_reading_only(self) -> None:
        """Raise BadInput if the store is read-only; called before a point is computed."""
        if not self.writable:
            raise Unusable(self.folder, "is read-only and lacks some points; make it writable")

    @property
    def rounding_secret(self) -> bytes:
        """The secret that determines how counts are rounded: identical in each publication of the study."""
        return self.keyed(b"rounding of counts").encode()

    def keyed(self, content: bytes) -> str:
        """Return a keyed digest of content, which discloses nothing without the secret and may be published."""
        return hashlib.blake2b(content, key=self._secret, digest_size=20).hexdigest()

    def classes(self, key: str) -> pd.DataFrame:
        """Return one row per class: `size`, `low:` and `high:` codes (or `set:`), `histogram:` counts, figures of
        measures.
        """
        return self._read(key, CLASSES, "it has no classes")

    def populations(self, key: str) -> pd.DataFrame:
        """Return one row per measure and population: `low:` and `high:` codes, and the measure's figures."""
        return self._read(key, POPULATIONS, "none of its measures describes populations")

    def keys(self) -> list[str]:
        """Return the keys of all finished points."""
        return sorted(name for name in os.listdir(self.folder) if KEY.fullmatch(name))

    def _read(self, key: str, name: str, reason: str) -> pd.DataFrame:
        path = self.folder / key / name
        if not path.parent.is_dir():
            raise BadInput(f"store {str(self.folder)!r} has no point {key!r}; run the sweep again")
        if not path.exists():
            raise Undefined(f"only the losses of this point were stored: {reason}")
        try:
            return pd.read_parquet(path)
        except (pa.ArrowException, OSError) as error:
            raise _damaged(path, error) from None


def _measure_spec(measure: Measure) -> dict[str, Any]:
    """Return a measure as plain data that preserves the order of its weights, of which the first matching condition
    counts.
    """
    return {**measure.to_dict(), **{n: v.text for n, v in measure.settings().items() if isinstance(v, Plain)}}


def _workloads(table: Table, variants: Sequence[Variant]) -> list[Any]:
    """Return the queries of the workloads that variants name."""
    names = [
        getattr(one, name)
        for one in variants
        for name, declared in one.parameters().items()
        if isinstance(declared, WorkloadChoice)
    ]
    return [content(table, given) for given in names if given is not None]


def own_sources(variants: Sequence[Variant]) -> list[str]:
    """Return digests of the files that define variants outside the engine, since the engine's version does not cover
    them.
    """
    kinds = {kind for variant in variants for kind in type(variant).__mro__}
    return sorted({_file_digest(kind) for kind in kinds if kind.__module__.split(".")[0] not in ENGINE_AND_PYTHON})


def _file_digest(kind: type) -> str:
    """Return the digest of a variant's file as it was when first requested, which is the code that runs."""
    path = getattr(sys.modules.get(kind.__module__), "__file__", None)
    codes = [member.__code__ for member in vars(kind).values() if hasattr(member, "__code__")]
    free = {
        name for code in codes if code.co_filename == path for name in code.co_freevars
    }  # other names are generated
    if free - {"__class__"} or path is None:
        raise BadInput(
            f"{kind.__name__} depends on more than its file, so a stored point could be stale; "
            "define it at the top level of a module, or sweep without a store"
        )
    if path not in DIGESTS:
        DIGESTS[path] = digest_of_source(path, Path(path).read_bytes())
    return DIGESTS[path]


class Unusable(BadInput):
    """An unusable folder, with the reason; neither contains data."""

    def __init__(self, folder: Path, why: str) -> None:
        super().__init__(f"store {str(folder)!r} {why}")
        self.why = why


def _damaged(path: Path, error: Exception) -> BadInput:
    """Return an error for a damaged point: points are complete when moved into place, so the file was changed
    afterwards.
    """
    why = error.strerror if isinstance(error, OSError) else str(error) if type(error) is Damage else "it was changed"
    return BadInput(
        f"store: {str(path)!r} cannot be read ({why}); delete the folder {path.parent.name!r}, and run the sweep again"
    )


def _prepare(folder: Path) -> bool:
    """Create the folder or verify that it is a store, make it private, and return whether it is writable."""
    if not folder.parent.is_dir():
        raise Unusable(
            folder, f"cannot be created: {str(folder.parent)!r} is not a folder; create it, or choose another"
        )
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except FileExistsError:
        raise Unusable(folder, "is a file, not a folder; choose another name") from None
    may = [os.access(folder, right | os.X_OK) for right in (os.R_OK, os.W_OK)]
    if may[0] and not may[1] and (folder / SECRET).exists():
        return False
    if not all(may):
        raise Unusable(folder, "cannot be written to; change its permissions, or choose another folder")
    # never change the permissions of a folder that was named by mistake
    if not (folder / SECRET).exists():
        strangers = [name for name in os.listdir(folder) if name != SECRET and not _is_ours(name)]
        if strangers:
            raise Unusable(folder, f"is not a store: it contains {min(strangers)!r}; name a new or an empty folder")
    if stat.S_IMODE(folder.stat().st_mode) != 0o700:
        folder.chmod(0o700)
    return True


def _is_ours(name: str) -> bool:
    return bool(KEY.fullmatch(name) or OTHER_FILES.fullmatch(name) or ASIDE.fullmatch(name))


def _secret(folder: Path) -> bytes:
    """Return the secret of this store, drawn when the store is first opened."""
    path, drawn = folder / SECRET, next(folder.glob("*.drawn"), None) is not None
    if not path.exists() and drawn:
        raise Unusable(folder, f"is damaged: its {SECRET} is missing. {RESTORE}")
    if not path.exists():
        aside = folder / own_name("aside")
        write_file(aside, secrets.token_bytes(SECRET_BYTES))
        try:
            with suppress(FileExistsError):
                os.link(aside, path)  # never replaces a file: two processes both use the first one's secret
            _sync(folder)
        finally:
            aside.unlink()
    secret = path.read_bytes()
    if len(secret) != SECRET_BYTES:
        what = RESTORE if drawn else "Delete the folder, and run the sweep again"
        raise Unusable(folder, f"is damaged: its {SECRET} has {len(secret)} bytes. {what}")
    return secret


def write_file(path: Path, content: bytes) -> None:
    """Create a file for its owner only, flushed to the disk."""
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _sync(folder: Path) -> None:
    """Flush the names in a folder to the disk."""
    entry = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(entry)
    finally:
        os.close(entry)


def _point_file(point: Point) -> bytes:
    data = {
        "recipe": point.recipe.to_dict(),
        "values": jsonable({name: float(value) for name, value in point.values.items()}),
        "reasons": dict(point.reasons),
        "sentences": dict(point.sentences),
        "intervals": {name: [str(end) for end in ends] for name, ends in point.intervals.items()},
        "left_out": point.left_out,
        "fits": {name: [list(fit) for fit in fits] for name, fits in point.fits.items()},
        "engine": ENGINE.digest,
    }
    return json.dumps(data, indent=1, allow_nan=False, ensure_ascii=False).encode()


def _table_file(name: str, columns: pa.Table | None) -> dict[str, bytes]:
    if columns is None:
        return {}
    sink = pa.BufferOutputStream()
    pq.write_table(columns, sink)
    return {name: sink.getvalue().to_pybytes()}


def _classes(release: Release, measured: Mapping[str, Measured]) -> pa.Table | None:
    """Return the classes, with the arrays of every measure whose detail describes these classes."""
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
    """Return the populations of every measure whose detail has their `runs`, with its arrays about them."""
    parts = []
    for key, found in measured.items():
        runs = found.detail.get("runs")
        if runs is not None:
            columns: dict[str, Any] = {"measure": [key] * len(runs), **_runs(release.table, runs)}
            parts.append(pa.table(columns | dict(_aligned(found.detail, len(runs), "runs"))))
    return pa.concat_tables(parts, promote_options="default") if parts else None


def _runs(table: Table, runs: np.ndarray) -> dict[str, np.ndarray]:
    """Convert runs (anything x quasi x (low, high)) to two columns per quasi-identifier."""
    ends = {f"low:{name}": runs[:, a, 0] for a, name in enumerate(table.quasi)}
    return ends | {f"high:{name}": runs[:, a, 1] for a, name in enumerate(table.quasi)}


def _aligned(detail: Mapping[str, Any], count: int, known: str) -> Iterator[tuple[str, np.ndarray]]:
    """Yield the arrays of a detail with one number per class or population, except the array that identifies these."""
    for name, array in detail.items():
        if name != known and isinstance(array, np.ndarray) and array.shape == (count,) and array.dtype.kind in "iufb":
            yield name, array


class StoredPredictions:
    """Predictions of miners by settings and training data, so that none is mined twice; as private as the records."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def mined(self, content: bytes, miner: Miner) -> np.ndarray | None:
        """Return the miner's predictions, if they are stored."""
        path = self._place(content, miner)
        if not path.exists():
            return None
        try:
            return np.load(path, allow_pickle=False)
        except (OSError, ValueError, EOFError):
            raise BadInput(f"store: {str(path)!r} cannot be read; delete it, and run the sweep again") from None

    def put_predictions(self, content: bytes, miner: Miner, found: np.ndarray) -> None:
        """Store predictions; does nothing if the store is read-only."""
        if self.store.writable:
            sink = BytesIO()
            np.save(sink, found, allow_pickle=False)
            self.store.put_file(self._place(content, miner), sink.getvalue())

    def _place(self, content: bytes, miner: Miner) -> Path:
        about = {"miner": miner.to_dict(), "engine": ENGINE.digest, "own": own_sources([miner])}
        return self.store.folder / f"{self.store.keyed(content + canonical(about).encode())}{PREDICTIONS}"
