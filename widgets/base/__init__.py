"""What all parts share."""
