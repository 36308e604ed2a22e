"""What an adversary gains: one measure a file."""
