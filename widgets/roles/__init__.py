"""The role of every column."""
