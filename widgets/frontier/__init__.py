"""The frontier, live."""
