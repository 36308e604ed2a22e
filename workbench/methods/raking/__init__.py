"""Raking: buckets whose sensitive values are close to the truth about large populations."""
