"""The parts of a study that may be shown to people without access to the data."""
