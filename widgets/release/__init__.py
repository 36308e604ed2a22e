"""The release card."""
