"""The workloads of a study: queries that users of the data will ask."""
