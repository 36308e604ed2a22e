"""The data step: sources, columns and summaries."""
