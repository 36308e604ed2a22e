"""Read a file, frame, query or Spark table as coded columns."""
