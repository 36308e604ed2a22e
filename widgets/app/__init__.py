"""The workbench as a whole."""
