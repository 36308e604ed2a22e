"""Levels over the codes of one column: built, matched, proposed."""
