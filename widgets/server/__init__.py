"""Voila, locked."""
