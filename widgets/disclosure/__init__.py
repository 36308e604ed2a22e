"""The table of classes."""
