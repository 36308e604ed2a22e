"""Buckets that are made to satisfy a model: beliefs raked to what is true of large populations, clustered, seated."""
