"""The workloads of a study: the queries that users of the data need."""
