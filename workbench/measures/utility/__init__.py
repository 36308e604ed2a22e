"""What a researcher loses: one measure a file."""
