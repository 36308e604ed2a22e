"""The errors of a release's answers to queries."""
