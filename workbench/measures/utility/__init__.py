"""Utility measures (what a researcher loses), one per file."""
