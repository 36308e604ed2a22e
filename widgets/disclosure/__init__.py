"""The disclosure table: exposure by class."""
