"""Hierarchies over the codes of a column: builders, matching and proposals."""
