"""The hierarchies of a table's columns."""
