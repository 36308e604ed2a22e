"""Distributions of one or two columns in the original data and in the release."""
