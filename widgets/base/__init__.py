"""Shared code of all widgets."""
