"""Catalogs, schemas, tables and columns of a Spark server: names, types and record counts, no values."""

from __future__ import annotations

import re
from collections.abc import Sequence

from workbench.base.errors import BadInput
from workbench.data.engines.spark_session import Session

DEPTH = 3  # catalog, schema, table
PLAIN = re.compile(r"[A-Za-z_]\w*", re.ASCII)
ASKED = ("SHOW CATALOGS", "SHOW SCHEMAS IN {}", "SHOW TABLES IN {}")


def below(session: Session, path: Sequence[str]) -> list[str]:
    """Return the names one level below: of the server (an empty path), of a catalog, or of a schema."""
    if len(path) >= DEPTH:
        raise BadInput("a table has no levels below it except its columns; choose a column")
    sql = ASKED[len(path)].format(table_name(path))
    found = session.run(lambda: session.spark.sql(sql).toArrow())
    if len(path) < DEPTH - 1:
        return sorted(_bare(name) for name in found.column(0).to_pylist())
    kept = found.filter([not own for own in found["isTemporary"].to_pylist()])  # of this session only
    return sorted(kept["tableName"].to_pylist())


def columns(session: Session, path: Sequence[str]) -> list[tuple[str, str]]:
    """Return the columns of a table with their Spark types."""
    fields = session.run(lambda: session.spark.table(table_name(path)).schema.fields)
    return [(str(field.name), str(field.dataType.simpleString())) for field in fields]


def records(session: Session, path: Sequence[str]) -> int:
    """Return the number of records of a table."""
    found = session.ask(session.spark.table(table_name(path)).selectExpr("count(*) AS n"))
    return int(found["n"][0].as_py())


def table_name(path: Sequence[str]) -> str:
    """Return a path in Spark's notation, with quotes where necessary."""
    return ".".join(part if PLAIN.fullmatch(part) else f"`{part.replace('`', '``')}`" for part in path)


def _bare(name: str) -> str:
    """Remove the quotes that one kind of server adds."""
    return name[1:-1].replace("``", "`") if re.fullmatch(r"`.*`", name, re.DOTALL) else name
