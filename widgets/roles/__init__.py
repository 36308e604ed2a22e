"""The roles of the columns."""
