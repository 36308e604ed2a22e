"""Scenarios: users and attackers of the data, and what miners learn from a release."""
