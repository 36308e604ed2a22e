"""The session of an analyst: the study, its points, its files."""
