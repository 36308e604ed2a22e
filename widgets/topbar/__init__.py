"""The top bar."""
