"""Mondrian: splitting, and the cuts that are proposed."""
