"""Scenarios: who uses the data and who attacks, and what miners learn from a release."""
