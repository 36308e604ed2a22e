"""Write files and read tables from them."""

import pyarrow as pa
import pytest

from workbench.base.errors import BadInput
from workbench.data.reading.opening import open_source


def table_of(source, columns=None):
    return pa.Table.from_batches(source.batches(columns or source.names)).to_pydict()


def written(folder, content, name="data.csv", encoding="utf-8"):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
    return path


def message_of(action):
    """Return the message of the BadInput, and assert that it has no context (DuckDB's messages quote records)."""
    with pytest.raises(BadInput) as caught:
        action()
    assert caught.value.__context__ is None and caught.value.__cause__ is None
    return str(caught.value)


def read_csv(folder, content, **options):
    return table_of(open_source(written(folder, content), **options))
