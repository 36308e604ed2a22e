"""A study as one YAML file: read, checked, proposed, and as a script."""
