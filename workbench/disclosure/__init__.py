"""What a release discloses, and about which people."""
