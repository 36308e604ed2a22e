"""What a server of Spark's has: catalogs, schemas, tables, columns; names and numbers of records, and no value."""

from __future__ import annotations

import re
from collections.abc import Sequence

from workbench.base.errors import BadInput
from workbench.data.engines.spark_session import Session

DEPTH = 3  # catalog, schema, table
PLAIN = re.compile(r"[A-Za-z_]\w*", re.ASCII)
ASKED = ("SHOW CATALOGS", "SHOW SCHEMAS IN {}", "SHOW TABLES IN {}")


def below(session: Session, path: Sequence[str]) -> list[str]:
    """The names one level below: of the server (an empty path), of a catalog, or of a schema in it."""
    if len(path) >= DEPTH:
        raise BadInput("below a table are its columns alone")
    sql = ASKED[len(path)].format(table_name(path))
    found = session.run(lambda: session.spark.sql(sql).toArrow())
    if len(path) < DEPTH - 1:
        return sorted(_bare(name) for name in found.column(0).to_pylist())
    kept = found.filter([not own for own in found["isTemporary"].to_pylist()])  # of this session alone
    return sorted(kept["tableName"].to_pylist())


def columns(session: Session, path: Sequence[str]) -> list[tuple[str, str]]:
    """The columns of a table and their types, as Spark calls them."""
    fields = session.run(lambda: session.spark.table(table_name(path)).schema.fields)
    return [(str(field.name), str(field.dataType.simpleString())) for field in fields]


def records(session: Session, path: Sequence[str]) -> int:
    """The number of records of a table."""
    found = session.ask(session.spark.table(table_name(path)).selectExpr("count(*) AS n"))
    return int(found["n"][0].as_py())


def table_name(path: Sequence[str]) -> str:
    """A path as Spark writes it; what is no plain name is in its quotes."""
    return ".".join(part if PLAIN.fullmatch(part) else f"`{part.replace('`', '``')}`" for part in path)


def _bare(name: str) -> str:
    """One server quotes the names that it lists."""
    return name[1:-1].replace("``", "`") if re.fullmatch(r"`.*`", name, re.DOTALL) else name
