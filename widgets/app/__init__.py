"""The workbench: the parts put together."""
