"""Generated microdata, skewed and correlated, the same wherever DuckDB is the same. As a script: writes a file."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

QUASI = ("age", "workclass", "education", "marital_status", "race", "sex", "hours", "country")
SENSITIVE = "occupation"

# values and skew: low codes are the frequent ones
SHAPES = {
    "age": (74, 1.7),
    "workclass": (8, 4.0),
    "education": (16, 2.2),
    "marital_status": (7, 2.5),
    "race": (5, 5.0),
    "sex": (2, 1.2),
    "hours": (80, 3.0),
    "country": (41, 9.0),
    "occupation": (14, 1.8),
}
FINEST = {"zip": (30_000, 1.5)}  # in a file that names it
NUMBERS = ("age", "hours", *FINEST)
SHARED = 0.6  # how often a column follows the chance that all columns share


def write(path: Path, records: int, names: Sequence[str] = (*QUASI, SENSITIVE)) -> None:
    """A Parquet file with that many records of these columns; with the finest, hardly two of them are alike."""
    import duckdb

    with duckdb.connect(config={"autoinstall_known_extensions": False}) as engine:
        shapes = enumerate({**SHAPES, **FINEST}.items())
        columns = ", ".join(_column(j, name, *shape) for j, (name, shape) in shapes if name in names)
        target = str(path).replace("'", "''")
        engine.execute(f"COPY (SELECT {columns} FROM range({int(records)}) AS r(i)) TO '{target}' (FORMAT parquet)")


def _column(j: int, name: str, size: int, skew: float) -> str:
    chance = f"CASE WHEN {_uniform(2 * j + 1)} < {SHARED} THEN {_uniform(0)} ELSE {_uniform(2 * j + 2)} END"
    code = f"floor({size} * pow({chance}, {skew}))::INTEGER"
    return f"{code} AS {name}" if name in NUMBERS else f"'{name} ' || ({code}) AS {name}"


def _uniform(stream: int) -> str:
    """Return the SQL of a number between 0 and 1 that depends only on the record's number."""
    return f"((hash(32 * i + {stream}) >> 11) / 9007199254740992.0)"


if __name__ == "__main__":
    write(Path(sys.argv[1]), int(sys.argv[2]), *([sys.argv[3:]] if sys.argv[3:] else []))
