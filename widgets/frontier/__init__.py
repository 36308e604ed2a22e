"""The frontier chart."""
