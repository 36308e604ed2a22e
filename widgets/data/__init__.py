"""Where the records come from."""
