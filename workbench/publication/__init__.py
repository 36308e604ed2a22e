"""What may be shown to people who do not have the data."""
