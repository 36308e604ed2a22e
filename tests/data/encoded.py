"""Columns with their codes, for most tests of data."""

from workbench.data.reading import encoder


def encode(source, columns=None, **options):
    """Return each column with its code per record, in memory, in the order of the source."""
    columns, engine = encoder.encode(source, columns, **options)
    return {name: (column, engine.codes[name]) for name, column in columns.items()}
